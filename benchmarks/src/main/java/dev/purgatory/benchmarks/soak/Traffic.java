package dev.purgatory.benchmarks.soak;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** A purgatory with its own timer, and the load on it. */
final class Traffic implements AutoCloseable {
  private static final int SHARED_KEYS = 64;
  private static final int BATCH = 200;
  private static final long BATCH_MILLIS = 10;
  private static final int EXPIRING_EVERY = 10;
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(500);

  /** The lateness of timeouts in nanoseconds, with two significant digits. */
  private final Recorder lateness = new Recorder(2);

  private final AtomicLong nextKey = new AtomicLong(SHARED_KEYS);
  private final AtomicLong operations = new AtomicLong();
  private final Timer timer = Timer.builder().start("soak-clock");
  private final Purgatory<Long> purgatory =
      Purgatory.builder("soak", Long.class).timer(timer).listener(new Lateness()).build();

  /** How the operations of a burst end. */
  enum Ending {
    CHECKED,
    CANCELLED,
    EXPIRED
  }

  /** Holds and ends operations on a new thread, on keys that are not reused. */
  void burst(int size, Ending ending) throws InterruptedException {
    Thread thread = new Thread(() -> holdAndEnd(size, ending), "soak-burst");
    thread.start();
    thread.join();
    awaitNothingPending();
  }

  private void holdAndEnd(int size, Ending ending) {
    long first = nextKey.getAndAdd(size);
    SoakOperation[] held = new SoakOperation[size];
    for (int i = 0; i < size; i++) {
      held[i] = new SoakOperation(ending == Ending.EXPIRED ? SHORT : LONG);
      hold(held[i], first + i);
    }
    for (int i = 0; i < size; i++) {
      end(held[i], first + i, ending);
    }
  }

  private void hold(SoakOperation operation, long key) {
    operations.incrementAndGet();
    purgatory.hold(operation, key);
  }

  private void end(SoakOperation operation, long key, Ending ending) {
    switch (ending) {
      case CHECKED -> {
        operation.answerable = true;
        purgatory.signal(key);
      }
      case CANCELLED -> operation.cancel();
      case EXPIRED -> {}
    }
  }

  /** Holds 20,000 operations per second on a few keys. Most are completed; the others time out. */
  void steady(Duration length) throws InterruptedException {
    long end = System.nanoTime() + length.toNanos();
    while (System.nanoTime() - end < 0) {
      for (int i = 0; i < BATCH; i++) {
        long key = i % SHARED_KEYS;
        SoakOperation operation = new SoakOperation(SHORT);
        hold(operation, key);
        end(operation, key, i % EXPIRING_EVERY == 0 ? Ending.EXPIRED : Ending.CHECKED);
      }
      Thread.sleep(BATCH_MILLIS);
    }
  }

  /** Waits until nothing is pending. */
  void awaitNothingPending() throws InterruptedException {
    while (purgatory.pending() > 0) {
      TimeUnit.MILLISECONDS.sleep(BATCH_MILLIS);
    }
  }

  /** Returns the number of operations so far. */
  long operations() {
    return operations.get();
  }

  long pending() {
    return purgatory.pending();
  }

  /** Returns the number of entries that the timer retains, including cancelled ones. */
  long entriesInTimer() {
    return TimerInternals.of(timer).wheels().retained();
  }

  /** Returns the number of entries on all watch lists, including those of ended operations. */
  long entriesOnLists() {
    return purgatory.inspect().watched();
  }

  /** Returns the number of all entries and keys that the library retains. */
  long retained() {
    return entriesInTimer() + entriesOnLists() + purgatory.inspect().keys();
  }

  /** Returns the lateness of the timeouts since the last call, in nanoseconds. */
  Histogram latenessSinceLastCall() {
    return lateness.getIntervalHistogram();
  }

  @Override
  public void close() {
    purgatory.close();
    timer.close();
  }

  private final class Lateness implements PurgatoryListener {
    @Override
    public void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      if (outcome == Outcome.TIMED_OUT) {
        lateness.recordValue(Math.max(0, lateNanos));
      }
    }
  }
}
