package dev.purgatory.benchmarks.measure;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What one timer costs to cancel and to add, with so many pending: a random one is cancelled, and
 * another takes its place. None expires.
 */
final class TimerMeasurement implements Measurement {
  private static final int SHORTEST_MILLIS = 60_000;
  private static final int LONGEST_MILLIS = 600_000;
  private static final int BATCH = 1000;

  private final SplittableRandom random = new SplittableRandom(1);

  @Override
  public void measure(String timer, Settings settings, Output out) throws InterruptedException {
    for (int pending : settings.numbers("pending")) {
      try (BareTimer started = Timers.named(timer).start()) {
        Object[] added = fill(started, pending);
        nanosPerReplacement(started, added, settings.millis("warm-up"));
        Compilers.awaitIdle();
        nanosPerReplacement(started, added, settings.millis("warm-up"));
        System.gc();
        double nanos = nanosPerReplacement(started, added, settings.millis("length"));
        out.with("pending", pending).lowerIsBetter("cancel and add", "ns", nanos);
      }
    }
  }

  private Object[] fill(BareTimer timer, int pending) {
    Object[] added = new Object[pending];
    for (int i = 0; i < pending; i++) {
      added[i] = timer.add(timeout());
    }
    return added;
  }

  private long timeout() {
    return random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS);
  }

  private double nanosPerReplacement(BareTimer timer, Object[] added, Duration length) {
    long start = System.nanoTime();
    long end = start + length.toNanos();
    long replaced = 0;
    long now;
    while ((now = System.nanoTime()) - end < 0) {
      for (int i = 0; i < BATCH; i++) {
        int victim = random.nextInt(added.length);
        timer.cancel(added[victim]);
        added[victim] = timer.add(timeout());
      }
      replaced += BATCH;
    }
    return (now - start) / (double) replaced;
  }
}
