package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.Alarm;
import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.internal.Stripes;
import dev.purgatory.internal.TimerEntry;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A timer for very many timeouts: scheduling costs a few steps, and cancelling is one without a
 * lock, whatever their number. Thread-safe.
 *
 * <p>A task runs when its delay has passed, never earlier, and less than one tick later if a thread
 * is free to do it. Late tasks run in the order of their deadlines, as far as one thread scheduled
 * them. No task runs on the thread that schedules it.
 *
 * <p>A task that was cancelled or has run is unreachable from the timer at once. What the timer
 * itself keeps is less than twice what is scheduled, plus some thousand small objects.
 *
 * <p>The clock is driven by a thread of the timer's own, {@link Builder#start}, which sleeps until
 * the next task may be due, without a limit if there is none. Or the caller drives it, {@link
 * Builder#build}: with {@link #awaitDue} and {@link #advance} on a thread of the caller's, or with
 * {@code advance} alone after moving a test's {@link Ticker}.
 *
 * <p>One timer can serve many purgatories.
 */
public final class Timer implements AutoCloseable {

  /*
   * Entries are spread over stripes, each of which is a set of timing wheels behind a lock. A thread
   * prefers one stripe and takes the next one where that is busy, so that schedulers seldom wait. A
   * canceller changes nothing but the entry. The clock looks at `nextDue` of each stripe, without a
   * lock, and enters those that are due first: so stripes fire in the order of time, too.
   *
   * A cancelled entry stays in its bucket until it is swept. Ends pay for sweeping: every 64th end of
   * a stripe of the counter compares what is kept with what is scheduled, and if there is too much, it
   * looks at 16 entries for each end. So one more entry in 16 ends, at most, before a sweep has met all
   * that are kept: a sweep that begins when there are three ended entries for four scheduled ones is in
   * time to keep less than twice what is scheduled, whatever the history, without a thread for it. An
   * earlier sweep finds less: it looks at more entries for each that it removes. Deleting an entry at
   * once, from a linked bucket under the lock of its stripe, was measured: a quarter slower to cancel
   * and add.
   *
   * Sleeping: a driver announces in `sleepingUntil` when it will wake up, then looks at the stripes
   * once more, then sleeps. A scheduler publishes `nextDue` of its stripe first and then reads
   * `sleepingUntil`. Both fields are volatile, so at least one of the two sees the other, and no
   * entry is overslept. Only an entry that is due before all others ever wakes the clock; cancelling
   * never does. Where several threads drive, it is the latest of their times, or later.
   *
   * `latest` is the time at which something was last found due. The clock never reads less than that,
   * so that a ticker that runs backwards cannot make a deadline that the wheels have passed already,
   * and no entry that has fired becomes early afterwards.
   *
   * `firing` is the time whose tasks run at the moment. No wheels move on beyond it before these tasks
   * have run: what a late task schedules, also for a time in the past, fires in its turn.
   *
   * A heap of entries, as DelayQueue and ScheduledThreadPoolExecutor have it, was not taken: log n
   * steps under one lock to insert, and to cancel a search or garbage, where nearly all are cancelled.
   */

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final long AWAKE = Long.MIN_VALUE;

  /** How many ends of one stripe of the counter lead to a look at what is kept; a power of two. */
  private static final int ENDS_PER_LOOK = 64;

  private static final int LOOKS_PER_END = 16;
  private static final int KEPT_AT_REST = 1000;

  private final Ticker ticker;
  private final long origin;
  private final AtomicLong latest = new AtomicLong();
  private volatile long firing = TimingWheels.NEVER;
  private final StripedCounter scheduled = new StripedCounter();
  private final StripedCounter ended = new StripedCounter();
  private final Stripe[] stripes;
  private final Consumer<Throwable> errorHandler;
  private final ReentrantLock sleep = new ReentrantLock();
  private final Condition wakeUp = sleep.newCondition();
  private volatile long sleepingUntil = AWAKE;
  private int sleepers;
  private volatile boolean closed;
  private volatile @Nullable Thread thread;

  private Timer(Builder builder, int stripeCount) {
    ticker = builder.ticker;
    origin = ticker.nanos();
    errorHandler = builder.errorHandler;
    stripes = new Stripe[stripeCount];
    for (int i = 0; i < stripeCount; i++) {
      stripes[i] = new Stripe(builder.tickNanos, builder.wheelSize);
    }
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
  public long now() {
    return Math.max(latest.get(), ticker.nanos() - origin);
  }

  /**
   * Returns the number of entries that are scheduled.
   *
   * @return 0 or more; exact while no other thread schedules or cancels
   */
  public int size() {
    long gone = ended.sum();
    return (int) (scheduled.sum() - gone);
  }

  /**
   * Returns the number of entries that the timer keeps in its memory, including cancelled ones.
   *
   * @return {@link #size} or more; less than twice that plus some thousand
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
   * @param task runs on the thread that advances the clock, without a lock of the timer. Time
   *     stands still for all others meanwhile: hand over to an executor what takes long. What it
   *     throws goes to the timer's error handler
   * @param delay from now. With zero or less, the task is due at once
   * @param unit of the delay
   * @return the means to cancel it
   * @throws IllegalStateException if the timer is closed
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
   * @return the means to cancel it
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
   * @return the means to cancel it
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

  /**
   * Schedules an entry of the library's own. Not for users: the type is not exported.
   *
   * @param entry not scheduled in any timer before
   * @param now a time on this timer's clock, not long ago
   * @throws IllegalStateException if the entry was scheduled before, or the timer is closed
   */
  @SuppressWarnings("exports") // For the other packages of this module.
  public void schedule(TimerEntry entry, long now) {
    if (closed) {
      throw new IllegalStateException("the timer is closed");
    }
    if (!entry.begin()) {
      throw new IllegalStateException("scheduled before: " + entry);
    }
    scheduled.add(counts(entry));
    Stripe stripe = lockSomeStripe();
    boolean earlier;
    try {
      earlier = stripe.insert(entry, Math.min(now, firing));
    } catch (Throwable e) {
      if (entry.undoBegin()) {
        scheduled.add(-counts(entry));
      }
      throw e;
    } finally {
      stripe.unlock();
    }
    if (earlier && stripe.nextDue() < sleepingUntil) {
      wakeDrivers();
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
   * Cancels an entry of the library's own. Not for users: the type is not exported.
   *
   * @param entry any entry
   * @return true if it was scheduled and will not fire; false if it fires or fired, was cancelled
   *     before, or was never scheduled
   */
  @SuppressWarnings("exports") // For the other packages of this module.
  public boolean cancel(TimerEntry entry) {
    if (!entry.end()) {
      return false;
    }
    countEnd(entry);
    return true;
  }

  /**
   * Runs all tasks that are due, on this thread, in the order of their deadlines, as far as one
   * thread scheduled them. Includes tasks that these schedule with a deadline that has passed.
   *
   * @return how many entries there were, including those of purgatories; 0 if the timer is closed
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
        firing = due;
        int count = expire(due);
        fired += count;
        if (due == TimingWheels.NEVER && count == 0) {
          break; // time has come to its end, and nothing is due there
        }
      }
    } finally {
      firing = TimingWheels.NEVER;
    }
    return fired;
  }

  private int expire(long due) {
    int fired = 0;
    for (Stripe stripe : stripes) {
      if (stripe.nextDue() <= due) {
        fired += stripe.expire(due, this::fire);
      }
    }
    return fired;
  }

  private boolean fire(TimerEntry entry) {
    if (closed || !entry.end()) {
      return false;
    }
    countEnd(entry);
    try {
      entry.onTimeout();
    } catch (Throwable e) {
      report(e);
    }
    return true;
  }

  /**
   * Counts the end of an entry that its owner has ended. Not for users: the type is not exported.
   *
   * @param entry was scheduled here, and neither fires nor is cancelled by this timer
   */
  @SuppressWarnings("exports") // For the other packages of this module.
  public void countEnd(TimerEntry entry) {
    long ends = ended.add(counts(entry));
    if ((ends & (ENDS_PER_LOOK - 1)) == 0) {
      sweepIfDue(ends);
    }
  }

  private static int counts(TimerEntry entry) {
    return entry instanceof Alarm ? 0 : 1;
  }

  private void sweepIfDue(long ends) {
    int kept = retained();
    int live = size();
    if (kept - live > live / 4 * 3 + KEPT_AT_REST) {
      long share = Stripes.mix(ends / ENDS_PER_LOOK) >>> 32; // of 2^32
      stripeAt((int) ((share * kept) >>> 32)).sweep(LOOKS_PER_END * ENDS_PER_LOOK);
    }
  }

  /**
   * Returns the stripe with the entry at this place: each as often as its share of what is kept.
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
   * Removes all entries that were cancelled from the timer's memory. That happens by itself before
   * there are many; there is something to do here only where every object counts.
   */
  public void purge() {
    for (Stripe stripe : stripes) {
      stripe.sweepAll();
    }
  }

  void report(Throwable error) {
    try {
      errorHandler.accept(error);
    } catch (Throwable e) {
      LastResort.log("An error handler failed", e);
      LastResort.log("when it was told of this", error);
    }
  }

  /**
   * Waits until {@link #advance} has something to do. The wait can end early, where the entry that
   * it was for is cancelled meanwhile.
   *
   * @param nanos how long to wait at most; {@link Long#MAX_VALUE} for no limit, 0 or less not at
   *     all
   * @return false if there was nothing to do in this time, or the timer was closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDue(long nanos) throws InterruptedException {
    long now = now();
    long end = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    sleep.lock();
    sleepers++;
    try {
      for (long due; !closed && (due = nextDue()) > now && !isSplitting(); now = now()) {
        if (end <= now) {
          return false;
        }
        long wake = Math.min(due, end);
        sleepingUntil = sleepers == 1 ? wake : Math.max(sleepingUntil, wake);
        // What was inserted before that write saw nobody asleep; what comes after it will wake us.
        if (nextDue() >= due && !closed) {
          wakeUp.awaitNanos(wake - now);
        }
      }
      return !closed;
    } finally {
      if (--sleepers == 0) {
        sleepingUntil = AWAKE;
      }
      sleep.unlock();
    }
  }

  private long nextDue() {
    long earliest = TimingWheels.NEVER;
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

  private void wakeDrivers() {
    sleep.lock();
    try {
      wakeUp.signalAll();
    } finally {
      sleep.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Tells whether the timer drives its clock itself.
   *
   * @return true if it was made by {@link Builder#start}, false if by {@link Builder#build}
   */
  public boolean hasThread() {
    return thread != null;
  }

  /**
   * Stops the clock. Tasks that are still scheduled never run. Waits up to five seconds for the
   * timer's own thread to end, unless called on it, and keeps an interrupt for the caller. Closing
   * again does nothing.
   */
  @Override
  public void close() {
    closed = true;
    wakeDrivers();
    Thread clock = thread;
    if (clock == null || clock == Thread.currentThread()) {
      return;
    }
    try {
      clock.join(CLOSE_TIMEOUT.toMillis());
      if (clock.isAlive()) {
        clock.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sets up a {@link Timer}. */
  public static final class Builder {
    private Ticker ticker = Ticker.system();
    private long tickNanos = TimeUnit.MILLISECONDS.toNanos(1);
    private int wheelSize = 64;
    private int stripeCount = Stripes.COUNT;
    private Consumer<Throwable> errorHandler =
        e -> LastResort.log("A timeout could not be handled", e);

    private Builder() {}

    /**
     * Sets the source of time. It is read by every thread that uses the timer.
     *
     * @param ticker replaces the system's
     * @return this builder
     */
    public Builder ticker(Ticker ticker) {
      this.ticker = requireNonNull(ticker, "ticker");
      return this;
    }

    /**
     * Sets the tick: how late a task may run, at most, while the machine is free.
     *
     * @param tick 1 ns or more
     * @return this builder
     * @throws IllegalArgumentException if the tick is zero, negative, or above 292 years
     */
    public Builder tick(Duration tick) {
      if (tick.isZero()
          || tick.isNegative()
          || tick.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
        throw new IllegalArgumentException("tick " + tick + " is not from 1 ns to 292 years");
      }
      this.tickNanos = tick.toNanos();
      return this;
    }

    /**
     * Sets the number of buckets of a wheel: the higher, the fewer levels.
     *
     * @param buckets 2 to 65,536
     * @return this builder
     * @throws IllegalArgumentException if it is not in this range
     */
    public Builder wheelSize(int buckets) {
      if (buckets < 2 || buckets > 1 << 16) {
        throw new IllegalArgumentException("wheel size " + buckets + " is not from 2 to 65536");
      }
      this.wheelSize = buckets;
      return this;
    }

    /**
     * Sets what happens to an error that a task throws. By default it is logged.
     *
     * @param handler called on the thread that met the error
     * @return this builder
     */
    public Builder errorHandler(Consumer<Throwable> handler) {
      this.errorHandler = requireNonNull(handler, "handler");
      return this;
    }

    Builder stripes(int powerOfTwo) {
      this.stripeCount = powerOfTwo;
      return this;
    }

    /**
     * Makes a timer without a thread: the caller drives its clock.
     *
     * @return a new timer
     */
    public Timer build() {
      return new Timer(this, stripeCount);
    }

    /**
     * Makes a timer with a daemon thread that drives its clock until {@link Timer#close}.
     *
     * @param threadName the name of the thread
     * @return a new timer
     */
    public Timer start(String threadName) {
      requireNonNull(threadName, "threadName");
      return start(
          task -> {
            Thread thread = new Thread(null, task, threadName, 0, /* inheritThreadLocals= */ false);
            thread.setDaemon(true);
            return thread;
          });
    }

    /**
     * Makes a timer with a thread that drives its clock until {@link Timer#close}.
     *
     * @param threads makes the thread. A platform thread: a virtual one may have to wait for a
     *     carrier
     * @return a new timer
     * @throws IllegalStateException if the factory gives no thread, or one that was started before
     */
    public Timer start(ThreadFactory threads) {
      Timer timer = build();
      Thread thread = threads.newThread(new ClockThread(timer));
      if (thread == null) {
        throw new IllegalStateException("the thread factory gave no thread");
      }
      timer.thread = thread;
      try {
        thread.start();
      } catch (IllegalThreadStateException e) {
        timer.closed = true;
        throw new IllegalStateException("the thread factory gave a started thread", e);
      }
      return timer;
    }
  }
}
