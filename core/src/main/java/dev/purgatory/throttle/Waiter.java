package dev.purgatory.throttle;

import dev.purgatory.HeldFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for quota, linked to its neighbours. Guarded by the lock of its throttle.
 */
final class Waiter {
  final HeldFuture<Long> future;
  final long amount;
  private @Nullable Line line;
  private @Nullable Waiter previous;
  private @Nullable Waiter next;

  Waiter(HeldFuture<Long> future, long amount) {
    this.future = future;
    this.amount = amount;
  }

  /** Returns whether it waits. Racy without the lock: the answer may be true after it has left. */
  boolean isInLine() {
    return line != null;
  }

  /** The requests of a key in order of arrival. Adding and removing take constant time. */
  static final class Line {
    private @Nullable Waiter first;
    private @Nullable Waiter last;
    private int size;

    @Nullable Waiter first() {
      return first;
    }

    int size() {
      return size;
    }

    void add(Waiter waiter) {
      insert(last, waiter, null);
    }

    void addFirst(Waiter waiter) {
      insert(null, waiter, first);
    }

    private void insert(@Nullable Waiter before, Waiter waiter, @Nullable Waiter after) {
      waiter.line = this;
      link(before, waiter);
      link(waiter, after);
      size++;
    }

    /** Removes the request, if it is in this line. */
    boolean remove(Waiter waiter) {
      if (waiter.line != this) {
        return false;
      }
      link(waiter.previous, waiter.next);
      waiter.line = null;
      waiter.previous = null;
      waiter.next = null;
      size--;
      return true;
    }

    /** Makes two requests neighbours; null stands for an end of the line. */
    private void link(@Nullable Waiter before, @Nullable Waiter after) {
      if (before == null) {
        first = after;
      } else {
        before.next = after;
      }
      if (after == null) {
        last = before;
      } else {
        after.previous = before;
      }
    }
  }
}
