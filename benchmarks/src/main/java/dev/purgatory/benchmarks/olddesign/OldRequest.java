package dev.purgatory.benchmarks.olddesign;

import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request of the old design: satisfied or expired, whichever comes first. */
public abstract class OldRequest implements Delayed {
  private final long deadline;
  private final AtomicBoolean satisfied = new AtomicBoolean();

  /** Creates a request whose time begins to run. */
  protected OldRequest(long timeoutMillis) {
    deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /** Says whether the request can be answered by now. Called with the request locked. */
  protected abstract boolean checkSatisfied();

  /** Called once, unless the request expires. */
  protected abstract void onSatisfied();

  /** Called once when the time is up, unless the request was satisfied before. */
  protected abstract void onExpired();

  /**
   * Answers the request, if that has not happened before. It stays where it is.
   *
   * @return true if this call did
   */
  public final boolean satisfy() {
    if (!claim()) {
      return false;
    }
    onSatisfied();
    return true;
  }

  /** True for one caller only. */
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
