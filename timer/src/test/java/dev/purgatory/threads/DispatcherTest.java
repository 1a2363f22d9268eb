package dev.purgatory.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DispatcherTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger runs = new AtomicInteger();
  private final List<Runnable> dropped = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    assertThat(timer.size()).isZero();
  }

  private Dispatcher dispatcher(Executor executor) {
    return new Dispatcher(TimerInternals.of(timer), executor, "own", failures::add);
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void executorThatDropsATask_isAskedAgain_andTheTaskRunsOnce() {
    AtomicInteger asked = new AtomicInteger();
    Dispatcher dispatcher =
        dispatcher(
            task -> {
              dropped.add(task);
              if (asked.incrementAndGet() > 1) {
                task.run();
              }
            });
    assertThat(dispatcher.execute(runs::incrementAndGet)).isTrue();
    assertThat(timer.size()).as("it is not counted").isZero();
    pass(SECOND.minusNanos(1));
    assertThat(runs).hasValue(0);
    pass(Duration.ofNanos(1));
    assertThat(runs).hasValue(1);
    dropped.forEach(Runnable::run);
    pass(SECOND.multipliedBy(100));
    assertThat(runs).hasValue(1);
    assertThat(asked).hasValue(2);
    assertThat(failures).isEmpty();
  }

  @Test
  void executorThatDropsEverything_isAskedThreeTimes() {
    Dispatcher dispatcher = dispatcher(dropped::add);
    assertThat(dispatcher.execute(runs::incrementAndGet)).isTrue();
    for (int i = 0; i < 100 && runs.get() == 0; i++) {
      pass(SECOND);
    }
    assertThat(runs).hasValue(1);
    assertThat(dropped).hasSize(3);
    dropped.forEach(Runnable::run);
    assertThat(runs).hasValue(1);
  }

  @Test
  void executorThatDropsATask_atTheEndOfTime_isNotAskedAgainAtOnce() {
    pass(Duration.ofNanos(Long.MAX_VALUE - timer.now() - 1));
    assertThat(dispatcher(dropped::add).execute(runs::incrementAndGet)).isTrue();
    timer.advance();
    assertThat(dropped).hasSize(1);
    dropped.forEach(Runnable::run);
    assertThat(runs).hasValue(1);
  }

  @Test
  void executorThatDropsATaskAndThenRejects_isReplacedByAThreadOfTheLibrary() {
    AtomicReference<String> thread = new AtomicReference<>();
    Dispatcher dispatcher =
        dispatcher(
            task -> {
              dropped.add(task);
              if (dropped.size() > 1) {
                throw new RejectedExecutionException("shut down");
              }
            });
    assertThat(dispatcher.execute(() -> thread.set(Thread.currentThread().getName()))).isTrue();
    pass(SECOND);
    Threads.until(() -> thread.get() != null);
    assertThat(thread).hasValue("own");
    assertThat(failures).singleElement().extracting(Throwable::getMessage).isEqualTo("shut down");
  }

  @Test
  void executorThatIsLate_orRunsATwice_orThrowsAfterwards_runsTheTaskOnce() {
    QueueingExecutor late = new QueueingExecutor();
    assertThat(dispatcher(late).execute(runs::incrementAndGet)).isTrue();
    late.runAll();
    Dispatcher faulty =
        dispatcher(
            task -> {
              task.run();
              task.run();
              throw new IllegalStateException("afterwards");
            });
    assertThat(faulty.execute(runs::incrementAndGet)).isTrue();
    Threads.until(() -> failures.size() == 1);
    assertThat(TimerInternals.of(timer).wheels().retained())
        .as("the alarm was cancelled")
        .isEqualTo(1);
    pass(SECOND.multipliedBy(100));
    assertThat(runs).hasValue(2);
    assertThat(late.size()).isZero();
  }

  @Test
  void withoutAnExecutor_andWithoutAThreadOfTheTimer_tasksRunWhenTheTimeAdvances() {
    Dispatcher none = new Dispatcher(TimerInternals.of(timer), null, "own", failures::add);
    List<Thread> threads = new ArrayList<>();
    assertThat(none.execute(() -> threads.add(Thread.currentThread()))).isTrue();
    assertThat(threads).isEmpty();
    assertThat(timer.size()).as("a test sees that something is left to do").isEqualTo(1);
    timer.advance();
    none.executeFromClock(() -> threads.add(Thread.currentThread()));
    assertThat(threads).containsExactly(Thread.currentThread(), Thread.currentThread());
  }

  @Test
  void withoutAnExecutor_onAClosedTimer_tasksRunOnAThreadOfTheLibrary() {
    Dispatcher none = new Dispatcher(TimerInternals.of(timer), null, "own", failures::add);
    timer.close();
    assertThat(none.execute(runs::incrementAndGet)).isTrue();
    Threads.until(() -> runs.get() == 1);
  }

  @Test
  void executorThatBlocks_doesNotBlockTheClock() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    try (Timer clock = Timer.builder().start("test-clock")) {
      Dispatcher blocking =
          new Dispatcher(
              TimerInternals.of(clock),
              task -> {
                entered.countDown();
                Threads.until(() -> leave.getCount() == 0);
                task.run();
              },
              "own",
              failures::add);
      var first =
          clock.schedule(() -> blocking.executeFromClock(runs::incrementAndGet), Duration.ZERO);
      Threads.await(entered);
      CountDownLatch other = new CountDownLatch(1);
      var second = clock.schedule(other::countDown, Duration.ZERO);
      Threads.await(other);
      assertThat(runs).hasValue(0);
      leave.countDown();
      Threads.until(() -> runs.get() == 1);
      assertThat(first.isPending() || second.isPending()).isFalse();
    }
  }
}
