package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testkit.VirtualTime;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // most futures are not looked at
class WheelScheduledExecutorTest {
  private static final int MANY = 100_000;

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitUntil(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) { // until the test times out
      Thread.sleep(5);
    }
  }

  private static void reject(Runnable task) {
    throw new RejectedExecutionException("expected");
  }

  /** Runs nothing on its own: the test moves the time. */
  @Nested
  class InVirtualTime {
    private final VirtualTime time = VirtualTime.create();
    private final WheelScheduledExecutor executor = on(time.executor());
    private final List<Duration> runs = new ArrayList<>();

    private WheelScheduledExecutor on(Executor other) {
      return WheelScheduledExecutor.builder().timer(time.timer()).executor(other).build();
    }

    private void record() {
      runs.add(time.now());
    }

    @AfterEach
    void nothingIsLeft() {
      executor.shutdownNow();
      assertThat(executor.isTerminated()).isTrue();
      time.advance(Duration.ZERO);
      time.assertNothingPending();
      time.assertNoErrors();
    }

    @Test
    void workers_inheritNothingFromTheThreadThatSubmits_andKeepTheJvmAlive() throws Exception {
      InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
      local.set("of the submitting thread");
      WheelScheduledExecutor executor = WheelScheduledExecutor.builder().threads(1).build();
      try {
        assertThat(executor.submit(local::get).get()).isNull();
        assertThat(executor.submit(() -> Thread.currentThread().isDaemon()).get()).isFalse();
      } finally {
        executor.shutdown();
      }
    }

    @Test
    void task_runsAtItsDeadline() throws Exception {
      ScheduledFuture<String> future = executor.schedule(() -> "done", 5, SECONDS);
      assertThat(future.getDelay(MILLISECONDS)).isEqualTo(5000);
      time.advance(millis(4999));
      assertThat(future.isDone()).isFalse();
      assertThat(future.getDelay(MILLISECONDS)).isEqualTo(1);
      time.advance(millis(1));
      assertThat(future.get(0, SECONDS)).isEqualTo("done");
      assertThat(executor).hasToString("WheelScheduledExecutor[running, 0 tasks]");
    }

    @Test
    void fixedRate_runsOnTime() {
      executor.scheduleAtFixedRate(this::record, 5, 10, MILLISECONDS);
      time.advance(millis(40));
      assertThat(runs).containsExactly(millis(5), millis(15), millis(25), millis(35));
    }

    @Test
    void fixedDelay_runsAfterTheEnd() {
      executor.scheduleWithFixedDelay(this::record, 5, 10, MILLISECONDS);
      time.advance(millis(30));
      assertThat(runs).containsExactly(millis(5), millis(15), millis(25));
    }

    @Test
    void fixedRate_afterAPause_makesUpForEachMissedExecution() {
      ScheduledFuture<?> future = executor.scheduleAtFixedRate(this::record, 10, 10, MILLISECONDS);
      time.jump(millis(55)); // as on a machine that was suspended
      time.advance(Duration.ZERO);
      assertThat(runs).hasSize(5).containsOnly(millis(55));
      assertThat(future.getDelay(MILLISECONDS)).isEqualTo(5); // back in step
      time.advance(millis(5));
      assertThat(runs).endsWith(millis(60)).hasSize(6);
    }

    @Test
    void fixedDelay_afterAPause_runsOnce() {
      ScheduledFuture<?> future =
          executor.scheduleWithFixedDelay(this::record, 10, 10, MILLISECONDS);
      time.jump(millis(55));
      time.advance(Duration.ZERO);
      assertThat(runs).containsExactly(millis(55));
      assertThat(future.getDelay(MILLISECONDS)).isEqualTo(10);
    }

    @Test
    void longMissedPeriods_doNotDeepenTheStack() {
      AtomicInteger count = new AtomicInteger();
      WheelScheduledExecutor direct = on(Runnable::run);
      direct.scheduleAtFixedRate(count::incrementAndGet, 1, 1, MILLISECONDS);
      time.jump(Duration.ofSeconds(50));
      time.advance(Duration.ZERO);
      assertThat(count).hasValue(50_000);
      direct.shutdownNow();
    }

    @Test
    void longestPeriods_doNotOverflow() {
      executor.scheduleAtFixedRate(this::record, 1, Long.MAX_VALUE, DAYS);
      executor.scheduleWithFixedDelay(this::record, 1, Long.MAX_VALUE, DAYS);
      time.advance(Duration.ofDays(2));
      assertThat(runs).hasSize(2);
    }

    @Test
    void cancelledTasks_areUnreachable() {
      List<ScheduledFuture<?>> futures = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        Object payload = i % 1000 == 0 ? time.track(new Object()) : this;
        Callable<Integer> task = payload::hashCode;
        futures.add(executor.schedule(task, 1 + i % 60, SECONDS));
      }
      assertThat(executor).hasToString("WheelScheduledExecutor[running, 100000 tasks]");
      futures.forEach(future -> assertThat(future.cancel(false)).isTrue());
      assertThat(executor).hasToString("WheelScheduledExecutor[running, 0 tasks]");
      assertThat(time.timer().size()).isZero();
      assertThat(TimerInternals.of(time.timer()).wheels().retained()).isLessThan(10_000);
      time.assertNothingReachable(); // although the futures are
      assertThat(futures).hasSize(MANY);
    }

    @Test
    void executorThatWasDropped_isUnreachable_afterItsTasksWereCancelled() {
      for (int i = 0; i < 10; i++) {
        List<Runnable> handed = time.track(new ArrayList<>());
        assertThat(on(handed::add).schedule(() -> {}, 1, SECONDS).cancel(false)).isTrue();
      }
      assertThat(TimerInternals.of(time.timer()).wheels().retained()).isPositive();
      time.assertNothingReachable();
    }

    @Test
    void toString_tellsTheWorkOrTheOutcome() {
      Runnable named =
          new Runnable() {
            @Override
            public void run() {}

            @Override
            public String toString() {
              return "named";
            }
          };
      ScheduledFuture<?> done = executor.schedule(named, 1, SECONDS);
      ScheduledFuture<?> failed = executor.schedule(() -> List.of().get(0), 1, SECONDS);
      ScheduledFuture<?> cancelled = executor.schedule(named, 2, SECONDS);
      assertThat(done.toString()).endsWith("[Not completed, task = named]");
      time.advance(Duration.ofSeconds(1));
      cancelled.cancel(false);
      assertThat(done.toString()).endsWith("[Completed normally]");
      assertThat(failed.toString()).contains("[Completed exceptionally: java.lang.");
      assertThat(cancelled.toString()).endsWith("[Cancelled]");
    }

    /** An object may be both: the method that was called says what it is. */
    @Test
    void objectThatIsRunnableAndCallable_isWhatItWasSubmittedAs() throws Exception {
      class Both implements Runnable, Callable<String> {
        @Override
        public void run() {
          record();
        }

        @Override
        public String call() {
          return "called";
        }
      }
      Both both = new Both();
      ScheduledFuture<?> ran = executor.schedule((Runnable) both, 1, SECONDS);
      ScheduledFuture<?> called = executor.schedule((Callable<String>) both, 1, SECONDS);
      time.advance(Duration.ofSeconds(1));
      assertThat(ran.get()).isNull();
      assertThat(called.get()).isEqualTo("called");
      assertThat(runs).hasSize(1);
    }

    private ScheduledFuture<?> repeat(Object payload) {
      return executor.scheduleAtFixedRate(() -> assertThat(payload).isNotNull(), 1, 1, SECONDS);
    }

    @Test
    void cancelledPeriodicTask_isUnreachable() {
      ScheduledFuture<?> future = repeat(time.track(new Object()));
      time.advance(Duration.ofSeconds(3));
      assertThat(future.cancel(false)).isTrue();
      time.assertNothingReachable();
      assertThat(time.timer().size()).isZero();
    }

    @Test
    void refusedTask_fails() {
      WheelScheduledExecutor refusing = on(WheelScheduledExecutorTest::reject);
      ScheduledFuture<?> future = refusing.schedule(() -> {}, 1, SECONDS);
      time.advance(Duration.ofSeconds(1));
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(future::get)
          .withCauseInstanceOf(RejectedExecutionException.class);
      assertThat(refusing.refused()).isEqualTo(1);
      refusing.shutdown();
      assertThat(refusing.isTerminated()).isTrue();
    }

    @Test
    void refusedTask_thatIsNotDelayed_isRejected() {
      WheelScheduledExecutor refusing = on(WheelScheduledExecutorTest::reject);
      assertThatThrownBy(() -> refusing.execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class);
      assertThatThrownBy(() -> refusing.scheduleAtFixedRate(() -> {}, 0, 1, SECONDS))
          .isInstanceOf(RejectedExecutionException.class);
      refusing.shutdown();
      assertThat(refusing.isTerminated()).isTrue();
    }

    @Test
    void refusedExecution_isSkipped() {
      AtomicInteger handed = new AtomicInteger();
      WheelScheduledExecutor busy =
          on(
              task -> {
                if (handed.incrementAndGet() % 2 == 0) {
                  throw new RejectedExecutionException("expected");
                }
                task.run();
              });
      ScheduledFuture<?> rate = busy.scheduleAtFixedRate(this::record, 10, 10, MILLISECONDS);
      time.advance(millis(55));
      assertThat(runs).containsExactly(millis(10), millis(30), millis(50));
      assertThat(busy.refused()).isEqualTo(2);
      assertThat(rate.isDone()).isFalse();
      busy.shutdownNow();
    }

    @Test
    void executorThatRunsTasksTwice_runsThemOnce() {
      WheelScheduledExecutor twice =
          on(
              task -> {
                task.run();
                task.run();
              });
      twice.scheduleAtFixedRate(this::record, 10, 10, MILLISECONDS);
      time.advance(millis(35));
      assertThat(runs).containsExactly(millis(10), millis(20), millis(30));
      twice.execute(this::record);
      assertThat(runs).hasSize(4);
      twice.shutdownNow();
    }

    @Test
    void executorThatRunsTasksAndThrows_doesNotRepeatThem() {
      WheelScheduledExecutor throwing =
          on(
              task -> {
                task.run();
                throw new IllegalStateException("expected");
              });
      throwing.scheduleAtFixedRate(this::record, 10, 10, MILLISECONDS);
      throwing.execute(this::record);
      time.advance(millis(35));
      assertThat(runs).containsExactly(millis(0), millis(10), millis(20), millis(30));
      assertThat(throwing.scheduleAtFixedRate(this::record, 0, 100, MILLISECONDS).isDone())
          .isFalse();
      assertThat(runs).hasSize(5);
      assertThat(throwing.refused()).isZero();
      throwing.shutdownNow();
    }

    @Test
    void droppedTask_isReturnedByShutdownNow() {
      WheelScheduledExecutor dropping = on(task -> {});
      ScheduledFuture<?> future = dropping.schedule(() -> {}, 1, SECONDS);
      time.advance(Duration.ofSeconds(2));
      dropping.shutdown();
      assertThat(dropping.isTerminated()).isFalse();
      assertThat(dropping.shutdownNow()).hasSize(1).first().isSameAs(future);
      assertThat(dropping.isTerminated()).isTrue();
    }

    @Test
    void taskThatIsNotDue_cannotBeRunByHand() {
      ScheduledFuture<?> future = executor.schedule(this::record, 1, SECONDS);
      ((Runnable) future).run();
      assertThat(runs).isEmpty();
      time.advance(Duration.ofSeconds(1));
      assertThat(runs).hasSize(1);
    }

    @Test
    void shutdownNow_cancelsWhatItReturns_inOrderOfSubmission() {
      ScheduledFuture<?> late = executor.schedule(() -> {}, 20, SECONDS);
      ScheduledFuture<?> early = executor.schedule(() -> {}, 10, SECONDS);
      assertThat(executor.shutdownNow()).isEqualTo(List.of(late, early));
      assertThat(late.isCancelled()).isTrue();
      assertThat(early.isCancelled()).isTrue();
    }

    /** A task that is cancelled in the middle of shutdownNow() runs what waits behind it. */
    private Runnable onCancel(Runnable action) {
      return new FutureTask<>(Executors.callable(() -> {})) {
        @Override
        protected void done() {
          action.run();
        }
      };
    }

    @Test
    void shutdownNow_returnsWhatAThreadTakesMeanwhile() {
      List<Runnable> handed = new ArrayList<>();
      WheelScheduledExecutor other = on(handed::add);
      other.execute(onCancel(() -> handed.get(1).run()));
      ScheduledFuture<?> second = other.schedule(() -> {}, 0, SECONDS);
      assertThat(other.shutdownNow()).hasSize(2).last().isSameAs(second);
      assertThat(second.isCancelled()).isTrue();
      assertThat(other.isTerminated()).isTrue();
    }

    @Test
    void shutdownNow_returnsWhatIsRefusedMeanwhile() {
      List<Runnable> handed = new ArrayList<>();
      Executor full =
          task -> {
            if (!handed.isEmpty()) {
              throw new RejectedExecutionException("expected");
            }
            handed.add(task);
          };
      WheelScheduledExecutor other = on(full);
      other.execute(onCancel(() -> time.advance(Duration.ofSeconds(1))));
      ScheduledFuture<?> second = other.schedule(() -> {}, 1, SECONDS);
      assertThat(other.shutdownNow()).hasSize(2).last().isSameAs(second);
      assertThat(second.isCancelled()).isTrue();
    }

    @Test
    void shutdown_withoutDelayedTasks_runsWhatIsDueAlthoughTheClockIsLate() {
      AtomicLong now = new AtomicLong();
      Timer timer = Timer.builder().ticker(now::get).build();
      List<Runnable> handed = new ArrayList<>();
      WheelScheduledExecutor other =
          WheelScheduledExecutor.builder().timer(timer).executor(handed::add).build();
      ScheduledFuture<?> due = other.schedule(this::record, 1500, MILLISECONDS);
      ScheduledFuture<?> first = other.schedule(this::record, 1, SECONDS);
      ScheduledFuture<?> later = other.schedule(this::record, 3, SECONDS);
      now.set(SECONDS.toNanos(2));
      other.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
      other.shutdown();
      assertThat(later.isCancelled()).isTrue();
      assertThat(handed).isEqualTo(List.of(first, due));
      handed.forEach(Runnable::run);
      assertThat(runs).hasSize(2);
      assertThat(other.isTerminated()).isTrue();
    }

    @Test
    void compareTo_sameDeadline_comparesSubmissions() {
      ScheduledFuture<?> first = executor.schedule(() -> {}, 10, SECONDS);
      ScheduledFuture<?> second = executor.schedule(() -> {}, 10, SECONDS);
      assertThat(first.compareTo(second)).isNegative();
      assertThat(second.compareTo(first)).isPositive();
      ScheduledFuture<?> elsewhere = on(Runnable::run).schedule(() -> {}, 10, SECONDS);
      assertThat(first.compareTo(elsewhere)).isZero();
      assertThat(elsewhere.cancel(false)).isTrue();
    }

    @Test
    void taskThatIsRemovedWhileItIsScheduled_leavesNoTimeout() {
      AtomicReference<Runnable> onRead = new AtomicReference<>(() -> {});
      Ticker ticker =
          () -> {
            onRead.getAndSet(() -> {}).run();
            return 0;
          };
      Timer timer = Timer.builder().ticker(ticker).build();
      List<Runnable> handed = new ArrayList<>();
      WheelScheduledExecutor other =
          WheelScheduledExecutor.builder().timer(timer).executor(handed::add).build();
      WheelTask<?> task = (WheelTask<?>) other.scheduleAtFixedRate(() -> {}, 0, 1, SECONDS);
      onRead.set(() -> assertThat(task.cancelBeforeRun()).isTrue());
      handed.get(0).run();
      assertThat(other).hasToString("WheelScheduledExecutor[running, 0 tasks]");
      assertThat(timer.size()).isZero();
      other.shutdown();
      assertThat(other.isTerminated()).isTrue();
    }

    @Test
    void closedTimer_rejectsDelayedTasks_andEndsPeriodicOnes() {
      Timer timer = Timer.builder().ticker(() -> 0).build();
      List<Runnable> handed = new ArrayList<>();
      WheelScheduledExecutor other =
          WheelScheduledExecutor.builder().timer(timer).executor(handed::add).build();
      ScheduledFuture<?> periodic = other.scheduleAtFixedRate(() -> {}, 0, 1, SECONDS);
      timer.close();
      handed.get(0).run();
      assertThatThrownBy(periodic::get).isInstanceOf(ExecutionException.class);
      assertThatThrownBy(() -> other.schedule(() -> {}, 1, SECONDS))
          .isInstanceOf(RejectedExecutionException.class)
          .hasMessageContaining("the timer is closed");
      other.shutdown();
      assertThat(other.isTerminated()).isTrue();
    }
  }

  /** On real threads. */
  @Nested
  class OnThreads {
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final ThreadFactory factory =
        task -> {
          Thread thread = new Thread(task);
          threads.add(thread);
          return thread;
        };

    private WheelScheduledExecutor endingAfter(int most, Duration idle) {
      return WheelScheduledExecutor.builder()
          .threads(most)
          .threadFactory(factory)
          .keepAlive(idle)
          .build();
    }

    private static void stop(WheelScheduledExecutor executor) throws InterruptedException {
      executor.shutdownNow();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    private void join(List<Thread> ended) throws InterruptedException {
      for (Thread thread : List.copyOf(ended)) {
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
      }
    }

    @Test
    void threads_stayByDefault() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
      Callable<Thread> current = Thread::currentThread;
      Thread first = executor.submit(current).get(30, SECONDS);
      first.join(1500);
      assertThat(executor.schedule(current, 1, MILLISECONDS).get(30, SECONDS)).isSameAs(first);
      assertThat(threads).containsExactly(first);
      stop(executor);
      join(threads);
    }

    @Test
    void threads_stay_afterATaskHasLeftAPermit() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
      Callable<Thread> current = Thread::currentThread;
      Callable<Thread> unparked =
          () -> {
            LockSupport.unpark(Thread.currentThread());
            return Thread.currentThread();
          };
      Thread first = executor.submit(unparked).get(30, SECONDS);
      first.join(500);
      assertThat(executor.submit(current).get(30, SECONDS)).isSameAs(first);
      stop(executor);
      join(threads);
    }

    @Test
    void idleThreads_withKeepAlive_end() throws Exception {
      WheelScheduledExecutor executor = endingAfter(4, millis(20));
      assertThat(threads).hasSize(1).allMatch(thread -> !thread.isAlive()); // not started yet
      for (int i = 0; i < 100; i++) {
        executor.schedule(() -> {}, 1 + i % 10, MILLISECONDS);
      }
      executor.submit(() -> {}).get(30, SECONDS);
      awaitUntil(() -> executor.toString().contains("0 tasks"));
      join(threads);
      assertThat(executor.submit(() -> "again").get(30, SECONDS)).isEqualTo("again");
      stop(executor);
    }

    @Test
    void lastThread_withKeepAlive_staysWhileATaskIsScheduled() throws Exception {
      WheelScheduledExecutor executor = endingAfter(2, Duration.ofNanos(1));
      ScheduledFuture<?> late = executor.schedule(() -> {}, 30, SECONDS);
      executor.submit(() -> {}).get(30, SECONDS);
      awaitUntil(() -> threads.stream().filter(Thread::isAlive).count() == 1);
      assertThat(executor.schedule(() -> "due", 5, MILLISECONDS).get(30, SECONDS)).isEqualTo("due");
      assertThat(late.cancel(false)).isTrue();
      join(threads);
      stop(executor);
    }

    /** Blocks a thread until the latch is down. */
    private static void block(WheelScheduledExecutor executor, CountDownLatch release) {
      CountDownLatch blocks = new CountDownLatch(1);
      executor.execute(
          () -> {
            blocks.countDown();
            await(release);
          });
      await(blocks);
    }

    @Test
    void lastIdleThread_withKeepAlive_staysWhileATaskIsScheduled() throws Exception {
      WheelScheduledExecutor executor = endingAfter(2, millis(20));
      CountDownLatch release = new CountDownLatch(1);
      block(executor, release);
      assertThat(executor.schedule(() -> "due", 200, MILLISECONDS).get(30, SECONDS))
          .isEqualTo("due");
      awaitUntil(() -> threads.stream().filter(Thread::isAlive).count() == 1);
      release.countDown();
      stop(executor);
    }

    @Test
    void scheduledTask_runsOnTheIdleThread_whileTheOtherIsBusy() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(2, factory);
      CountDownLatch meet = new CountDownLatch(1);
      block(executor, meet);
      block(executor, meet);
      meet.countDown();
      for (int round = 0; round < 10; round++) {
        awaitUntil(
            () ->
                executor.toString().contains("0 tasks")
                    && threads.stream()
                        .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        CountDownLatch release = new CountDownLatch(1);
        block(executor, release);
        assertThat(executor.schedule(() -> "due", 2, MILLISECONDS).get(30, SECONDS))
            .isEqualTo("due");
        release.countDown();
      }
      stop(executor);
      join(threads);
    }

    @Test
    void shutdown_withHardlyAnyStack_terminates() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
      Thread deep = new Thread(() -> shutDownAtTheEndOfTheStack(executor));
      deep.start();
      deep.join();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @SuppressWarnings("InfiniteRecursion") // it ends with the stack
    private static void shutDownAtTheEndOfTheStack(WheelScheduledExecutor executor) {
      try {
        shutDownAtTheEndOfTheStack(executor);
      } catch (StackOverflowError e) {
        executor.shutdown();
      }
    }

    @Test
    void shutdownNow_threadThatRefusesAnInterrupt_returnsWhatHasWaited() throws Exception {
      CountDownLatch release = new CountDownLatch(1);
      WheelScheduledExecutor executor =
          new WheelScheduledExecutor(
              1,
              task ->
                  new Thread(task) {
                    @Override
                    public void interrupt() {
                      throw new SecurityException("expected");
                    }
                  });
      block(executor, release);
      ScheduledFuture<?> waits = executor.schedule(() -> {}, 1, SECONDS);
      assertThat(executor.shutdownNow()).isEqualTo(List.of(waits));
      release.countDown();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @Test
    void scheduledTask_keepsAThread() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
      executor.schedule(() -> {}, 30, SECONDS);
      assertThat(threads).hasSize(1).allMatch(thread -> thread.isAlive() && !thread.isDaemon());
      executor.shutdownNow();
      join(threads);
    }

    @Test
    void handingOver_endsItsThread() throws Exception {
      WheelScheduledExecutor executor =
          WheelScheduledExecutor.builder().executor(Runnable::run).keepAlive(millis(20)).build();
      executor.schedule(() -> {}, 1, MILLISECONDS).get(30, SECONDS);
      awaitUntil(() -> countThreads("purgatory-executor-relay") == 0);
      stop(executor);
    }

    @Test
    void factoryThatFails_withoutThreads_rejects() throws Exception {
      AtomicInteger failures = new AtomicInteger();
      ThreadFactory failing =
          task -> threads.isEmpty() || failures.get() == 0 ? factory.newThread(task) : null;
      WheelScheduledExecutor executor =
          WheelScheduledExecutor.builder().threadFactory(failing).keepAlive(millis(1)).build();
      executor.submit(() -> {}).get(30, SECONDS);
      join(threads);
      failures.set(1);
      assertThatThrownBy(() -> executor.execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class)
          .hasMessageContaining("the thread factory returned null");
      assertThatThrownBy(() -> executor.schedule(() -> {}, 1, SECONDS))
          .isInstanceOf(RejectedExecutionException.class);
      assertThat(executor).hasToString("WheelScheduledExecutor[running, 0 tasks]");
      failures.set(0);
      assertThat(executor.submit(() -> "again").get(30, SECONDS)).isEqualTo("again");
      stop(executor);
    }

    @Test
    void factoryThatFails_withAThread_usesThat() throws Exception {
      ThreadFactory once =
          task -> {
            if (!threads.isEmpty()) {
              throw new IllegalStateException("expected");
            }
            return factory.newThread(task);
          };
      WheelScheduledExecutor executor = new WheelScheduledExecutor(2, once);
      for (int i = 0; i < 3; i++) {
        assertThat(executor.submit(() -> "done").get(30, SECONDS)).isEqualTo("done");
      }
      stop(executor);
    }

    @Test
    void factoryThatShutsTheExecutorDown_getsTheTask() throws Exception {
      AtomicReference<WheelScheduledExecutor> self = new AtomicReference<>();
      List<Runnable> waiting = new CopyOnWriteArrayList<>();
      ThreadFactory stopping =
          task -> {
            WheelScheduledExecutor made = self.get();
            if (made != null) {
              waiting.addAll(made.shutdownNow());
            }
            return factory.newThread(task);
          };
      WheelScheduledExecutor executor = new WheelScheduledExecutor(2, stopping);
      self.set(executor);
      assertThat(executor.submit(() -> "first").get(30, SECONDS)).isEqualTo("first");
      ScheduledFuture<?> future = executor.schedule(() -> {}, 1, HOURS);
      assertThat(waiting).isEqualTo(List.of(future));
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @Test
    void handlerThatThrows_doesNotEndTheThread() throws Exception {
      ThreadFactory throwing =
          task -> {
            Thread thread = factory.newThread(task);
            thread.setUncaughtExceptionHandler(
                (where, error) -> {
                  throw new IllegalStateException("expected");
                });
            return thread;
          };
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, throwing);
      executor.execute(
          () -> {
            throw new IllegalStateException("expected");
          });
      Callable<Thread> current = Thread::currentThread;
      assertThat(executor.submit(current).get(30, SECONDS)).isSameAs(threads.get(0));
      stop(executor);
    }

    private static long countThreads(String name) {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().equals(name))
          .count();
    }

    @Test
    void directExecutor_runsTasksOnNoClockThread() throws Exception {
      try (Timer timer = Timer.builder().start("clock")) {
        WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().timer(timer).executor(Runnable::run).build();
        Callable<String> name = () -> Thread.currentThread().getName();
        assertThat(executor.schedule(name, 5, MILLISECONDS).get(30, SECONDS))
            .isEqualTo("purgatory-executor-relay");
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
      }
    }

    @Test
    void blockingExecutor_delaysNobodyElse_andCanBeStopped() throws Exception {
      try (Timer timer = Timer.builder().start("clock")) {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Executor blocking =
            task -> {
              blocked.countDown();
              try {
                never.await();
              } catch (InterruptedException e) {
                throw new RejectedExecutionException(e);
              }
            };
        WheelScheduledExecutor stuck =
            WheelScheduledExecutor.builder().timer(timer).executor(blocking).build();
        List<ScheduledFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
          futures.add(stuck.schedule(() -> {}, 1, MILLISECONDS));
        }
        await(blocked);
        CountDownLatch other = new CountDownLatch(1);
        timer.schedule(other::countDown, millis(5));
        await(other);
        assertThat(futures.get(MANY - 1).cancel(false)).isTrue();
        assertThat(stuck.shutdownNow()).hasSize(MANY - 1);
        assertThat(stuck.awaitTermination(30, SECONDS)).isTrue();
        awaitUntil(() -> countThreads("purgatory-executor-relay") == 0);
        assertThat(timer.size()).isZero();
      }
    }

    @Test
    void cancelledTasks_doNotFillTheQueue() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
      CountDownLatch release = occupy(executor);
      for (int i = 0; i < MANY; i++) {
        assertThat(executor.submit(() -> {}).cancel(false)).isTrue();
      }
      assertThat(requireNonNull(executor.dispatcher.workers).queue.size()).isLessThan(3000);
      release.countDown();
      executor.shutdown();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    /** Occupies the only thread until the latch is released. */
    private static CountDownLatch occupy(WheelScheduledExecutor executor) {
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      executor.execute(
          () -> {
            started.countDown();
            await(release);
          });
      await(started);
      return release;
    }

    @Test
    void shutdownNow_releasesTheCallerOfInvokeAll() throws Exception {
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
      CountDownLatch started = new CountDownLatch(1);
      Callable<Boolean> blocking =
          () -> {
            started.countDown();
            return new CountDownLatch(1).await(30, SECONDS);
          };
      CompletableFuture<List<Future<Boolean>>> all =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return executor.invokeAll(List.of(blocking, () -> true));
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      await(started);
      awaitUntil(() -> executor.toString().contains("2 tasks"));
      executor.shutdownNow();
      List<Future<Boolean>> futures = all.get(30, SECONDS);
      assertThatThrownBy(() -> futures.get(0).get()).hasCauseInstanceOf(InterruptedException.class);
      assertThatThrownBy(() -> futures.get(1).get()).isInstanceOf(CancellationException.class);
    }

    @Test
    void exceptionOfACommand_goesToTheHandlerOfItsThread() throws Exception {
      CompletableFuture<Throwable> handled = new CompletableFuture<>();
      ThreadFactory reporting =
          task -> {
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((where, error) -> handled.complete(error));
            return thread;
          };
      WheelScheduledExecutor executor = new WheelScheduledExecutor(1, reporting);
      RuntimeException error = new IllegalStateException("expected");
      executor.execute(
          () -> {
            throw error;
          });
      assertThat(handled.get(30, SECONDS)).isSameAs(error);
      assertThat(executor.submit(() -> "next").get(30, SECONDS)).isEqualTo("next");
      executor.shutdownNow();
    }

    @Test
    void concurrentSchedulesCancelsAndShutdown_loseNothing() throws Exception {
      for (int round = 0; round < 20; round++) {
        WheelScheduledExecutor executor = new WheelScheduledExecutor(2, factory);
        List<Future<?>> accepted = new ArrayList<>();
        CountDownLatch some = new CountDownLatch(100);
        Thread stopper =
            new Thread(
                () -> {
                  await(some);
                  executor.shutdownNow();
                });
        stopper.start();
        try {
          for (int i = 0; ; i++) {
            if (i == MANY) {
              stopper.join();
            }
            Future<?> future = executor.schedule(() -> {}, i % 3, MILLISECONDS);
            accepted.add(future);
            some.countDown();
            if (i % 5 == 0) {
              future.cancel(i % 2 == 0);
            }
          }
        } catch (RejectedExecutionException e) {
          stopper.join();
        }
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(accepted).allMatch(Future::isDone);
      }
    }
  }

  /** Races of a task, a thread that cancels it, and threads that wait for its end. */
  @Nested
  class InRaces {
    /** Other processes slow these races down: then there are fewer. */
    private final long end = System.nanoTime() + MILLISECONDS.toNanos(700);

    @Test
    void cancelWithInterrupt_whileTasksEnd_interruptsNoOther() throws Exception {
      AtomicInteger strays = new AtomicInteger();
      Executor checking =
          task -> {
            task.run();
            if (Thread.interrupted()) {
              strays.incrementAndGet();
            }
          };
      WheelScheduledExecutor executor = WheelScheduledExecutor.builder().executor(checking).build();
      AtomicInteger running = new AtomicInteger();
      int cancelled = 0;
      for (int i = 1; i == 1 || System.nanoTime() < end; i++) {
        int number = i;
        Runnable task =
            () -> {
              running.set(number);
              if (number % 8 == 1) {
                spinUntil(Thread.currentThread()::isInterrupted);
              } else {
                spin(number);
              }
            };
        Future<?> future = executor.schedule(task, 1, NANOSECONDS);
        spinUntil(() -> running.get() == number);
        cancelled += future.cancel(true) ? 1 : 0;
      }
      executor.shutdown();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
      assertThat(cancelled).isPositive();
      assertThat(strays).hasValue(0);
    }

    @Test
    void cancel_whileThreadsBeginToWait_wakesThem() throws Exception {
      WheelScheduledExecutor executor =
          WheelScheduledExecutor.builder().timer(Timer.builder().build()).build();
      AtomicReference<@Nullable Future<?>> next = new AtomicReference<>();
      AtomicInteger woken = new AtomicInteger();
      Thread waiter = new Thread(() -> awaitEach(next, woken));
      waiter.start();
      for (int i = 0; i == 0 || System.nanoTime() < end; i++) {
        Future<?> future = executor.schedule(() -> {}, 1, HOURS);
        next.set(future);
        spin(i);
        assertThat(future.cancel(false)).isTrue();
        int number = i + 1;
        spinUntil(() -> woken.get() == number);
      }
      waiter.interrupt();
      executor.shutdownNow();
    }

    private static void spinUntil(BooleanSupplier condition) {
      while (!condition.getAsBoolean()) {
        Thread.onSpinWait();
        if (Thread.currentThread().isInterrupted() && !condition.getAsBoolean()) {
          throw new AssertionError("the test timed out");
        }
      }
    }

    /** Takes a time that differs from call to call. */
    private static void spin(int call) {
      for (int left = call % 64; left > 0; left--) {
        Thread.onSpinWait();
      }
    }

    private static void awaitEach(AtomicReference<@Nullable Future<?>> next, AtomicInteger woken) {
      while (!Thread.currentThread().isInterrupted()) {
        Future<?> future = next.getAndSet(null);
        if (future != null) {
          try {
            future.get();
          } catch (CancellationException e) {
            woken.incrementAndGet();
          } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
          }
        }
      }
    }
  }

  /** The order of execution on one thread: that of ScheduledThreadPoolExecutor. */
  @Nested
  class InOrder {
    private final List<Integer> order = new ArrayList<>(); // of the thread of the executor

    private void finish(WheelScheduledExecutor executor) throws InterruptedException {
      executor.shutdown();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @Test
    void lateTask_runsBeforeACommandAfterIt() throws Exception {
      AtomicLong now = new AtomicLong();
      Timer timer = Timer.builder().ticker(now::get).build();
      WheelScheduledExecutor executor = WheelScheduledExecutor.builder().timer(timer).build();
      CountDownLatch release = OnThreads.occupy(executor);
      executor.schedule(() -> order.add(1), 1, MICROSECONDS);
      now.set(MILLISECONDS.toNanos(1));
      executor.execute(() -> order.add(2));
      assertThat(timer.advance()).isEqualTo(1); // the clock is late
      release.countDown();
      finish(executor);
      assertThat(order).containsExactly(1, 2);
    }

    @Test
    void lateFixedRate_runsInOrderWithOtherLateTasks() throws Exception {
      WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
      List<Long> deadlines = new ArrayList<>(); // of the thread of the executor
      CountDownLatch late = new CountDownLatch(1);
      executor.execute(() -> await(late));
      List<WheelTask<?>> tasks = new ArrayList<>();
      Runnable rate = () -> deadlines.add(tasks.get(0).deadline());
      tasks.add((WheelTask<?>) executor.scheduleAtFixedRate(rate, 10, 10, MILLISECONDS));
      for (int i = 1; i < 3000; i++) {
        int number = i;
        Runnable once =
            () -> {
              deadlines.add(tasks.get(number).deadline());
              for (long end = System.nanoTime() + 3000; System.nanoTime() < end; ) {
                Thread.onSpinWait(); // so that ticks pass until all have run
              }
            };
        tasks.add((WheelTask<?>) executor.schedule(once, 100L * i, MICROSECONDS));
      }
      Thread.sleep(320);
      late.countDown();
      for (WheelTask<?> once : tasks.subList(1, tasks.size())) {
        once.get(30, SECONDS);
      }
      tasks.get(0).cancel(false);
      finish(executor);
      assertThat(deadlines).hasSizeGreaterThan(3020).isSorted();
    }

    @Test
    void elapsedTasks_runBeforeCommandsAfterThem() throws Exception {
      WheelScheduledExecutor executor =
          new WheelScheduledExecutor(1, Executors.defaultThreadFactory());
      int[] micros = {1, 700, 1500};
      for (int round = 0; round < 300; round++) {
        int number = 2 * round;
        int delay = micros[round % 3];
        ScheduledFuture<?> first = executor.schedule(() -> order.add(number), delay, MICROSECONDS);
        while (first.getDelay(NANOSECONDS) > 0) {
          Thread.onSpinWait();
        }
        executor.submit(() -> order.add(number + 1)).get(30, SECONDS);
      }
      finish(executor);
      assertThat(order).hasSize(600).isSorted();
    }

    @Test
    void equalDelays_ofThreadsThatTakeTurns_keepTheirOrder() throws Exception {
      WheelScheduledExecutor executor =
          new WheelScheduledExecutor(1, Executors.defaultThreadFactory());
      AtomicInteger next = new AtomicInteger();
      Thread other = new Thread(() -> schedule(executor, next, 1));
      other.start();
      schedule(executor, next, 0);
      other.join();
      finish(executor);
      assertThat(order).hasSize(10_000).isSorted();
    }

    private void schedule(WheelScheduledExecutor executor, AtomicInteger next, int remainder) {
      for (int i = remainder; i < 10_000; i += 2) {
        for (int spins = 0; next.get() != i; spins++) {
          if (spins < 1_000) {
            Thread.onSpinWait();
          } else {
            LockSupport.parkNanos(1_000); // the other thread may need this processor
          }
        }
        int number = i;
        executor.schedule(() -> order.add(number), 5, MILLISECONDS);
        next.set(i + 1);
      }
    }

    @Test
    void mixedDelays_runInTheOrderOfTheirDeadlines() throws Exception {
      WheelScheduledExecutor executor =
          new WheelScheduledExecutor(1, Executors.defaultThreadFactory());
      CountDownLatch release = OnThreads.occupy(executor);
      List<ScheduledFuture<?>> futures = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        int number = i;
        futures.add(executor.schedule(() -> order.add(number), i * 7919 % 20_000, MICROSECONDS));
      }
      while (futures.stream().anyMatch(future -> future.getDelay(NANOSECONDS) > 0)) {
        Thread.onSpinWait();
      }
      release.countDown();
      finish(executor);
      List<ScheduledFuture<?>> sorted = futures.stream().sorted().toList();
      assertThat(order.stream().map(futures::get).toList()).isEqualTo(sorted);
    }
  }

  @Test
  void shutdownNow_whileThreadsTakeTasks_losesNone() throws Exception {
    for (int round = 0; round < 100; round++) {
      WheelScheduledExecutor executor =
          new WheelScheduledExecutor(2, Executors.defaultThreadFactory());
      AtomicInteger begun = new AtomicInteger();
      Callable<Boolean> task = () -> begun.incrementAndGet() > 0;
      for (int i = 0; i < 1000; i++) {
        executor.submit(task);
      }
      int returned = executor.shutdownNow().size();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
      assertThat(begun.get() + returned).isEqualTo(1000);
    }
  }

  @Test
  void shutdownNow_whileAnotherThreadShutsDown_returnsAll() throws Exception {
    for (int round = 0; round < 100; round++) {
      WheelScheduledExecutor executor =
          new WheelScheduledExecutor(1, Executors.defaultThreadFactory());
      for (int i = 0; i < 1000; i++) {
        executor.schedule(() -> {}, 1, HOURS);
      }
      Thread other = new Thread(executor::shutdown);
      other.start();
      int returned = executor.shutdownNow().size();
      other.join();
      assertThat(returned).isEqualTo(1000);
    }
  }

  @Test
  void sharedTimer_isNotClosed() throws Exception {
    try (Timer timer = Timer.builder().start("clock")) {
      WheelScheduledExecutor executor = WheelScheduledExecutor.builder().timer(timer).build();
      assertThat(executor.schedule(() -> "done", 1, NANOSECONDS).get(30, SECONDS))
          .isEqualTo("done");
      executor.shutdown();
      assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
      CountDownLatch fired = new CountDownLatch(1);
      timer.schedule(fired::countDown, millis(1));
      await(fired);
    }
  }

  @Test
  @SuppressWarnings("NullAway")
  void badArguments_areRejected() {
    assertThatThrownBy(() -> new WheelScheduledExecutor(0, Executors.defaultThreadFactory()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("0 threads cannot run tasks");
    assertThatThrownBy(() -> new WheelScheduledExecutor(1, null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new WheelScheduledExecutor(1, task -> null))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> WheelScheduledExecutor.builder().executor(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> WheelScheduledExecutor.builder().keepAlive(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("keepAlive PT0S is not positive");
    assertThatThrownBy(() -> WheelScheduledExecutor.builder().timer(null))
        .isInstanceOf(NullPointerException.class);
  }
}
