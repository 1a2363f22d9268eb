package dev.purgatory.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The result of a walk: see {@link Waiters#walk}.
 *
 * @param size the number of waiters
 * @param visited how many of them the walk looked at: not those in front of the first one that may
 *     be in use, nor those behind the end of a walk that stopped
 * @param cleared the number of waiters that were cleared before, as far as the walk came
 * @param hits how many times the visitor returned true
 * @param behind how many cleared ones and hits came after the first one that stays in use
 * @param isStopped whether the visitor has returned true as often as was asked for
 * @param forwarders those whose hidden keys are to be visited next
 */
public record Walk(
    int size,
    int visited,
    int cleared,
    int hits,
    int behind,
    boolean isStopped,
    List<Forwarder> forwarders) {

  /**
   * Returns whether removing cleared waiters is worth a copy of the rest.
   *
   * @return true if at least a quarter is cleared
   */
  public boolean leavesMuchToRemove() {
    int ended = cleared + hits;
    return ended > 0 && ended * 4L >= size;
  }

  /**
   * Returns whether the list had one waiter, which is cleared now.
   *
   * @return false also if it had several, all of which are cleared
   */
  public boolean isOneEnded() {
    return size == 1 && cleared + hits == 1;
  }

  /** Visits waiters, and counts them. Only for the walking thread. */
  static final class Walker {
    private final Predicate<Waiter> visitor;
    private final int most;
    private int skipped;

    private int seen;
    private int cleared;
    private int hits;
    private int atFront;
    private List<Forwarder> forwarders = List.of();

    Walker(Predicate<Waiter> visitor, int most) {
      this.visitor = visitor;
      this.most = most;
    }

    /** Returns how many waiters were visited or passed. */
    int seen() {
      return seen;
    }

    boolean isDone() {
      return hits == most;
    }

    /** Counts the first waiters, which are cleared, without a visit. */
    void skip(int waiters) {
      skipped = waiters;
      pass(waiters);
    }

    /** Counts cleared waiters, without a visit. */
    void pass(int waiters) {
      seen += waiters;
      cleared += waiters;
      if (cleared + hits == seen) {
        atFront = seen;
      }
    }

    Walk end(int size) {
      int behind = cleared + hits - atFront;
      return new Walk(size, seen - skipped, cleared, hits, behind, isDone(), forwarders);
    }

    void see(Waiter waiter) {
      seen++;
      if (waiter.inUse() == 0) {
        cleared++;
      } else if (waiter instanceof Forwarder forwarder) {
        add(forwarder);
      } else if (visitor.test(waiter)) {
        hits++;
      }
      if (cleared + hits == seen) {
        atFront = seen;
      }
    }

    private void add(Forwarder forwarder) {
      if (forwarders.isEmpty()) {
        forwarders = new ArrayList<>();
      }
      forwarders.add(forwarder);
    }
  }
}
