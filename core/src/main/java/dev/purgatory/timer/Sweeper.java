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
   * Looks at the next entries and buckets, or at all if there are less.
   *
   * @param most how many; a few more where a chunk has them
   * @return how many entries were removed
   */
  int sweep(int most) {
    int removed = 0;
    int looked = 0;
    for (int passed = 0; looked < most && passed < buckets.size(); ) {
      Bucket bucket = buckets.get(at);
      @Nullable Chunk chunk = bucket.nextToSweep();
      if (chunk != null) {
        looked += chunk.size();
        removed += bucket.sweep(chunk);
      } else {
        at = at + 1 == buckets.size() ? 0 : at + 1;
        passed++;
        looked++;
      }
    }
    return removed;
  }
}
