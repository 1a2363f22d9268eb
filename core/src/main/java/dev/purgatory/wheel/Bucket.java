package dev.purgatory.wheel;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one slot of a {@link Wheel} with their numbers, including ended ones that were not
 * yet removed. Not thread-safe.
 */
final class Bucket implements Comparable<Bucket> {

  /*
   * A chain of chunks: entries are written and read sequentially, and are not copied as their number
   * grows. An ended entry stays in place: unlinking it would take the lock and touch its neighbours, which
   * are no longer cached. Instead, chunks are swept one after another, and neighbours are merged when the
   * rest of both fits into one.
   *
   * Most requests have the same timeout, so the entries of an upper bucket often come in the order of the
   * ticks at which they are due. `ordered` tells whether they did, and `latest` is the last of these ticks. It
   * waits for its first entry as long as they do.
   */

  final long resolution;

  /**
   * The tick at which the clock must visit the bucket. On the lowest level its entries are then
   * due. An upper bucket is visited when its first entry is due if it {@linkplain #waits}; else one
   * span before it starts, and when it starts if it is split. Changes only while the bucket is not
   * queued.
   */
  long due;

  /** Whether the bucket is in the queue of buckets. It stays there when it becomes empty. */
  boolean queued;

  /** Whether its entries are being moved to finer buckets. */
  boolean splitting;

  /** Whether its entries are in the order of their ticks, and it is visited for the first. */
  boolean waits;

  private boolean ordered;
  private long latest;

  private @Nullable Chunk first;
  private @Nullable Chunk last;

  /** The chunk that was swept last, or null if the first is next. */
  private @Nullable Chunk swept;

  Bucket(long resolution) {
    this.resolution = resolution;
  }

  /** Assigns the bucket to the span that has this tick, at which its first entry is due. */
  void begin(long tick) {
    assert !queued && isEmpty() : "the span of a bucket in use changes";
    due = tick;
    waits = !isLowest();
    ordered = true;
    latest = tick;
  }

  boolean isLowest() {
    return resolution == 1;
  }

  /** Begins to split the bucket, which is due again when its span starts. */
  void beginSplit() {
    splitting = true;
    due += resolution;
  }

  /** Returns the first tick of the bucket, while it is queued. */
  long start() {
    return isLowest() || splitting || waits ? due & -resolution : due + resolution;
  }

  /** Returns whether the entries are in the order of their ticks. */
  boolean isOrdered() {
    return ordered;
  }

  /** Returns whether there are more entries than this, ended ones included. */
  boolean hasMoreThan(int most) {
    int size = 0;
    for (Chunk chunk = first; chunk != null && size <= most; chunk = chunk.next) {
      size += chunk.size();
    }
    return size > most;
  }

  /** Sorts the entries by deadline, and removes those that have ended. */
  void sort() {
    List<Due> entries = new ArrayList<>();
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      chunk.addScheduled(entries);
    }
    entries.sort(null);
    Bucket sorted = new Bucket(resolution);
    for (Due each : entries) {
      sorted.append(each.entry(), each.number());
    }
    first = sorted.first;
    last = sorted.last;
    swept = null;
    ordered = true;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** Returns the number of entries, including ended ones. */
  int size() {
    int size = 0;
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      size += chunk.size();
    }
    return size;
  }

  /** Counts the ended entries among the first ones, about this many. */
  int countEnded(int most) {
    int ended = 0;
    int looked = 0;
    for (Chunk chunk = first; chunk != null && looked < most; chunk = chunk.next) {
      ended += chunk.countEnded();
      looked += chunk.size();
    }
    return ended;
  }

  /** Returns scheduled entries, as many as this if there are. */
  List<TimerEntry> firstScheduled(int most) {
    List<TimerEntry> found = new ArrayList<>();
    for (Chunk chunk = first; chunk != null && found.size() < most; chunk = chunk.next) {
      chunk.forEach(
          entry -> {
            if (found.size() < most && entry.isScheduled()) {
              found.add(entry);
            }
          });
    }
    return found;
  }

  /**
   * Adds an entry with its number.
   *
   * @param tick when it is due
   * @return whether the bucket waits for its first entry, and this one comes before others
   */
  boolean append(TimerEntry entry, long number, long tick) {
    append(entry, number);
    if (tick < latest) {
      ordered = false;
      return waits;
    }
    latest = tick;
    return false;
  }

  private void append(TimerEntry entry, long number) {
    Chunk chunk = last;
    if (chunk == null || !chunk.add(entry, number)) {
      grow().add(entry, number);
    }
  }

  private Chunk grow() {
    Chunk chunk = new Chunk(Chunk.lengthAfter(last));
    link(chunk);
    return chunk;
  }

  @Nullable Chunk firstChunk() {
    return first;
  }

  TimerEntry first() {
    return requireNonNull(first).first();
  }

  long firstNumber() {
    return requireNonNull(first).firstNumber();
  }

  void removeFirst() {
    Chunk chunk = requireNonNull(first);
    chunk.removeFirst();
    if (chunk.size() == 0) {
      unlink(null, chunk);
      swept = null;
    }
  }

  /** Removes the last entry if it has ended, before another one is appended. */
  boolean removeEndedLast() {
    return last != null && last.removeEndedLast();
  }

  /** Calls the visitor with all entries, including ended ones. */
  void forEach(Consumer<TimerEntry> visitor) {
    for (Chunk chunk = first; chunk != null; chunk = chunk.next) {
      chunk.forEach(visitor);
    }
  }

  /** Moves all entries of the other bucket to the end of this one. */
  void takeAll(Bucket other) {
    if (other.first != null) {
      link(other.first);
      last = other.last;
    }
    other.first = null;
    other.last = null;
    other.swept = null;
  }

  /** Moves the first entries of the other bucket, those of a chunk, to the end of this one. */
  void takeFirstChunk(Bucket other) {
    Chunk chunk = requireNonNull(other.first);
    link(chunk.moveAll());
    other.unlink(null, chunk);
    other.swept = null;
  }

  TimerEntry lastOfFirstChunk() {
    return requireNonNull(first).last();
  }

  private void link(Chunk chunk) {
    if (last == null) {
      first = chunk;
    } else {
      last.next = chunk;
    }
    last = chunk;
  }

  /** Returns the chunk to sweep next, or null at the end of a round. */
  @Nullable Chunk nextToSweep() {
    Chunk next = swept == null ? first : swept.next;
    if (next == null) {
      swept = null;
    }
    return next;
  }

  /**
   * Sweeps the chunk that {@link #nextToSweep} returned, and returns the number of removed entries.
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
