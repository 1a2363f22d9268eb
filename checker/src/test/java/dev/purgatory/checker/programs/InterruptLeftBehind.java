package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** An answer that leaves its thread interrupted closes a file that answers of others read. */
final class InterruptLeftBehind {
  private static final int ROUNDS = 20;
  private static final int READERS = 20;
  private static final Duration LIMIT = Duration.ofMillis(30);

  private InterruptLeftBehind() {}

  public static void main(String[] args) throws Exception {
    Path file = Files.createTempFile("read", "by-answers");
    Files.write(file, new byte[100]);
    int same = 0;
    int other = 0;
    for (int i = 0; i < ROUNDS; i++) {
      same += isFileClosed(file, /* samePurgatory= */ true) ? 1 : 0;
      other += isFileClosed(file, /* samePurgatory= */ false) ? 1 : 0;
    }
    Files.delete(file);
    System.out.println("files closed: same purgatory " + same + ", another " + other);
  }

  private static boolean isFileClosed(Path file, boolean samePurgatory) throws Exception {
    Timer timer = Timer.builder().start("clock");
    Purgatory<String> rude = Purgatory.builder("rude", String.class).timer(timer).build();
    Purgatory<String> reading =
        samePurgatory ? rude : Purgatory.builder("reading", String.class).timer(timer).build();
    CountDownLatch answered = new CountDownLatch(READERS);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      Thread main = Thread.currentThread();
      var unused =
          rude.<String>untilCompleted()
              .orTimeout(LIMIT)
              .hold("rude")
              .whenComplete(
                  (value, error) -> {
                    if (Thread.currentThread() != main) {
                      Thread.currentThread().interrupt();
                    }
                  });
      for (int i = 0; i < READERS; i++) {
        unused =
            reading
                .<String>untilCompleted()
                .orTimeout(LIMIT)
                .hold("read " + i)
                .whenComplete((value, error) -> read(channel, answered));
      }
      answered.await();
      return !channel.isOpen();
    } finally {
      reading.close();
      rude.close();
      timer.close();
    }
  }

  private static void read(FileChannel channel, CountDownLatch answered) {
    try {
      int unused = channel.read(ByteBuffer.allocate(10), 0);
    } catch (IOException e) {
      // the channel is closed
    } finally {
      answered.countDown();
    }
  }
}
