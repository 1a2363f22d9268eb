package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SignalQueueTest {
  private static final Duration WINDOW = Duration.ofMillis(20);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
  private final Purgatory<Object> purgatory =
      Purgatory.builder("held", Object.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .listener(
              new PurgatoryListener() {
                @Override
                public void onError(Object operation, Source source, Throwable error) {
                  errors.add(error);
                }
              })
          .build();
  private final QueueingExecutor executor = new QueueingExecutor();
  private final SignalQueue<Object> queue = new SignalQueue<>(purgatory);
  private final SignalQueue<Object> drained = new SignalQueue<>(purgatory, executor);
  private final SignalQueue<Object> windowed = new SignalQueue<>(purgatory, delayedBy(timer));
  private final AtomicInteger evaluations = new AtomicInteger();
  private final AtomicBoolean ready = new AtomicBoolean();

  /** Hands tasks to the executor after the window. */
  private Executor delayedBy(Timer clock) {
    return task -> {
      Timeout unused = clock.schedule(() -> executor.execute(task), WINDOW);
    };
  }

  @AfterEach
  void nothingIsLeft() {
    for (SignalQueue<Object> each : List.of(queue, drained, windowed)) {
      assertThat(each.marked()).isZero();
    }
    purgatory.close();
    assertThat(timer.size()).isZero();
    assertThat(executor.size()).isZero();
  }

  private HeldFuture<String> hold(Object... keys) {
    HeldFuture<String> future =
        purgatory
            .until(
                () -> {
                  evaluations.incrementAndGet();
                  return ready.get() ? "ready" : null;
                })
            .forever()
            .hold(keys);
    evaluations.set(0);
    return future;
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void mark_onlyMarks_andRunEvaluatesOnce() {
    HeldFuture<String> future = hold("a");
    ready.set(true);
    assertThat(queue.mark("a")).isTrue();
    assertThat(queue.mark("a")).isFalse();
    assertThat(queue.mark("nobody")).isTrue();
    assertThat(queue).hasToString("SignalQueue[2 marked]");
    assertThat(evaluations).hasValue(0);
    assertThat(queue.run()).isEqualTo(1);
    assertThat(future).isCompletedWithValue("ready");
    assertThat(evaluations).hasValue(1);
    assertThat(queue.run()).isZero();
  }

  @Test
  void keys_areEvaluatedInTheOrderOfTheirFirstMark() {
    List<String> order = new ArrayList<>();
    for (String key : List.of("a", "b", "c")) {
      CompletableFuture<?> unused = hold(key).thenRun(() -> order.add(key));
    }
    ready.set(true);
    for (String key : List.of("c", "a", "c", "b", "a")) {
      boolean unused = queue.mark(key);
    }
    assertThat(queue.run()).isEqualTo(3);
    assertThat(order).containsExactly("c", "a", "b");
  }

  @Test
  void markDuringAnEvaluation_isFollowedByAnother() {
    AtomicBoolean changed = new AtomicBoolean();
    HeldFuture<String> future =
        purgatory
            .until(
                () -> {
                  boolean seen = changed.get(); // the event comes after this read
                  if (evaluations.getAndIncrement() == 2) {
                    changed.set(true);
                    assertThat(queue.mark("a")).isTrue();
                  }
                  return seen ? "changed" : null;
                })
            .forever()
            .hold("a");
    queue.mark("a");
    assertThat(queue.run()).isZero();
    assertThat(queue.run()).isEqualTo(1);
    assertThat(future).isDone();
  }

  /** Two threads with a lock each, and callbacks that need the lock of the other. */
  @Test
  void lockThatCallbacksNeed_deadlocksWithSignal_andNotWithMarks() throws InterruptedException {
    assertThat(failuresToLock(Duration.ofMillis(50), purgatory::signal, () -> {})).isPositive();
    assertThat(failuresToLock(Threads.PATIENCE, queue::mark, queue::run)).isZero();
  }

  private int failuresToLock(Duration patience, Event underTheLock, Runnable afterwards)
      throws InterruptedException {
    ready.set(false);
    AtomicInteger failures = new AtomicInteger();
    ReentrantLock[] locks = {new ReentrantLock(), new ReentrantLock()};
    for (int i = 0; i < 2; i++) {
      ReentrantLock needed = locks[1 - i];
      CompletableFuture<?> unused = hold(i).thenRun(() -> use(needed, patience, failures));
    }
    ready.set(true);
    CyclicBarrier bothLocked = new CyclicBarrier(2);
    List<Threads.Task> tasks = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int key = i;
      tasks.add(
          () -> {
            locks[key].lock();
            try {
              Threads.meet(bothLocked);
              underTheLock.on(key);
            } finally {
              locks[key].unlock();
            }
            afterwards.run();
          });
    }
    Threads.race(tasks);
    assertThat(purgatory.pending()).isZero();
    return failures.get();
  }

  private interface Event {
    Object on(Object key);
  }

  private static void use(ReentrantLock lock, Duration patience, AtomicInteger failures) {
    try {
      if (lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        lock.unlock();
      } else {
        failures.incrementAndGet();
      }
    } catch (InterruptedException e) {
      failures.incrementAndGet();
    }
  }

  @Test
  void executor_drainsAllMarks_withOneTask() {
    HeldFuture<String> a = hold("a");
    HeldFuture<String> b = hold("b");
    ready.set(true);
    for (int i = 0; i < 1_000; i++) {
      drained.mark("a");
      drained.mark("b");
    }
    assertThat(executor.size()).isEqualTo(1);
    assertThat(evaluations).hasValue(0);
    executor.runAll();
    assertThat(a).isDone();
    assertThat(b).isDone();
    assertThat(evaluations).hasValue(2);
  }

  @Test
  void run_doesTheWorkOfAnExecutorThatHasNotComeToIt() {
    HeldFuture<String> future = hold("a");
    ready.set(true);
    drained.mark("a");
    assertThat(drained.run()).isEqualTo(1);
    assertThat(future).isDone();
    executor.runAll();
    HeldFuture<String> next = hold("a", "b");
    drained.mark("b");
    executor.runAll();
    assertThat(next).isDone();
  }

  @Test
  void rejectedTask_runsOnAThreadOfTheQueue_andIsReported() {
    AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    SignalQueue<Object> rejected =
        new SignalQueue<>(
            purgatory,
            task -> {
              throw new RejectedExecutionException("full");
            });
    for (int i = 0; i < 3; i++) {
      ready.set(false);
      CompletableFuture<?> done = hold("a").thenRun(() -> thread.set(Thread.currentThread()));
      ready.set(true);
      rejected.mark("a");
      Threads.until(done::isDone);
      assertThat(thread.get()).isNotNull().isNotSameAs(Thread.currentThread());
    }
    Threads.until(() -> errors.size() == 3);
    assertThat(errors.get(0)).hasMessage("full");
  }

  @Test
  void chainOfMarks_onTheCallingThread_takesABoundedStack() {
    SignalQueue<Object> direct = new SignalQueue<>(purgatory, Runnable::run);
    int length = 50_000;
    AtomicInteger reached = new AtomicInteger();
    for (int i = 1; i <= length; i++) {
      int number = i;
      CompletableFuture<?> unused =
          purgatory
              .until(() -> reached.get() == number ? number : null)
              .forever()
              .hold(i)
              .thenRun(
                  () -> {
                    reached.incrementAndGet();
                    direct.mark(number + 1);
                  });
    }
    reached.set(1);
    direct.mark(1);
    assertThat(reached).hasValue(length + 1);
  }

  @Test
  void window_mergesTheMarksOfAKey() {
    HeldFuture<String> future = hold("a");
    for (int i = 0; i < 100; i++) {
      windowed.mark("a");
      pass(Duration.ofNanos(WINDOW.toNanos() / 100));
      executor.runAll();
      assertThat(evaluations).hasValue(i == 99 ? 1 : 0);
    }
    assertThat(timer.size()).isZero();
    pass(WINDOW.multipliedBy(10));
    ready.set(true);
    windowed.mark("a");
    ticker.advance(WINDOW.toNanos() - 1);
    timer.advance();
    assertThat(executor.size()).isZero();
    ticker.advance(1);
    timer.advance();
    executor.runAll();
    assertThat(future).isDone();
    assertThat(evaluations).hasValue(2);
  }

  @Test
  void markAfterTheWindow_whileTheExecutorIsBusy_isNotLost() {
    HeldFuture<String> future = hold("a");
    windowed.mark("a");
    pass(WINDOW);
    windowed.mark("b"); // joins the drain that waits for the executor
    executor.runAll();
    assertThat(windowed.marked()).isZero();
    windowed.mark("a");
    pass(WINDOW);
    executor.runAll();
    assertThat(evaluations).hasValue(2);
    assertThat(future).isNotDone();
  }

  @Test
  void markDuringADrain_waitsForTheNextWindow() {
    HeldFuture<String> unused =
        purgatory
            .<String>until(
                () -> {
                  if (evaluations.incrementAndGet() < 3) {
                    windowed.mark("a");
                  }
                  return null;
                })
            .forever()
            .hold("a");
    evaluations.set(0);
    windowed.mark("a");
    for (int windows = 1; windows <= 3; windows++) {
      pass(WINDOW);
      executor.runAll();
      assertThat(evaluations).hasValue(windows);
    }
  }

  @Test
  void executorThatDropsADrain_isAskedAgain() {
    AtomicInteger tasks = new AtomicInteger();
    SignalQueue<Object> forgetful =
        new SignalQueue<>(
            purgatory,
            task -> {
              if (tasks.incrementAndGet() > 1) {
                task.run();
              }
            });
    HeldFuture<String> future = hold("a");
    ready.set(true);
    forgetful.mark("a");
    assertThat(future).isNotDone();
    pass(Duration.ofSeconds(1));
    assertThat(future).isDone();
    assertThat(forgetful.marked()).isZero();
    assertThat(errors).isEmpty();
  }

  /** A key that can be made to throw. */
  private static final class Hostile {
    private boolean throwing;
    private boolean throwingError;
    private boolean withoutMemory;

    @Override
    public int hashCode() {
      if (throwing) {
        throw new IllegalStateException("hashCode");
      }
      if (throwingError) {
        throw new AssertionError("hashCode");
      }
      if (withoutMemory) {
        throw new OutOfMemoryError("expected");
      }
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  @Test
  void keyThatThrows_affectsNoOtherKey() {
    Hostile hostile = new Hostile();
    HeldFuture<String> future = hold("b");
    ready.set(true);
    for (SignalQueue<Object> each : List.of(queue, drained)) {
      each.mark(hostile);
      each.mark("b");
    }
    hostile.throwing = true;
    assertThatThrownBy(() -> queue.mark(hostile)).hasMessage("hashCode");
    assertThat(queue.marked()).isEqualTo(2);
    assertThatThrownBy(queue::run).hasMessage("hashCode");
    assertThat(future).isDone();
    executor.runAll();
    assertThat(errors).singleElement().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void keyThatThrowsAnError_affectsNoOtherKey() {
    Hostile hostile = new Hostile();
    HeldFuture<String> future = hold("b");
    ready.set(true);
    queue.mark(hostile);
    queue.mark("b");
    hostile.throwingError = true;
    assertThatThrownBy(queue::run).isInstanceOf(AssertionError.class).hasMessage("hashCode");
    assertThat(future).isDone();
  }

  @Test
  void drainWithoutMemory_isRepeated_andLosesNoKey() {
    Hostile key = new Hostile();
    HeldFuture<String> first = hold(key);
    HeldFuture<String> behind = hold("b");
    ready.set(true);
    drained.mark(key);
    drained.mark("b");
    key.withoutMemory = true;
    executor.runAll();
    HeldFuture<String> late = hold("c");
    drained.mark("c");
    executor.runAll();
    pass(WINDOW);
    executor.runAll();
    assertThat(first).isNotDone();
    key.withoutMemory = false;
    pass(WINDOW);
    executor.runAll();
    assertThat(List.of(first, behind, late)).allMatch(HeldFuture::isDone);
    assertThat(errors).isEmpty();
  }

  @Test
  void closedPurgatory_hasNothingToEvaluate() {
    HeldFuture<String> future = hold("a");
    queue.mark("a");
    purgatory.close();
    assertThat(queue.run()).isZero();
    assertThat(future).isCompletedExceptionally();
  }

  @Test
  @SuppressWarnings("NullAway") // passes null on purpose
  void badInput_isRejected() {
    assertThatThrownBy(() -> queue.mark(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new SignalQueue<>(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new SignalQueue<>(purgatory, null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void markers_drainsAndRuns_atOnce_loseNoMark() throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try (Purgatory<Object> own = Purgatory.builder("own", Object.class).timer(timer).build()) {
      SignalQueue<Object> marks = new SignalQueue<>(own, pool);
      int count = 20_000;
      AtomicLong number = new AtomicLong();
      List<HeldFuture<Long>> waiting = Collections.synchronizedList(new ArrayList<>());
      Threads.Task holder =
          () -> {
            for (int i = 0; i < count; i++) {
              long next = number.get() + 1;
              waiting.add(own.until(() -> number.get() >= next ? next : null).forever().hold("k"));
            }
          };
      Threads.Task marker =
          () -> {
            for (int i = 0; i < count; i++) {
              number.incrementAndGet();
              marks.mark("k");
              if (i % 16 == 0) {
                int unused = marks.run();
              }
            }
          };
      Threads.race(holder, marker, marker);
      number.incrementAndGet();
      marks.mark("k");
      Threads.until(() -> own.pending() == 0);
      assertThat(waiting).hasSize(count);
      Threads.until(() -> marks.marked() == 0);
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void takenKeys_areNotChangedByLaterMarks() {
    Set<Object> taken = queue.take(/* drain= */ false);
    queue.mark("k");
    assertThat(taken).isEmpty();
    Set<Object> takenLater = queue.take(/* drain= */ false);
    queue.mark("l");
    assertThat(takenLater).containsExactly("k");
    assertThat(queue.run()).isZero();
  }

  @Test
  void emptyQueue_runsWhileOtherThreadsMark() throws InterruptedException {
    AtomicInteger markers = new AtomicInteger(2);
    Threads.Task marker =
        () -> {
          Threads.repeat(500_000, round -> queue.mark(round % 64));
          markers.decrementAndGet();
        };
    Threads.Task runner =
        () -> {
          while (markers.get() > 0) {
            int unused = queue.run();
          }
        };
    Threads.race(marker, marker, runner);
    int unused = queue.run();
  }

  /** The last mark of each round must be drained, however it meets the end of the drain before. */
  @Test
  void markAtTheEndOfADrain_isNotLost() throws InterruptedException {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (Purgatory<Object> own = Purgatory.builder("own", Object.class).timer(timer).build()) {
      SignalQueue<Object> marks = new SignalQueue<>(own, pool);
      Threads.repeat(
          20_000,
          round -> {
            AtomicBoolean set = new AtomicBoolean();
            HeldFuture<String> future =
                own.until(() -> set.get() ? "set" : null).forever().hold("k");
            marks.mark("k");
            set.set(true);
            marks.mark("k");
            Threads.until(future::isDone);
          });
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void mark_nothingIsHeld_startsNoThread_andKeepsNothing() {
    List<Thread> makers = new CopyOnWriteArrayList<>();
    try (Timer other =
        Timer.builder()
            .start(
                task -> {
                  makers.add(Thread.currentThread());
                  return new Thread(task, "idle-clock");
                })) {
      Purgatory<Object> idle = Purgatory.builder("idle", Object.class).timer(other).build();
      makers.clear(); // of the first thread
      SignalQueue<Object> immediate = new SignalQueue<>(idle, executor);
      SignalQueue<Object> later = new SignalQueue<>(idle, delayedBy(other));
      assertThat(immediate.mark("a")).isTrue();
      assertThat(later.mark("a")).isTrue();
      assertThat(Threads.isAlive("idle-clock")).isFalse();
      assertThat(makers).isEmpty();
      assertThat(immediate.marked() + later.marked()).isZero();
      assertThat(executor.size()).isZero();
      idle.close();
    }
  }
}
