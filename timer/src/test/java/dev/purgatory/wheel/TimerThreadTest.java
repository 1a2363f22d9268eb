package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when a timer has a thread. */
class TimerThreadTest {
  /** Short: the thread often ends between two calls. */
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Passes in virtual time, so that the thread does not end while one call schedules a task. */
  private static final long VIRTUAL_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ManualTicker ticker = new ManualTicker();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<Throwable> errors = new CopyOnWriteArrayList<>();

  private Thread thread(Runnable task) {
    Thread thread = new Thread(task, "on-demand-clock");
    thread.setDaemon(true);
    threads.add(thread);
    return thread;
  }

  private Timer start(ThreadFactory factory) {
    return start(factory, Timer.builder(), IDLE_NANOS);
  }

  private Timer startInVirtualTime(ThreadFactory factory) {
    return start(factory, Timer.builder().ticker(ticker), VIRTUAL_IDLE_NANOS);
  }

  private Timer start(ThreadFactory factory, Timer.Builder builder, long idleNanos) {
    return TimerView.idleNanos(builder, idleNanos).errorHandler(errors::add).start(factory);
  }

  private void passIdleTimeUntil(BooleanSupplier condition) {
    Threads.until(
        () -> {
          ticker.advance(VIRTUAL_IDLE_NANOS);
          return condition.getAsBoolean();
        });
  }

  private void awaitEnd() {
    passIdleTimeUntil(() -> threads.stream().noneMatch(Thread::isAlive));
  }

  private Thread last() {
    return threads.get(threads.size() - 1);
  }

  private static void fireOne(Timer timer) throws InterruptedException {
    CountDownLatch fired = new CountDownLatch(1);
    timer.schedule(fired::countDown, Duration.ZERO);
    Threads.await(fired);
  }

  @Test
  void start_nothingIsScheduled_runsNoThread() {
    try (Timer timer = start(this::thread)) {
      assertThat(timer.hasThread()).isTrue();
      assertThat(threads).hasSize(1);
      assertThat(threads.get(0).getState()).isEqualTo(Thread.State.NEW);
    }
    assertThat(threads.get(0).getState()).isEqualTo(Thread.State.NEW);
  }

  @Test
  void schedule_again_startsAnotherThreadWhenTheLastHasEnded() throws InterruptedException {
    try (Timer timer = start(this::thread)) {
      for (int i = 0; i < 3; i++) {
        fireOne(timer);
        Thread last = last();
        Threads.until(() -> !last.isAlive());
      }
      assertThat(threads.size()).isGreaterThanOrEqualTo(3);
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void start_defaultIdleTime_threadEndsAfterASecond() throws InterruptedException {
    try (Timer timer = Timer.builder().start("idle-second-clock")) {
      long begin = System.nanoTime();
      fireOne(timer);
      Threads.until(() -> !Threads.isAlive("idle-second-clock"));
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(1_000_000_000);
    }
  }

  @Test
  void cancel_lastTask_threadEndsLongBeforeTheTaskWouldHaveRun() {
    try (Timer timer = startInVirtualTime(this::thread)) {
      Timeout timeout = timer.schedule(() -> {}, Duration.ofDays(365));
      Threads.until(() -> threads.get(0).getState() == Thread.State.TIMED_WAITING);
      assertThat(timeout.cancel()).isTrue();
      awaitEnd();
      assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
    }
  }

  @Test
  void thread_tasksWait_dozesUntilTheFirstIsDueOrTheLastIsCancelled() {
    try (Timer timer = start(this::thread)) {
      Timeout last = timer.schedule(() -> {}, Duration.ofHours(1));
      Thread clock = last(); // perhaps another one has ended while the task was scheduled
      long due = timer.nextDue();
      for (int i = 0; i < 3; i++) {
        Timeout cancelled = timer.schedule(() -> {}, Duration.ofHours(2));
        Threads.until(() -> WheelsView.wheels(timer).sleep.until == due);
        assertThat(cancelled.cancel()).isTrue();
        assertThat(clock.isAlive()).isTrue();
      }
      Threads.until(() -> WheelsView.wheels(timer).sleep.until == due);
      assertThat(last.cancel()).isTrue();
      Threads.until(() -> !clock.isAlive());
      assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
    }
    assertThat(errors).isEmpty();
  }

  /** Tasks are cancelled just when the thread begins to doze. */
  @Test
  void cancel_racesWithTheThread_threadEnds() throws InterruptedException {
    Random random = new Random(2);
    try (Timer timer = TimerView.idleNanos(Timer.builder(), 20_000).start(this::thread)) {
      Threads.repeat(
          2_000,
          round -> {
            Timeout timeout = timer.schedule(() -> {}, Duration.ofHours(1));
            long end = System.nanoTime() + random.nextInt(150_000);
            Threads.until(() -> System.nanoTime() >= end);
            assertThat(timeout.cancel()).isTrue();
            Threads.until(() -> !last().isAlive());
          });
    }
    assertThat(threads.size()).as("threads").isGreaterThan(10);
  }

  @Test
  void thread_tasksWait_staysAlive() throws InterruptedException {
    try (Timer timer = startInVirtualTime(this::thread)) {
      timer.schedule(() -> {}, Duration.ofDays(365));
      for (int i = 0; i < 20; i++) {
        fireOne(timer);
      }
      passIdleTimeUntil(() -> WheelsView.wheels(timer).sleep.until == timer.nextDue());
      assertThat(threads).hasSize(1);
      assertThat(threads.get(0).isAlive()).isTrue();
    }
    assertThat(threads.get(0).isAlive()).isFalse();
  }

  /** Tasks are scheduled just when the thread ends. */
  @Test
  void schedule_racesWithTheEndOfTheThread_everyTaskRuns() throws InterruptedException {
    AtomicInteger fired = new AtomicInteger();
    Random random = new Random(1);
    try (Timer timer = TimerView.idleNanos(Timer.builder(), 20_000).start(this::thread)) {
      Threads.repeat(
          2_000,
          round -> {
            timer.schedule(fired::incrementAndGet, Duration.ofNanos(0));
            Threads.until(() -> fired.get() == round + 1);
            long end = System.nanoTime() + random.nextInt(150_000);
            Threads.until(() -> System.nanoTime() >= end);
          });
    }
    assertThat(threads.size()).as("threads").isGreaterThan(10);
  }

  @Test
  void schedule_factoryFails_throwsAndSchedulesNothingUntilItWorks() throws InterruptedException {
    AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    ThreadFactory factory =
        task -> {
          RuntimeException thrown = failure.get();
          if (thrown != null) {
            throw thrown;
          }
          return thread(task);
        };
    try (Timer timer = startInVirtualTime(factory)) {
      fireOne(timer);
      awaitEnd();
      RuntimeException expected = new IllegalStateException("no threads");
      failure.set(expected);
      assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ofMillis(1))).isSameAs(expected);
      assertThat(timer.size()).isZero();
      failure.set(null);
      fireOne(timer);
    }
    assertThat(errors).isEmpty();
  }

  /** A start that fails while another thread schedules, which must not rely on it. */
  @Test
  void schedule_whileAnotherThreadFailsToStartTheClock_taskRuns() throws InterruptedException {
    CountDownLatch starting = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    OutOfMemoryError failure = new OutOfMemoryError("unable to create native thread");
    ThreadFactory factory =
        task -> threads.isEmpty() ? failingThread(starting, release, failure) : thread(task);
    CountDownLatch fired = new CountDownLatch(1);
    try (Timer timer = startInVirtualTime(factory)) {
      Threads.Running first =
          Threads.start(
              () ->
                  assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ofMillis(1)))
                      .isSameAs(failure));
      Threads.await(starting);
      Threads.Running second = Threads.start(() -> timer.schedule(fired::countDown, Duration.ZERO));
      Threads.until(() -> isWaitingOrEnded(second.thread()));
      release.countDown();
      first.join();
      second.join();
      Threads.await(fired);
      fireOne(timer);
      assertThat(timer.size()).isZero();
    }
    assertThat(errors).isEmpty();
  }

  private Thread failingThread(CountDownLatch starting, CountDownLatch release, Error failure) {
    Thread thread =
        new Thread() {
          @Override
          public synchronized void start() {
            starting.countDown();
            Threads.until(() -> release.getCount() == 0);
            throw failure;
          }
        };
    threads.add(thread);
    return thread;
  }

  private static boolean isWaitingOrEnded(Thread thread) {
    return thread.getState() == Thread.State.WAITING || !thread.isAlive();
  }

  /** No lock is held while the factory runs. */
  @Test
  void schedule_factoryWaitsForAnotherThreadThatSchedules_bothTasksRunOnOneThread()
      throws InterruptedException {
    AtomicReference<@Nullable Timer> created = new AtomicReference<>();
    CountDownLatch inner = new CountDownLatch(1);
    ThreadFactory factory =
        task -> {
          Thread thread = thread(task);
          Timer timer = created.getAndSet(null);
          if (timer != null) {
            Threads.Running other =
                Threads.start(() -> timer.schedule(inner::countDown, Duration.ZERO));
            Threads.until(() -> !other.thread().isAlive());
          }
          return thread;
        };
    try (Timer timer = startInVirtualTime(factory)) {
      fireOnASecondThread(timer, () -> created.set(timer));
      Threads.await(inner);
      assertThat(threads).filteredOn(t -> t.getState() != Thread.State.NEW).hasSize(2);
    }
    assertThat(errors).isEmpty();
  }

  /** Fires a task, and another one after the first thread has ended. */
  private void fireOnASecondThread(Timer timer, Runnable between) throws InterruptedException {
    fireOne(timer);
    awaitEnd();
    between.run();
    fireOne(timer);
  }

  @Test
  void schedule_factorySchedules_bothTasksRunOnOneThread() throws InterruptedException {
    AtomicReference<@Nullable Timer> created = new AtomicReference<>();
    CountDownLatch inner = new CountDownLatch(1);
    ThreadFactory factory =
        task -> {
          Timer timer = created.get();
          if (timer != null) {
            timer.schedule(inner::countDown, Duration.ZERO);
          }
          return thread(task);
        };
    try (Timer timer = startInVirtualTime(factory)) {
      fireOnASecondThread(timer, () -> created.set(timer));
      Threads.await(inner);
      assertThat(threads).hasSize(2);
    }
    assertThat(errors).isEmpty();
  }

  @Test
  @SuppressWarnings("NullAway") // a factory without null analysis
  void schedule_factoryReturnsNullOrAStartedThread_throws() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    ThreadFactory factory =
        task ->
            switch (calls.getAndIncrement()) {
              case 0 -> thread(task);
              case 1 -> null;
              default -> Thread.currentThread();
            };
    try (Timer timer = startInVirtualTime(factory)) {
      fireOne(timer);
      awaitEnd();
      for (String what : List.of("null", "started")) {
        assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ofMillis(1)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("thread factory")
            .hasMessageContaining(what);
      }
      assertThat(timer.size()).isZero();
    }
  }

  @Test
  void thread_startedByAnyThread_inheritsNothingFromIt() throws InterruptedException {
    InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
    ClassLoader creators = Thread.currentThread().getContextClassLoader();
    AtomicReference<@Nullable String> inherited = new AtomicReference<>();
    AtomicReference<@Nullable ClassLoader> loader = new AtomicReference<>();
    CountDownLatch fired = new CountDownLatch(1);
    try (Timer timer = Timer.builder().start("inheriting-clock")) {
      Threads.start(
              () -> {
                local.set("of the scheduling thread");
                Thread.currentThread().setContextClassLoader(new ClassLoader() {});
                timer.schedule(
                    () -> {
                      inherited.set(local.get());
                      loader.set(Thread.currentThread().getContextClassLoader());
                      fired.countDown();
                    },
                    Duration.ofNanos(0));
              })
          .join();
      Threads.await(fired);
    }
    assertThat(inherited).hasNullValue();
    assertThat(loader.get()).isSameAs(creators);
  }

  @Test
  void closeWithinATime_taskBlocks_returnsAndInterruptsNothing() throws InterruptedException {
    Timer timer = start(this::thread);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicReference<@Nullable Boolean> interrupted = new AtomicReference<>();
    timer.schedule(
        () -> {
          begun.countDown();
          try {
            Threads.await(mayEnd);
            interrupted.set(false);
          } catch (InterruptedException e) {
            interrupted.set(true);
          }
        },
        Duration.ZERO);
    Threads.await(begun);
    WheelsView.wheels(timer).close(1);
    assertThat(last().isAlive()).isTrue();
    mayEnd.countDown();
    Threads.until(() -> interrupted.get() != null);
    assertThat(interrupted.get()).isFalse();
    awaitEnd();
  }

  /** A thread of the factory that ends before it runs the clock, or after an error there. */
  @Test
  void schedule_formerThreadHasDied_startsAnother() throws InterruptedException {
    AtomicInteger made = new AtomicInteger();
    ThreadFactory dying =
        task ->
            thread(
                () -> {
                  if (made.incrementAndGet() > 3) {
                    task.run();
                  }
                });
    try (Timer timer = start(dying)) {
      CountDownLatch fired = new CountDownLatch(4);
      for (int i = 0; i < 4; i++) {
        Threads.until(() -> threads.stream().noneMatch(Thread::isAlive));
        timer.schedule(fired::countDown, Duration.ZERO);
      }
      Threads.await(fired);
      assertThat(made.get()).isGreaterThanOrEqualTo(4); // a schedule may start two
    }
  }

  @Test
  void clock_tasksHandlersAndTickersThrow_goesOn() throws InterruptedException {
    AtomicBoolean broken = new AtomicBoolean();
    AtomicInteger handled = new AtomicInteger();
    Timer.Builder builder =
        Timer.builder()
            .ticker(
                () -> {
                  if (broken.get() && Thread.currentThread().getName().equals("on-demand-clock")) {
                    throw new AssertionError("by the ticker");
                  }
                  return System.nanoTime();
                })
            .errorHandler(
                e -> {
                  handled.incrementAndGet();
                  broken.set(false);
                  throw new AssertionError("by the handler", e);
                });
    try (Timer timer = builder.start(this::thread)) {
      timer.schedule(
          () -> {
            throw new AssertionError("by the task");
          },
          Duration.ZERO);
      Threads.until(() -> handled.get() == 1);
      broken.set(true);
      timer.schedule(() -> {}, Duration.ZERO);
      Threads.until(() -> handled.get() > 1);
      fireOne(timer);
      assertThat(threads).hasSize(1);
    }
  }

  /** The clock reads the ticker at each of its steps; here, one of the readings fails. */
  @Test
  void clock_failsAtAnyStep_firesWithoutAnotherCall() throws InterruptedException {
    AtomicInteger untilFailure = new AtomicInteger();
    Timer.Builder builder =
        Timer.builder()
            .ticker(
                () -> {
                  if (Thread.currentThread().getName().equals("on-demand-clock")
                      && untilFailure.getAndDecrement() == 1) {
                    throw new OutOfMemoryError("by the ticker");
                  }
                  return System.nanoTime();
                });
    try (Timer timer = start(this::thread, builder, IDLE_NANOS)) {
      for (int step = 1; step <= 50; step++) {
        untilFailure.set(step);
        while (untilFailure.get() > 0) {
          CountDownLatch fired = new CountDownLatch(1);
          timer.schedule(fired::countDown, Duration.ofMillis(1));
          Threads.await(fired);
        }
        int failures = step;
        Threads.until(() -> errors.size() == failures);
      }
    }
  }

  @Test
  void advance_taskLeavesAnInterrupt_reachesTheCallerAndNoOtherTask() {
    List<Boolean> interrupted = new ArrayList<>();
    Timer timer = Timer.builder().ticker(ticker).build();
    for (int i = 0; i < 3; i++) {
      timer.schedule(
          () -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
          },
          Duration.ZERO);
    }
    assertThat(timer.advance()).isEqualTo(3);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(interrupted).containsOnly(false);
    assertThat(timer.advance()).isZero();
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void clock_taskLeavesAnInterrupt_reachesNoOtherTask() {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    try (Timer timer = start(this::thread)) {
      for (int i = 0; i < 10; i++) {
        timer.schedule(
            () -> {
              interrupted.add(Thread.currentThread().isInterrupted());
              Thread.currentThread().interrupt();
            },
            Duration.ZERO);
      }
      Threads.until(() -> interrupted.size() == 10);
    }
    assertThat(interrupted).containsOnly(false);
    assertThat(errors).isEmpty();
  }
}
