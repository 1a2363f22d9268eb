package dev.purgatory.wheel;

import dev.purgatory.wheel.Bucket.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Hierarchical timing wheels: entries by deadline. Passive: time is an argument, in nanoseconds
 * from 0 up; there is no thread, clock or lock here. Not thread-safe.
 *
 * <p>Deadlines are rounded up to a tick, and the current time is rounded down. So no entry fires
 * early, and each fires less than one tick late if the clock advances at every tick.
 */
final class TimingWheels {

  /*
   * Buckets with entries wait in `queue`, ordered by the tick at which the clock must visit them. The
   * clock moves from one such tick to the next, even if it has a long way to go: so entries leave in the
   * order of their ticks. A bucket of the lowest level moves to `due` as a whole, and its entries fire
   * from there one by one.
   *
   * The entries of an upper bucket often came in the order of their ticks, or are so few that they are
   * sorted. Then the bucket waits for its first entry, and after that for the next, and the clock wakes for
   * nothing else: on a server with little to do, a thread that is woken to move an entry costs more than its
   * request. A new entry out of order ends that. Bucket has the picture of these states.
   *
   * The entries of other upper buckets move down to finer buckets: the bucket is split. The split may begin
   * one span before the bucket starts, and must be complete when it starts. In between, `splitAhead`
   * splits it in steps while nothing is due, so a bucket of millions of entries delays nobody. If the
   * clock was late, the rest moves at the start of the bucket, before the entries of this tick fire. Ended
   * entries are dropped.
   *
   * `advance` and `splitAhead` take a bounded number of steps, which bounds the time that the caller holds
   * its lock.
   *
   * An entry ends without notice. The clock or a sweep removes it. A bucket that became empty stays queued
   * until it is at the head of the queue.
   *
   * The entries of a bucket are in no order: after a split, an entry may follow one that was inserted
   * later. So each has a number.
   *
   * Allocations, which may fail (a level, a bucket, a place in the queue, a chunk, a list), come before an
   * entry is removed from its place.
   */

  static final long NEVER = Long.MAX_VALUE;

  /** The maximum number of ended entries that are removed in search of the next live one. */
  private static final int MOST_AT_HEAD = 2 * Chunk.MAX_LENGTH;

  /** The maximum number of entries, ended ones included, of a bucket that is sorted. */
  private static final int MOST_SORTED = 2 * Chunk.MAX_LENGTH;

  final long tickNanos;
  final int wheelSize;
  private final int mostSorted;
  private final long turnNanos;

  /** The last tick that is not beyond the end of time. */
  private final long lastTick;

  /** All buckets, as {@link #buckets()} returns them. */
  private final List<Bucket> buckets = new ArrayList<>();

  /** The index of the bucket that is swept next. */
  private int at;

  private final Wheel lowest;
  final PriorityQueue<Bucket> queue = new PriorityQueue<>();
  final ArrayList<Bucket> splitting = new ArrayList<>();

  /** The entries that are due. */
  final Bucket due = new Bucket(0);

  /** The tick that is reached. */
  long clock;

  private int size;

  /** The index of the bucket whose entries {@link #moveTo} moves next. */
  private int moved;

  TimingWheels(long tickNanos, int wheelSize) {
    this(tickNanos, wheelSize, 0);
  }

  /** Creates wheels whose clock has reached this time. */
  TimingWheels(long tickNanos, int wheelSize, long time) {
    this(tickNanos, wheelSize, time, MOST_SORTED);
  }

  /** Creates wheels that sort buckets of at most so many entries. */
  TimingWheels(long tickNanos, int wheelSize, long time, int mostSorted) {
    this.mostSorted = mostSorted;
    this.tickNanos = tickNanos;
    this.wheelSize = wheelSize;
    this.lastTick = Long.MAX_VALUE / tickNanos;
    this.turnNanos = nanos(wheelSize);
    this.lowest = new Wheel(0, wheelSize, this);
    this.clock = time / tickNanos;
    add(due);
  }

  /** Returns the number of entries, including ended ones. */
  int size() {
    return size;
  }

  /** Returns the time that the clock has reached, in nanoseconds. */
  long time() {
    return nanos(clock);
  }

  /** Returns the time that the clock has reached if entries are due until then; else 0. */
  long late() {
    return due.isEmpty() ? 0 : time();
  }

  /**
   * Adds an entry whose deadline and number are set.
   *
   * @param now the current time; the clock moves there if nothing is due before
   * @return the time at which the clock must visit the entry's bucket
   */
  long insert(TimerEntry entry, long now) {
    if (now - time() > turnNanos && due.isEmpty()) { // else it would go to a higher level
      moveClockToNext(now / tickNanos);
    }
    Bucket bucket = put(entry);
    return nanos(bucket == due ? clock : bucket.visit);
  }

  /** Adds the entry to its bucket, in place of one that ended just before. */
  private Bucket put(TimerEntry entry) {
    long tick = tick(entry.due());
    Bucket bucket = bucketOf(tick);
    if (bucket.removeEndedLast()) {
      size--;
    }
    bucket.append(entry);
    size++;
    boolean inOrder = bucket.notesInOrder(tick); // in each state: it may be sorted later
    if (bucket.state == State.WAITING && !inOrder) {
      requeue(bucket, State.UNSORTED, bucket.start - bucket.resolution);
    }
    return bucket;
  }

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

  /**
   * Visits the next entries and buckets, round-robin, and removes ended entries.
   *
   * @param most how many to visit; the last chunk may exceed it
   */
  void sweep(int most) {
    for (int looked = 0; looked < most; ) {
      Bucket bucket = buckets.get(at);
      Chunk chunk = bucket.nextToSweep();
      if (chunk != null) {
        looked += chunk.size();
        size -= bucket.sweep(chunk);
      } else {
        at = at + 1 == buckets.size() ? 0 : at + 1;
        looked++;
      }
    }
  }

  /** Returns the number of entries and buckets: the length of a round of sweeping. */
  int toSweep() {
    return size + buckets.size();
  }

  /**
   * Returns a time until which there is nothing to do but {@link #splitAhead}, or {@link #NEVER}.
   * If very many entries of the next buckets have ended, it may be the time of one of these.
   */
  long nextDue() {
    return nextDue(/* toSort= */ 0);
  }

  /** Sorts the next buckets, of about this many entries, if each has few. */
  private long nextDue(int toSort) {
    if (!due.isEmpty()) {
      return time();
    }
    int toRemove = MOST_AT_HEAD;
    for (Bucket head; (head = queue.peek()) != null; ) {
      toRemove -= removeEnded(head, toRemove);
      if (head.isEmpty()) {
        dequeue();
      } else if (mustWait(head)) {
        awaitFirst(head);
      } else if (toSort > 0 && canBeSorted(head)) {
        toSort -= sort(head);
      } else {
        return nanos(head.visit);
      }
    }
    return NEVER;
  }

  private int removeEnded(Bucket head, int most) {
    int removed = 0;
    while (removed < most && !head.isEmpty() && !head.first().isScheduled()) {
      head.removeFirst();
      removed++;
    }
    size -= removed;
    return removed;
  }

  /**
   * Moves the clock towards {@code now}, and moves due entries to the list, in the order of their
   * ticks.
   *
   * @param most how many steps to take; to sort a bucket may take more
   * @return whether it took that many; if not, nothing is left that is due at {@code now}
   */
  boolean advance(long now, int most, List<TimerEntry> fired) {
    long target = now / tickNanos;
    int steps = 0;
    while (steps < most && (!due.isEmpty() || moveClockToNext(target))) {
      Bucket head = queue.peek();
      if (head == null || head.visit > clock) {
        for (; steps < most && !due.isEmpty(); steps++) {
          takeFirst(fired);
        }
      } else if (head.isEmpty()) {
        dequeue();
      } else if (head.state == State.DUE) {
        assert due.isEmpty() || head.visit == clock : "entries of another tick have not fired";
        dequeue();
        due.takeAll(head);
      } else if (mustWait(head)) {
        awaitFirst(head);
        steps++;
      } else if (canBeSorted(head)) {
        steps += sort(head);
      } else if (head.state == State.UNSORTED) {
        beginSplit(head);
      } else {
        moveFirst(head, this);
        steps++;
      }
    }
    if (steps < most) {
      nextDue(mostSorted); // so that the clock wakes for entries that are due then
    }
    return steps >= most;
  }

  private void takeFirst(List<TimerEntry> fired) {
    TimerEntry entry = due.first();
    assert tick(entry.due()) <= clock : "an entry is early";
    if (entry.isScheduled()) {
      fired.add(entry);
    }
    due.removeFirst();
    size--;
  }

  /** Moves the clock to the next visit, or to the target; returns whether there is a visit. */
  private boolean moveClockToNext(long target) {
    Bucket head = queue.peek();
    boolean exists = head != null && head.visit <= target;
    clock = Math.max(clock, exists ? head.visit : target);
    return exists;
  }

  private boolean canBeSorted(Bucket bucket) {
    return bucket.state == State.UNSORTED && bucket.size(mostSorted) <= mostSorted;
  }

  /** Returns how many entries it visited. */
  private int sort(Bucket bucket) {
    int before = bucket.size();
    bucket.sort();
    size -= before - bucket.size();
    if (!bucket.isEmpty()) {
      awaitFirst(bucket);
    }
    return before;
  }

  /** Returns whether a bucket waits, but its next visit is not for its first entry. */
  private boolean mustWait(Bucket bucket) {
    return bucket.state == State.WAITING && tick(bucket.first().due()) != bucket.visit;
  }

  private void awaitFirst(Bucket bucket) {
    requeue(bucket, State.WAITING, tick(bucket.first().due()));
  }

  private void beginSplit(Bucket bucket) {
    splitting.add(bucket);
    requeue(bucket, State.SPLITTING, bucket.start);
  }

  private void requeue(Bucket bucket, State state, long tick) {
    queue.remove(bucket);
    bucket.visit = tick;
    queue.add(bucket);
    bucket.state = state;
  }

  /** Returns whether {@link #splitAhead} has work. */
  boolean isSplitting() {
    return !splitting.isEmpty();
  }

  /**
   * Moves entries of an upper bucket that starts soon to finer buckets.
   *
   * @param most how many entries to move
   */
  void splitAhead(int most) {
    if (splitting.isEmpty()) {
      return;
    }
    Bucket bucket = Collections.min(splitting);
    for (int i = 0; i < most && !bucket.isEmpty(); i++) {
      moveFirst(bucket, this);
    }
    if (bucket.isEmpty()) {
      splitting.remove(bucket);
    }
  }

  /** Moves the first entry to where it belongs now, or drops it if it has ended. */
  private void moveFirst(Bucket bucket, TimingWheels target) {
    TimerEntry entry = bucket.first();
    if (entry.isScheduled()) {
      target.put(entry);
    }
    bucket.removeFirst();
    size--;
  }

  /**
   * Moves entries to other wheels, and drops ended ones.
   *
   * @param most how many entries and buckets to visit
   * @return whether no entries are left
   */
  boolean moveTo(TimingWheels target, int most) {
    for (int steps = most; steps > 0 && size > 0; steps--) {
      Bucket bucket = buckets().get(moved);
      if (bucket.isEmpty()) {
        moved = moved + 1 == buckets().size() ? 0 : moved + 1;
      } else {
        moveFirst(bucket, target);
      }
    }
    return size == 0;
  }

  /**
   * Returns all buckets, in the order in which entries move on: of upper levels, of lower ones, and
   * at last the bucket of due entries.
   */
  List<Bucket> buckets() {
    return buckets;
  }

  private Bucket bucketOf(long tick) {
    if (tick <= clock) {
      return due;
    }
    Wheel wheel = lowest;
    while (!wheel.reaches(tick, clock)) {
      wheel = wheel.overflow();
    }
    Bucket bucket = wheel.bucket(tick);
    if (bucket.state == State.IDLE) {
      splitting.ensureCapacity(queue.size() + 1); // so that adding each of them cannot fail
      bucket.begin(tick);
      queue.add(bucket);
      bucket.state = bucket.resolution == 1 ? State.DUE : State.WAITING;
    }
    return bucket;
  }

  private void dequeue() {
    Bucket head = queue.remove();
    if (head.state == State.SPLITTING) {
      splitting.remove(head);
    }
    head.state = State.IDLE;
  }

  /** Rounds up, so that no entry fires early. */
  private long tick(long deadline) {
    long floor = deadline / tickNanos;
    return floor * tickNanos == deadline ? floor : floor + 1;
  }

  /** Returns the time at which a tick begins. */
  long nanos(long tick) {
    return tick > lastTick ? Long.MAX_VALUE : tick * tickNanos;
  }

  /** The number of places for buckets, on all levels. For tests. */
  long slots() {
    return lowest.slots();
  }
}
