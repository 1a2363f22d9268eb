package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.TimerEntry;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one slot of a {@link Wheel}, in the order in which they came, including those that
 * have ended and were not yet removed. Not thread-safe.
 */
final class Bucket implements Comparable<Bucket> {

  /*
   * A chain of chunks: entries are written one behind the other, are read in the same order, and are
   * not copied as their number grows. An entry that ends stays where it is: to unlink it would take
   * the lock, and a walk to its neighbours, which by then are in no cache. Chunks are swept instead,
   * one after another; two neighbours whose rest fits into one are put together.
   */

  final long resolution;

  /**
   * The tick at which the clock has to look at the bucket. For the lowest level that is when its
   * entries are due. An upper bucket begins to be split one span before it starts, and has to be
   * empty when it starts. Changes only while the bucket is not queued.
   */
  long due;

  /** Whether the bucket waits in the queue of buckets. An empty one may, until it is met there. */
  boolean queued;

  /** Whether its entries are being moved to finer buckets. */
  boolean splitting;

  private @Nullable Chunk first;
  private @Nullable Chunk last;

  /** The last chunk that was swept and is still there, or null if the first is next. */
  private @Nullable Chunk swept;

  Bucket(long resolution) {
    this.resolution = resolution;
  }

  /** Has the bucket serve for the span with this number, counted in spans from 0. */
  void begin(long number) {
    due = isLowest() ? number : (number - 1) * resolution;
  }

  boolean isLowest() {
    return resolution == 1;
  }

  /** Has the bucket be split from now on; it is due again when its span starts. */
  void beginSplit() {
    splitting = true;
    due += resolution;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** Adds an entry. */
  void append(TimerEntry entry) {
    Chunk chunk = last;
    if (chunk == null || chunk.isFull()) {
      chunk = grow();
    }
    chunk.add(entry);
  }

  private Chunk grow() {
    Chunk chunk = new Chunk(last);
    if (last == null) {
      first = chunk;
    } else {
      last.next = chunk;
    }
    last = chunk;
    return chunk;
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

  /** Calls the visitor with all entries, including those that have ended. */
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

  /** Returns the chunk to sweep next, or null at the end: then the first is next. */
  @Nullable Chunk nextToSweep() {
    Chunk next = swept == null ? first : swept.next;
    if (next == null) {
      swept = null;
    }
    return next;
  }

  /**
   * Sweeps the chunk that {@link #nextToSweep} returned, and returns how many entries it removed.
   */
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
    return Long.compare(due, other.due);
  }
}
