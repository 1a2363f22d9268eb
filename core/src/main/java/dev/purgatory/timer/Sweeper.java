package dev.purgatory.timer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes round the buckets of the wheels, a few chunks at a time, and removes entries that have
 * ended. Not thread-safe.
 */
final class Sweeper {
  private final List<Bucket> buckets = new ArrayList<>();
  private int at;

  /** Has the bucket swept from now on. */
  void add(Bucket bucket) {
    buckets.add(bucket);
  }

  List<Bucket> buckets() {
    return buckets;
  }

  /**
   * Looks at the next entries and buckets. As many as there are make a whole round.
   *
   * @param most how many to look at; more where the last chunk has more
   * @return how many entries were removed
   */
  int sweep(int most) {
    int removed = 0;
    for (int looked = 0; looked < most && !buckets.isEmpty(); ) {
      Bucket bucket = buckets.get(at);
      @Nullable Chunk chunk = bucket.nextToSweep();
      if (chunk != null) {
        looked += chunk.size();
        removed += bucket.sweep(chunk);
      } else {
        at = at + 1 == buckets.size() ? 0 : at + 1;
        looked++;
      }
    }
    return removed;
  }
}
