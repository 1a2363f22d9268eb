package dev.purgatory;

import dev.purgatory.internal.Alarm;
import dev.purgatory.internal.LastResort;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Decides when the watch lists are purged, and has it done on a helper thread. Thread-safe. */
final class Purger {

  /*
   * There are two reasons to purge. By number: more registrations are cleared than are in use, and all lists
   * are swept. By time: half a second after an operation has ended, lists on which everything has
   * ended are removed, so that their keys become unreachable. That costs a look at each key, and is
   * done at most a tenth of the time; so it takes longer than half a second only where there are very
   * many keys. A server on which nothing ends has nothing to do.
   *
   * `purging` is held while a purge of either kind runs or is handed over. `armed` is set while an
   * alarm waits in the timer; when it comes, `keysDue` is set until a purge begins. An end that is too
   * late for that purge finds the alarm disarmed, and arms the next.
   *
   * A purge by number rests for a millisecond afterwards: an operation on very many keys makes one due
   * by itself, and each would wake a thread, which would take the locks that the next operation wants.
   */

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long ALARM_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int REST = 9;
  private static final String FAILED = "The watch lists cannot be purged";

  private final WatchLists<?> watchLists;
  private final Timer timer;
  private final Worker helpers;
  private final AtomicBoolean purging = new AtomicBoolean();
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile boolean keysDue;
  private volatile long tookNanos;
  private volatile @Nullable Alarm alarm;
  private volatile boolean closed;

  Purger(WatchLists<?> watchLists, Timer timer, Worker helpers) {
    this.watchLists = watchLists;
    this.timer = timer;
    this.helpers = helpers;
  }

  /**
   * Notes that the registration of an operation was cleared.
   *
   * @param look whether to look if a purge by number is due
   */
  void cleared(boolean look) {
    // A purge that is under way looks by itself, when it is over, whether another is due.
    if (look && !purging.get()) {
      purgeIfDue();
    }
    if (!armed.get() && !closed && armed.compareAndSet(false, true)) {
      arm();
    }
  }

  /** Without a clock, as when the timer is closed, purges by number have to do. */
  private void arm() {
    try {
      long now = timer.now();
      Alarm next = new Alarm(now + Math.max(ALARM_NANOS, REST * tookNanos), this::wake);
      alarm = next;
      timer.schedule(next, now);
    } catch (OutOfMemoryError e) {
      armed.set(false);
    } catch (IllegalStateException e) {
      // The timer is closed: it stays armed, and the alarm never comes.
    }
  }

  /** Called by the timer. */
  private void wake() {
    armed.set(false);
    keysDue = true;
    purgeIfDue();
  }

  /** Has the lists purged if that is due. If it fails, a later end asks again. */
  private void purgeIfDue() {
    if (isDue() && purging.compareAndSet(false, true)) {
      try {
        if (!helpers.offer(
            this::purge)) { // closed: close() purges, and so does the last end after it
          keysDue = false;
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
    watchLists.purge();
    if (!closed) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void purgeByTime() {
    long begin = Ticker.system().nanos();
    watchLists.removeDeadKeys();
    tookNanos = Ticker.system().nanos() - begin;
  }

  /** Whether a purge is running or due. */
  boolean isBusy() {
    return purging.get() || isDue();
  }

  /** Has the timer let go of this. */
  void close() {
    closed = true;
    Alarm last = alarm;
    if (last != null) {
      last.clear();
    }
  }
}
