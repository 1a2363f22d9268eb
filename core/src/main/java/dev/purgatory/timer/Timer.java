package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.internal.Stripes;
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
 * lock, whatever their number. A cancelled entry is removed from the timer's memory a while later,
 * as others are added, or when it would have been due; what is kept so stays in proportion to what
 * is scheduled and to the number of buckets. Thread-safe.
 *
 * <p>An entry fires when its delay has passed, never earlier, and less than one tick later if a
 * thread is free to do it. Where many are late, they fire in no particular order.
 *
 * <p>The clock is driven by a thread of the timer's own, {@link Builder#start}, which sleeps until
 * the next entry may be due, for ever if there is none. Or the caller drives it, {@link
 * Builder#build}: with {@link #awaitDue} and {@link #advance} on a thread of his, or with {@code
 * advance} alone after moving a test's {@link Ticker}.
 *
 * <p>One timer can serve many purgatories.
 */
public final class Timer implements AutoCloseable {

  /*
   * Entries are spread over stripes, each of which is a set of timing wheels behind a lock. A thread
   * prefers the stripe of its id and takes the next one where that is busy, so that schedulers seldom
   * wait. A canceller touches nothing but the entry. The clock looks at `nextDue` of each stripe,
   * without a lock, and enters only those that have something due.
   *
   * Sleeping: a driver announces in `sleepingUntil` when it will wake up, then looks at the stripes
   * once more, then sleeps. Whoever inserts publishes `nextDue` of his stripe first and then reads
   * `sleepingUntil`. Both fields are volatile, so at least one of the two sees the other, and no
   * entry is overslept. Only an entry that is due before all others ever wakes the clock; cancelling
   * never does. Where several threads drive, it is the latest of their times, or later.
   *
   * `latest` is the time at which something was last found due. The clock never reads less than that,
   * so that a ticker that runs backwards cannot make a deadline that the wheels have passed already,
   * and nothing that has fired is early ever after.
   *
   * A heap of entries, as DelayQueue and ScheduledThreadPoolExecutor have it, was not taken: log n
   * steps under one lock to insert, and to cancel a search or garbage, where nearly all are cancelled.
   */

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final long AWAKE = Long.MIN_VALUE;

  private final Ticker ticker;
  private final long origin;
  private final AtomicLong latest = new AtomicLong();
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
   * Schedules an entry to fire once after a delay. With a delay of zero or less it fires before
   * this method returns, on the calling thread.
   *
   * @param entry what is to fire; not scheduled in any timer before
   * @param delay from now; any value
   * @param unit of the delay
   * @throws IllegalStateException if the entry was scheduled before, or the timer is closed
   */
  public void schedule(TimerEntry entry, long delay, TimeUnit unit) {
    long now = now();
    long sum = now + unit.toNanos(Math.max(0, delay));
    schedule(entry, sum < now ? Long.MAX_VALUE : sum, now);
  }

  /**
   * Schedules an entry to fire once at a deadline. If that is now or in the past, it fires before
   * this method returns, on the calling thread.
   *
   * @param entry what is to fire; not scheduled in any timer before
   * @param deadline nanoseconds on this timer's clock, {@link #now()}
   * @throws IllegalStateException if the entry was scheduled before, or the timer is closed
   */
  public void scheduleAt(TimerEntry entry, long deadline) {
    schedule(entry, deadline, now());
  }

  private void schedule(TimerEntry entry, long deadline, long now) {
    requireNonNull(entry, "entry");
    if (closed) {
      throw new IllegalStateException("the timer is closed");
    }
    if (!entry.begin(deadline)) {
      throw new IllegalStateException("scheduled before: " + entry);
    }
    scheduled.add(1);
    if (deadline > now) {
      insert(entry);
    } else {
      latest.accumulateAndGet(now, Math::max);
      if (entry.end()) {
        fire(entry);
      }
    }
  }

  private void insert(TimerEntry entry) {
    Stripe stripe = lockSomeStripe();
    boolean earlier;
    try {
      earlier = stripe.insert(entry);
    } catch (Throwable e) {
      if (entry.undoBegin()) {
        scheduled.add(-1);
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
   * Unschedules an entry.
   *
   * @param entry any entry
   * @return true if it was scheduled and will not fire; false if it fires or fired, was cancelled
   *     before, or was never scheduled
   */
  public boolean cancel(TimerEntry entry) {
    if (!entry.end()) {
      return false;
    }
    ended.add(1);
    return true;
  }

  /**
   * Fires all entries that are due, on this thread.
   *
   * @return how many there were; 0 if the timer is closed
   */
  public int advance() {
    if (closed) {
      return 0;
    }
    long now = latest.accumulateAndGet(now(), Math::max);
    int fired = 0;
    for (Stripe stripe : stripes) {
      if (stripe.nextDue() <= now) {
        fired += stripe.expire(now, this::fire);
      }
    }
    return fired;
  }

  /**
   * Removes what is left of entries that were cancelled, if that is more than is scheduled. It
   * happens by itself where many are added; so there is something to do here only when many were
   * cancelled and few have come since.
   */
  public void purge() {
    int kept = 0;
    for (Stripe stripe : stripes) {
      kept += stripe.size();
    }
    if (kept > 2 * size()) {
      for (Stripe stripe : stripes) {
        stripe.sweep();
      }
    }
  }

  private void fire(TimerEntry entry) {
    ended.add(1);
    try {
      entry.onTimeout();
    } catch (Throwable e) {
      report(e);
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
   * Waits until {@link #advance} has something to do. The wait can end without that, where the
   * entry that it was for is cancelled meanwhile.
   *
   * @param nanos how long to wait at most; {@link Long#MAX_VALUE} for ever, 0 or less not at all
   * @return false if nothing was due in this time, or the timer was closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDue(long nanos) throws InterruptedException {
    long now = now();
    long end = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    sleep.lock();
    sleepers++;
    try {
      for (long due; !closed && (due = nextDue()) > now; now = now()) {
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
   * Stops the clock. What is still scheduled never fires. Waits up to five seconds for the timer's
   * own thread to end, unless called on it, and keeps an interrupt for the caller. Closing again
   * does nothing.
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
     * Sets the tick: how late an entry may fire, at most, while the machine is free.
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
     * Sets what happens to an error that {@link TimerEntry#onTimeout} throws. By default it is
     * logged.
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
     * @param threads makes the thread; to be a platform thread, as a clock that waits for a busy
     *     carrier is none
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
