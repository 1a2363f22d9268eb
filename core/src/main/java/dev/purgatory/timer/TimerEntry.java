package dev.purgatory.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Something that may time out. To be extended by what has the timeout, so that a {@link Timer}
 * needs no object of its own for it.
 *
 * <p>An entry is in one timer at most. Once it has fired or was cancelled it may be scheduled
 * again.
 */
public abstract class TimerEntry {

  /*
   * The links and the deadline belong to the stripe that the entry is scheduled in, and are touched
   * under its lock only. `stripe` is the exception: it is how a canceller finds that lock. It goes
   * from null to a stripe and back only under the lock of that stripe, so whoever holds the lock and
   * finds its own stripe here may unlink the entry; whoever finds another value looks again.
   */

  private static final VarHandle STRIPE;

  static {
    try {
      STRIPE = MethodHandles.lookup().findVarHandle(TimerEntry.class, "stripe", Stripe.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Nullable TimerEntry prev;
  @Nullable TimerEntry next;
  private volatile @Nullable Stripe stripe;
  long deadline;

  /** Creates an entry that is not scheduled. */
  protected TimerEntry() {}

  /**
   * Called once when the time is up, at the deadline or later, never earlier.
   *
   * <p>It runs on the thread that advances the timer's clock, and on the scheduling thread where
   * the delay is zero or less, without a lock of the timer. Time stands still for all other entries
   * meanwhile: hand over to an executor what takes longer than that. What it throws goes to the
   * timer's error handler and harms no other entry.
   */
  protected abstract void onTimeout();

  /**
   * Returns the time at which this entry is or was due.
   *
   * @return nanoseconds on the clock of the timer that it was last scheduled in, {@link
   *     Timer#now()}; {@link Long#MAX_VALUE} if that is beyond what a {@code long} can say; 0
   *     before it was ever scheduled
   */
  protected final long deadline() {
    return deadline;
  }

  @Nullable Stripe stripeVolatile() {
    return stripe;
  }

  boolean casStripeFromNull(Stripe target) {
    return STRIPE.compareAndSet(this, null, target);
  }

  /** Release suffices: who sees null next has to win a CAS before it touches the links. */
  void clearStripeRelease() {
    STRIPE.setRelease(this, null);
  }
}
