package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.Alarm;
import dev.purgatory.internal.CloseListener;
import dev.purgatory.internal.EntryTimer;
import dev.purgatory.internal.FlightEvents;
import dev.purgatory.internal.Helpers;
import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.internal.Stripes;
import dev.purgatory.internal.TimerEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A timer for very many timeouts. Scheduling takes a few steps and cancelling a single one without
 * a lock, regardless of their number. Thread-safe.
 *
 * <p>A task runs after its delay, never earlier, and less than one tick later if a thread is free
 * to run it. Tasks that are due together run in the order of their deadlines, those with the same
 * deadline in the order in which they were scheduled, by whichever threads. A task that is
 * scheduled for a time in the past comes after those that were found due before. No task runs on
 * the thread that schedules it.
 *
 * <p>A task that ran or was cancelled is unreachable from the timer at once. The timer keeps fewer
 * than twice as many entries as are scheduled, plus a few thousand small objects.
 *
 * <p>A thread of the timer drives the clock, {@link Builder#start}: it runs while something is
 * scheduled, and sleeps until the next task may be due. Or the caller drives it, {@link
 * Builder#build}: with {@link #awaitDue} and {@link #advance} on a thread of its own, or with
 * {@code advance} after moving a test's {@link Ticker}.
 *
 * <p>One timer can serve many purgatories.
 */
@SuppressWarnings("exports") // of the interface for the other packages of this module
public final class Timer implements AutoCloseable, EntryTimer {

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
   * A cancelled entry stays in its bucket until it is swept. Ends pay for sweeping: every 64th end of a
   * stripe of the counter compares the kept entries with the scheduled ones, and if there are too many, it
   * visits 16 entries for each end. So at most one more entry ends for 16 that are visited. A sweep that
   * begins at three ended entries for four scheduled ones therefore keeps fewer than twice the scheduled
   * ones, regardless of the history, and needs no thread. An earlier sweep would visit more entries for
   * each that it removes. Deleting an entry at once, from a linked bucket under the lock of its stripe,
   * was measured: cancel and add is a quarter slower.
   *
   * How drivers sleep and are woken, see Sleep; when the timer's own thread runs, see ClockThread.
   *
   * `latest` is the time at which an entry was last found due. The clock never reads less: a ticker that
   * runs backwards cannot produce a deadline that the wheels have already passed.
   *
   * `firing` is the time whose tasks are running. The wheels do not move beyond it before these tasks have
   * run: so an entry that a late task schedules, even for a time in the past, fires in its turn.
   *
   * A heap, as in DelayQueue and ScheduledThreadPoolExecutor, was rejected: inserting takes log n steps
   * under one lock, cancelling a search or garbage, and nearly all entries are cancelled.
   */

  /**
   * The number of ends of one stripe of the counter per check of the kept entries; a power of two.
   */
  private static final int ENDS_PER_LOOK = 64;

  private static final int LOOKS_PER_END = 16;

  /** The place of the next number. Its neighbours keep other data off its cache lines. */
  private static final int NEXT = 16;

  private static final int KEPT_AT_REST = 1000;

  private final Ticker ticker;
  private final long origin;
  private final AtomicLong latest = new AtomicLong();
  private volatile long firing = TimingWheels.NEVER;

  /** The number of the next entry, at {@link #NEXT}. */
  private final AtomicLongArray numbers = new AtomicLongArray(2 * NEXT);

  private final StripedCounter ended = new StripedCounter();

  /** The entries for housekeeping, which are scheduled but not counted by {@link #size}. */
  private final LongAdder alarms = new LongAdder();

  private final Stripe[] stripes;
  private final Consumer<Throwable> errorHandler;
  private final Sleep sleep = new Sleep(this);
  private final WheelSettings settings;
  private final @Nullable ClockThread clock;
  private final Set<CloseListener> closeListeners = ConcurrentHashMap.newKeySet();
  private final Helpers helpers = new Helpers(this);
  private volatile boolean closed;

  private Timer(Builder builder, int stripeCount, @Nullable ThreadFactory threads) {
    ticker = builder.ticker;
    origin = ticker.nanos();
    errorHandler = builder.errorHandler;
    stripes = new Stripe[stripeCount];
    for (int i = 0; i < stripeCount; i++) {
      stripes[i] = new Stripe(builder.tickNanos, builder.wheelSize);
    }
    settings = new WheelSettings(stripes, sleep, builder.tickNanos);
    FlightEvents.prepare(); // rather than when the first task is due
    clock = threads == null ? null : new ClockThread(this, threads, builder.idleNanos);
  }

  /**
   * Returns a builder of timers, set to a tick of 1 ms, wheels of 64 buckets, and the system's
   * ticker.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the time on this timer's clock.
   *
   * @return nanoseconds since the timer was made, 0 or more
   */
  @Override
  public long now() {
    return Math.max(latest.get(), ticker.nanos() - origin);
  }

  /**
   * Returns the number of scheduled entries.
   *
   * @return 0 or more; exact while no other thread schedules or cancels
   */
  public int size() {
    return Math.max(0, live() - alarms.intValue());
  }

  /** Returns the number of scheduled entries, including those for housekeeping. */
  private int live() {
    long gone = ended.sum();
    return (int) (numbers.get(NEXT) - gone);
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
   * Schedules a task to run once after a delay.
   *
   * @param task runs on the thread that advances the clock, without a lock of the timer. Other
   *     tasks wait meanwhile, so hand slow work to an executor. Its exceptions go to the timer's
   *     error handler
   * @param delay from now. With zero or less, the task is due at once
   * @param unit of the delay
   * @return a handle that can cancel the task
   * @throws IllegalStateException if the timer is closed, or the factory of its thread fails
   */
  public Timeout schedule(Runnable task, long delay, TimeUnit unit) {
    requireNonNull(task, "task");
    long now = now();
    return schedule(task, deadline(now, unit.toNanos(delay)), now);
  }

  /**
   * Schedules a task to run once after a delay.
   *
   * @param task as {@linkplain #schedule(Runnable, long, TimeUnit) above}
   * @param delay from now. With zero or less, the task is due at once
   * @return a handle that can cancel the task
   * @throws IllegalStateException if the timer is closed
   */
  public Timeout schedule(Runnable task, Duration delay) {
    return schedule(task, TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
  }

  /**
   * Schedules a task to run once at a deadline.
   *
   * @param task as {@linkplain #schedule(Runnable, long, TimeUnit) above}
   * @param deadline nanoseconds on this timer's clock, {@link #now()}. If that is in the past, the
   *     task is due at once
   * @return a handle that can cancel the task
   * @throws IllegalStateException if the timer is closed
   */
  public Timeout scheduleAt(Runnable task, long deadline) {
    requireNonNull(task, "task");
    return schedule(task, deadline, now());
  }

  private Timeout schedule(Runnable task, long deadline, long now) {
    ScheduledTask timeout = new ScheduledTask(this, task, deadline);
    schedule(timeout, now);
    return timeout;
  }

  private static long deadline(long now, long delayNanos) {
    long sum = now + Math.max(0, delayNanos);
    return sum < now ? Long.MAX_VALUE : sum;
  }

  /** Returns the time after this delay, for rescheduling, which a closed timer refuses. */
  long deadlineAfter(long delay, TimeUnit unit) {
    if (closed) {
      throw closedException();
    }
    return deadline(now(), unit.toNanos(delay));
  }

  private static IllegalStateException closedException() {
    return new IllegalStateException("the timer is closed");
  }

  /**
   * Schedules an entry of the library. Not for users: the type is not exported.
   *
   * @param entry an entry that was not scheduled before
   * @param now a recent time on this timer's clock
   * @throws IllegalStateException if the entry was scheduled before, or the timer is closed
   */
  @SuppressWarnings("exports") // for the other packages of this module
  @Override
  public void schedule(TimerEntry entry, long now) {
    if (!trySchedule(entry, now)) {
      throw closedException();
    }
  }

  /**
   * Schedules an entry of the library unless the timer is closed. Not for users: the type is not
   * exported.
   *
   * @param entry an entry that was not scheduled before
   * @param now a recent time on this timer's clock
   * @return false if the timer is closed
   * @throws IllegalStateException if the entry was scheduled before
   */
  @SuppressWarnings("exports") // for the other packages of this module
  @Override
  public boolean trySchedule(TimerEntry entry, long now) {
    if (closed) {
      return false;
    }
    if (clock != null) {
      clock.ensureRunning(); // may fail, so before anything changes
    }
    if (!entry.begin()) {
      throw new IllegalStateException("scheduled before: " + entry);
    }
    if (entry instanceof Alarm) {
      alarms.increment();
    }
    long number = numbers.getAndIncrement(NEXT);
    Stripe stripe = lockSomeStripe();
    boolean earlier;
    try {
      earlier = stripe.insert(entry, number, Math.min(now, firing));
    } catch (Throwable e) {
      if (entry.undoBegin()) {
        uncount(entry);
      }
      throw e;
    } finally {
      stripe.unlock();
    }
    if (earlier) {
      wake(stripe);
    }
    return true;
  }

  /** Wakes the clock for an entry that is due before all others of its stripe. */
  private void wake(Stripe stripe) {
    sleep.wakeBy(stripe.nextDue());
    if (clock != null) {
      try {
        clock.ensureRunning();
      } catch (Throwable e) {
        report(e); // the entry is scheduled, and the next one that is starts the thread
      }
    }
  }

  private Stripe lockSomeStripe() {
    int mask = stripes.length - 1;
    int preferred = Stripes.ofThisThread(stripes.length);
    for (int i = 0; i <= mask; i++) {
      Stripe stripe = stripes[(preferred + i) & mask];
      if (stripe.tryLock()) {
        return stripe;
      }
    }
    Stripe stripe = stripes[preferred & mask];
    stripe.lock();
    return stripe;
  }

  /**
   * Cancels an entry of the library. Not for users: the type is not exported.
   *
   * @param entry any entry
   * @return true if it was scheduled and will not fire; false if it fires or fired, was cancelled
   *     before, or was never scheduled
   */
  @SuppressWarnings("exports") // for the other packages of this module
  @Override
  public boolean cancel(TimerEntry entry) {
    if (!entry.end()) {
      return false;
    }
    countEnd(entry);
    return true;
  }

  /**
   * Returns the threads that run callbacks. Not for users: the type is not exported.
   *
   * @return the threads of this timer
   */
  @SuppressWarnings("exports") // for the other packages of this module
  @Override
  public Helpers helpers() {
    return helpers;
  }

  /**
   * Returns whether the current thread may start threads. Not for users.
   *
   * @return true on the clock's thread, or if there is none
   */
  @Override
  public boolean isDrivenHere() {
    return clock == null || closed || clock.isCurrent();
  }

  /**
   * Returns whether the current thread is the timer's own. Not for users.
   *
   * @return false if the caller drives the clock
   */
  @Override
  public boolean isClock() {
    return clock != null && clock.isCurrent();
  }

  /**
   * Runs all due tasks on this thread, in order, including those that they schedule with a deadline
   * in the past. If several threads call this at the same time, there is no order among them.
   *
   * @return the number of entries that fired, including those of purgatories, but without the
   *     library's housekeeping, which {@link #size} does not count either; 0 if the timer is closed
   */
  public int advance() {
    int fired = fireUntil(latest.accumulateAndGet(now(), Math::max));
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
      for (long due; !closed && (due = nextDue()) <= now; ) {
        long until = Math.min(now, settings.endOfTick(due));
        firing = until;
        long late = FlightEvents.recordsLateClocks() ? now() - due : 0;
        int count = expire(until);
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

  /** Fires what is due until this time, of all stripes, in order. */
  private int expire(long until) {
    List<Due> due = new ArrayList<>();
    int fired = 0;
    do {
      long next = Long.MAX_VALUE;
      try {
        long before = numbers.get(NEXT);
        for (Stripe stripe : stripes) {
          if (stripe.nextDue() <= until) {
            stripe.takeDue(until, due);
          }
        }
        next = before;
      } finally { // what was removed must fire even if there is no memory
        sort(due);
        fired += fireBefore(next, due);
      }
    } while (!due.isEmpty());
    return fired;
  }

  private static void sort(List<Due> due) {
    try {
      due.sort(null);
    } catch (OutOfMemoryError e) {
      // They fire in any order.
    }
  }

  /** Fires the entries with smaller numbers, and leaves the others on the list. */
  private int fireBefore(long next, List<Due> due) {
    int fired = 0;
    int left = 0;
    for (int i = 0; i < due.size(); i++) {
      Due each = due.get(i);
      if (each.number() >= next) {
        due.set(left++, each);
      } else if (fire(each.entry())) {
        fired++;
      }
    }
    due.subList(left, due.size()).clear();
    return fired;
  }

  private boolean fire(TimerEntry entry) {
    if (closed || !entry.end()) {
      return false;
    }
    countEnd(entry);
    long due = entry.due();
    try {
      entry.onTimeout();
    } catch (Throwable e) {
      report(e);
    }
    return !(entry instanceof Alarm) && entry.due() == due; // else it waits on for a later deadline
  }

  /**
   * Counts an entry that its owner has ended. Not for users: the type is not exported.
   *
   * @param entry an entry of this timer that neither fired nor was cancelled by the timer
   */
  @SuppressWarnings("exports") // for the other packages of this module
  public void countEnd(TimerEntry entry) {
    long ends = uncount(entry);
    if ((ends & (ENDS_PER_LOOK - 1)) == 0) {
      sweepIfDue(ends);
    }
  }

  /** Returns the number of ends that this thread's cell of the counter has counted. */
  private long uncount(TimerEntry entry) {
    long ends = ended.add(1);
    if (entry instanceof Alarm) {
      alarms.decrement();
    }
    return ends;
  }

  private void sweepIfDue(long ends) {
    int kept = retained();
    int live = live();
    if (kept - live > live / 4 * 3 + KEPT_AT_REST) {
      long share = Stripes.mix(ends / ENDS_PER_LOOK) >>> 32; // of 2^32
      stripeAt((int) ((share * kept) >>> 32)).sweep(LOOKS_PER_END * ENDS_PER_LOOK);
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
   * Removes all cancelled entries from the timer's memory. The timer removes them by itself before
   * there are many; call this only if every object counts.
   */
  public void purge() {
    for (Stripe stripe : stripes) {
      stripe.sweepAll();
    }
  }

  /**
   * Changes the tick and the number of buckets per wheel, while the timer runs. Scheduled tasks
   * stay scheduled. Moves them to the new wheels in small steps, between which tasks are scheduled
   * and fire as usual, and returns when all were moved. Until then, a task may be late by the
   * longer of the two ticks.
   *
   * <p>Call this from a thread of your own: a task that calls it delays the others. If two threads
   * call it, one waits for the other.
   *
   * @param tick 1 ns or more
   * @param wheelSize 2 to 65,536 buckets
   * @throws IllegalArgumentException if one of them is out of range
   * @throws IllegalStateException if the timer is closed
   */
  public void reconfigure(Duration tick, int wheelSize) {
    long tickNanos = Builder.checkedTick(tick);
    int size = Builder.checkedSize(wheelSize);
    if (closed) {
      throw closedException();
    }
    settings.change(tickNanos, size);
  }

  /**
   * Draws the wheels as text, for people: for each level, its reach, its buckets with entries, and
   * how many entries are pending or ended. Locks the wheels for short steps only, so the numbers of
   * a busy timer are from different moments. Takes time in proportion to the number of buckets and
   * entries.
   *
   * @return at most 17 lines per level
   */
  public String draw() {
    return new WheelDrawing(now(), nextDue(), size(), retained()).addAll(stripes).toString();
  }

  void report(Throwable error) {
    try {
      errorHandler.accept(error);
    } catch (Throwable e) {
      LastResort.log("An error handler threw", e);
      LastResort.log("while it handled this error", error);
    }
  }

  /**
   * Waits until {@link #advance} has work. The wait may end early if an entry is cancelled
   * meanwhile.
   *
   * @param nanos how long to wait at most; {@link Long#MAX_VALUE}: no limit, 0 or less: not at all
   * @return false if there was no work in this time, or the timer was closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDue(long nanos) throws InterruptedException {
    return sleep.await(nanos);
  }

  /** Returns whether there is nothing to do before {@link #nextDue}. */
  boolean isWaiting() {
    return !closed && !isSplitting();
  }

  /**
   * Returns the time until which {@link #advance} fires nothing, unless more is scheduled
   * meanwhile.
   *
   * @return nanoseconds on this timer's clock, {@link #now()}; {@link Long#MAX_VALUE} if nothing is
   *     scheduled, or the timer is closed. It may be earlier than the next deadline: if entries
   *     have to move to a finer wheel then, if an entry was cancelled, or for housekeeping
   */
  public long nextDue() {
    long earliest = TimingWheels.NEVER;
    if (closed) {
      return earliest;
    }
    for (Stripe stripe : stripes) {
      earliest = Math.min(earliest, stripe.nextDue());
    }
    return earliest;
  }

  private boolean isSplitting() {
    for (Stripe stripe : stripes) {
      if (stripe.isSplitting()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether nothing is in the wheels. Removes ended entries first. */
  boolean isEmpty() {
    if (live() > 0) {
      return false;
    }
    purge();
    return nextDue() == TimingWheels.NEVER;
  }

  /**
   * Returns whether the timer is closed: what was scheduled never runs.
   *
   * @return true after {@link #close} was called
   */
  public boolean isClosed() {
    return closed;
  }

  /** For tests. */
  Stripe[] stripes() {
    return stripes;
  }

  /**
   * Returns whether the timer drives its own clock. Its thread runs only while something is
   * scheduled.
   *
   * @return true if it was created by {@link Builder#start}, false if by {@link Builder#build}
   */
  @Override
  public boolean hasThread() {
    return clock != null;
  }

  /**
   * Adds a listener of the library. Not for users: the type is not exported.
   *
   * @param listener is told when the timer is closed, but perhaps not if it is closed already
   */
  @SuppressWarnings("exports") // for the other packages of this module
  public void add(CloseListener listener) {
    closeListeners.add(listener);
  }

  /**
   * Removes a listener of the library. Not for users: the type is not exported.
   *
   * @param listener is not told any more
   */
  @SuppressWarnings("exports") // for the other packages of this module
  public void remove(CloseListener listener) {
    closeListeners.remove(listener);
  }

  /**
   * Stops the clock. Scheduled tasks never run. Waits up to five seconds for the timer's thread to
   * end, unless called on it. If the caller is interrupted, the wait ends and the interrupt status
   * stays set. Closing again does nothing.
   */
  @Override
  public void close() {
    closed = true;
    for (CloseListener listener : List.copyOf(closeListeners)) {
      if (closeListeners.remove(listener)) {
        try {
          listener.onClosed();
        } catch (Throwable e) {
          report(e);
        }
      }
    }
    sleep.wake();
    if (clock != null) {
      clock.join();
    }
    helpers.startAll();
  }

  /** Describes the timer for logs: whether it is closed, its size, and when it is due next. */
  @Override
  public String toString() {
    long due = nextDue();
    String next = due == TimingWheels.NEVER ? "" : ", next due in " + Duration.ofNanos(due - now());
    return "Timer[" + (closed ? "closed, " : "") + size() + " scheduled" + next + ']';
  }

  /** Sets up a {@link Timer}. */
  public static final class Builder {
    private Ticker ticker = Ticker.system();
    private long tickNanos = TimeUnit.MILLISECONDS.toNanos(1);
    private int wheelSize = 64;
    private int stripeCount = Stripes.COUNT;
    private long idleNanos = ClockThread.IDLE_NANOS;
    private Consumer<Throwable> errorHandler = e -> LastResort.log("A timer task threw", e);

    private Builder() {}

    /**
     * Sets the source of time. Every thread that uses the timer reads it. If it does not move with
     * real time, as in tests, create the timer with {@link #build}: the thread of {@link
     * #start(String)} sleeps in real time, and would not notice that a task has become due.
     *
     * @param ticker the source of time; by default {@link Ticker#system()}
     * @return this builder
     */
    public Builder ticker(Ticker ticker) {
      this.ticker = requireNonNull(ticker, "ticker");
      return this;
    }

    /**
     * Sets the tick: how late a task may run, at most, while a thread is free. By default 1 ms.
     *
     * @param tick 1 ns or more
     * @return this builder
     * @throws IllegalArgumentException if the tick is zero, negative, or above 292 years
     */
    public Builder tick(Duration tick) {
      this.tickNanos = checkedTick(tick);
      return this;
    }

    private static long checkedTick(Duration tick) {
      if (tick.isZero()
          || tick.isNegative()
          || tick.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
        throw new IllegalArgumentException("tick " + tick + " is not from 1 ns to 292 years");
      }
      return tick.toNanos();
    }

    /**
     * Sets the number of buckets per wheel. More buckets mean fewer levels. By default 64.
     *
     * @param buckets 2 to 65,536
     * @return this builder
     * @throws IllegalArgumentException if it is not in this range
     */
    public Builder wheelSize(int buckets) {
      this.wheelSize = checkedSize(buckets);
      return this;
    }

    private static int checkedSize(int buckets) {
      if (buckets < 2 || buckets > 1 << 16) {
        throw new IllegalArgumentException("wheel size " + buckets + " is not from 2 to 65536");
      }
      return buckets;
    }

    /**
     * Sets the handler of exceptions that tasks throw. By default they are logged.
     *
     * @param handler called on the thread that ran the task
     * @return this builder
     */
    public Builder errorHandler(Consumer<Throwable> handler) {
      this.errorHandler = requireNonNull(handler, "handler");
      return this;
    }

    Builder idleNanos(long nanos) {
      this.idleNanos = nanos;
      return this;
    }

    Builder stripes(int powerOfTwo) {
      this.stripeCount = powerOfTwo;
      return this;
    }

    /**
     * Creates a timer without a thread: the caller drives its clock.
     *
     * @return a new timer
     */
    public Timer build() {
      return new Timer(this, stripeCount, null);
    }

    /**
     * Creates a timer that drives its own clock until {@link Timer#close}, on a daemon thread. The
     * thread is started when something is scheduled, and ends after about a second in which the
     * timer is empty.
     *
     * @param threadName the name of the thread
     * @return a new timer
     */
    public Timer start(String threadName) {
      return start(ClockThread.daemons(requireNonNull(threadName, "threadName")));
    }

    /**
     * Creates a timer that drives its own clock until {@link Timer#close}. A thread is started when
     * something is scheduled, and ends after about a second in which the timer is empty.
     *
     * @param threads creates the thread, which should be a platform thread: a virtual one may wait
     *     for a carrier. Called at once for the first thread, and later by threads that schedule,
     *     perhaps by several at the same time: then only one of the new threads is started. If that
     *     call fails, {@code schedule} throws, and nothing is scheduled
     * @return a new timer
     * @throws IllegalStateException if the factory returns null or a started thread
     */
    public Timer start(ThreadFactory threads) {
      return new Timer(this, stripeCount, requireNonNull(threads, "threads"));
    }
  }
}
