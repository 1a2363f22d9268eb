package org.apache.kafka.server.purgatory;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Nesting;
import dev.purgatory.kafka.DropIn;
import dev.purgatory.kafka.PurgatoryStats;
import dev.purgatory.kafka.Reaper;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.watch.Purger;
import dev.purgatory.watch.Waiter;
import dev.purgatory.watch.Walk;
import dev.purgatory.watch.WatchList;
import dev.purgatory.watch.WatchLists;
import dev.purgatory.wheel.WheelTimer;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.Timer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds Kafka's operations until an event on one of their keys completes them or their timeout
 * expires.
 *
 * @param <T> the type of the operations
 */
public class DelayedOperationPurgatory<T extends DelayedOperation> {

  /*
   * Directly on the watch lists and the timing wheels: a `HeldOperation` is the only object that both refer
   * to. An operation is held in three steps under its own lock: check, watch, check again. The first check
   * sees earlier events; from then on events find it on the lists; the second check sees those in between. A full
   * fence on each side separates the write from the read: here the lists, then the event; in a check the
   * event, then the lists. At last it is put into the timer, without the lock, as Kafka does.
   *
   * Kafka's threads do all the work. The reaper advances the clock and expires operations. The thread of the timer
   * purges the lists, and runs checks that are nested too deep.
   *
   * The timer is usually a SystemTimer, in whose wheels the operations are. Kafka's tests also pass mock
   * timers. In that case the operation itself is added to the given timer. The wheels are then only for purges
   * by time, and the reaper advances their clock as well. Without a reaper, lists are purged by number
   * only.
   *
   * A timer expires one operation at a time. `expiring` and `expirer` tell the end of that operation
   * from others. Without memory to hand it over, the clock's thread expires an operation out of turn: then the
   * statistics may count an expiration as a completion.
   */

  private static final LastResort NOT_RELEASED =
      LastResort.handler("An operation could not be released from the lists");

  private static final Logger LOG = LoggerFactory.getLogger(DelayedOperationPurgatory.class);
  private static final int DEFAULT_PURGE_INTERVAL = 1000;

  /** How long {@link #shutdown} waits at most for operations that are being checked. */
  private static final long CHECKS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final KafkaMetricsGroup metricsGroup =
      new KafkaMetricsGroup("kafka.server", "DelayedOperationPurgatory");
  private final Map<String, String> metricsTags;
  private final Timer timeoutTimer;
  private final boolean timerEnabled;
  private final @Nullable Reaper expirationReaper;

  /** The timer, if operations are in its wheels. */
  private final @Nullable SystemTimer systemTimer;

  private final WheelTimer wheels;
  private final WatchLists<DelayedOperationKey> lists;
  private final Purger purger;
  private final PurgatoryStats stats;
  private final Predicate<Waiter> checker = this::check;
  private volatile @Nullable HeldOperation expiring;
  private volatile @Nullable Thread expirer;
  private volatile boolean shutdown;

  /**
   * Creates a purgatory on a given timer.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param timer expires the operations; closed together with the purgatory
   * @param brokerId the ID of the broker
   * @param reaperEnabled whether the purgatory advances the timer's clock
   */
  public DelayedOperationPurgatory(
      String purgatoryName, Timer timer, int brokerId, boolean reaperEnabled) {
    this(purgatoryName, timer, brokerId, DEFAULT_PURGE_INTERVAL, reaperEnabled, true);
  }

  /**
   * Creates a purgatory on a given timer and advances the timer's clock.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param timer expires the operations; closed together with the purgatory
   * @param brokerId the ID of the broker
   * @param purgeInterval how many entries of completed operations may remain on the watch lists
   *     before the lists are purged; a negative number, which a broker's setting may be, means 0
   */
  public DelayedOperationPurgatory(
      String purgatoryName, Timer timer, int brokerId, int purgeInterval) {
    this(purgatoryName, timer, brokerId, purgeInterval, true, true);
  }

  /**
   * Creates a purgatory with its own timer.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param brokerId the ID of the broker
   */
  public DelayedOperationPurgatory(String purgatoryName, int brokerId) {
    this(purgatoryName, brokerId, DEFAULT_PURGE_INTERVAL);
  }

  /**
   * Creates a purgatory with its own timer.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param brokerId the ID of the broker
   * @param purgeInterval how many entries of completed operations may remain on the watch lists
   *     before the lists are purged; a negative number, which a broker's setting may be, means 0
   */
  public DelayedOperationPurgatory(String purgatoryName, int brokerId, int purgeInterval) {
    this(purgatoryName, new SystemTimer(purgatoryName), brokerId, purgeInterval, true, true);
  }

  /**
   * Creates a purgatory.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param timeoutTimer expires the operations; closed together with the purgatory
   * @param brokerId the ID of the broker
   * @param purgeInterval how many entries of completed operations may remain on the watch lists
   *     before the lists are purged; a negative number, which a broker's setting may be, means 0
   * @param reaperEnabled whether the purgatory advances the timer's clock
   * @param timerEnabled whether operations expire
   */
  @SuppressWarnings("this-escape") // the statistics read what is set before
  public DelayedOperationPurgatory(
      String purgatoryName,
      Timer timeoutTimer,
      int brokerId,
      int purgeInterval,
      boolean reaperEnabled,
      boolean timerEnabled) {
    DropIn.announce();
    this.timeoutTimer = timeoutTimer;
    this.timerEnabled = timerEnabled;
    this.systemTimer = timeoutTimer instanceof SystemTimer ours ? ours : null;
    dev.purgatory.timer.Timer clock =
        systemTimer == null ? dev.purgatory.timer.Timer.builder().build() : systemTimer.coreTimer();
    this.wheels = TimerInternals.of(clock).wheels();
    Executor housekeeping = systemTimer == null ? Runnable::run : systemTimer.housekeeping();
    this.lists = new WatchLists<>(Math.max(0, purgeInterval), housekeeping);
    this.stats =
        new PurgatoryStats(purgatoryName, brokerId, wheels, lists::watched, this::oldestNanos);
    this.purger =
        new Purger(purgatoryName, stats::getPending, lists, wheels, housekeeping, () -> {});
    metricsTags = Map.of("delayedOperation", purgatoryName);
    metricsGroup.newGauge("PurgatorySize", this::watched, metricsTags);
    metricsGroup.newGauge("NumDelayedOperations", timeoutTimer::size, metricsTags);
    stats.register();
    expirationReaper =
        reaperEnabled
            ? reaper("ExpirationReaper-" + brokerId + "-" + purgatoryName, timeoutTimer, clock)
            : null;
  }

  private static Reaper reaper(String name, Timer timer, dev.purgatory.timer.Timer coreTimer) {
    Reaper reaper = new Reaper(name, timer, coreTimer);
    reaper.start();
    return reaper;
  }

  /**
   * Completes the operation if possible, and otherwise watches it on the keys.
   *
   * @param operation the operation
   * @param watchKeys at least one key
   * @param <K> the type of the keys
   * @return true if this call completed the operation
   * @throws IllegalArgumentException if there are no keys
   */
  public <K extends DelayedOperationKey> boolean tryCompleteElseWatch(
      T operation, List<K> watchKeys) {
    if (watchKeys.isEmpty()) {
      throw new IllegalArgumentException("The watch key list can't be empty");
    }
    if (shutdown) {
      return operation.safeTryComplete();
    }
    HeldOperation held;
    operation.lock.lock();
    try {
      if (operation.isCompleted()) {
        return false;
      }
      operation.tryComplete();
      if (operation.isCompleted()) {
        return true;
      }
      held = watch(operation, watchKeys);
      if (operation.isCompleted()) {
        return true;
      }
    } finally {
      operation.lock.unlock();
    }
    if (shutdown) {
      release(held, operation);
    } else if (timerEnabled) {
      try {
        schedule(held, operation);
      } catch (Throwable e) { // without a timeout, it might be held for good
        release(held, operation);
        throw e;
      }
    }
    return false;
  }

  /** Watches an operation and checks it again. Requires its lock. */
  private HeldOperation watch(
      DelayedOperation operation, List<? extends DelayedOperationKey> keys) {
    HeldOperation former = operation.held();
    long deadline = WheelTimer.deadline(wheels.now(), delayNanos(operation));
    HeldOperation held = HeldOperation.of(operation, this, deadline);
    operation.held(held);
    stats.held();
    try {
      lists.watch(keys, held);
      VarHandle.fullFence(); // write the lists first, then read the event
      operation.tryComplete();
      return held;
    } catch (Throwable e) {
      release(held, operation);
      operation.held(former);
      throw e;
    }
  }

  /** Begins the timeout of an operation. Those of former additions end, as in Kafka. */
  private void schedule(HeldOperation held, DelayedOperation operation) {
    for (HeldOperation each = held.former(); each != null; each = each.former()) {
      each.home().cancelTimeout(each);
    }
    held.unmarkCancelled();
    if (systemTimer == null) {
      timeoutTimer.add(operation);
    } else if (operation.delayMs <= 0) {
      systemTimer.execute(held); // without waiting for the clock
    } else {
      wheels.trySchedule(held, wheels.now()); // false: the timer is closed
    }
    if (operation.isCompleted()) {
      operation.cancel();
      wheels.cancel(held); // the operation may have released it
    }
  }

  /** Hands over an expiration. Called by the clock. */
  void expireSoon(HeldOperation held) {
    if (systemTimer != null) {
      try {
        systemTimer.execute(held);
      } catch (OutOfMemoryError e) {
        held.run(); // on the clock, out of order: there is no memory to hand it over
      }
    }
  }

  /** Expires an operation. Called for one at a time. */
  void expire(HeldOperation held, DelayedOperation operation) {
    expirer = Thread.currentThread();
    expiring = held;
    try {
      operation.run();
    } catch (Throwable e) {
      stats.failed(operation, e);
    } finally {
      expiring = null;
      expirer = null;
    }
  }

  /** Releases an operation that is completed. Requires its lock. */
  void complete(HeldOperation held) {
    if (held.isRetired()) {
      return;
    }
    try {
      if (held == expiring && Thread.currentThread() == expirer) {
        long now = wheels.now();
        stats.expired(heldNanos(held, now), now - held.due());
      } else if (stats.completed()) {
        stats.measured(heldNanos(held, wheels.now()));
      }
    } finally { // to count may take memory
      clear(held);
    }
  }

  /**
   * Releases an operation that is not completed.
   *
   * @return whether this call released it
   */
  private boolean release(HeldOperation held, DelayedOperation operation) {
    operation.lock.lock();
    try {
      if (held.isRetired()) {
        return false;
      }
      stats.cancelled();
      cancelTimeout(held);
      clear(held);
      return true;
    } finally {
      operation.lock.unlock();
    }
  }

  void cancelTimeout(HeldOperation held) {
    held.markCancelled();
    wheels.cancel(held);
  }

  private void clear(HeldOperation held) {
    try {
      purger.clear(held);
    } catch (Throwable e) { // a later end purges: this one goes on
      NOT_RELEASED.accept(e);
    }
  }

  /**
   * Completes those operations watched on a key that can be completed.
   *
   * @param key the key
   * @param <K> the type of the key
   * @return the number of operations that this call completed
   */
  public <K extends DelayedOperationKey> int checkAndComplete(K key) {
    VarHandle.fullFence(); // write the event first, then read the lists
    WatchList waiters = lists.get(key);
    int completed = waiters == null ? 0 : check(key, waiters);
    if (completed > 0) {
      LOG.debug("{} unblocked {} operations", key, completed);
    }
    return completed;
  }

  /** Checks the operations on a key; on the timer's thread if such calls are nested too deep. */
  private int check(DelayedOperationKey key, WatchList waiters) {
    Headroom.ensure();
    int depth = Nesting.enter();
    try {
      if (Nesting.isTooDeep(depth) && systemTimer != null) {
        systemTimer.execute(() -> checkAndComplete(key));
        return 0;
      }
      Walk walk = waiters.walk(checker);
      lists.tidy(key, waiters, walk);
      return walk.hits();
    } finally {
      Nesting.leave(depth);
    }
  }

  /** Checks an operation. One whose check throws remains held. */
  private boolean check(Waiter waiter) {
    DelayedOperation operation = ((HeldOperation) waiter).operation();
    if (operation == null) {
      return false;
    }
    try {
      return operation.safeTryComplete();
    } catch (Throwable e) {
      stats.failed(operation, e);
      return operation.isCompleted(); // its answer has thrown
    }
  }

  /**
   * Returns the size of all watch lists: one entry per operation and key, including entries of
   * completed operations that have not been removed yet.
   *
   * @return 0 or more
   */
  public int watched() {
    return Math.toIntExact(lists.watched());
  }

  /**
   * Returns the number of operations that are waiting for their timeout.
   *
   * @return the size of the timer
   */
  public int numDelayed() {
    return timeoutTimer.size();
  }

  /**
   * Stops watching the operations on a key, without completing them.
   *
   * @param key the key
   * @return the operations that were watched on the key
   */
  public List<T> cancelForKey(DelayedOperationKey key) {
    List<T> cancelled = new ArrayList<>();
    VarHandle.fullFence(); // write the event first, then read the lists
    WatchList waiters = lists.get(key);
    if (waiters != null) {
      Walk walk = waiters.walk(each -> releaseInto(cancelled, each));
      lists.tidy(key, waiters, walk);
    }
    cancelled.forEach(DelayedOperation::cancel);
    return cancelled;
  }

  @SuppressWarnings("unchecked") // only operations of type T are added
  private boolean releaseInto(List<T> released, Waiter waiter) {
    HeldOperation held = (HeldOperation) waiter;
    DelayedOperation operation = held.operation();
    return operation != null && release(held, operation) && released.add((T) operation);
  }

  private long heldNanos(HeldOperation held, long now) {
    DelayedOperation operation = held.operation();
    return operation == null ? 0 : Math.max(0, now - (held.due() - delayNanos(operation)));
  }

  /** Returns the delay: half of the range at most, so that a delay plus a time fits. */
  private static long delayNanos(DelayedOperation operation) {
    return Math.min(Long.MAX_VALUE / 2, TimeUnit.MILLISECONDS.toNanos(operation.delayMs));
  }

  private long oldestNanos() {
    long now = wheels.now();
    long[] oldest = new long[1];
    visitAll(each -> oldest[0] = Math.max(oldest[0], heldNanos(each, now)));
    return oldest[0];
  }

  private void visitAll(Consumer<HeldOperation> visitor) {
    Predicate<Waiter> visit =
        each -> {
          visitor.accept((HeldOperation) each);
          return false;
        };
    lists.forEach((key, waiters) -> waiters.walk(visit));
  }

  /**
   * Closes the purgatory and its timer. Held operations are released, not completed. Waits five
   * seconds at most for an expiration on the reaper, as long for tasks on the timer's own thread,
   * as Kafka does, and one second at most for operations that other threads are checking.
   *
   * @throws Exception if closing the timer fails
   */
  public void shutdown() throws Exception {
    shutdown = true;
    if (expirationReaper != null) {
      expirationReaper.end();
    }
    long end = System.nanoTime() + CHECKS_NANOS;
    visitAll(each -> tryRelease(each, end - System.nanoTime()));
    lists.purge();
    purger.close();
    timeoutTimer.close();
    metricsGroup.removeMetric("PurgatorySize", metricsTags);
    metricsGroup.removeMetric("NumDelayedOperations", metricsTags);
    stats.unregister();
  }

  /** Releases an operation, unless another thread has its lock for too long. */
  private void tryRelease(HeldOperation held, long nanos) {
    DelayedOperation operation = held.operation();
    if (operation != null && tryLock(operation.lock, nanos)) {
      try {
        release(held, operation);
      } finally {
        operation.lock.unlock();
      }
    }
  }

  private static boolean tryLock(ReentrantLock lock, long nanos) {
    try {
      return lock.tryLock(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // from now on, locks are tried without waiting
      return lock.tryLock();
    }
  }
}
