package dev.purgatory.wheel;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one slot of a {@link Wheel}, including ended ones that were not yet removed. Not
 * thread-safe.
 */
final class Bucket implements Comparable<Bucket> {

  /*
   * A chain of chunks: entries are written and read sequentially, and are not copied as their number
   * grows. An ended entry stays in place: unlinking it would take the lock and touch its neighbours, which
   * are no longer cached. Instead, chunks are swept one after another, and neighbours are merged when the
   * rest of both fits into one.
   *
   * The life of a bucket:
   *
   *              first entry, lowest level
   *        IDLE ---------------------------> DUE        visited at its tick: all entries are due
   *         |
   *         | first entry, upper level
   *         v
   *      WAITING <-------------------+                  visited when its first entry is due
   *         |                        |
   *         | an entry comes before  | sorted, since
   *         | another one            | it has few
   *         v                        |
   *      UNSORTED -------------------+                  visited one span before it starts
   *         |
   *         | it has many
   *         v
   *      SPLITTING                                      entries move to finer buckets; visited at its start
   *
   * In each state but IDLE it is in the queue of buckets. At the head of the queue, one that is due or empty
   * leaves it, and is IDLE again.
   *
   * Most requests have the same timeout, so the entries of an upper bucket often come in the order of the
   * ticks at which they are due. `latest` is the last of these ticks.
   */

  /** Where a bucket is in its life. */
  enum State {
    IDLE,
    DUE,
    WAITING,
    UNSORTED,
    SPLITTING
  }

  final long resolution;

  State state = State.IDLE;

  /** The first tick of the span. */
  long start;

  /** The tick at which the clock must visit the bucket. Changes only outside the queue. */
  long visit;

  private long latest;

  @Nullable Chunk first;
  private @Nullable Chunk last;

  /** The chunk that was swept last, or null if the first is next. */
  private @Nullable Chunk swept;

  Bucket(long resolution) {
    this.resolution = resolution;
  }

  /** Assigns the bucket to the span that has this tick, at which its first entry is due. */
  void begin(long tick) {
    assert state == State.IDLE && isEmpty() : "the span of a bucket in use changes";
    start = tick & -resolution;
    visit = tick;
    latest = tick;
  }

  /** Sorts the entries by deadline, and removes the ended ones. */
  void sort() {
    List<TimerEntry> entries = first(Integer.MAX_VALUE);
    entries.removeIf(each -> !each.isScheduled());
    entries.sort(TimerEntry.IN_ORDER);
    Bucket sorted = new Bucket(resolution);
    entries.forEach(sorted::append);
    first = sorted.first;
    last = sorted.last;
    swept = null;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** Returns the number of entries, including ended ones. */
  int size() {
    return size(Integer.MAX_VALUE);
  }

  /** Returns the number of entries, including ended ones; more than this if there are more. */
  int size(int most) {
    int size = 0;
    for (Chunk chunk = first; chunk != null && size <= most; chunk = chunk.next) {
      size += chunk.size();
    }
    return size;
  }

  /** Returns the first entries, including ended ones: this many at most. */
  List<TimerEntry> first(int most) {
    List<TimerEntry> found = new ArrayList<>();
    for (Chunk chunk = first; chunk != null && found.size() < most; chunk = chunk.next) {
      chunk.forEach(found::add);
    }
    return found.subList(0, Math.min(found.size(), most));
  }

  /** Notes the tick of an added entry, and returns whether those of the others are not later. */
  boolean notesInOrder(long tick) {
    boolean inOrder = tick >= latest;
    latest = Math.max(latest, tick);
    return inOrder;
  }

  /** Adds an entry. */
  void append(TimerEntry entry) {
    Chunk chunk = last;
    if (chunk == null || !chunk.add(entry)) {
      chunk = new Chunk(Chunk.lengthAfter(chunk));
      chunk.add(entry);
      link(chunk);
    }
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

  /** Removes the last entry if it has ended, before another one is appended. */
  boolean removeEndedLast() {
    return last != null && last.removeEndedLast();
  }

  /** Moves all entries of the other bucket, which has some, to the end of this one. */
  void takeAll(Bucket other) {
    link(requireNonNull(other.first));
    last = other.last;
    other.first = null;
    other.last = null;
    other.swept = null;
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
    return Long.compare(visit, other.visit);
  }
}
