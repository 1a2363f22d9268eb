package dev.purgatory.throttle;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.internal.LastResort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The quota of one key, and the requests that wait for it. Thread-safe. */
final class Throttle {

  /*
   * Each change runs under the lock: it catches up with the time, changes the bucket or the line, and
   * decides when the next alarm is due. The alarm is set after the lock is released.
   *
   * Catching up moves requests from the line to `released` as if each had been released at the very time at
   * which its amount was available. So a late clock loses no quota, however small the burst. Only the alarm
   * completes their futures, without the lock, on the executor of the alarms: a change never runs the
   * callbacks of other requests, and callbacks that change throttles do not nest.
   *
   * There is at most one alarm: for the first request, or, if nobody waits, for the time at which the
   * bucket is full and the throttle is removed. A change that makes it due earlier replaces it. If it
   * turns out to be too early, it sets the next one: to replace it each time that it becomes due later
   * would cost more, since every request on a busy key makes it so.
   *
   * A request is charged when it leaves the line. If it has ended by then, which completing its future
   * tells, the charge is given back.
   *
   * A task for each request, as with a ScheduledExecutorService, was rejected: each change of the rate
   * would have to move all of them.
   */

  private static final long NEVER = Long.MAX_VALUE / 2;

  private final Environment environment;
  private final Consumer<Throttle> onRemoved;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final TokenBucket bucket;
  private final Waiter.Line line = new Waiter.Line();
  private List<Waiter> released = new ArrayList<>();
  private @Nullable Rate own;
  private @Nullable Alarm alarm;
  private boolean removed;

  /**
   * Creates the throttle of a key that is idle.
   *
   * @param onRemoved called without the lock when there is nothing left to keep
   */
  Throttle(Environment environment, Consumer<Throttle> onRemoved) {
    this.environment = environment;
    this.onRemoved = onRemoved;
    bucket = new TokenBucket(environment.usual.get(), environment.clock.getAsLong());
  }

  /**
   * What the throttles of all keys share.
   *
   * @param alarms holds the alarms
   * @param clock returns the time in nanoseconds
   * @param usual returns the rate of keys that have none of their own
   */
  record Environment(Purgatory<String> alarms, LongSupplier clock, Supplier<Rate> usual) {}

  /** An operation that times out when the throttle has something to do. */
  private static final class Alarm extends DelayedOperation {
    /** All alarms wait on one key, which nobody signals. */
    private static final String KEY = "alarm";

    private final Throttle throttle;
    private final long due;

    Alarm(Throttle throttle, long now, long nanos) {
      super(nanos, TimeUnit.NANOSECONDS);
      this.throttle = throttle;
      this.due = now + nanos;
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      if (outcome == Outcome.TIMED_OUT) {
        throttle.release(this);
      }
    }
  }

  /**
   * Makes a change, and sets the alarm.
   *
   * @param change runs under the lock
   * @return its result; null if this throttle was removed before, and nothing has changed
   */
  private <R> @Nullable R change(Supplier<R> change) {
    Alarm before;
    Alarm after;
    R result;
    boolean ended;
    lock.lock();
    try {
      if (removed) {
        return null;
      }
      long now = environment.clock.getAsLong();
      before = alarm;
      catchUp(now);
      result = change.get();
      catchUp(now);
      after = nextAlarm(now);
      alarm = after;
      ended = removed;
    } finally {
      lock.unlock();
    }
    exchange(before, after);
    if (ended) {
      onRemoved.accept(this);
    }
    return result;
  }

  /** Reads something, without setting the alarm; null if this throttle was removed. */
  private <R> @Nullable R read(Supplier<R> value) {
    lock.lock();
    try {
      if (removed) {
        return null;
      }
      catchUp(environment.clock.getAsLong());
      return value.get();
    } finally {
      lock.unlock();
    }
  }

  /** Releases those whose amount was available until now, and then applies the current rate. */
  private void catchUp(long now) {
    releaseFirst(now);
    bucket.refill(now, own == null ? environment.usual.get() : own);
    releaseFirst(now);
  }

  private void releaseFirst(long now) {
    for (Waiter first; (first = line.first()) != null && bucket.refillFor(first.amount, now); ) {
      boolean unused = line.remove(first);
      if (first.future.outcome() == null) { // racy: completing it decides
        bucket.take(first.amount);
        released.add(first);
      }
    }
  }

  private boolean isIdle() {
    return line.first() == null && released.isEmpty();
  }

  /** Returns the alarm that is needed now. Without any need of this throttle, removes it. */
  private @Nullable Alarm nextAlarm(long now) {
    if (isIdle() && (own != null || bucket.isFull())) {
      removed = own == null;
      return null;
    }
    long nanos = nanosUntilNext();
    if (nanos >= NEVER || (alarm != null && alarm.due - now <= nanos)) {
      return alarm;
    }
    return new Alarm(this, now, Math.max(1, nanos)); // not at once: that would run it here
  }

  private long nanosUntilNext() {
    Waiter first = line.first();
    if (!released.isEmpty()) {
      return 0;
    }
    return first == null ? bucket.nanosUntilFull() : bucket.nanosUntil(first.amount);
  }

  private void exchange(@Nullable Alarm before, @Nullable Alarm after) {
    if (before == after) {
      return;
    }
    if (before != null) {
      boolean unused = before.cancel();
    }
    if (after != null) {
      start(after);
    }
  }

  /** Starts an alarm, unless another thread has replaced and cancelled it meanwhile. */
  private void start(Alarm next) {
    try {
      boolean unused = environment.alarms.hold(next, Alarm.KEY);
    } catch (Throwable e) {
      undo(() -> alarm = alarm == next ? null : alarm);
      throw e;
    }
  }

  /** Takes back a change whose alarm could not be set. */
  private void undo(Runnable undo) {
    lock.lock();
    try {
      undo.run();
    } finally {
      lock.unlock();
    }
  }

  // Changes. Each returns null if this throttle was removed.

  /** Charges the amount if nobody waits and it is available. */
  @Nullable Boolean tryTake(long amount) {
    return change(
        () -> {
          boolean taken = isIdle() && bucket.allows(amount);
          if (taken) {
            bucket.take(amount);
          }
          return taken;
        });
  }

  /** Adds a request to the end of the line. */
  @Nullable Boolean join(Waiter waiter) {
    try {
      return change(
          () -> {
            line.add(waiter);
            return true;
          });
    } catch (Throwable e) {
      undo(() -> line.remove(waiter));
      throw e;
    }
  }

  /** Removes a request that has ended, if it is still in the line. */
  void leave(Waiter waiter) {
    if (waiter.isInLine()) {
      Boolean unused = change(() -> line.remove(waiter));
    }
  }

  @Nullable Boolean charge(long amount) {
    return change(
        () -> {
          bucket.take(amount);
          return true;
        });
  }

  void giveBack(long amount) {
    Boolean unused =
        change(
            () -> {
              bucket.add(amount);
              return true;
            });
  }

  /**
   * Changes the rate of this key.
   *
   * @param next the rate; null for the usual one
   */
  @Nullable Boolean rate(@Nullable Rate next) {
    return change(
        () -> {
          own = next;
          return true;
        });
  }

  /** Applies the usual rate, which has changed. */
  void refresh() {
    Boolean unused = change(() -> true);
  }

  @Nullable Long available() {
    return read(bucket::tokens);
  }

  @Nullable Integer waiting() {
    return read(() -> line.size() + released.size());
  }

  // Releasing.

  private void release(Alarm fired) {
    List<Waiter> due = new ArrayList<>();
    try {
      Boolean unused = change(() -> takeReleased(fired, due));
    } finally {
      completeAll(due); // even if the next alarm could not be set
    }
  }

  private boolean takeReleased(Alarm fired, List<Waiter> taken) {
    if (alarm == fired) {
      alarm = null;
    }
    taken.addAll(released);
    released = new ArrayList<>();
    return true;
  }

  /** Completes the requests in their order. A failure of one does not affect the others. */
  private void completeAll(List<Waiter> due) {
    for (Waiter each : due) {
      try {
        if (!each.future.complete(each.amount)) {
          giveBack(each.amount);
        }
      } catch (Throwable e) {
        LastResort.log("Releasing a throttled request failed", e);
      }
    }
  }
}
