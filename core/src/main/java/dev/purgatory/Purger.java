package dev.purgatory;

import dev.purgatory.internal.Alarm;
import dev.purgatory.internal.FlightEvents;
import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.Worker;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Decides when the watch lists are purged, and purges them on a helper thread. Thread-safe. */
final class Purger {

  /*
   * There are two reasons to purge. By number: when more registrations are cleared than in use, all lists
   * are swept. By time: half a second after an operation has ended, lists without a pending operation are
   * removed, which releases their keys. That visits each key and may take a tenth of the time, so it comes
   * later than half a second only if there are very many keys. On an idle server it does not run.
   *
   * `purging` is set while a purge of either kind runs or is handed over. `armed` is set while an alarm
   * waits in the timer. When the alarm fires, `keysDue` is set until a purge begins. An operation that
   * ends too late for that purge finds the alarm disarmed, and arms the next.
   *
   * A purge by number rests for a millisecond afterwards: a single operation on very many keys makes one
   * due, and each would wake a thread that competes for the locks of the next operation.
   */

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long ALARM_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int REST = 9;
  private static final String FAILED = "A purge of the watch lists failed";

  private final String name;
  private final WatchLists<?> watchLists;
  private final Timer timer;
  private final Worker helpers;
  private final AtomicBoolean purging = new AtomicBoolean();
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile boolean keysDue;
  private volatile long tookNanos;
  private volatile @Nullable Alarm alarm;
  private volatile boolean closed;

  Purger(String name, WatchLists<?> watchLists, Timer timer, Worker helpers) {
    this.name = name;
    this.watchLists = watchLists;
    this.timer = timer;
    this.helpers = helpers;
  }

  /**
   * Records that the registration of an operation was cleared.
   *
   * @param look whether to check if a purge by number is due
   */
  void cleared(boolean look) {
    // A running purge checks by itself, at its end, whether another is due.
    if (look && !purging.get()) {
      purgeIfDue();
    }
    if (!armed.get() && !closed && armed.compareAndSet(false, true)) {
      arm();
    }
  }

  /** Schedules the purge by time. Without a clock, as on a closed timer, there is none. */
  private void arm() {
    try {
      long now = timer.now();
      Alarm next = new Alarm(now + Math.max(ALARM_NANOS, REST * tookNanos), this::wake);
      alarm = next;
      boolean unused = timer.trySchedule(next, now); // on a closed timer it stays armed for good
    } catch (Throwable e) {
      armed.set(false); // no thread or no memory: the next end tries again
      LastResort.log(FAILED, e);
    }
  }

  /** Called by the timer. */
  private void wake() {
    armed.set(false);
    keysDue = true;
    purgeIfDue();
  }

  /** Purges the lists on a helper thread if that is due. After a failure, a later end retries. */
  private void purgeIfDue() {
    if (isDue() && purging.compareAndSet(false, true)) {
      try {
        if (!helpers.offer(this::purge)) {
          keysDue = false; // closed: close() purges, and so does the last end after it
          purging.set(false);
        }
      } catch (Throwable e) {
        purging.set(false);
        LastResort.log(FAILED, e);
      }
    }
  }

  private boolean isDue() {
    return keysDue || watchLists.isPurgeDue();
  }

  private void purge() {
    try {
      keysDue = false;
      if (watchLists.isPurgeDue()) {
        purgeByNumber();
      } else {
        purgeByTime();
      }
    } catch (Throwable e) {
      LastResort.log(FAILED, e);
      return;
    } finally {
      purging.set(false);
    }
    purgeIfDue();
  }

  private void purgeByNumber() {
    FlightEvents.Sweep recorded = FlightEvents.beginSweep();
    long entries = recorded == null ? 0 : watchLists.watched();
    long removed = watchLists.purge();
    if (recorded != null) {
      recorded.end(name, "entries", entries, removed);
    }
    if (!closed) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void purgeByTime() {
    long begin = Ticker.system().nanos();
    FlightEvents.Sweep recorded = FlightEvents.beginSweep();
    int keys = recorded == null ? 0 : watchLists.keys();
    long removed = watchLists.removeDeadKeys();
    if (recorded != null) {
      recorded.end(name, "keys", keys, removed);
    }
    tookNanos = Ticker.system().nanos() - begin;
  }

  // For tests.

  /**
   * Returns whether a purge is running or due. Begins one that is due: operations look for it only
   * after every few ends.
   */
  boolean isBusy() {
    purgeIfDue();
    return purging.get() || isDue();
  }

  boolean isPurging() {
    return purging.get();
  }

  boolean isClosed() {
    return closed;
  }

  long tookNanos() {
    return tookNanos;
  }

  /** Stops purging by time, and releases this from the timer. */
  void close() {
    closed = true;
    Alarm last = alarm;
    if (last != null) {
      last.clear();
    }
  }
}
