package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The number of one key of {@link Thresholds}, and the requests that wait for it. Thread-safe. */
final class Level {

  /*
   * Marks above the number are in a heap, the lowest threshold first, then in order of arrival. An advance
   * takes those that it reaches out of the heap, and evaluates them without the lock. They are `passed` then:
   * a request that was evaluated in vain, or is not held yet, waits there until it ends, or the number is
   * removed, which puts all marks back.
   *
   * Each mark knows its place, so its request leaves in O(log n), and nothing is kept of it. The heap has four
   * children per node, and the thresholds in an array of their own: so a mark finds its place with few misses of
   * the cache. Most thresholds come in rising order and are appended in one step.
   *
   * The lock is the monitor of the level. It is held for one mark, or for a batch of them, so that nobody
   * waits for an advance that reaches a million. `number` is written with the lock, and read without.
   *
   * Rejected: a ConcurrentSkipListMap. It needs no lock, but three fifths of the time of a waiter were spent in
   * it. Its nodes that were removed lead to those behind them: once one of them is in the old generation,
   * a collector takes all later ones for reachable, with their requests.
   */

  /** In place of the number if there is none. */
  static final long NONE = Long.MIN_VALUE;

  /** The most marks that are taken with the lock held. */
  private static final int BATCH = 16;

  private static final int CHILDREN = 4;
  private static final int MIN_LENGTH = 4;

  /** Arrays of up to this length do not shrink, so that an advance does not resize them. */
  private static final int SMALL = 16;

  /** Returned by {@link #advance} if the level is retired. */
  static final int RETIRED = -1;

  /** The place of a mark that is in neither array. */
  private static final int NOWHERE = Integer.MIN_VALUE;

  private static final @Nullable Mark[] NO_MARKS = {};

  private volatile long number = NONE;

  // Guarded by the monitor.

  /** Thresholds of the marks in the heap, at the same indices. */
  private long[] thresholds = new long[MIN_LENGTH];

  private @Nullable Mark[] heap = new Mark[MIN_LENGTH];
  private int size;
  private @Nullable Mark[] passed = NO_MARKS;
  private int passedSize;
  private long arrivals;
  private boolean retired;

  /** What a request waits for. */
  interface Point {
    long threshold();

    /** Called when the level may have become unused. */
    void removeUnused();
  }

  /** A request that waits for a threshold. */
  static final class Mark extends Attachment {
    private final Point point;
    private final Registration registration;

    // Guarded by the monitor of the level.
    private long arrival;

    /** Its index in the heap, the complement of its index in {@code passed}, or NOWHERE. */
    private int place = NOWHERE;

    /** Written before the request has the mark. */
    private @Nullable Level level;

    Mark(Point point, Registration registration) {
      this.point = point;
      this.registration = registration;
    }

    @Override
    void end() {
      if (requireNonNull(level).remove(this)) {
        point.removeUnused();
      }
    }
  }

  /** Returns the number, or {@link #NONE}. */
  long number() {
    return number;
  }

  /**
   * Inserts a mark that is in no level.
   *
   * @return false if the level is retired, and nothing has changed
   */
  boolean insert(Mark mark) {
    synchronized (this) {
      if (retired) {
        return false;
      }
      mark.arrival = arrivals++;
      mark.level = this;
      if (isReached(mark.point.threshold())) {
        pass(mark);
      } else {
        push(mark);
      }
      return true;
    }
  }

  /** Returns whether there is a number that has reached the threshold. */
  boolean isReached(long threshold) {
    long now = number;
    return now != NONE && threshold <= now;
  }

  /**
   * Raises the number, and evaluates the requests whose threshold is reached.
   *
   * @param reached a lower number than before changes nothing
   * @return how many it completed; {@link #RETIRED} if the level is retired, and nothing has
   *     changed
   */
  int advance(long reached) {
    @Nullable Mark[] batch = new Mark[BATCH];
    if (!raise(reached)) {
      return RETIRED;
    }
    int completed = 0;
    for (int taken = BATCH; taken == BATCH; ) {
      taken = take(batch);
      for (int i = 0; i < taken; i++) {
        Registration each = at(batch, i).registration;
        if (each.wasHeld() && each.evaluate(null)) {
          completed++;
        }
      }
    }
    return completed;
  }

  private boolean raise(long reached) {
    synchronized (this) {
      if (!retired && reached > number) {
        number = reached;
      }
      return !retired;
    }
  }

  /**
   * Takes marks that the number has reached out of the heap, the lowest ones, as many as fit. It
   * may have been removed meanwhile.
   *
   * @return how many
   */
  private int take(@Nullable Mark[] batch) {
    synchronized (this) {
      int taken = 0;
      while (taken < batch.length && size > 0 && isReached(thresholds[0])) {
        Mark lowest = at(heap, 0);
        pass(lowest); // may fail without memory
        removeFromHeap(0);
        batch[taken++] = lowest;
      }
      return taken;
    }
  }

  /**
   * Removes the number, so that an advance reaches the same thresholds again.
   *
   * @return true if the level is unused; then it is retired
   */
  boolean clear() {
    synchronized (this) {
      number = NONE;
      while (passedSize > 0) {
        Mark mark = at(passed, passedSize - 1);
        push(mark); // may fail without memory
        passed[--passedSize] = null;
      }
      passed = NO_MARKS;
      return retire();
    }
  }

  /** Retires the level if it is unused; returns whether it is retired. */
  boolean retire() {
    synchronized (this) {
      retired = isUnused();
      return retired;
    }
  }

  private boolean isUnused() {
    return number == NONE && size == 0 && passedSize == 0;
  }

  /** Removes a mark, if it is there; returns whether the level is unused then. */
  private boolean remove(Mark mark) {
    synchronized (this) {
      int place = mark.place;
      if (place == NOWHERE) {
        return false;
      }
      if (place >= 0) {
        removeFromHeap(place);
      } else {
        removeFromPassed(~place);
      }
      mark.place = NOWHERE;
      return isUnused();
    }
  }

  // The marks that were passed, in no order.

  private void pass(Mark mark) {
    if (passedSize == passed.length) {
      passed = Arrays.copyOf(passed, Math.max(MIN_LENGTH, 2 * passedSize));
    }
    mark.place = ~passedSize;
    passed[passedSize++] = mark;
  }

  private void removeFromPassed(int index) {
    Mark last = at(passed, --passedSize);
    passed[index] = last;
    last.place = ~index;
    passed[passedSize] = null;
    if (isSparse(passedSize, passed.length)) {
      try {
        passed = Arrays.copyOf(passed, passed.length / 2);
      } catch (OutOfMemoryError e) {
        // Keep the longer array.
      }
    }
  }

  // The heap.

  private void push(Mark mark) {
    if (size == heap.length) {
      resize(2 * size);
    }
    siftUp(size++, mark, mark.point.threshold());
  }

  private void removeFromHeap(int index) {
    Mark last = at(heap, --size);
    heap[size] = null;
    if (index < size) {
      long threshold = thresholds[size];
      siftDown(index, last, threshold);
      if (heap[index] == last) {
        siftUp(index, last, threshold);
      }
    }
    if (isSparse(size, heap.length)) {
      try {
        resize(heap.length / 2);
      } catch (OutOfMemoryError e) {
        // Keep the longer arrays.
      }
    }
  }

  private static boolean isSparse(int size, int length) {
    return length > SMALL && size <= length / 4;
  }

  private void resize(int length) {
    long[] resized = Arrays.copyOf(thresholds, length);
    heap = Arrays.copyOf(heap, length);
    thresholds = resized;
  }

  private void siftUp(int from, Mark mark, long threshold) {
    int at = from;
    while (at > 0) {
      int parent = (at - 1) / CHILDREN;
      if (!isLower(threshold, mark, parent)) {
        break;
      }
      set(at, at(heap, parent), thresholds[parent]);
      at = parent;
    }
    set(at, mark, threshold);
  }

  private void siftDown(int from, Mark mark, long threshold) {
    int at = from;
    for (int child; (child = CHILDREN * at + 1) < size; ) {
      int lowest = child;
      int end = Math.min(child + CHILDREN, size);
      for (int other = child + 1; other < end; other++) {
        if (isLower(thresholds[other], at(heap, other), lowest)) {
          lowest = other;
        }
      }
      if (isLower(threshold, mark, lowest)) {
        break;
      }
      set(at, at(heap, lowest), thresholds[lowest]);
      at = lowest;
    }
    set(at, mark, threshold);
  }

  private boolean isLower(long threshold, Mark mark, int than) {
    long other = thresholds[than];
    return threshold < other || (threshold == other && mark.arrival < at(heap, than).arrival);
  }

  private void set(int index, Mark mark, long threshold) {
    heap[index] = mark;
    thresholds[index] = threshold;
    mark.place = index;
  }

  @SuppressWarnings("NullAway") // no nulls below the size
  private static Mark at(@Nullable Mark[] marks, int index) {
    return marks[index];
  }
}
