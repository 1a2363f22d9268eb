package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one slot of a {@link Wheel}, in the order in which they came, those included that
 * have ended and were not yet removed. Not thread-safe.
 */
final class Bucket implements Comparable<Bucket> {

  /*
   * A chain of chunks: entries are written one behind the other, are read in the same order, and are
   * not copied as their number grows. An entry that ends stays where it is: to unlink it would take
   * the lock, and a walk to its neighbours, which by then are in nobody's cache. Chunks are swept
   * instead, one after another; what is left of two that fit into one is put together.
   */

  /** The tick at which the bucket is due. It may change only while the bucket is not queued. */
  long tick;

  /** Whether the bucket waits in the queue of buckets. An empty one may, until it is met there. */
  boolean queued;

  private @Nullable Chunk first;
  private @Nullable Chunk last;

  /** The last chunk that was swept and is still there, or null if the first is next. */
  private @Nullable Chunk swept;

  boolean isEmpty() {
    return first == null;
  }

  /** Whether it takes memory to add an entry. */
  boolean isFull() {
    return last == null || last.isFull();
  }

  /** For how many entries {@link #grow} would make room. */
  int nextRoom() {
    return Chunk.lengthAfter(last);
  }

  /** Makes room for entries. */
  void grow() {
    Chunk chunk = new Chunk(last);
    if (last == null) {
      first = chunk;
    } else {
      last.next = chunk;
    }
    last = chunk;
  }

  /** Adds an entry, for which there has to be room. */
  void append(TimerEntry entry) {
    requireNonNull(last).add(entry);
  }

  TimerEntry first() {
    return requireNonNull(first).first();
  }

  void removeFirst() {
    Chunk chunk = requireNonNull(first);
    chunk.removeFirst();
    if (chunk.size() == 0) {
      unlink(null, chunk);
      swept = null;
    }
  }

  /** Calls the visitor with all entries, those included that have ended. */
  void forEach(Consumer<TimerEntry> visitor) {
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      chunk.forEach(visitor);
    }
  }

  /** Moves all entries of the other bucket to the end of this one. */
  void takeAll(Bucket other) {
    if (last == null) {
      first = other.first;
    } else {
      last.next = other.first;
    }
    last = other.last == null ? last : other.last;
    other.first = null;
    other.last = null;
    other.swept = null;
  }

  /** Returns the chunk to sweep next, or null if there is none: then the first is next. */
  @Nullable Chunk nextToSweep() {
    Chunk next = swept == null ? first : swept.next;
    if (next == null) {
      swept = null;
    }
    return next;
  }

  /** Has the chunk that was to sweep next swept, and returns how many entries were removed. */
  int sweep(Chunk chunk) {
    int removed = chunk.removeEnded();
    Chunk before = swept;
    if (chunk.size() == 0 || (before != null && before.takeAll(chunk))) {
      unlink(before, chunk);
    } else {
      swept = chunk;
    }
    return removed;
  }

  private void unlink(@Nullable Chunk before, Chunk chunk) {
    if (before == null) {
      first = chunk.next;
    } else {
      before.next = chunk.next;
    }
    if (chunk == last) {
      last = before;
    }
  }

  @Override
  public int compareTo(Bucket other) {
    return Long.compare(tick, other.tick);
  }
}
