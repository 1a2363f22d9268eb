package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The number of one key of {@link Thresholds}, and the requests that wait for it. Thread-safe. */
final class Level {

  /*
   * Marks above the number are in a line if they come in rising order of their thresholds, as most do, and in a
   * tree otherwise; equal thresholds are in order of arrival. An advance takes the reached ones out of
   * both, the lowest first, and evaluates them without the lock. They are `passed` then: a request that was
   * evaluated in vain, or is not held yet, waits there until it ends, or the number is removed, which puts
   * all marks back.
   *
   * Each mark knows its place, so its request leaves in O(1), or in O(log n) if it is in the tree, and nothing
   * is kept of it. A mark has the links of its line, and loses them when it leaves: else one in the old generation
   * would keep all later ones reachable. A tree, too, takes the links of a node that it removes.
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

  /** Where a mark is. */
  private enum Place {
    NOWHERE,
    LINE,
    TREE,
    PASSED
  }

  /** Null if there is none. */
  private volatile @Nullable Long number;

  // Guarded by the monitor.

  /** In order of their thresholds, then of arrival. */
  private final Line line = new Line(Place.LINE);

  /** Those that came after a higher one. */
  private final TreeSet<Mark> tree = new TreeSet<>();

  /** In no order. */
  private final Line passed = new Line(Place.PASSED);

  private long arrivals;
  private boolean retired;

  /** What a request waits for. */
  interface Point {
    long threshold();

    /** Called when the level may have become unused. */
    void removeUnused();
  }

  /** A request that waits for a threshold. */
  static final class Mark extends Attachment implements Comparable<Mark> {
    private final Point point;
    private final Registration registration;

    // Guarded by the monitor of the level.
    private long arrival;
    private Place place = Place.NOWHERE;

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

    @Override
    public int compareTo(Mark other) {
      int order = Long.compare(point.threshold(), other.point.threshold());
      return order == 0 ? Long.compare(arrival, other.arrival) : order;
    }
  }

  /** Marks that are linked. Guarded by the monitor of the level. */
  private static final class Line {
    private final Place place;
    private @Nullable Mark first;
    private @Nullable Mark last;

    Line(Place place) {
      this.place = place;
    }

    void append(Mark mark) {
      mark.place = place;
      link(last, mark);
      link(mark, null);
    }

    void remove(Mark mark) {
      link(mark.before, mark.after);
      mark.before = null;
      mark.after = null;
    }

    /** Makes two marks neighbours; null stands for an end of the line. */
    private void link(@Nullable Mark before, @Nullable Mark after) {
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

  /**
   * Adds a mark to the line, or to the tree if it is lower than the last one. Without memory, it
   * stays where it is.
   */
  private void add(Mark mark) {
    Mark last = line.last;
    boolean rises = last == null || last.compareTo(mark) < 0;
    if (!rises) {
      tree.add(mark); // may fail, so before anything changes
    }
    leave(mark);
    if (rises) {
      line.append(mark);
    } else {
      mark.place = Place.TREE;
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
        Registration each = requireNonNull(batch[i]).registration;
        if (each.wasHeld() && each.evaluate(null)) {
          completed++;
        }
      }
    }
    return completed;
  }

  /**
   * Takes the lowest marks that the number has reached, as many as fit. It may have been removed.
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
    if (tree.isEmpty()) {
      return first;
    }
    Mark root = tree.first();
    return first == null || root.compareTo(first) < 0 ? root : first;
  }

  /**
   * Removes the number, so that an advance reaches the same thresholds again.
   *
   * @return true if the level is unused; then it is retired
   */
  boolean clear() {
    synchronized (this) {
      for (Mark mark; (mark = passed.first) != null; ) {
        add(mark); // may fail without memory: then the number stays
      }
      number = null;
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
    return number == null && line.first == null && tree.isEmpty() && passed.first == null;
  }

  /** Removes a mark, if it is there; returns whether the level is unused then. */
  private boolean remove(Mark mark) {
    synchronized (this) {
      if (mark.place == Place.NOWHERE) {
        return false;
      }
      leave(mark);
      mark.place = Place.NOWHERE;
      return isUnused();
    }
  }

  private void leave(Mark mark) {
    switch (mark.place) {
      case LINE -> line.remove(mark);
      case TREE -> tree.remove(mark);
      case PASSED -> passed.remove(mark);
      case NOWHERE -> {}
    }
  }
}
