package dev.purgatory.benchmarks.timer;

import java.util.concurrent.TimeUnit;

/**
 * A single ring of 1 ms buckets, as simple as possible. For one thread, which would also drive the
 * clock. An entry that is due after more than one revolution remains in its bucket and is visited
 * in every revolution.
 */
final class OneWheelTimer implements BareTimer {
  private static final int BUCKETS = 512;

  private final Link[] ring = new Link[BUCKETS];

  OneWheelTimer() {
    for (int i = 0; i < BUCKETS; i++) {
      ring[i] = new Link(0);
    }
  }

  @Override
  public Object add(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    Link link = new Link(deadline);
    long tick = TimeUnit.NANOSECONDS.toMillis(deadline);
    link.insertAfter(ring[(int) Math.floorMod(tick, (long) BUCKETS)]);
    return link;
  }

  @Override
  public void cancel(Object added) {
    ((Link) added).remove();
  }
}
