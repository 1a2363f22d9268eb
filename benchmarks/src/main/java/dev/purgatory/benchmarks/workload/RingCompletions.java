package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Completes requests on a separate thread, never early and up to about one millisecond late. It is
 * a ring of slots; each is an array that is filled, and then emptied at the end of its millisecond.
 * The benchmark of Kafka's redesign proposal uses a {@code DelayQueue} instead, which takes more
 * time than some contenders. The lag of every eighth completion of a slot is recorded.
 */
final class RingCompletions implements Completions {
  private static final int SLOTS = 1024;
  private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The lag from which generators wait: a tenth of the usual timeout. */
  private static final long MAX_BEHIND = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long NOT_FINISHING = Long.MAX_VALUE;
  private static final long MAX_LAG = TimeUnit.MINUTES.toNanos(10);

  private final Slot[] ring = new Slot[SLOTS];
  private final Thread thread = new Thread(this::run, "completions");
  private final long origin = System.nanoTime();
  private final SingleWriterRecorder lag = new SingleWriterRecorder(MAX_LAG, 2);
  private volatile long currentSlot;
  private volatile long lastSlot = NOT_FINISHING;
  private long latestUsed;

  RingCompletions() {
    for (int i = 0; i < SLOTS; i++) {
      ring[i] = new Slot(i);
    }
    thread.setDaemon(true);
  }

  @Override
  public void start() {
    thread.start();
  }

  /** Must be called by one thread only. Waits if completions are more than half a second behind. */
  @Override
  public void add(Held held, long time) {
    long slot = Math.max(0, (time - origin) / SLOT_NANOS);
    while (!slot(slot).add(slot, held, time)) {
      if (slot(slot).isAfter(slot)) {
        slot++; // This slot has already been emptied.
      } else {
        LockSupport.parkNanos(SLOT_NANOS);
      }
    }
    latestUsed = Math.max(latestUsed, slot);
  }

  @Override
  public void awaitCaughtUp() {
    while (System.nanoTime() - endOf(currentSlot) > MAX_BEHIND) {
      LockSupport.parkNanos(SLOT_NANOS);
    }
  }

  private long endOf(long slot) {
    return origin + (slot + 1) * SLOT_NANOS;
  }

  @Override
  public Histogram lagNanos() {
    return lag.getIntervalHistogram();
  }

  private Slot slot(long number) {
    return ring[(int) (number % SLOTS)];
  }

  @Override
  public void finish() throws InterruptedException {
    lastSlot = latestUsed;
    thread.join();
  }

  private void run() {
    Slot.Batch spare = new Slot.Batch();
    for (long slot = 0; slot <= lastSlot; slot++) {
      currentSlot = slot;
      awaitTime(endOf(slot));
      spare = slot(slot).swap(spare, slot + SLOTS);
      spare.completeAll(lag);
    }
  }

  private static void awaitTime(long time) {
    for (long now; (now = System.nanoTime()) - time < 0; ) {
      LockSupport.parkNanos(time - now);
    }
  }
}
