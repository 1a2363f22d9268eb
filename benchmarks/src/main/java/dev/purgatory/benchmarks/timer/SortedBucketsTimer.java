package dev.purgatory.benchmarks.timer;

import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/**
 * The discontinuous buckets that the discussion of the redesign suggests instead of wheels: a
 * sorted map from milliseconds to buckets, which are created on demand. Thread-safe. Empty buckets
 * remain until they are due.
 */
final class SortedBucketsTimer implements BareTimer {
  private final ConcurrentNavigableMap<Long, Link> buckets = new ConcurrentSkipListMap<>();

  @Override
  public Object add(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    Link bucket =
        buckets.computeIfAbsent(TimeUnit.NANOSECONDS.toMillis(deadline), tick -> new Link(tick));
    Entry entry = new Entry(bucket, new Link(deadline));
    synchronized (bucket) {
      entry.link.insertAfter(bucket);
    }
    return entry;
  }

  @Override
  public void cancel(Object added) {
    Entry entry = (Entry) added;
    synchronized (entry.bucket) {
      entry.link.remove();
    }
  }

  private record Entry(Link bucket, Link link) {}
}
