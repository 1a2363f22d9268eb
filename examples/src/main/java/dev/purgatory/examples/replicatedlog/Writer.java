package dev.purgatory.examples.replicatedlog;

import dev.purgatory.Purgatory;
import dev.purgatory.Thresholds;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes entries until it is closed, and records which ones are acknowledged. */
final class Writer implements AutoCloseable {

  /** The most writes that wait at once. */
  static final int IN_FLIGHT = 50;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A number of writes. */
  enum Count {
    ACKNOWLEDGED,
    ENDED
  }

  private final Client client;
  private final int copies;
  private final Purgatory<Count> purgatory = Purgatory.builder("writer", Count.class).build();
  private final Thresholds<Count> counts = new Thresholds<>(purgatory);
  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
  private final AtomicLong failed = new AtomicLong();
  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
  private final Thread thread = new Thread(this::write, "writer");
  private volatile String lastError = "";

  /**
   * Starts to write.
   *
   * @param copies how many replicas must have an entry
   */
  Writer(Client client, int copies) {
    this.client = client;
    this.copies = copies;
    thread.start();
  }

  private void write() {
    try {
      for (int i = 1; true; i++) {
        String entry = "entry " + i;
        inFlight.acquire();
        CompletableFuture<?> unused =
            client.write(entry, copies).whenComplete((reply, error) -> onEnd(entry, error));
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void onEnd(String entry, @Nullable Throwable error) {
    if (error == null) {
      acknowledged.add(entry);
    } else {
      failed.incrementAndGet();
      lastError = String.valueOf(error.getMessage());
    }
    counts.advance(Count.ACKNOWLEDGED, acknowledged.size());
    counts.advance(Count.ENDED, acknowledged.size() + failed.get());
    inFlight.release(); // last: close() takes all permits to wait for this
  }

  /** Waits until more writes than now have ended, or are acknowledged. */
  void await(Count count, int more) throws InterruptedException, TimeoutException {
    Long now = counts.number(count);
    counts.reach(count, more + (now == null ? 0 : now)).orTimeout(PATIENCE).hold().awaitAnswer();
  }

  /** Returns the entries that are acknowledged. */
  Set<String> acknowledged() {
    return Set.copyOf(acknowledged);
  }

  /** Returns the number of writes that failed. */
  long failed() {
    return failed.get();
  }

  /** Returns what the last of them failed with. */
  String lastError() {
    return lastError;
  }

  /** Stops, and waits for the writes that are in flight. */
  @Override
  public void close() {
    thread.interrupt();
    inFlight.acquireUninterruptibly(IN_FLIGHT);
    purgatory.close();
  }
}
