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
      waiter.line = this;
      waiter.previous = last;
      if (last == null) {
        first = waiter;
      } else {
        last.next = waiter;
      }
      last = waiter;
      size++;
    }

    void addFirst(Waiter waiter) {
      waiter.line = this;
      waiter.next = first;
      if (first == null) {
        last = waiter;
      } else {
        first.previous = waiter;
      }
      first = waiter;
      size++;
    }

    /** Removes the request, if it is in this line. */
    boolean remove(Waiter waiter) {
      if (waiter.line != this) {
        return false;
      }
      Waiter before = waiter.previous;
      Waiter after = waiter.next;
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
      waiter.line = null;
      waiter.previous = null;
      waiter.next = null;
      size--;
      return true;
    }
  }
}
