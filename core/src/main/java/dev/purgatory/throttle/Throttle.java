package dev.purgatory.throttle;

import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.wheel.Retry;
import dev.purgatory.wheel.TaskEntry;
import dev.purgatory.wheel.TaskEntry.Alarm;
import dev.purgatory.wheel.WheelTimer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The quota of one key, and the requests that wait for it. Thread-safe. */
final class Throttle {

  /*
   * Each change runs under the lock: it catches up with the time, changes the bucket or the line, and
   * decides when the next alarm is due. The alarm is set after the lock is released.
   *
   * A change that finds no memory may leave the key without an alarm, and a release may leave requests that
   * are due. Both call `retry`, which refreshes all keys until each has its alarm or is removed. The releasing
   * thread needs memory only while it completes a future: if that fails, the request is the first one again.
   *
   * Catching up moves requests from the line to `released` as if each had been released at the very time at
   * which its amount was available. So a late clock loses no quota, however small the burst. Only the alarm
   * completes their futures, without the lock, on the executor: a change never runs the callbacks of other
   * requests, and callbacks that change throttles do not nest.
   *
   * One thread at a time completes them, one after another. Until it is done, `completing` is set, and requests
   * that another alarm finds due are left to that thread. A request is taken off `released` when its turn comes,
   * and is `completing` until its future is done. Until then no request may overtake it, and afterwards its
   * callbacks may find that none waits. So the order of arrival is kept on every executor.
   *
   * There is at most one alarm: for the first request, or, if nobody waits, for the time at which the
   * bucket is full and the throttle is removed. The latter is housekeeping, which the timer does not count.
   * A change that makes it due earlier replaces it. If it turns out to be too early, it sets the next one.
   * It is not replaced when its time moves later, because every request on a busy key moves it.
   *
   * A request is charged when it leaves the line. If it has ended by then, which completing its future
   * tells, the charge is given back.
   *
   * A task for each request, as with a ScheduledExecutorService, was rejected: each change of the rate
   * would have to move all of them.
   */

  private static final LastResort NOT_RELEASED =
      LastResort.handler("Releasing a throttled request failed");
  private static final LastResort WILL_BE_LATE =
      LastResort.handler("A throttled request will be late");

  private static final long NEVER = Long.MAX_VALUE / 2;

  private final Environment environment;
  private final Consumer<Throttle> onRemoved;

  private final Mutex lock = new Mutex();

  // Guarded by the lock.
  private final TokenBucket bucket;
  private final Waiter.Line line = new Waiter.Line();
  private final Waiter.Line released = new Waiter.Line();
  private @Nullable Waiter completing;
  private @Nullable Rate own;

  private boolean removed;

  /** Written under the lock. */
  private volatile @Nullable TaskEntry alarm;

  /**
   * Creates the throttle of a key that is idle.
   *
   * @param onRemoved called without the lock when there is nothing left to keep
   */
  Throttle(Environment environment, Consumer<Throttle> onRemoved) {
    this.environment = environment;
    this.onRemoved = onRemoved;
    bucket = new TokenBucket(environment.usual.get(), environment.timer.now());
  }

  /**
   * The parts that the throttles of all keys share.
   *
   * @param timer has the alarms
   * @param dispatcher runs the releases
   * @param retry refreshes all keys after one found no memory
   * @param usual returns the rate of keys that have none of their own
   */
  record Environment(WheelTimer timer, Dispatcher dispatcher, Retry retry, Supplier<Rate> usual) {}

  /**
   * Makes a change, and sets the alarm.
   *
   * @param change runs under the lock
   * @return its result; null if this throttle was removed before, and nothing has changed
   */
  private <R> @Nullable R change(Supplier<R> change) {
    try {
      return tryChange(change);
    } catch (OutOfMemoryError e) {
      environment.retry.later();
      throw e;
    }
  }

  private <R> @Nullable R tryChange(Supplier<R> change) {
    TaskEntry before;
    TaskEntry after;
    R result;
    boolean ended;
    lock.lock();
    try {
      if (removed) {
        return null;
      }
      long now = environment.timer.now();
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
    try {
      if (after != null && after != before) {
        start(before, after);
      }
      if (before != null && before != after) {
        cancel(before);
      }
    } finally {
      if (ended) {
        onRemoved.accept(this);
      }
    }
    return result;
  }

  /** Makes a change without a result; returns null if this throttle was removed before. */
  private @Nullable Boolean alter(Runnable change) {
    try {
      return change(
          () -> {
            change.run();
            return true;
          });
    } catch (OutOfMemoryError e) {
      environment.retry.later(); // also without memory for the lambda
      throw e;
    }
  }

  /** Reads something, without setting the alarm; null if this throttle was removed. */
  private <R> @Nullable R read(Supplier<R> value) {
    lock.lock();
    try {
      if (removed) {
        return null;
      }
      catchUp(environment.timer.now());
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
      line.remove(first);
      if (first.future.outcome() == null) { // racy: completing it decides
        bucket.take(first.amount);
        released.add(first);
      }
    }
  }

  /** Returns whether nobody waits. */
  private boolean isIdle() {
    return line.first() == null && unreleased() == 0;
  }

  /** Returns the number of requests that are charged and not complete. */
  private int unreleased() {
    Waiter next = completing;
    return released.size() + (next == null || next.future.isDone() ? 0 : 1);
  }

  /** Returns the alarm that is needed now. Without any need of this throttle, removes it. */
  private @Nullable TaskEntry nextAlarm(long now) {
    Waiter first = line.first();
    if (first == null && completing != null) {
      return alarm; // the releasing thread checks again
    }
    if (isIdle() && (own != null || bucket.isFull())) {
      removed = own == null;
      return null;
    }
    boolean forRequests = !isIdle();
    long nanos = nanosUntilNext(first);
    if (nanos >= NEVER || isInTime(alarm, WheelTimer.deadline(now, nanos), forRequests)) {
      return alarm;
    }
    long due = WheelTimer.deadline(now, Math.max(1, nanos)); // not at once: that would run it here
    return forRequests ? new TaskEntry(due, this::onAlarm) : new Alarm(due, this::onAlarm);
  }

  private static boolean isInTime(@Nullable TaskEntry alarm, long due, boolean forRequests) {
    return alarm != null && alarm.due() <= due && alarm instanceof Alarm != forRequests;
  }

  private long nanosUntilNext(@Nullable Waiter first) {
    if (released.first() != null && completing == null) {
      return 0;
    }
    return bucket.nanosUntil(first == null ? Long.MAX_VALUE : first.amount); // until it is full
  }

  /** Cancels an alarm. It stays in the timer until it is swept, and must not keep the key. */
  private void cancel(TaskEntry alarm) {
    if (environment.timer.cancel(alarm)) {
      alarm.clear();
    }
  }

  private void start(@Nullable TaskEntry before, TaskEntry next) {
    try {
      environment.timer.schedule(next, environment.timer.now());
    } catch (Throwable e) {
      lock.lock();
      try {
        alarm = alarm == next ? before : alarm;
      } finally {
        lock.unlock();
      }
      throw e;
    }
    if (alarm != next) { // racy: the thread that replaced it may have found nothing to cancel
      cancel(next);
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
      return alter(() -> line.add(waiter));
    } catch (Throwable e) {
      lock.lock();
      try {
        remove(waiter);
      } finally {
        lock.unlock();
      }
      throw e;
    }
  }

  /** Removes a request that has ended, if it still waits here. */
  void leave(Waiter waiter) {
    if (waiter.isInLine()) {
      change(() -> remove(waiter));
    }
  }

  /** Removes a request. If it was charged, gives that back. */
  private boolean remove(Waiter waiter) {
    if (!released.remove(waiter)) {
      return line.remove(waiter);
    }
    bucket.add(waiter.amount);
    return true;
  }

  @Nullable Boolean charge(long amount) {
    return change(
        () -> {
          bucket.take(amount);
          return true;
        });
  }

  void giveBack(long amount) {
    alter(() -> bucket.add(amount));
  }

  /**
   * Changes the rate of this key.
   *
   * @param next the rate; null for the usual one
   */
  @Nullable Boolean rate(@Nullable Rate next) {
    return alter(() -> own = next);
  }

  /** Applies the usual rate, which may have changed, and sets the alarm if there is none. */
  void refresh() {
    if (alter(this::forgetFiredAlarm) == null) {
      onRemoved.accept(this); // its remover may be slow, or have found no memory
    }
  }

  private void forgetFiredAlarm() {
    if (alarm != null && !alarm.isScheduled()) {
      alarm = null; // it has fired; or it is about to be set, and this sets another
    }
  }

  @Nullable Long available() {
    return read(bucket::tokens);
  }

  @Nullable Integer waiting() {
    return read(() -> line.size() + unreleased());
  }

  // Releasing.

  /** Called by the timer. */
  private void onAlarm() {
    try {
      environment.dispatcher.executeFromClock(this::release);
    } catch (OutOfMemoryError e) {
      environment.retry.later();
      throw e;
    }
  }

  /** Completes the requests that are due, unless another thread does. */
  private void release() {
    try {
      for (Waiter next = first(); next != null; next = next()) {
        complete(next);
      }
    } catch (OutOfMemoryError e) {
      environment.retry.later();
    }
  }

  /** A failure of one does not affect the others. */
  private void complete(Waiter next) {
    try {
      if (!next.future.complete(next.amount)) {
        giveBack(next.amount);
      }
    } catch (OutOfMemoryError e) {
      stopBefore(next);
      throw e;
    } catch (Throwable e) {
      NOT_RELEASED.accept(e);
    }
  }

  /** Ends the release. If the request has not ended, it is the first one of the next release. */
  private void stopBefore(Waiter next) {
    lock.lock();
    try {
      if (next.future.outcome() == null) {
        released.addFirst(next);
      }
      completing = null;
    } finally {
      lock.unlock();
    }
  }

  /** Begins to release, unless another thread does or nothing is due. */
  private @Nullable Waiter first() {
    @Nullable Waiter[] first = new Waiter[1];
    try {
      alter(
          () -> {
            forgetFiredAlarm();
            if (completing == null) {
              first[0] = poll();
            }
          });
    } catch (OutOfMemoryError e) {
      environment.retry.later(); // it sets the next alarm
    } catch (Throwable e) { // the next alarm could not be set
      if (!environment.timer.isClosed()) {
        WILL_BE_LATE.accept(e);
      }
    }
    return first[0];
  }

  private @Nullable Waiter next() {
    Waiter next;
    lock.lock();
    try {
      next = poll();
    } finally {
      lock.unlock();
    }
    return next == null ? first() : next; // looks again, and sets the alarm
  }

  private @Nullable Waiter poll() {
    completing = released.first();
    if (completing != null) {
      released.remove(completing);
    }
    return completing;
  }
}
