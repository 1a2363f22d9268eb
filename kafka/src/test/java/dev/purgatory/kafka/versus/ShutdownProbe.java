package dev.purgatory.kafka.versus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * Shuts purgatories down while threads check one key, whose operation reads a file. An interrupt
 * closes a {@code FileChannel} that the thread reads, for all threads.
 */
final class ShutdownProbe {
  private static final int SHUTDOWNS = 20;
  private static final int THREADS = 8;
  private static final long CHECKING_MS = 20;
  private static final long CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final DelayedOperationPurgatory<Reading> purgatory =
      new DelayedOperationPurgatory<>("shutdown", 0);
  private final FileChannel file;
  private volatile boolean stopped;

  private ShutdownProbe(FileChannel file) {
    this.file = file;
  }

  /** Returns how many shutdowns closed the file. */
  static int closedFiles() throws Exception {
    int closed = 0;
    Path path = Files.createTempFile("purgatory", ".log");
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (int i = 0; i < SHUTDOWNS; i++) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
          new ShutdownProbe(file).checkAndShutDown(threads);
          closed += file.isOpen() ? 0 : 1;
        }
      }
    } finally {
      threads.shutdown();
      Files.delete(path);
    }
    return closed;
  }

  private void checkAndShutDown(ExecutorService threads) throws Exception {
    purgatory.tryCompleteElseWatch(new Reading(), List.of(RecordedRequest.A));
    List<Future<?>> checking = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      checking.add(threads.submit(this::checkUntilStopped));
    }
    Thread.sleep(CHECKING_MS);
    purgatory.shutdown();
    stopped = true;
    for (Future<?> thread : checking) {
      thread.get();
    }
  }

  private void checkUntilStopped() {
    while (!stopped) {
      purgatory.checkAndComplete(RecordedRequest.A);
    }
  }

  /** Reads the file, and is never complete. */
  private final class Reading extends DelayedOperation {
    Reading() {
      super(RecordedRequest.LONG_MS);
    }

    @Override
    public boolean tryComplete() {
      LockSupport.parkNanos(CHECK_NANOS); // the other threads check meanwhile
      try {
        file.read(ByteBuffer.allocate(1), 0);
        return false;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void onComplete() {}

    @Override
    public void onExpiration() {}
  }
}
