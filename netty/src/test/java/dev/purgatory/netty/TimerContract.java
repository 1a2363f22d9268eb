package dev.purgatory.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What Netty's documentation promises of a {@code HashedWheelTimer}, and what its users rely on. In
 * real time, because Netty's timer has no other.
 */
@org.junit.jupiter.api.Timeout(60)
abstract class TimerContract {
  static final ThreadFactory THREADS = new DefaultThreadFactory("timer", true);
  static final TimerTask NOTHING = timeout -> {};
  private static final int MANY = 3000;
  private static final int TURNS = 4;

  private final List<Timer> timers = new ArrayList<>();

  abstract Timer create(
      ThreadFactory threads,
      long tick,
      TimeUnit unit,
      int wheel,
      long maxPending,
      Executor taskExecutor);

  /** Creates a timer with the constructor that takes nothing. */
  abstract Timer createDefault();

  abstract long pendingTimeouts(Timer timer);

  abstract void start(Timer timer);

  Timer timer(long maxPending, Executor taskExecutor) {
    return stopLater(create(THREADS, 5, MILLISECONDS, 8, maxPending, taskExecutor));
  }

  Timer timer() {
    return timer(-1, ImmediateExecutor.INSTANCE);
  }

  Timer stopLater(Timer timer) {
    timers.add(timer);
    return timer;
  }

  @AfterEach
  void stopAll() {
    timers.forEach(Timer::stop);
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(30, SECONDS)).isTrue();
  }

  /** Waits for a count that Netty's timer changes at its next tick. */
  void awaitPending(Timer timer, long expected) throws InterruptedException {
    long end = System.nanoTime() + SECONDS.toNanos(30);
    while (pendingTimeouts(timer) != expected && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    assertThat(pendingTimeouts(timer)).isEqualTo(expected);
  }

  @Test
  void task_runsOnceAndNotBeforeItsDelay() throws InterruptedException {
    Timer timer = timer();
    AtomicInteger runs = new AtomicInteger();
    AtomicLong ranAt = new AtomicLong();
    CountDownLatch ran = new CountDownLatch(1);
    long begin = System.nanoTime();
    Timeout timeout =
        timer.newTimeout(
            own -> {
              runs.incrementAndGet();
              ranAt.set(System.nanoTime());
              ran.countDown();
            },
            50,
            MILLISECONDS);
    await(ran);
    assertThat(ranAt.get() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(50));
    assertThat(timeout.isExpired()).isTrue();
    assertThat(timeout.isCancelled()).isFalse();
    assertThat(timeout.cancel()).isFalse();
    CountDownLatch later = new CountDownLatch(1);
    timer.newTimeout(own -> later.countDown(), 20, MILLISECONDS);
    await(later);
    assertThat(runs).hasValue(1);
  }

  @Test
  void equalDelays_expireInTheOrderOfScheduling() throws InterruptedException {
    Timer timer = timer();
    List<Integer> order = new ArrayList<>(); // of the thread of the timer
    CountDownLatch expired = new CountDownLatch(MANY);
    AtomicInteger next = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < TURNS; i++) {
      int first = i;
      threads.add(new Thread(() -> takeTurns(timer, next, first, order, expired)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    await(expired);
    assertThat(order).hasSize(MANY).isSorted();
  }

  @SuppressWarnings("ThreadPriorityCheck") // so that the next thread goes on
  private static void takeTurns(
      Timer timer, AtomicInteger next, int first, List<Integer> order, CountDownLatch expired) {
    for (int i = first; i < MANY; i += TURNS) {
      while (next.get() != i) {
        Thread.yield();
      }
      int number = i;
      timer.newTimeout(
          own -> {
            order.add(number);
            expired.countDown();
          },
          20,
          MILLISECONDS);
      next.set(i + 1);
    }
  }

  @Test
  void task_getsItsOwnHandle() throws Exception {
    Timer timer = timer();
    CompletableFuture<Timeout> seen = new CompletableFuture<>();
    TimerTask task = seen::complete;
    Timeout timeout = timer.newTimeout(task, 1, MILLISECONDS);
    assertThat(seen.get(30, SECONDS)).isSameAs(timeout);
    assertThat(timeout.task()).isSameAs(task);
    assertThat(timeout.timer()).isSameAs(timer);
  }

  @Test
  void pendingTimeout_isNeitherExpiredNorCancelled() {
    Timeout timeout = timer().newTimeout(NOTHING, 1, MINUTES);
    assertThat(timeout.isExpired()).isFalse();
    assertThat(timeout.isCancelled()).isFalse();
    assertThat(timeout.toString()).isNotEmpty();
  }

  @Test
  void cancelledTask_neverRuns() throws InterruptedException {
    Timer timer = timer();
    AtomicInteger runs;
    Timeout timeout;
    long begin;
    boolean cancelled;
    do {
      AtomicInteger counted = new AtomicInteger();
      runs = counted;
      begin = System.nanoTime();
      timeout = timer.newTimeout(own -> counted.incrementAndGet(), 1000, MILLISECONDS);
      cancelled = timeout.cancel();
    } while (!cancelled && System.nanoTime() - begin >= SECONDS.toNanos(1)); // it has run
    assertThat(cancelled).isTrue();
    assertThat(timeout.cancel()).isFalse();
    assertThat(timeout.isCancelled()).isTrue();
    assertThat(timeout.isExpired()).isFalse();
    CountDownLatch later = new CountDownLatch(1);
    timer.newTimeout(own -> later.countDown(), 1040, MILLISECONDS);
    await(later);
    assertThat(runs).hasValue(0);
  }

  @Test
  void cancelledTask_isTold() throws InterruptedException {
    AtomicReference<Timeout> told = new AtomicReference<>();
    CountDownLatch cancelled = new CountDownLatch(1);
    Timeout timeout =
        timer()
            .newTimeout(
                new TimerTask() {
                  @Override
                  public void run(Timeout own) {}

                  @Override
                  public void cancelled(Timeout own) {
                    told.set(own);
                    cancelled.countDown();
                    throw new IllegalStateException("the callback fails");
                  }
                },
                1,
                MINUTES);
    assertThat(timeout.cancel()).isTrue();
    await(cancelled);
    assertThat(told).hasValue(timeout);
  }

  @Test
  void delays_ofZeroAndLess_areDueAtOnce() throws InterruptedException {
    Timer timer = timer();
    CountDownLatch ran = new CountDownLatch(3);
    timer.newTimeout(own -> ran.countDown(), 0, SECONDS);
    timer.newTimeout(own -> ran.countDown(), -1, SECONDS);
    timer.newTimeout(own -> ran.countDown(), Long.MIN_VALUE / 2, NANOSECONDS);
    await(ran);
  }

  @Test
  void longestDelay_doesNotOverflow() throws InterruptedException {
    Timer timer = timer();
    AtomicInteger runs = new AtomicInteger();
    Timeout longest = timer.newTimeout(own -> runs.incrementAndGet(), Long.MAX_VALUE, MILLISECONDS);
    CountDownLatch later = new CountDownLatch(1);
    timer.newTimeout(own -> later.countDown(), 30, MILLISECONDS);
    await(later);
    assertThat(runs).hasValue(0);
    assertThat(longest.cancel()).isTrue();
  }

  @Test
  void delay_canExceedTheWheel() throws InterruptedException {
    Timer timer = timer(); // 8 buckets of 5 ms
    long begin = System.nanoTime();
    CountDownLatch ran = new CountDownLatch(1);
    timer.newTimeout(own -> ran.countDown(), 200, MILLISECONDS);
    await(ran);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(200));
  }

  @Test
  void task_canScheduleItselfAgain() throws InterruptedException {
    Timer timer = timer();
    CountDownLatch runs = new CountDownLatch(5);
    TimerTask again =
        new TimerTask() {
          @Override
          public void run(Timeout own) {
            runs.countDown();
            if (runs.getCount() > 0) {
              own.timer().newTimeout(this, 5, MILLISECONDS);
            }
          }
        };
    timer.newTimeout(again, 5, MILLISECONDS);
    await(runs);
    awaitPending(timer, 0);
  }

  @Test
  void taskThatThrows_affectsNoOther() throws InterruptedException {
    Timer timer = timer();
    CountDownLatch ran = new CountDownLatch(1);
    timer.newTimeout(
        own -> {
          throw new Exception("the task fails");
        },
        1,
        MILLISECONDS);
    timer.newTimeout(
        own -> {
          throw new AssertionError("the task fails badly");
        },
        1,
        MILLISECONDS);
    timer.newTimeout(own -> ran.countDown(), 20, MILLISECONDS);
    await(ran);
    awaitPending(timer, 0);
  }

  @Test
  void pendingTimeouts_countsWhatWaits() throws InterruptedException {
    Timer timer = timer();
    assertThat(pendingTimeouts(timer)).isZero();
    Timeout first = timer.newTimeout(NOTHING, 1, MINUTES);
    timer.newTimeout(NOTHING, 2, MINUTES);
    timer.newTimeout(NOTHING, 1, MILLISECONDS);
    awaitPending(timer, 2);
    first.cancel();
    awaitPending(timer, 1);
  }

  @Test
  void timeoutsAboveTheLimit_areRejected() throws InterruptedException {
    Timer timer = timer(2, ImmediateExecutor.INSTANCE);
    timer.newTimeout(NOTHING, 1, MINUTES);
    Timeout second = timer.newTimeout(NOTHING, 1, MINUTES);
    assertThatThrownBy(() -> timer.newTimeout(NOTHING, 1, MINUTES))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("2");
    assertThat(pendingTimeouts(timer)).isEqualTo(2);
    second.cancel();
    awaitPending(timer, 1);
    CountDownLatch ran = new CountDownLatch(1);
    timer.newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    await(ran);
    awaitPending(timer, 1);
    assertThat(timer.newTimeout(NOTHING, 1, MINUTES).isCancelled()).isFalse();
  }

  @Test
  void limitOfZeroOrLess_isNone() {
    Timer timer = timer(0, ImmediateExecutor.INSTANCE);
    for (int i = 0; i < 100; i++) {
      timer.newTimeout(NOTHING, 1, MINUTES);
    }
    assertThat(pendingTimeouts(timer)).isEqualTo(100);
  }

  @Test
  void taskExecutor_runsTheTasks() throws Exception {
    var executor = Executors.newSingleThreadExecutor(new DefaultThreadFactory("tasks", true));
    try {
      CompletableFuture<String> thread = new CompletableFuture<>();
      timer(-1, executor)
          .newTimeout(own -> thread.complete(Thread.currentThread().getName()), 1, MILLISECONDS);
      assertThat(thread.get(30, SECONDS)).startsWith("tasks");
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void threadFactory_makesTheThreadOfTheTasks() throws Exception {
    CompletableFuture<String> thread = new CompletableFuture<>();
    timer().newTimeout(own -> thread.complete(Thread.currentThread().getName()), 1, MILLISECONDS);
    assertThat(thread.get(30, SECONDS)).startsWith("timer");
  }

  @Test
  void stop_cancelsAndReturnsWhatWaits() {
    Timer timer = timer();
    Timeout first = timer.newTimeout(NOTHING, 1, MINUTES);
    Timeout second = timer.newTimeout(NOTHING, 2, MINUTES);
    timer.newTimeout(NOTHING, 3, MINUTES).cancel();
    assertThat(timer.stop()).containsExactlyInAnyOrder(first, second);
    assertThat(first.isCancelled()).isTrue();
    assertThat(second.isCancelled()).isTrue();
    assertThat(second.cancel()).isFalse();
    assertThat(timer.stop()).isEmpty();
  }

  @Test
  void stop_returnsNoneThatRan() throws InterruptedException {
    Timer timer = timer();
    CountDownLatch ran = new CountDownLatch(1);
    timer.newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    await(ran);
    assertThat(timer.stop()).isEmpty();
  }

  @Test
  void stoppedTimer_refusesTimeouts() {
    Timer timer = timer();
    timer.newTimeout(NOTHING, 1, MINUTES);
    timer.stop();
    assertThatIllegalStateException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, SECONDS));
    assertThatIllegalStateException().isThrownBy(() -> start(timer));
  }

  @Test
  void unusedTimer_canBeStopped() {
    assertThat(timer().stop()).isEmpty();
    Timer started = timer();
    start(started);
    assertThat(started.stop()).isEmpty();
  }

  @Test
  void stop_byATask_isRefused() throws Exception {
    Timer timer = timer();
    CompletableFuture<Set<Timeout>> stopped = new CompletableFuture<>();
    timer.newTimeout(
        own -> {
          try {
            stopped.complete(own.timer().stop());
          } catch (IllegalStateException e) {
            stopped.completeExceptionally(e);
          }
        },
        1,
        MILLISECONDS);
    assertThatThrownBy(() -> stopped.get(30, SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void defaults_work() throws InterruptedException {
    Timer timer = stopLater(createDefault());
    start(timer);
    CountDownLatch ran = new CountDownLatch(1);
    timer.newTimeout(own -> ran.countDown(), 1, MILLISECONDS);
    await(ran);
  }

  @Test
  @SuppressWarnings("NullAway")
  void badArguments_areRejected() {
    Timer timer = timer();
    TimerTask none = null;
    assertThatNullPointerException().isThrownBy(() -> timer.newTimeout(none, 1, SECONDS));
    assertThatNullPointerException().isThrownBy(() -> timer.newTimeout(NOTHING, 1, null));
    assertThat(pendingTimeouts(timer)).isZero();
    Executor same = ImmediateExecutor.INSTANCE;
    assertThatNullPointerException().isThrownBy(() -> create(null, 1, SECONDS, 8, -1, same));
    assertThatNullPointerException().isThrownBy(() -> create(THREADS, 1, null, 8, -1, same));
    assertThatNullPointerException().isThrownBy(() -> create(THREADS, 1, SECONDS, 8, -1, null));
    assertThatIllegalArgumentException().isThrownBy(() -> create(THREADS, 0, SECONDS, 8, -1, same));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> create(THREADS, -1, SECONDS, 8, -1, same));
    assertThatIllegalArgumentException().isThrownBy(() -> create(THREADS, 1, SECONDS, 0, -1, same));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> create(THREADS, Long.MAX_VALUE, SECONDS, 8, -1, same));
  }

  @Test
  void manyThreads_loseAndRepeatNothing() throws Exception {
    Timer timer = timer();
    int threads = 4;
    int perThread = 5_000;
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    CompletableFuture<?>[] all = new CompletableFuture<?>[threads];
    for (int t = 0; t < threads; t++) {
      all[t] = CompletableFuture.runAsync(() -> churn(timer, perThread, ran, cancelled));
    }
    CompletableFuture.allOf(all).get(30, SECONDS);
    awaitPending(timer, 0);
    CountDownLatch after = new CountDownLatch(1); // a task is not pending before it runs
    timer.newTimeout(own -> after.countDown(), 0, MILLISECONDS);
    await(after);
    assertThat(ran.get() + cancelled.get()).isEqualTo(threads * perThread);
    assertThat(timer.stop()).isEmpty();
  }

  private static void churn(Timer timer, int count, AtomicInteger ran, AtomicInteger cancelled) {
    for (int i = 0; i < count; i++) {
      Timeout timeout = timer.newTimeout(own -> ran.incrementAndGet(), i % 20, MILLISECONDS);
      if (i % 3 != 0 && timeout.cancel()) {
        cancelled.incrementAndGet();
      }
    }
  }
}
