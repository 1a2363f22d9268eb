package dev.purgatory.wheel;

import dev.purgatory.base.FlightEvents;
import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.base.Nesting;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.base.Stripes;
import dev.purgatory.wheel.TaskEntry.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fires {@linkplain TimerEntry entries} when they are due: timing wheels in stripes, and a clock
 * that a thread of its own or the caller drives. Thread-safe.
 */
public final class WheelTimer {

  /*
   * Entries are spread over stripes, each a set of timing wheels with a lock. A thread prefers one stripe
   * and takes the next one if that is busy, so schedulers seldom wait. Cancelling changes only the entry.
   * The clock reads `nextDue` of each stripe without a lock.
   *
   * Each entry gets a number, which tells which of two was scheduled first, whatever threads and stripes
   * they came from. The clock takes all that is due up to the end of a tick out of all stripes, sorts it
   * by deadline and number, and fires it without a lock. It visits the stripes one after another, so it may
   * miss an entry in the first and find a later one in the last. Therefore, entries whose number was given
   * after the clock began to visit wait for the next round, in which it finds the missed ones. Two drivers
   * at the same time fire in any order.
   *
   * An entry whose deadline has passed when it is scheduled is due at the time that the wheels of its stripe
   * have reached. So a round goes on until the latest of these times: earlier ones of other stripes are in it.
   *
   * A cancelled entry stays in its bucket until it is swept. Ends pay for sweeping: every 64th end of a
   * stripe of the counter compares the kept entries with the scheduled ones, and if there are too many, it
   * visits 16 entries for each end. So at most one more entry ends for 16 that are visited. A sweep that
   * begins at three ended entries for four scheduled ones therefore keeps fewer than twice the scheduled
   * ones, regardless of the history, and needs no thread. An earlier sweep would visit more entries for
   * each that it removes. Deleting an entry at once, from a linked bucket under the lock of its stripe,
   * was measured: cancel and add is a quarter slower.
   *
   * What a driver has taken out of the wheels is in none of them while it fires, perhaps for long. So each
   * driver publishes its list for `forEach`, and does not change it from then on. A walk waits for one that is
   * taking entries, during which no user code runs: so it misses none. In a closed timer, the list stays: nobody
   * fires the rest.
   *
   * How drivers sleep and are woken, see Sleep; when the timer's own thread runs, see ClockThread.
   *
   * `latest` is the time at which an entry was last found due. The clock never reads less: a ticker that
   * runs backwards cannot produce a deadline that the wheels have already passed.
   *
   * `firing` is the time whose tasks are running. The wheels do not move beyond it before these tasks have
   * run: so an entry that a late task schedules, even for a time in the past, fires in its turn.
   *
   * The caller of `reconfigure` does all the work: for each stripe, it puts new wheels in place, and then moves
   * the entries of the former ones, a few per acquisition of the stripe's lock. Schedulers use the new
   * wheels at once; drivers fire from both. So nobody waits, and no driver has to be woken to move
   * entries. While wheels with different ticks are in use, an entry of the shorter tick may be due before one with
   * an earlier deadline. A driver that is late therefore fires in steps of the longest tick: all entries
   * of the step are collected, and sorted by their deadlines.
   *
   * A heap, as in DelayQueue and ScheduledThreadPoolExecutor, was rejected: inserting takes log n steps
   * under one lock, cancelling a search or garbage, and nearly all entries are cancelled.
   */

  /** Check whether to sweep after this many ends per counter cell; a power of two. */
  private static final int ENDS_PER_LOOK = 64;

  private static final int LOOKS_PER_END = 16;

  /** The place of the next number. Its neighbours keep other data off its cache lines. */
  private static final int NEXT = 16;

  private static final int KEPT_AT_REST = 1000;

  private static final LastResort HANDLER_FAILED = LastResort.handler("An error handler threw");
  private static final LastResort HANDLED = LastResort.handler("while it handled this error");

  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LongSupplier ticker;
  private final long origin;
  private final AtomicLong latest = new AtomicLong();
  private volatile long firing = TimingWheels.NEVER;

  /** The number of the next entry, at {@link #NEXT}. */
  private final AtomicLongArray numbers = new AtomicLongArray(2 * NEXT);

  private final StripedCounter ended = new StripedCounter();

  // The entries for housekeeping are counted apart, so that they do not blur size().
  private final StripedCounter alarms = new StripedCounter();
  private final StripedCounter endedAlarms = new StripedCounter();

  final Stripe[] stripes;
  private final Consumer<Throwable> errorHandler;
  private final Consumer<TimerEntry> onDue = this::onDue;
  private final Consumer<Throwable> onError = this::report;
  final Sleep sleep = new Sleep(this);

  /** Held while the tick and the wheel size change. */
  private final Mutex changing = new Mutex();

  private volatile long longestTick;
  private final @Nullable ClockThread clock;

  /** The entries that a driver fires. */
  private static final class Round {
    /** Held while entries are neither in the wheels nor published here. */
    private final Mutex taking = new Mutex();

    /** A list in here does not change. */
    private volatile List<TimerEntry> due = List.of();

    /** Publishes what was taken. */
    void publish(List<TimerEntry> entries) {
      due = entries;
      taking.unlock();
    }

    /** Returns what has not fired yet, and perhaps some that has. */
    List<TimerEntry> due() {
      taking.lock(); // waits until what is being taken is published
      try {
        return due;
      } finally {
        taking.unlock();
      }
    }
  }

  /** The rounds of all drivers; a closed timer leaves some unfinished. */
  private final Queue<Round> rounds = new ConcurrentLinkedQueue<>();

  /** What found no memory. */
  final Retry.Line retries = new Retry.Line(this);

  private volatile Runnable closeListener = () -> {};
  private volatile boolean closed;

  /**
   * Creates a timer without entries.
   *
   * @param ticker the source of time: nanoseconds since an arbitrary origin
   * @param tickNanos 1 or more
   * @param wheelSize the number of buckets per wheel: a power of two, 2 or more
   * @param stripeCount a power of two
   * @param errorHandler gets the exceptions of entries
   * @param threads creates the thread of the clock; null: the caller drives it
   * @param idleNanos how long that thread waits in an empty timer
   * @throws IllegalStateException if the factory returns null or a started thread
   */
  public WheelTimer(
      LongSupplier ticker,
      long tickNanos,
      int wheelSize,
      int stripeCount,
      Consumer<Throwable> errorHandler,
      @Nullable ThreadFactory threads,
      long idleNanos) {
    this.ticker = ticker;
    this.origin = ticker.getAsLong();
    this.errorHandler = errorHandler;
    assert Integer.bitCount(stripeCount) == 1;
    stripes = new Stripe[stripeCount];
    for (int i = 0; i < stripeCount; i++) {
      stripes[i] = new Stripe(tickNanos, wheelSize);
    }
    longestTick = tickNanos;
    FlightEvents.prepare(); // rather than when the first entry is due
    prepare();
    clock = threads == null ? null : new ClockThread(this, threads, idleNanos);
  }

  /** Does for the first time what would then take memory when an entry ends. */
  private static void prepare() {
    ForeignCode.prepare();
    Nesting.prepare();
    var unused = ThreadLocalRandom.current(); // a map needs it when threads meet there
    TimerEntry any = new Alarm(0, () -> {});
    any.clearBits(any.setBits(0));
  }

  /**
   * Returns the time on this timer's clock.
   *
   * @return nanoseconds since the timer was made, 0 or more
   */
  public long now() {
    return Math.max(latest.get(), ticker.getAsLong() - origin);
  }

  /**
   * Returns the time after a delay.
   *
   * @param now a time on a timer's clock
   * @param delayNanos less than 0 counts as 0
   * @return {@code now} or later, at most {@link Long#MAX_VALUE}
   */
  public static long deadline(long now, long delayNanos) {
    long sum = now + Math.max(0, delayNanos);
    return sum < now ? Long.MAX_VALUE : sum;
  }

  /**
   * Returns how late an entry fires at most while the clock is on time.
   *
   * @return the tick; during a reconfiguration, the longer one
   */
  public long tickNanos() {
    return endOfTick(1);
  }

  /**
   * Returns the number of scheduled entries, without alarms.
   *
   * @return 0 or more; exact while no other thread schedules or cancels
   */
  public int size() {
    long gone = ended.sum();
    return (int) Math.max(0, numbers.get(NEXT) - gone);
  }

  /** Returns the number of scheduled entries, including those for housekeeping. */
  private int live() {
    long gone = endedAlarms.sum();
    return (int) (size() + alarms.sum() - gone);
  }

  /**
   * Returns the number of entries in the timer's memory, including cancelled ones.
   *
   * @return {@link #size} or more; less than twice that plus a few thousand
   */
  public int retained() {
    int kept = 0;
    for (Stripe stripe : stripes) {
      kept += stripe.size();
    }
    return kept;
  }

  /**
   * Returns the exception for a closed timer.
   *
   * @return a new exception
   */
  public static IllegalStateException closedException() {
    return new IllegalStateException("the timer is closed");
  }

  /**
   * Schedules an entry.
   *
   * @param entry an entry that was not scheduled before
   * @param now a recent time on this timer's clock
   * @throws IllegalStateException if the entry was scheduled before, or the timer is closed
   */
  public void schedule(TimerEntry entry, long now) {
    if (!trySchedule(entry, now)) {
      throw closedException();
    }
  }

  /**
   * Schedules an entry unless the timer is closed.
   *
   * @param entry an entry that was not scheduled before
   * @param now a recent time on this timer's clock
   * @return false if the timer is closed
   * @throws IllegalStateException if the entry was scheduled before
   */
  public boolean trySchedule(TimerEntry entry, long now) {
    if (closed) {
      return false;
    }
    if (clock != null) {
      clock.ensureRunning(); // may fail, so before anything changes
    }
    Stripe stripe = lockSomeStripe(); // may fail, too
    boolean begun;
    boolean earlier;
    try {
      begun = entry.begin();
      earlier = begun && insert(stripe, entry, now);
    } finally {
      stripe.unlock();
    }
    if (!begun) {
      throw new IllegalStateException("scheduled before: " + entry);
    }
    if (earlier) {
      wakeBy(stripe.nextDue());
    }
    return true;
  }

  /** Inserts an entry; returns whether it is due before all others of its stripe. */
  private boolean insert(Stripe stripe, TimerEntry entry, long now) {
    entry.number = nextNumber(entry);
    try {
      return stripe.insert(entry, Math.min(now, firing));
    } catch (Throwable e) {
      if (entry.undoBegin()) {
        uncount(entry);
      }
      throw e;
    }
  }

  /**
   * Counts an entry. An alarm gets the number of the entry before it: it has no order of its own.
   */
  private long nextNumber(TimerEntry entry) {
    if (entry instanceof Alarm) {
      alarms.add(1);
      return numbers.get(NEXT) - 1;
    }
    return numbers.getAndIncrement(NEXT);
  }

  /** Wakes the clock for what is due before all else. Does not throw. */
  void wakeBy(long due) {
    sleep.wakeBy(due);
    if (clock != null && !closed) {
      try {
        clock.ensureRunning();
      } catch (Throwable e) {
        report(e); // the next entry that is scheduled starts the thread
      }
    }
  }

  private Stripe lockSomeStripe() {
    int preferred = Stripes.ofThisThread(stripes.length);
    for (int i = 0; i < stripes.length; i++) {
      Stripe stripe = stripes[(preferred + i) & (stripes.length - 1)];
      if (stripe.tryLock()) {
        return stripe;
      }
    }
    stripes[preferred].lock();
    return stripes[preferred];
  }

  /**
   * Cancels an entry.
   *
   * @param entry any entry
   * @return true if it was scheduled and will not fire; false if it fires or fired, was cancelled
   *     before, or was never scheduled
   */
  public boolean cancel(TimerEntry entry) {
    if (!entry.end()) {
      return false;
    }
    countEnd(entry);
    return true;
  }

  /**
   * Returns whether the current thread is the timer's own.
   *
   * @return false if the caller drives the clock
   */
  public boolean isClock() {
    return clock != null && clock.isCurrent();
  }

  /**
   * Fires all due entries on this thread, in order, and the entries that they schedule with a
   * deadline in the past.
   *
   * @return the number of entries that fired, without alarms; 0 if the timer is closed
   */
  public int advance() {
    Headroom.ensure();
    long now = latest.accumulateAndGet(now(), Math::max);
    int fired = fireUntil(now);
    if (retries.due() <= now && !closed) {
      retries.run();
    }
    for (Stripe stripe : stripes) {
      if (stripe.isSplitting()) {
        stripe.splitAhead();
      }
    }
    return fired;
  }

  private int fireUntil(long now) {
    int fired = 0;
    try {
      for (long due; !closed && (due = nextEntry()) <= now; ) {
        long until = Math.min(now, endOfTick(due));
        firing = until;
        long late = FlightEvents.recordsLateClocks() ? now() - due : 0;
        int count = expire(until, now);
        fired += count;
        if (late > 0 && count > 0) {
          FlightEvents.lateClock(late, count);
        }
        if (due == TimingWheels.NEVER && count == 0) {
          break; // the end of time, and nothing is due there
        }
      }
    } finally {
      firing = TimingWheels.NEVER;
    }
    return fired;
  }

  /** Fires the entries that are due until this time, or late, of all stripes, in order. */
  private int expire(long until, long now) {
    List<TimerEntry> due = new ArrayList<>();
    Round round = new Round();
    rounds.add(round); // may fail, so before anything is removed
    int fired = 0;
    long end = until;
    try {
      do {
        long next = Long.MAX_VALUE;
        round.taking.lock();
        try {
          long before = numbers.get(NEXT);
          end = Math.min(now, Math.max(end, late()));
          firing = end;
          for (Stripe stripe : stripes) {
            if (stripe.nextDue() <= end) {
              stripe.takeDue(end, due);
            }
          }
          next = before;
        } finally { // what was removed must fire even if there is no memory
          sort(due);
          List<TimerEntry> later = from(next, due);
          round.publish(due);
          fired += fireBefore(later.isEmpty() ? Long.MAX_VALUE : next, due);
          due = later;
        }
      } while (!due.isEmpty() && !closed);
    } finally {
      if (!closed) { // else some have not fired
        rounds.remove(round);
      }
    }
    return fired;
  }

  private long late() {
    long last = 0;
    for (Stripe stripe : stripes) {
      last = Math.max(last, stripe.late());
    }
    return last;
  }

  private static void sort(List<TimerEntry> due) {
    try {
      due.sort(TimerEntry.IN_ORDER);
    } catch (OutOfMemoryError e) {
      // They fire in any order.
    }
  }

  /** Returns the entries from this number on, or none if there is no memory: they fire at once. */
  private static List<TimerEntry> from(long next, List<TimerEntry> due) {
    try {
      List<TimerEntry> later = new ArrayList<>(0);
      for (TimerEntry each : due) {
        if (each.number >= next) {
          later.add(each);
        }
      }
      return later;
    } catch (OutOfMemoryError e) {
      return List.of();
    }
  }

  /** Fires the entries with smaller numbers. */
  private int fireBefore(long next, List<TimerEntry> due) {
    int fired = 0;
    for (int i = 0; i < due.size(); i++) { // an iterator would need memory
      TimerEntry each = due.get(i);
      if (each.number < next && fire(each)) {
        fired++;
      }
    }
    return fired;
  }

  private boolean fire(TimerEntry entry) {
    if (closed || !entry.end()) {
      return false;
    }
    long due = entry.due();
    ForeignCode.call(onDue, entry, onError);
    return !(entry instanceof Alarm) && entry.due() == due && !entry.isRearmed(); // else it waits
  }

  private void onDue(TimerEntry entry) {
    countEnd(entry);
    entry.onTimeout();
  }

  /**
   * Counts an entry that its owner has ended. Does not fail for want of memory.
   *
   * @param entry an entry of this timer that neither fired nor was cancelled by the timer
   */
  public void countEnd(TimerEntry entry) {
    try {
      long ends = uncount(entry);
      if ((ends & (ENDS_PER_LOOK - 1)) == 0) {
        sweepIfDue(ends);
      }
    } catch (OutOfMemoryError e) {
      // A later end sweeps.
    }
  }

  /** Returns the number of ends that this thread's cell of the counter has counted. */
  private long uncount(TimerEntry entry) {
    long ends = (entry instanceof Alarm ? endedAlarms : ended).add(1);
    sleep.onEnd();
    return ends;
  }

  private void sweepIfDue(long ends) {
    int kept = retained();
    int live = live();
    if (kept - live > live / 4 * 3 + KEPT_AT_REST) {
      int place = Stripes.of(ends / ENDS_PER_LOOK, kept);
      stripeAt(place).sweep(LOOKS_PER_END * ENDS_PER_LOOK);
    }
  }

  /**
   * Returns the stripe of the kept entry with this index, so each stripe in proportion to its
   * entries.
   */
  private Stripe stripeAt(int place) {
    int before = 0;
    for (Stripe stripe : stripes) {
      before += stripe.size();
      if (place < before) {
        return stripe;
      }
    }
    return stripes[0];
  }

  /**
   * Visits all entries that wait during the whole walk, and others, without a lock while the
   * visitor runs. An entry that fires before it was visited has begun to fire when this returns.
   * One that is scheduled again during the walk may be missed.
   *
   * @param visitor may get an entry twice
   */
  public void forEach(Consumer<TimerEntry> visitor) {
    for (Stripe stripe : stripes) {
      stripe.forEach(visitor);
    }
    for (Round round : rounds) {
      round.due().forEach(visitor);
    }
  }

  /** Removes all ended entries. */
  public void purge() {
    for (Stripe stripe : stripes) {
      stripe.sweepAll();
    }
  }

  /**
   * Changes the tick and the number of buckets per wheel. Returns when all entries were moved.
   *
   * @param tickNanos 1 or more
   * @param wheelSize the number of buckets per wheel: a power of two, 2 or more
   */
  public void reconfigure(long tickNanos, int wheelSize) {
    changing.lock();
    try {
      longestTick = Math.max(longestTick, tickNanos);
      for (Stripe stripe : stripes) {
        moveAll(stripe); // if the last call failed
        stripe.exchange(tickNanos, wheelSize);
        moveAll(stripe);
      }
      longestTick = tickNanos;
    } finally {
      changing.unlock();
    }
  }

  private void moveAll(Stripe stripe) {
    boolean more;
    do {
      more = stripe.moveSome();
      sleep.wakeBy(stripe.nextDue()); // with a shorter tick, entries are due earlier
    } while (more);
  }

  /** Returns the end of the longest tick that this time is in. */
  private long endOfTick(long due) {
    long tick = longestTick;
    long past = due % tick;
    long end = past == 0 ? due : due + (tick - past);
    return end < due ? TimingWheels.NEVER : end;
  }

  /**
   * Reads what the wheels hold, alarms included. Locks each stripe for short steps only, so the
   * numbers of a busy timer are from different moments. Takes time in proportion to the number of
   * buckets and entries.
   *
   * @param most how many entries of each bucket of a stripe to return; only its first 4,096 are
   *     searched
   * @return the buckets with entries, of one stripe after another
   */
  public List<BucketContent> buckets(int most) {
    Headroom.ensure();
    List<BucketContent> read = new ArrayList<>();
    for (Stripe stripe : stripes) {
      for (int at = 0; at >= 0; ) {
        at = stripe.visit(at, (wheels, bucket) -> BucketContent.read(wheels, bucket, most, read));
      }
    }
    return read;
  }

  /** Does not throw. */
  void report(Throwable error) {
    try {
      errorHandler.accept(error);
    } catch (Throwable e) {
      HANDLER_FAILED.accept(e);
      HANDLED.accept(error);
    }
  }

  /**
   * Waits until {@link #advance} has work. The wait may end early if an entry is cancelled.
   *
   * @param nanos how long to wait at most; {@link Long#MAX_VALUE}: no time limit, 0 or less: not at
   *     all
   * @return false if there was no work in this time, or the timer was closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDue(long nanos) throws InterruptedException {
    return sleep.await(nanos, /* dozes= */ false);
  }

  /** Returns whether there is nothing to do before {@link #nextDue}. */
  boolean isWaiting() {
    boolean waits = !closed;
    for (Stripe stripe : stripes) {
      waits &= !stripe.isSplitting();
    }
    return waits;
  }

  /**
   * Returns the time until which {@link #advance} fires nothing, unless more is scheduled before.
   *
   * @return nanoseconds on this timer's clock, {@link #now()}; {@link Long#MAX_VALUE} if nothing is
   *     scheduled, or the timer is closed. It may be earlier than the next deadline: if entries
   *     have to move to a finer wheel then, if an entry was cancelled, or for housekeeping
   */
  public long nextDue() {
    return closed ? TimingWheels.NEVER : Math.min(nextEntry(), retries.due());
  }

  private long nextEntry() {
    long earliest = TimingWheels.NEVER;
    for (Stripe stripe : stripes) {
      earliest = Math.min(earliest, stripe.nextDue());
    }
    return earliest;
  }

  /** Returns whether nothing is in the wheels, and no retry waits. Removes ended entries first. */
  boolean isEmpty() {
    if (live() > 0) {
      return false;
    }
    purge();
    return nextDue() == TimingWheels.NEVER;
  }

  /**
   * Returns whether the timer is closed: then no scheduled entry will fire.
   *
   * @return true after {@link #close} was called
   */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Returns whether the timer drives its own clock.
   *
   * @return false if the caller drives it
   */
  public boolean hasThread() {
    return clock != null;
  }

  /**
   * Sets the listener, in place of the former one. It runs whenever the timer is closed, also
   * again, on that thread and without a lock.
   *
   * @param listener perhaps does not run if the timer is closed already
   */
  public void closeListener(Runnable listener) {
    closeListener = listener;
  }

  /**
   * Stops the clock like {@link #close(long)}. Waits up to five seconds, and then interrupts the
   * clock's thread, unless the caller is interrupted.
   */
  public void close() {
    close(CLOSE_NANOS);
    if (clock != null && !Thread.currentThread().isInterrupted()) {
      clock.interrupt();
    }
  }

  /**
   * Stops the clock. Scheduled entries never fire. Interrupts nothing.
   *
   * @param nanos how long to wait at most for the clock's thread to end, unless called on it; 0 or
   *     less: not at all
   */
  public void close(long nanos) {
    closed = true;
    try {
      closeListener.run();
    } catch (Throwable e) {
      report(e);
    }
    sleep.wake();
    if (clock != null) {
      clock.join(nanos);
    }
  }
}
