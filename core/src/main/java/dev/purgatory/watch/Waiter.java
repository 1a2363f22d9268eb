package dev.purgatory.watch;

import dev.purgatory.wheel.TimerEntry;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An element of watch lists and of a timer, which stands for one operation or hidden key: the only
 * object that both refer to. It has the only reference to the operation, and clears it at the end.
 * That releases it from the timer and from all lists in one step. Thread-safe.
 */
public abstract class Waiter extends TimerEntry implements Waiters {

  /*
   * A cleared waiter stays on its lists until they are swept. Counting the waiters that are in use, for many
   * in a row, needs one read for each and no branch.
   */

  /** Not a VarHandle: its first use would allocate, and a failure is recorded without memory. */
  private static final AtomicReferenceFieldUpdater<Waiter, @Nullable Object> REFERENT =
      AtomicReferenceFieldUpdater.newUpdater(Waiter.class, Object.class, "referent");

  /** What this stands for; null once this is cleared. */
  private volatile @Nullable Object referent;

  /** The number of lists that it was put on. Written by the adding thread; see WatchLists. */
  int lists;

  /**
   * Creates a waiter that is on no list.
   *
   * @param referent what this stands for
   */
  protected Waiter(Object referent) {
    super(0);
    this.referent = referent;
  }

  /**
   * Returns what this stands for.
   *
   * @return null once this is cleared; it may have ended before
   */
  protected final @Nullable Object referent() {
    return referent;
  }

  /**
   * Replaces the referent.
   *
   * @param expected the expected one
   * @param next the new one
   * @return whether it was the expected one, and was replaced
   */
  protected final boolean casReferent(Object expected, Object next) {
    return REFERENT.compareAndSet(this, expected, next);
  }

  /**
   * Clears this.
   *
   * @return what this stood for
   */
  protected final @Nullable Object take() {
    return REFERENT.getAndSet(this, null);
  }

  /**
   * Returns whether this is in use, as a number, for branchless loops.
   *
   * @return 1 until this is cleared, then 0
   */
  final int inUse() {
    return referent == null ? 0 : 1;
  }

  /**
   * Returns whether this is cleared.
   *
   * @return true for good
   */
  public final boolean isRetired() {
    return referent == null;
  }

  /**
   * Returns the key that this has for itself.
   *
   * @return a key of {@link ExclusiveKeys}
   */
  protected Object key() {
    throw new UnsupportedOperationException("it has no key for itself");
  }

  @Override
  public final Walk walk(Predicate<Waiter> visitor, int most) {
    Walk.Walker walker = new Walk.Walker(visitor, most);
    walker.see(this);
    return walker.end(1);
  }

  /** Releases the referent. */
  protected final void clear() {
    if (referent != null) { // a volatile write is a fence
      referent = null;
    }
  }

  /**
   * Returns whether this has ended, or is about to be cleared.
   *
   * @return true for good
   */
  public abstract boolean isEnded();
}
