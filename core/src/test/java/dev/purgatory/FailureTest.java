package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures of threads, executors, timers and keys: every request still ends, and nothing stays. */
class FailureTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Purgatory<?>> purgatories = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    purgatories.forEach(Purgatory::close);
    assertThat(timer.size()).isZero();
  }

  private Purgatory<Object> built(PurgatoryBuilder<Object> builder) {
    Purgatory<Object> purgatory = builder.build();
    purgatories.add(purgatory);
    return purgatory;
  }

  private PurgatoryBuilder<Object> builder() {
    return Purgatory.builder("failing", Object.class)
        .timer(timer)
        .expirationExecutor(Runnable::run);
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void threadOfTheTimer_thatCannotBeStarted_failsNoAnswer_andTheNextEndTriesAgain() {
    AtomicInteger starts = new AtomicInteger();
    try (Timer threadless =
        Timer.builder()
            .start(
                task ->
                    new Thread(task) {
                      @Override
                      public synchronized void start() {
                        starts.incrementAndGet();
                        throw new IllegalArgumentException("no thread");
                      }
                    })) {
      Purgatory<Object> purgatory =
          built(Purgatory.builder("threadless", Object.class).timer(threadless));
      for (int i = 1; i <= 2; i++) {
        HeldFuture<String> future = purgatory.<String>until(() -> null).forever().hold("k");
        assertThat(future.complete("x")).isTrue();
        assertThat(future).isCompletedWithValue("x");
        assertThat(starts).hasValue(2 * i); // when it is held, and when it ends
      }
    }
  }

  @Test
  void closedTimer_isNotMoved_andTheRequestKeepsItsPlace() {
    Timer closed = Timer.builder().ticker(ticker).build();
    Purgatory<Object> purgatory =
        built(
            Purgatory.builder("late", Object.class)
                .timer(closed)
                .expirationExecutor(Runnable::run));
    HeldFuture<String> future = purgatory.<String>until(() -> null).orTimeout(LIMIT).hold("k");
    closed.close();
    assertThat(future.reschedule(LIMIT)).isFalse();
    assertThat(purgatory.pending()).isEqualTo(1);
    assertThat(future.complete("x")).isTrue();
    assertThat(closed.size()).isZero();
  }

  @Test
  void executorThatRunsTasksTwice_doesNotMultiplyRechecks() {
    AtomicInteger evaluations = new AtomicInteger();
    Purgatory<Object> purgatory =
        built(
            builder()
                .expirationExecutor(
                    task -> {
                      task.run();
                      task.run();
                    }));
    HeldFuture<Integer> future =
        purgatory
            .until(() -> evaluations.incrementAndGet() < 0 ? 1 : null)
            .recheckEvery(Duration.ofMillis(1))
            .forever()
            .hold("k");
    int before = evaluations.get();
    for (int i = 1; i <= 10; i++) {
      pass(Duration.ofMillis(2));
      assertThat(timer.size()).isEqualTo(1);
      assertThat(evaluations).hasValue(before + i);
    }
    assertThat(future.cancel(false)).isTrue();
  }

  @Test
  void executorThatDropsAPeriodicEvaluation_isAskedAgain() {
    AtomicInteger evaluations = new AtomicInteger();
    AtomicInteger tasks = new AtomicInteger();
    Purgatory<Object> purgatory =
        built(
            builder()
                .expirationExecutor(
                    task -> {
                      if (tasks.incrementAndGet() % 2 == 0) {
                        task.run(); // each other task is dropped
                      }
                    }));
    HeldFuture<Integer> future =
        purgatory
            .until(() -> evaluations.incrementAndGet() < 0 ? 1 : null)
            .recheckEvery(Duration.ofMillis(100))
            .forever()
            .hold("k");
    int before = evaluations.get();
    for (int i = 1; i <= 10; i++) {
      pass(Duration.ofMillis(100)); // is dropped
      assertThat(evaluations).hasValue(before + i - 1);
      pass(Duration.ofSeconds(1));
      assertThat(evaluations).hasValue(before + i);
      assertThat(timer.size()).isEqualTo(1);
    }
    assertThat(future.cancel(false)).isTrue();
    assertThat(timer.size()).isZero();
  }

  @Test
  void timerThatIsClosedDuringAPeriodicEvaluation_isNoError() {
    List<Throwable> errors = new ArrayList<>();
    Timer closing = Timer.builder().ticker(ticker).errorHandler(errors::add).build();
    Purgatory<Object> purgatory =
        built(
            Purgatory.builder("closing", Object.class)
                .timer(closing)
                .listener(
                    new PurgatoryListener() {
                      @Override
                      public void onError(Object operation, Source source, Throwable error) {
                        errors.add(error);
                      }
                    })
                .expirationExecutor(
                    task -> {
                      closing.close();
                      task.run();
                    }));
    HeldFuture<String> future =
        purgatory.<String>until(() -> null).recheckEvery(Duration.ofMillis(1)).forever().hold("k");
    ticker.advance(Duration.ofMillis(1));
    closing.advance();
    assertThat(errors).isEmpty();
    assertThat(future.cancel(false)).isTrue();
  }

  @Test
  void closeWithATimeout_byAnAnswerOnThePurgatorysThread_doesNotWaitForItself() throws Exception {
    Purgatory<Object> purgatory =
        built(
            builder()
                .expirationExecutor(
                    task -> {
                      throw new RejectedExecutionException("full");
                    }));
    RecordingOperation held = new RecordingOperation(60_000);
    CountDownLatch closed = new CountDownLatch(1);
    RecordingOperation closing =
        new RecordingOperation(1)
            .onExpiry(
                () -> {
                  assertThat(purgatory.close(Duration.ofDays(1))).containsExactly(held);
                  closed.countDown();
                });
    assertThat(purgatory.hold(held, List.of("k"))).isFalse();
    assertThat(purgatory.hold(closing, List.of("k"))).isFalse();
    pass(Duration.ofMillis(2));
    Threads.await(closed);
    assertThat(held.isCancelled()).isTrue();
  }

  @Test
  void valueThatIsFoundAfterAnotherAnswer_isNotKept() throws Exception {
    Purgatory<Object> purgatory = built(builder());
    CountDownLatch evaluating = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    AtomicInteger evaluations = new AtomicInteger();
    List<WeakReference<Object>> found = new ArrayList<>();
    HeldFuture<Object> future =
        purgatory
            .until(
                () -> {
                  if (evaluations.incrementAndGet() <= 2) {
                    return null; // while it is being held
                  }
                  evaluating.countDown();
                  awaitUnchecked(answered);
                  Object late = new Object();
                  found.add(new WeakReference<>(late));
                  return late;
                })
            .forever()
            .hold("k");
    Threads.Running signal = Threads.start(() -> assertThat(purgatory.signal("k")).isZero());
    Threads.await(evaluating);
    assertThat(future.complete("first")).isTrue();
    answered.countDown();
    signal.join();
    Threads.until(
        () -> {
          System.gc();
          return found.get(0).refersTo(null);
        });
    assertThat(future).isCompletedWithValue("first");
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      Threads.await(latch);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** While it is set, only the first key that is hashed does not throw. */
  private static @Nullable Set<Object> hashed;

  private static final class Key {
    @Override
    public int hashCode() {
      Set<Object> seen = hashed;
      if (seen != null) {
        hashed = null;
        boolean first = seen.isEmpty() || seen.contains(this);
        seen.add(this);
        hashed = seen;
        if (!first) {
          throw new IllegalStateException("hashCode");
        }
      }
      return System.identityHashCode(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }
  }

  @Test
  void keyGroup_withAKeyThatThrows_leavesNothing() {
    Purgatory<Object> purgatory = built(builder());
    Key one = new Key();
    Key other = new Key();
    Set<Object> keys = Set.of(one, other);
    hashed = new HashSet<>();
    try {
      assertThatThrownBy(() -> purgatory.group(keys)).hasMessage("hashCode");
      assertThat(requireNonNull(hashed)).hasSize(2);
    } finally {
      hashed = null;
    }
    purgatory.core().purge();
    assertThat(purgatory.inspect().keys()).isZero();
    assertThat(purgatory.inspect().watched()).isZero();
  }

  @Test
  void diagnostics_ofKeysThatChangeOrThrow_letTheRequestTimeOut() {
    Diagnostics diagnostics = new Diagnostics();
    Purgatory<Object> purgatory = built(builder().diagnostics(diagnostics));
    Key key = new Key();
    List<Object> keys = new ArrayList<>(List.of("a", key));
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(purgatory.hold(operation, keys)).isFalse();
    keys.clear();
    operation.condition(true);
    hashed = new HashSet<>(List.of("another"));
    try {
      pass(LIMIT.plusMillis(1));
    } finally {
      hashed = null;
    }
    assertThat(operation.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(diagnostics.missedSignals()).containsOnlyKeys("a");
  }
}
