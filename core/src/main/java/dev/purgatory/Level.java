package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The number of one key of {@link Thresholds}, and the requests that wait for it. Thread-safe. */
final class Level {

  /*
   * Marks above the number are in a line if they come in rising order of their thresholds, as most do, and in a
   * heap otherwise; equal thresholds are in order of arrival. An advance takes those that it reaches out of
   * both, the lowest first, and evaluates them without the lock. They are `passed` then: a request that was
   * evaluated in vain, or is not held yet, waits there until it ends, or the number is removed, which puts
   * all marks back.
   *
   * Each mark knows its place, so its request leaves in O(1), or in O(log n) if it is in the heap, and nothing
   * is kept of it. A mark has the links of its line, and loses them when it leaves: else one in the old generation
   * would keep all later ones reachable. The heap has four children per node, and the thresholds in an array
   * of their own: so a mark finds its place with few misses of the cache.
   *
   * The lock is the monitor of the level. It is held for one mark, or for a batch of them, so that nobody
   * waits for an advance that reaches a million. `number` is written with the lock, and read without; it is
   * boxed once, for all requests that it answers.
   *
   * Rejected: a ConcurrentSkipListMap. It needs no lock, but three fifths of the time of a waiter were spent in
   * it. Its nodes that were removed lead to those behind them: once one of them is in the old generation,
   * a collector takes all later ones for reachable, with their requests.
   */

  /** The most marks that are taken with the lock held. */
  private static final int BATCH = 16;

  private static final int CHILDREN = 4;
  private static final int MIN_LENGTH = 4;

  /** Arrays of up to this length do not shrink, so that an advance does not resize them. */
  private static final int SMALL = 16;

  private static final long[] NO_THRESHOLDS = {};
  private static final @Nullable Mark[] NO_MARKS = {};

  // Places of marks that are not in the heap.
  private static final int NOWHERE = -1;
  private static final int IN_LINE = -2;
  private static final int PASSED = -3;

  /** Null if there is none. */
  private volatile @Nullable Long number;

  // Guarded by the monitor.

  /** Thresholds of the marks in the heap, at the same indices. */
  private long[] thresholds = NO_THRESHOLDS;

  private @Nullable Mark[] heap = NO_MARKS;
  private int size;

  /** In order of their thresholds, then of arrival. */
  private final Line line = new Line(IN_LINE);

  /** In no order. */
  private final Line passed = new Line(PASSED);

  private long arrivals;

  /** Written with the monitor. */
  private volatile boolean retired;

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

    /** Its index in the heap, or one of the constants. */
    private int place = NOWHERE;

    // Its neighbours in a line.
    private @Nullable Mark before;
    private @Nullable Mark after;

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

    private boolean isLower(Mark other) {
      long threshold = point.threshold();
      long than = other.point.threshold();
      return threshold < than || (threshold == than && arrival < other.arrival);
    }
  }

  /** Marks that are linked. Guarded by the monitor of the level. */
  private static final class Line {
    private final int place;
    private @Nullable Mark first;
    private @Nullable Mark last;

    Line(int place) {
      this.place = place;
    }

    void append(Mark mark) {
      mark.place = place;
      mark.before = last;
      if (last == null) {
        first = mark;
      } else {
        last.after = mark;
      }
      last = mark;
    }

    void remove(Mark mark) {
      Mark before = mark.before;
      Mark after = mark.after;
      if (before == null) {
        first = after;
      } else {
        before.after = after;
      }
      if (after == null) {
        last = before;
      } else {
        after.before = before;
      }
      mark.before = null;
      mark.after = null;
    }
  }

  /** Returns the number, or null. */
  @Nullable Long number() {
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
      if (isReached(mark)) {
        passed.append(mark);
      } else {
        add(mark);
      }
      return true;
    }
  }

  private boolean isReached(Mark mark) {
    Long now = number;
    return now != null && mark.point.threshold() <= now;
  }

  /** Adds a mark to the line, or to the heap if it is lower than the last one. */
  private void add(Mark mark) {
    Mark last = line.last;
    if (last == null || last.isLower(mark)) {
      line.append(mark);
    } else {
      makeRoom();
      siftUp(size++, mark, mark.point.threshold());
    }
  }

  /**
   * Raises the number.
   *
   * @param reached a lower number than before changes nothing
   * @return false if the level is retired, and nothing has changed
   */
  boolean raise(long reached) {
    synchronized (this) {
      if (!retired && (number == null || reached > number)) {
        number = reached;
      }
      return !retired;
    }
  }

  /**
   * Evaluates the requests whose threshold the number has reached, the lowest first.
   *
   * @return how many it completed
   */
  int evaluateReached() {
    @Nullable Mark[] batch = new Mark[BATCH];
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

  /**
   * Takes the lowest marks that the number has reached, as many as fit. It may have been removed
   * meanwhile.
   *
   * @return how many
   */
  private int take(@Nullable Mark[] batch) {
    synchronized (this) {
      int taken = 0;
      Mark lowest;
      while (taken < batch.length && (lowest = lowest()) != null && isReached(lowest)) {
        leave(lowest);
        passed.append(lowest);
        batch[taken++] = lowest;
      }
      return taken;
    }
  }

  /** Returns the lowest mark that was not passed, or null. */
  private @Nullable Mark lowest() {
    Mark first = line.first;
    if (size == 0) {
      return first;
    }
    Mark root = at(heap, 0);
    return first == null || root.isLower(first) ? root : first;
  }

  /**
   * Removes the number, so that an advance reaches the same thresholds again.
   *
   * @return true if the level is unused; then it is retired
   */
  boolean clear() {
    synchronized (this) {
      for (Mark mark; (mark = passed.first) != null; ) {
        makeRoom(); // may fail without memory: then the number stays
        passed.remove(mark);
        add(mark);
      }
      number = null;
      return retire();
    }
  }

  /** Returns whether this is unused for good. Racy: once true, it stays true. */
  boolean isRetired() {
    return retired;
  }

  /** Retires the level if it is unused; returns whether it is retired. */
  boolean retire() {
    synchronized (this) {
      retired = isUnused();
      return retired;
    }
  }

  private boolean isUnused() {
    return number == null && line.first == null && size == 0 && passed.first == null;
  }

  /** Removes a mark, if it is there; returns whether the level is unused then. */
  private boolean remove(Mark mark) {
    synchronized (this) {
      if (mark.place == NOWHERE) {
        return false;
      }
      leave(mark);
      mark.place = NOWHERE;
      return isUnused();
    }
  }

  private void leave(Mark mark) {
    if (mark.place >= 0) {
      removeFromHeap(mark.place);
    } else {
      (mark.place == IN_LINE ? line : passed).remove(mark);
    }
  }

  // The heap.

  private void makeRoom() {
    if (size == heap.length) {
      resize(Math.max(MIN_LENGTH, 2 * size));
    }
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
