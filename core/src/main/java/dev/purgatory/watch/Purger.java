package dev.purgatory.watch;

import dev.purgatory.base.FlightEvents;
import dev.purgatory.base.LastResort;
import dev.purgatory.timer.Ticker;
import dev.purgatory.wheel.TaskEntry.Alarm;
import dev.purgatory.wheel.WheelTimer;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Decides when the watch lists are purged, and purges them on a helper thread. Thread-safe. */
public final class Purger {

  /*
   * There are two reasons to purge. By number: WatchLists.isPurgeDue decides, and all lists are swept.
   * By time: half a second after an operation has ended, lists without a pending operation are removed, which
   * releases their keys. That visits each key and takes about a tenth of a thread's time: so it comes later
   * only if there are very many keys. It does not run on an idle server, nor for operations that leave nothing
   * behind: those of a purgatory that never had a list for a key, while no keeper is set.
   *
   * `purging` is set while a purge of either kind runs or is handed over. `armed` is set while an alarm
   * waits in the timer. When the alarm fires, `keysDue` is set until a purge begins. A waiter that
   * ends too late for that purge finds the alarm disarmed, and arms the next.
   *
   * The end of a waiter arms the alarm, and must not start a thread for it. So the clock runs as long as
   * something is pending: a waiter is in the timer until its time limit; for the others, and while
   * it waits to expire, there is a `keeper`, an alarm far ahead. The alarm of a purge removes it when nothing is pending.
   *
   * A purge by number rests for a millisecond afterwards: a single waiter on very many keys makes one due,
   * and each would wake a thread that competes for the locks of the next waiter.
   */

  /** How long a purge by number rests. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long ALARM_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long KEEP_NANOS = TimeUnit.DAYS.toNanos(1);

  /** A purge by time rests at least this multiple of the last one's duration. */
  private static final int REST = 9;

  private static final LastResort FAILED = LastResort.handler("A purge of the watch lists failed");

  private final String name;
  private final LongSupplier pending;
  private final WatchLists<?> lists;
  private final WheelTimer timer;
  private final Executor purges;
  private final Runnable tidying;
  private final AtomicBoolean purging = new AtomicBoolean();
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile boolean keysDue;
  volatile long tookNanos;
  private volatile @Nullable Alarm alarm;
  private final AtomicBoolean keeping = new AtomicBoolean();
  private volatile @Nullable Alarm keeper;
  private volatile boolean closed;

  /**
   * Creates a purger.
   *
   * @param name the name of the purgatory, for recordings
   * @param pending returns the number of waiters that have not ended
   * @param lists are purged
   * @param timer sets the alarms
   * @param purges runs the purges
   * @param tidying runs with each purge by time
   */
  public Purger(
      String name,
      LongSupplier pending,
      WatchLists<?> lists,
      WheelTimer timer,
      Executor purges,
      Runnable tidying) {
    this.name = name;
    this.pending = pending;
    this.lists = lists;
    this.timer = timer;
    this.purges = purges;
    this.tidying = tidying;
  }

  /**
   * Clears a waiter that has ended, and begins a purge by number that is due, or has one by time
   * run soon. A running purge checks by itself, at its end, whether another is due.
   *
   * @param waiter is on no list, or on those of {@link WatchLists#watch}
   */
  public void clear(Waiter waiter) {
    if (lists.clear(waiter) && !purging.get()) {
      purgeIfDue();
    }
    if (lists.hasKeys() || keeping.get()) {
      purgeSoon();
    }
  }

  /** Has a purge by time run soon: a waiter that has ended leaves something behind. */
  public void purgeSoon() {
    if (!armed.get() && !closed && armed.compareAndSet(false, true)) {
      arm();
    }
  }

  /** Schedules the purge by time. On a closed timer, nothing is scheduled. */
  private void arm() {
    try {
      long now = timer.now();
      Alarm next =
          new Alarm(WheelTimer.deadline(now, Math.max(ALARM_NANOS, REST * tookNanos)), this::wake);
      alarm = next;
      timer.trySchedule(next, now); // on a closed timer it stays armed for good
    } catch (Throwable e) {
      armed.set(false); // no thread or no memory: the next end tries again
      FAILED.accept(e);
    }
  }

  /** Keeps the clock running for waiters that are not in the timer. */
  public void keepClock() {
    if (!keeping.get() && timer.hasThread() && keeping.compareAndSet(false, true)) {
      keep();
    }
  }

  private void keep() {
    try {
      long now = timer.now();
      Alarm next = new Alarm(WheelTimer.deadline(now, KEEP_NANOS), this::keepOrRelease);
      keeper = next;
      if (!closed && timer.trySchedule(next, now) && closed) {
        timer.cancel(next);
      }
    } catch (Throwable e) {
      keeping.set(false); // no thread or no memory: an end starts the clock
      FAILED.accept(e);
    }
  }

  /** Releases the clock if nothing is pending. Called by the timer. */
  private void keepOrRelease() {
    keeping.set(false);
    if (pending.getAsLong() > 0) { // after the flag: see keepClock()
      keepClock();
    }
  }

  /** Called by the timer. */
  private void wake() {
    armed.set(false);
    Alarm kept = keeper;
    if (keeping.get() && kept != null && pending.getAsLong() == 0 && timer.cancel(kept)) {
      kept.clear(); // it may stay in the timer, far ahead
      keeper = null;
      keepOrRelease();
    }
    keysDue = true;
    purgeIfDue();
  }

  /** Purges the lists on a helper thread if that is due. After a failure, a later end retries. */
  private void purgeIfDue() {
    if (isDue() && purging.compareAndSet(false, true)) {
      try {
        purges.execute(this::purge);
      } catch (Throwable e) {
        purging.set(false);
        FAILED.accept(e);
      }
    }
  }

  private boolean isDue() {
    return keysDue || lists.isPurgeDue();
  }

  private void purge() {
    try {
      keysDue = false;
      if (lists.isPurgeDue()) {
        purgeByNumber();
      } else {
        purgeByTime();
      }
    } catch (Throwable e) {
      FAILED.accept(e);
      return;
    } finally {
      purging.set(false);
    }
    purgeIfDue();
  }

  private void purgeByNumber() {
    FlightEvents.Sweep recorded = FlightEvents.beginSweep();
    long entries = recorded == null ? 0 : lists.watched();
    long removed = lists.purge();
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
    int keys = recorded == null ? 0 : lists.keys();
    long removed = lists.removeDeadKeys();
    tidying.run();
    if (recorded != null) {
      recorded.end(name, "keys", keys, removed);
    }
    tookNanos = Ticker.system().nanos() - begin;
  }

  // For tests.

  /**
   * Returns whether a purge is running or due. Begins one that is due, as only every few ends check
   * for it, unless this is closed.
   */
  boolean isBusy() {
    if (!closed) {
      purgeIfDue();
    }
    return purging.get() || (!closed && isDue());
  }

  /** Stops purging by time, and releases this from the timer. */
  public void close() {
    closed = true;
    Alarm last = alarm;
    if (last != null) {
      last.clear();
    }
    Alarm kept = keeper;
    if (kept != null) {
      kept.clear();
      timer.cancel(kept);
    }
  }
}
