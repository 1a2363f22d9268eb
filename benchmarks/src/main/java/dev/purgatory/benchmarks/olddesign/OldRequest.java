package dev.purgatory.benchmarks.olddesign;

import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request of the old design, which is either satisfied or expires. */
public abstract class OldRequest implements Delayed {
  private final long deadline;
  private final AtomicBoolean satisfied = new AtomicBoolean();

  /** Creates a request whose timeout starts now. */
  protected OldRequest(long timeoutMillis) {
    deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /** Returns whether the request can be answered now. Called while the request is locked. */
  protected abstract boolean checkSatisfied();

  /** Called once, unless the request expires. */
  protected abstract void onSatisfied();

  /** Called once when the request expires, unless it was satisfied before. */
  protected abstract void onExpired();

  /**
   * Answers the request unless it was already answered. The request remains on all lists.
   *
   * @return true if this call answered the request
   */
  public final boolean satisfy() {
    if (!claim()) {
      return false;
    }
    onSatisfied();
    return true;
  }

  /** Returns true to exactly one caller. */
  final boolean claim() {
    return satisfied.compareAndSet(false, true);
  }

  final boolean isSatisfied() {
    return satisfied.get();
  }

  final synchronized boolean check() {
    return checkSatisfied();
  }

  @Override
  public final long getDelay(TimeUnit unit) {
    return unit.convert(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  @Override
  public final int compareTo(Delayed other) {
    return other instanceof OldRequest request
        ? Long.signum(deadline - request.deadline)
        : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }
}
