package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Completes requests on a thread of its own, no earlier than they are due and about a millisecond
 * late. A ring of slots, each an array that is filled, and emptied at the end of its millisecond:
 * the benchmark of Kafka's redesign proposal uses a DelayQueue here, which takes more time than
 * some contenders do. Of each slot, every eighth completion tells how late it was.
 */
final class RingCompletions implements Completions {
  private static final int SLOTS = 1024;
  private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** How far behind is too far: a tenth of the usual timeout. */
  private static final long MOST_BEHIND = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long NOT_FINISHING = Long.MAX_VALUE;
  private static final long LONGEST_LAG = TimeUnit.MINUTES.toNanos(10);

  private final Slot[] ring = new Slot[SLOTS];
  private final Thread thread = new Thread(this::run, "completions");
  private final long origin = System.nanoTime();
  private final SingleWriterRecorder lag = new SingleWriterRecorder(LONGEST_LAG, 2);
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

  /** By one thread only. Waits if the completing thread is more than half a second behind. */
  @Override
  public void add(Held held, long time) {
    long slot = Math.max(0, (time - origin) / SLOT_NANOS);
    while (!slot(slot).add(slot, held, time)) {
      if (slot(slot).isAfter(slot)) {
        slot++; // Emptied already: the next will be soon.
      } else {
        LockSupport.parkNanos(SLOT_NANOS);
      }
    }
    latestUsed = Math.max(latestUsed, slot);
  }

  @Override
  public void awaitCaughtUp() {
    while (System.nanoTime() - endOf(currentSlot) > MOST_BEHIND) {
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
