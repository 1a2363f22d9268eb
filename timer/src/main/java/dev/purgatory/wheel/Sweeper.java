package dev.purgatory.wheel;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Visits the buckets of the wheels round-robin, a few chunks at a time, and removes ended entries.
 * Not thread-safe.
 */
final class Sweeper {
  private final List<Bucket> buckets = new ArrayList<>();
  private int at;

  /** Adds a bucket to the round. */
  void add(Bucket bucket) {
    int place = buckets.size();
    while (place > 0 && buckets.get(place - 1).resolution < bucket.resolution) {
      place--;
    }
    boolean moves = place <= at && !buckets.isEmpty();
    buckets.add(place, bucket); // may find no memory, so before anything changes
    at += moves ? 1 : 0; // go on with the same bucket
  }

  /** Returns the buckets: those of upper levels first, as entries move down. */
  List<Bucket> buckets() {
    return buckets;
  }

  /**
   * Visits the next entries and buckets.
   *
   * @param most how many to visit; the last chunk may exceed it
   * @return the number of removed entries
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
