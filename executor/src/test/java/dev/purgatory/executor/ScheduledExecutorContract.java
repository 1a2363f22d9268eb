package dev.purgatory.executor;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * What the JDK specifies: the Javadoc of ExecutorService, ScheduledExecutorService, Future,
 * ScheduledFuture, and the shutdown policies of ScheduledThreadPoolExecutor. Real time; a bound is
 * asserted only where the specification has one, which is that nothing runs early.
 */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // most futures are not looked at
abstract class ScheduledExecutorContract {
  private static final long LONG = 30; // seconds; not waited for
  private final List<ScheduledExecutorService> created = new ArrayList<>();

  /** Returns a new executor that runs up to this many tasks at a time, or more. */
  abstract ScheduledExecutorService create(int threads);

  abstract void continuePeriodic(ScheduledExecutorService executor, boolean value);

  abstract void executeDelayed(ScheduledExecutorService executor, boolean value);

  /** The specification allows shutdownNow to return tasks, and does not require it. */
  boolean returnsWaitingTasks() {
    return true;
  }

  /** Only ScheduledThreadPoolExecutor specifies the order of tasks with equal deadlines. */
  boolean ordersEqualDeadlines() {
    return true;
  }

  private ScheduledExecutorService executor() {
    return executor(1);
  }

  private ScheduledExecutorService executor(int threads) {
    ScheduledExecutorService executor = create(threads);
    created.add(executor);
    return executor;
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (ScheduledExecutorService executor : created) {
      executor.shutdownNow();
      assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(LONG, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Occupies a thread until the latch is released or the thread is interrupted. */
  private static Runnable blocking(CountDownLatch started, CountDownLatch release) {
    return () -> {
      started.countDown();
      await(release);
    };
  }

  // One-shot tasks.

  @Test
  void runnable_runsOnce_notEarly() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    long begin = System.nanoTime();
    ScheduledFuture<?> future = executor().schedule(runs::incrementAndGet, 30, MILLISECONDS);
    ScheduledFuture<?> action = executor().schedule(() -> {}, 1, MILLISECONDS);
    future.get(LONG, SECONDS);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(30));
    assertThat(future.isDone()).isTrue();
    assertThat(future.isCancelled()).isFalse();
    assertThat(action.get(LONG, SECONDS)).isNull();
    assertThat(runs).hasValue(1);
  }

  @Test
  void callable_returnsItsValue() throws Exception {
    ScheduledFuture<String> future = executor().schedule(() -> "value", 5, MILLISECONDS);
    assertThat(future.get(LONG, SECONDS)).isEqualTo("value");
  }

  @Test
  void callable_thatThrows_failsItsFuture() {
    Exception error = new Exception("expected");
    Callable<String> failing =
        () -> {
          throw error;
        };
    ScheduledFuture<String> future = executor().schedule(failing, 1, MILLISECONDS);
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> future.get(LONG, SECONDS))
        .havingRootCause()
        .isSameAs(error);
    assertThat(future.isDone()).isTrue();
  }

  @Test
  void zeroAndNegativeDelays_runImmediately() throws Exception {
    ScheduledExecutorService executor = executor();
    for (long delay : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThat(executor.schedule(() -> "now", delay, DAYS).get(LONG, SECONDS)).isEqualTo("now");
    }
  }

  @Test
  void longestDelay_isAccepted() {
    ScheduledFuture<?> future = executor().schedule(() -> {}, Long.MAX_VALUE, DAYS);
    assertThat(future.getDelay(DAYS)).isGreaterThan(365);
    assertThat(future.isDone()).isFalse();
    assertThat(future.cancel(false)).isTrue();
  }

  @Test
  void tasks_runInTheOrderOfTheirDelays() {
    ScheduledExecutorService executor = executor();
    LinkedBlockingQueue<Integer> order = new LinkedBlockingQueue<>();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(3);
    List<ScheduledFuture<?>> futures = new ArrayList<>();
    executor.execute(blocking(started, release));
    for (int millis : new int[] {1000, 500, 1}) {
      int number = futures.size();
      futures.add(
          executor.schedule(
              () -> {
                order.add(number);
                done.countDown();
              },
              millis,
              MILLISECONDS));
    }
    release.countDown();
    await(done);
    // Of the deadlines, not of the delays: this thread may have been slow between two tasks.
    List<ScheduledFuture<?>> byDeadline = futures.stream().sorted().toList();
    assertThat(order.stream().map(futures::get)).containsExactlyElementsOf(byDeadline);
  }

  @Test
  void equalDelays_runInTheOrderOfSubmission() throws Exception {
    assumeTrue(ordersEqualDeadlines());
    ScheduledExecutorService executor = executor();
    LinkedBlockingQueue<Integer> order = new LinkedBlockingQueue<>();
    List<Integer> submitted = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      int number = i;
      submitted.add(i);
      CompletableFuture<Void> scheduled = new CompletableFuture<>();
      new Thread(
              () -> {
                executor.schedule(() -> order.add(number), 20, MILLISECONDS);
                scheduled.complete(null);
              })
          .start();
      scheduled.get(LONG, SECONDS);
    }
    executor.shutdown();
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    assertThat(order).containsExactlyElementsOf(submitted);
  }

  @Test
  void getDelay_isWhatIsLeft() {
    ScheduledFuture<?> future = executor().schedule(() -> {}, LONG, SECONDS);
    assertThat(future.getDelay(NANOSECONDS)).isBetween(1L, SECONDS.toNanos(LONG));
    assertThat(future.getDelay(SECONDS)).isBetween(0L, LONG);
  }

  @Test
  void getDelay_ofADueTask_isNotPositive() throws Exception {
    ScheduledFuture<?> future = executor().schedule(() -> {}, 1, MILLISECONDS);
    future.get(LONG, SECONDS);
    assertThat(future.getDelay(NANOSECONDS)).isNotPositive();
  }

  @Test
  void futures_compareByDelay() {
    ScheduledExecutorService executor = executor();
    ScheduledFuture<?> early = executor.schedule(() -> {}, 10, DAYS);
    ScheduledFuture<?> late = executor.schedule(() -> {}, 20, DAYS);
    ScheduledFuture<?> elsewhere = executor().schedule(() -> {}, 15, DAYS);
    assertThat(early.compareTo(late)).isNegative();
    assertThat(late.compareTo(early)).isPositive();
    Delayed same = early;
    assertThat(early.compareTo(same)).isZero();
    assertThat(early.compareTo(elsewhere)).isNegative();
    assertThat(late.compareTo(elsewhere)).isPositive();
  }

  // Periodic tasks.

  @Test
  void fixedRate_isNeverEarly() {
    List<Long> starts = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch five = new CountDownLatch(5);
    long begin = System.nanoTime();
    executor()
        .scheduleAtFixedRate(
            () -> {
              starts.add(System.nanoTime() - begin);
              five.countDown();
            },
            10,
            20,
            MILLISECONDS);
    await(five);
    for (int i = 0; i < 5; i++) {
      assertThat(starts.get(i)).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(10 + 20 * i));
    }
  }

  @Test
  void fixedRate_slowTask_isNotRunConcurrently() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch five = new CountDownLatch(5);
    executor(4)
        .scheduleAtFixedRate(
            () -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              sleep(10);
              running.decrementAndGet();
              five.countDown();
            },
            0,
            1,
            MILLISECONDS);
    await(five);
    assertThat(most).hasValue(1);
  }

  @Test
  void fixedDelay_isMeasuredFromTheEnd() {
    List<Long> starts = Collections.synchronizedList(new ArrayList<>());
    List<Long> ends = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch four = new CountDownLatch(4);
    executor(2)
        .scheduleWithFixedDelay(
            () -> {
              starts.add(System.nanoTime());
              sleep(10);
              ends.add(System.nanoTime());
              four.countDown();
            },
            0,
            15,
            MILLISECONDS);
    await(four);
    for (int i = 1; i < 4; i++) {
      assertThat(starts.get(i) - ends.get(i - 1)).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(15));
    }
  }

  @Test
  void periodicTask_thatThrows_ends() throws Exception {
    ScheduledExecutorService executor = executor();
    for (boolean rate : new boolean[] {true, false}) {
      AtomicInteger runs = new AtomicInteger();
      RuntimeException error = new IllegalStateException("expected");
      Runnable task =
          () -> {
            if (runs.incrementAndGet() == 3) {
              throw error;
            }
          };
      ScheduledFuture<?> future =
          rate
              ? executor.scheduleAtFixedRate(task, 0, 1, MILLISECONDS)
              : executor.scheduleWithFixedDelay(task, 0, 1, MILLISECONDS);
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> future.get(LONG, SECONDS))
          .havingRootCause()
          .isSameAs(error);
      assertThat(future.isDone()).isTrue();
      assertThat(future.isCancelled()).isFalse();
      executor.schedule(() -> {}, 20, MILLISECONDS).get(LONG, SECONDS);
      assertThat(runs).hasValue(3);
    }
  }

  @Test
  void periodicTask_get_doesNotReturnNormally() throws Exception {
    ScheduledFuture<?> future = executor().scheduleAtFixedRate(() -> {}, 0, 1, MILLISECONDS);
    assertThatThrownBy(() -> future.get(20, MILLISECONDS)).isInstanceOf(TimeoutException.class);
    assertThat(future.isDone()).isFalse();
    assertThat(future.cancel(false)).isTrue();
    assertThatThrownBy(() -> future.get(LONG, SECONDS)).isInstanceOf(CancellationException.class);
  }

  @Test
  void periodicTask_cancelled_doesNotRunAgain() throws Exception {
    ScheduledExecutorService executor = executor();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch twice = new CountDownLatch(2);
    ScheduledFuture<?> future =
        executor.scheduleWithFixedDelay(
            () -> {
              runs.incrementAndGet();
              twice.countDown();
            },
            0,
            5,
            MILLISECONDS);
    await(twice);
    assertThat(future.cancel(false)).isTrue();
    int before = runs.get();
    executor.schedule(() -> {}, 60, MILLISECONDS).get(LONG, SECONDS);
    assertThat(runs.get()).as("with one that had begun").isBetween(before, before + 1);
    assertThat(future.isCancelled()).isTrue();
  }

  @Test
  void periodicTask_cancelsItself() {
    ScheduledExecutorService executor = executor();
    CompletableFuture<ScheduledFuture<?>> self = new CompletableFuture<>();
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> future =
        executor.scheduleAtFixedRate(
            () -> {
              runs.incrementAndGet();
              self.join().cancel(false);
            },
            0,
            1,
            MILLISECONDS);
    self.complete(future);
    assertThatThrownBy(() -> future.get(LONG, SECONDS)).isInstanceOf(CancellationException.class);
    sleep(20);
    assertThat(runs).hasValue(1);
  }

  // Cancellation.

  @Test
  void cancelledTask_neverRuns() throws Exception {
    ScheduledExecutorService executor = executor();
    AtomicInteger runs;
    ScheduledFuture<?> future;
    long begin;
    boolean cancelled;
    do {
      runs = new AtomicInteger();
      begin = System.nanoTime();
      future = executor.schedule(runs::incrementAndGet, 1000, MILLISECONDS);
      cancelled = future.cancel(false);
    } while (!cancelled && System.nanoTime() - begin >= SECONDS.toNanos(1)); // it has run
    assertThat(cancelled).isTrue();
    assertThat(future.isCancelled()).isTrue();
    assertThat(future.isDone()).isTrue();
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    executor.schedule(() -> {}, 1020, MILLISECONDS).get(LONG, SECONDS);
    assertThat(runs).hasValue(0);
  }

  @Test
  void cancel_afterTheEnd_returnsFalse() throws Exception {
    ScheduledFuture<String> future = executor().schedule(() -> "done", 1, MILLISECONDS);
    future.get(LONG, SECONDS);
    assertThat(future.cancel(true)).isFalse();
    assertThat(future.isCancelled()).isFalse();
    assertThat(future.get()).isEqualTo("done");
  }

  @Test
  void cancelWithInterrupt_interruptsTheTask_andNotTheNext() throws Exception {
    ScheduledExecutorService executor = executor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Future<?> future =
        executor.schedule(
            () -> {
              started.countDown();
              try {
                Thread.sleep(SECONDS.toMillis(LONG));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // as one should
                interrupted.countDown();
              }
            },
            1,
            MILLISECONDS);
    await(started);
    assertThat(future.cancel(true)).isTrue();
    await(interrupted);
    for (int i = 0; i < 10; i++) {
      Callable<Boolean> next = () -> Thread.currentThread().isInterrupted();
      assertThat(executor.submit(next).get(LONG, SECONDS)).isFalse();
    }
  }

  @Test
  void cancelWithoutInterrupt_letsTheTaskFinish() throws Exception {
    ScheduledExecutorService executor = executor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch finished = new CountDownLatch(1);
    Future<?> future =
        executor.schedule(
            () -> {
              blocking(started, release).run();
              finished.countDown();
            },
            0,
            MILLISECONDS);
    await(started);
    assertThat(future.cancel(false)).isTrue();
    executor.shutdown();
    assertThat(executor.isTerminated()).isFalse();
    release.countDown();
    await(finished);
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
  }

  // Arguments.

  @Test
  @SuppressWarnings("NullAway")
  void nulls_areRejected() {
    ScheduledExecutorService executor = executor();
    Runnable action = () -> {};
    Callable<String> value = () -> "value";
    for (Runnable call :
        new Runnable[] {
          () -> executor.execute(null),
          () -> executor.submit((Runnable) null),
          () -> executor.submit((Callable<?>) null),
          () -> executor.submit(null, "result"),
          () -> executor.schedule((Runnable) null, 1, SECONDS),
          () -> executor.schedule((Callable<?>) null, 1, SECONDS),
          () -> executor.schedule(action, 1, null),
          () -> executor.schedule(value, 1, null),
          () -> executor.scheduleAtFixedRate(null, 1, 1, SECONDS),
          () -> executor.scheduleAtFixedRate(action, 1, 1, null),
          () -> executor.scheduleWithFixedDelay(null, 1, 1, SECONDS),
          () -> executor.scheduleWithFixedDelay(action, 1, 1, null)
        }) {
      assertThatThrownBy(call::run).isInstanceOf(NullPointerException.class);
    }
  }

  @Test
  void periods_arePositive() {
    ScheduledExecutorService executor = executor();
    for (long period : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> executor.scheduleAtFixedRate(() -> {}, 1, period, SECONDS))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> executor.scheduleWithFixedDelay(() -> {}, 1, period, SECONDS))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ExecutorService.

  @Test
  void submit_completesTheFuture() throws Exception {
    ScheduledExecutorService executor = executor();
    assertThat(executor.submit(() -> "value").get(LONG, SECONDS)).isEqualTo("value");
    assertThat(executor.submit(() -> {}, "result").get(LONG, SECONDS)).isEqualTo("result");
    assertThat(executor.submit(() -> {}).get(LONG, SECONDS)).isNull();
  }

  @Test
  void manyTasks_allRun() {
    ScheduledExecutorService executor = executor(2);
    CountDownLatch all = new CountDownLatch(3000);
    for (int i = 0; i < 1000; i++) {
      executor.execute(all::countDown);
      executor.schedule(all::countDown, i % 7, MILLISECONDS);
      executor.submit(all::countDown);
    }
    await(all);
  }

  @Test
  void tasks_runOnSeveralThreads() throws Exception {
    ScheduledExecutorService executor = executor(3);
    CyclicBarrier barrier = new CyclicBarrier(3);
    List<Callable<Integer>> tasks =
        Collections.nCopies(3, () -> barrier.await(LONG, SECONDS)); // only if all run at a time
    for (Future<Integer> future : executor.invokeAll(tasks)) {
      assertThat(future.get()).isBetween(0, 2);
    }
  }

  @Test
  void invokeAll_returnsCompletedFutures_inOrder() throws Exception {
    Callable<Integer> failing =
        () -> {
          throw new IllegalStateException("expected");
        };
    List<Future<Integer>> futures = executor(2).invokeAll(List.of(() -> 1, failing, () -> 3));
    assertThat(futures).allMatch(Future::isDone);
    assertThat(futures.get(0).get()).isEqualTo(1);
    assertThatThrownBy(() -> futures.get(1).get()).isInstanceOf(ExecutionException.class);
    assertThat(futures.get(2).get()).isEqualTo(3);
    assertThat(executor().invokeAll(List.<Callable<Integer>>of())).isEmpty();
  }

  @Test
  void invokeAll_withTimeout_cancelsWhatIsNotDone() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    List<Callable<Boolean>> tasks =
        List.of(() -> true, () -> never.await(LONG, SECONDS), () -> never.await(LONG, SECONDS));
    List<Future<Boolean>> futures = executor(2).invokeAll(tasks, 200, MILLISECONDS);
    assertThat(futures).allMatch(Future::isDone);
    assertThat(futures.get(2).isCancelled()).isTrue();
  }

  @Test
  void invokeAny_returnsASuccess() throws Exception {
    Callable<String> failing =
        () -> {
          throw new IllegalStateException("expected");
        };
    assertThat(executor(2).invokeAny(List.of(failing, () -> "success"))).isEqualTo("success");
    assertThatThrownBy(() -> executor(2).invokeAny(List.of(failing, failing)))
        .isInstanceOf(ExecutionException.class);
    assertThatThrownBy(() -> executor().invokeAny(List.<Callable<String>>of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void invokeAny_withTimeout_timesOut() {
    CountDownLatch never = new CountDownLatch(1);
    List<Callable<Boolean>> tasks = List.of(() -> never.await(LONG, SECONDS));
    assertThatThrownBy(() -> executor().invokeAny(tasks, 50, MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
  }

  // Shutdown.

  @Test
  void afterShutdown_tasksAreRejected() throws Exception {
    ScheduledExecutorService executor = executor();
    executor.shutdown();
    executor.shutdown(); // has no additional effect
    assertThat(executor.isShutdown()).isTrue();
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    assertThat(executor.isTerminated()).isTrue();
    for (Runnable call :
        new Runnable[] {
          () -> executor.execute(() -> {}),
          () -> executor.submit(() -> {}),
          () -> executor.schedule(() -> {}, 1, SECONDS),
          () -> executor.schedule(() -> "value", 1, SECONDS),
          () -> executor.scheduleAtFixedRate(() -> {}, 1, 1, SECONDS),
          () -> executor.scheduleWithFixedDelay(() -> {}, 1, 1, SECONDS)
        }) {
      assertThatThrownBy(call::run).isInstanceOf(RejectedExecutionException.class);
    }
  }

  @Test
  void newExecutor_isNotShutDown() throws Exception {
    ScheduledExecutorService executor = executor();
    assertThat(executor.isShutdown()).isFalse();
    assertThat(executor.isTerminated()).isFalse();
    assertThat(executor.awaitTermination(1, MILLISECONDS)).isFalse();
  }

  @Test
  void shutdown_executesDelayedTasks_andCancelsPeriodicOnes() throws Exception {
    ScheduledExecutorService executor = executor();
    ScheduledFuture<String> delayed = executor.schedule(() -> "done", 100, MILLISECONDS);
    ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(() -> {}, 1, 1, DAYS);
    executor.shutdown();
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    assertThat(delayed.get(0, SECONDS)).isEqualTo("done");
    assertThatThrownBy(() -> periodic.get(0, SECONDS)).isInstanceOf(CancellationException.class);
  }

  @Test
  void shutdown_executesWhatIsQueued() throws Exception {
    ScheduledExecutorService executor = executor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    executeDelayed(executor, false);
    executor.execute(blocking(started, release));
    await(started);
    Future<String> queued = executor.submit(() -> "done");
    executor.shutdown();
    assertThat(executor.awaitTermination(1, MILLISECONDS)).isFalse();
    release.countDown();
    assertThat(queued.get(LONG, SECONDS)).isEqualTo("done");
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
  }

  @Test
  void policy_delayedTasksAreCancelled() throws Exception {
    ScheduledExecutorService executor = executor();
    executeDelayed(executor, false);
    ScheduledFuture<?> delayed = executor.schedule(() -> {}, LONG, SECONDS);
    executor.shutdown();
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    assertThat(delayed.isCancelled()).isTrue();
  }

  @Test
  void policy_setAfterShutdown_takesEffect() throws Exception {
    ScheduledExecutorService executor = executor();
    ScheduledFuture<?> delayed = executor.schedule(() -> {}, LONG, SECONDS);
    executor.shutdown();
    assertThat(delayed.isDone()).isFalse();
    executeDelayed(executor, false);
    assertThatThrownBy(() -> delayed.get(LONG, SECONDS)).isInstanceOf(CancellationException.class);
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
  }

  @Test
  void policy_periodicTasksContinue_untilCancelled() throws Exception {
    ScheduledExecutorService executor = executor();
    continuePeriodic(executor, true);
    LinkedBlockingQueue<Boolean> runs = new LinkedBlockingQueue<>();
    ScheduledFuture<?> future =
        executor.scheduleAtFixedRate(() -> runs.add(executor.isShutdown()), 1, 1, MILLISECONDS);
    executor.shutdown();
    for (int after = 0; after < 3; ) {
      Boolean isShutDown = runs.poll(LONG, SECONDS);
      assertThat(isShutDown).isNotNull();
      after += Boolean.TRUE.equals(isShutDown) ? 1 : 0;
    }
    assertThat(executor.isTerminated()).isFalse();
    assertThat(future.cancel(false)).isTrue();
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
  }

  @Test
  void shutdown_letsARunningPeriodicTaskFinish_andCancelsIt() throws Exception {
    ScheduledExecutorService executor = executor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    ScheduledFuture<?> periodic =
        executor.scheduleAtFixedRate(blocking(started, release), 0, 1, MILLISECONDS);
    await(started);
    executor.shutdown();
    assertThat(executor.isTerminated()).isFalse();
    release.countDown();
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    assertThat(periodic.isCancelled()).isTrue();
  }

  @Test
  void shutdownNow_interruptsTasks_andReturnsTheOthers() throws Exception {
    ScheduledExecutorService executor = executor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    executor.execute(
        () -> {
          started.countDown();
          try {
            Thread.sleep(SECONDS.toMillis(LONG));
          } catch (InterruptedException e) {
            interrupted.countDown();
          }
        });
    await(started);
    long begin = System.nanoTime();
    ScheduledFuture<?> delayed = executor.schedule(runs::incrementAndGet, 500, MILLISECONDS);
    ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(runs::incrementAndGet, 9, 1, DAYS);
    List<Runnable> waiting = executor.shutdownNow();
    assumeTrue(System.nanoTime() - begin < MILLISECONDS.toNanos(500), "the task may have run");
    if (returnsWaitingTasks()) {
      assertThat(waiting).hasSize(2).allMatch(task -> task == delayed || task == periodic);
    }
    await(interrupted);
    assertThat(executor.awaitTermination(LONG, SECONDS)).isTrue();
    waiting.forEach(Runnable::run); // too late
    sleep(520);
    assertThat(runs).hasValue(0);
  }

  @Test
  void awaitTermination_isInterruptible() {
    ScheduledExecutorService executor = executor();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> executor.awaitTermination(LONG, SECONDS))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_19, disabledReason = "close() takes JDK 19 or newer")
  void close_waitsForTheTasks() throws Exception {
    ScheduledExecutorService executor = executor();
    Future<String> delayed = executor.schedule(() -> "done", 50, MILLISECONDS);
    close(executor);
    assertThat(executor.isTerminated()).isTrue();
    assertThat(delayed.get(0, SECONDS)).isEqualTo("done");
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_19, disabledReason = "close() takes JDK 19 or newer")
  void close_interrupted_stopsTheTasks() throws Exception {
    ScheduledExecutorService executor = executor();
    executor.schedule(() -> {}, LONG, SECONDS);
    Thread.currentThread().interrupt();
    close(executor);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(executor.isTerminated()).isTrue();
  }

  private static void close(ScheduledExecutorService executor) throws Exception {
    assertThat(executor).isInstanceOf(AutoCloseable.class);
    ((AutoCloseable) executor).close();
  }
}
