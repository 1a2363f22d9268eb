package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Sneaky;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises of the library, one nested class for each. */
class PromisesTest {
  private static final Executor DIRECT = Runnable::run;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Recorder listener = new Recorder();
  private final List<RecordingOperation> operations = new CopyOnWriteArrayList<>();
  private final List<Purgatory<?>> purgatories = new ArrayList<>();
  private final Purgatory<Object> purgatory = purgatory(b -> b);

  /** Builds a purgatory that uses virtual time and runs everything on the test's thread. */
  private Purgatory<Object> purgatory(UnaryOperator<PurgatoryBuilder<Object>> setting) {
    PurgatoryBuilder<Object> builder = Purgatory.builder("promise", Object.class);
    builder.timer(timer).expirationExecutor(DIRECT).listener(listener);
    Purgatory<Object> built = setting.apply(builder).build();
    purgatories.add(built);
    return built;
  }

  private RecordingOperation operation(long timeoutMillis) {
    RecordingOperation operation = new RecordingOperation(timeoutMillis);
    operations.add(operation);
    return operation;
  }

  private RecordingOperation operation() {
    return operation(1_000);
  }

  private RecordingOperation held(Object... keys) {
    RecordingOperation operation = operation();
    assertThat(purgatory.hold(operation, List.of(keys))).isFalse();
    return operation;
  }

  private void advance(Duration by) {
    ticker.advance(by);
    timer.advance();
  }

  @AfterEach
  void assertCallbacksInOrderAndNothingPending() {
    purgatories.forEach(Purgatory::close);
    assertThat(operations).allSatisfy(operation -> assertThat(operation.violations()).isEmpty());
    assertThat(operations).allMatch(operation -> operation.answers() <= 1);
    assertThat(operations).allMatch(operation -> operation.expirations() <= 1);
    assertThat(purgatories).allMatch(each -> each.pending() == 0);
  }

  /** Records errors and events, and runs the action that the test has set at each. */
  private static final class Recorder implements PurgatoryListener {
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> held = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> late = Collections.synchronizedList(new ArrayList<>());
    private volatile Consumer<String> action = event -> {};

    private void record(String event) {
      events.add(event);
      action.accept(event);
    }

    @Override
    public void onHeld(Object operation) {
      record("held");
    }

    @Override
    public void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      held.add(heldNanos);
      if (outcome == Outcome.TIMED_OUT || outcome == Outcome.CLOSED) {
        late.add(lateNanos);
      }
      record(outcome.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      errors.add(error);
      record("error");
    }
  }

  /** A key whose hash code is that of its name; a test sets an action that hashCode runs. */
  private static final class Key {
    private final String name;
    private volatile Runnable onHash = () -> {};

    Key(String name) {
      this.name = name;
    }

    @Override
    public int hashCode() {
      onHash.run();
      return name.hashCode();
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  private static RuntimeException failure() {
    return new IllegalStateException("expected");
  }

  private static Runnable raising(Throwable e) {
    return () -> Sneaky.raise(e);
  }

  private static void onAnotherThread(Threads.Task task) {
    try {
      Threads.start(task).join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Runnable once(Runnable action) {
    AtomicBoolean done = new AtomicBoolean();
    return () -> {
      if (done.compareAndSet(false, true)) {
        action.run();
      }
    };
  }

  @Test
  void toString_showsStateAgeAndDeadline() {
    RecordingOperation operation = operation(30);
    assertThat(operation).hasToString("RecordingOperation[not held yet]");
    purgatory.hold(operation, List.of("a"));
    advance(Duration.ofMillis(10));
    String state = "held by promise for 10 ms, due in 20 ms";
    assertThat(operation).hasToString("RecordingOperation[" + state + "]");
    operation.cancel();
    assertThat(operation).hasToString("RecordingOperation[CANCELLED]");
  }

  @Nested
  class Promise1OnCompleteRunsExactlyOnce {

    @Test
    void promise1_concurrentEnds_oneWins() throws InterruptedException {
      for (int round = 0; round < 400; round++) {
        race(/* withHold= */ false, round);
      }
    }

    @Test
    void promise1_concurrentEndsWhileBeingHeld_oneWins() throws InterruptedException {
      for (int round = 0; round < 400; round++) {
        race(/* withHold= */ true, round);
      }
    }

    private void race(boolean withHold, int round) throws InterruptedException {
      RecordingOperation operation = operation(1);
      AtomicInteger winners = new AtomicInteger();
      AtomicInteger cancelled = new AtomicInteger();
      Threads.Task hold =
          () -> {
            if (purgatory.hold(operation, List.of("a", "b"))) {
              winners.incrementAndGet();
            }
          };
      if (!withHold) {
        purgatory.hold(operation, List.of("a", "b"));
      }
      List<Threads.Task> tasks = new ArrayList<>();
      tasks.add(withHold ? hold : () -> winners.addAndGet(purgatory.signal("b")));
      tasks.add(
          () -> {
            operation.condition(true);
            winners.addAndGet(purgatory.signal("a"));
          });
      tasks.add(() -> winners.addAndGet(operation.complete() ? 1 : 0));
      tasks.add(() -> advance(Duration.ofMillis(2)));
      if (round % 2 == 0) {
        tasks.add(() -> cancelled.addAndGet(operation.cancel() ? 1 : 0));
        tasks.add(() -> cancelled.addAndGet(purgatory.cancelForKey("a").size()));
      }
      Threads.race(tasks);

      int expired = operation.isExpired() ? 1 : 0;
      int reported = winners.get() + cancelled.get() + expired;
      int byLastCheck = reported == 0 && operation.wasReadyOnTimeout() ? 1 : 0;
      assertThat(reported + byLastCheck).isEqualTo(1);
      assertThat(operation.answers()).isEqualTo(1 - cancelled.get());
      assertThat(operation.expirations()).isEqualTo(expired);
      assertThat(operation.isAnswered()).isEqualTo(cancelled.get() == 0);
      assertThat(operation.isCancelled()).isEqualTo(cancelled.get() == 1);
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
      assertThat(listener.errors).isEmpty();
    }

    @Test
    void promise1_ended_cannotEndAgain() {
      RecordingOperation byCheck = held("k");
      byCheck.condition(true);
      assertThat(purgatory.signal("k")).isEqualTo(1);
      RecordingOperation byCaller = held("k");
      assertThat(byCaller.complete()).isTrue();
      RecordingOperation byTime = held("k");
      advance(Duration.ofSeconds(1));
      assertThat(byTime.isExpired()).isTrue();
      for (RecordingOperation ended : operations) {
        ended.condition(true);
        assertThat(ended.complete()).isFalse();
        assertThat(ended.cancel()).isFalse();
        assertThat(ended.isAnswered()).isTrue();
      }
      assertThat(purgatory.signal("k")).isZero();
      advance(Duration.ofDays(1));
      assertThat(operations).allMatch(operation -> operation.answers() == 1);
      assertThat(byTime.expirations()).isEqualTo(1);
      assertThat(byCheck.expirations() + byCaller.expirations()).isZero();
    }

    @Test
    void promise1_conditionHoldsImmediately_isNeverHeld() {
      RecordingOperation operation = operation().condition(true);
      assertThat(purgatory.hold(operation, List.of("k"))).isTrue();
      assertThat(operation.answers()).isEqualTo(1);
      assertThat(operation.checks()).isEqualTo(1);
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(purgatory.inspect().keys()).isZero();
      assertThat(timer.size()).isZero();
      assertThat(listener.events).isEmpty();
    }

    @Test
    void promise1_endedBeforeHold_isNotHeld() {
      RecordingOperation completed = operation();
      assertThat(completed.complete()).isTrue();
      assertThat(completed.answers()).isEqualTo(1);
      RecordingOperation cancelled = operation();
      assertThat(cancelled.cancel()).isTrue();
      for (RecordingOperation operation : operations) {
        assertThat(purgatory.hold(operation, List.of("k"))).isFalse();
        assertThat(operation.checks()).isZero();
      }
      assertThat(completed.answers()).isEqualTo(1);
      assertThat(cancelled.answers()).isZero();
      assertThat(purgatory.inspect().watched()).isZero();
    }

    @Test
    void promise1_completedByItsOwnCondition_answersAfterTheCheckAndIsCounted() {
      RecordingOperation operation = operation().condition(true);
      AtomicBoolean completed = new AtomicBoolean();
      operation.onCheck(
          () -> {
            completed.set(operation.complete());
            assertThat(operation.answers()).isZero();
          });
      assertThat(purgatory.hold(operation, List.of("k"))).as("counted for this check").isTrue();
      assertThat(completed).isTrue();
      assertThat(operation.answers()).isEqualTo(1);
    }

    @Test
    void promise1_sameKeyTwice_isCompletedOnce() {
      RecordingOperation operation = held("k", "k", "k");
      operation.condition(true);
      assertThat(purgatory.signal("k")).isEqualTo(1);
      assertThat(operation.answers()).isEqualTo(1);
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(purgatory.inspect().keys()).isZero();
    }
  }

  @Nested
  class Promise2NoLostWakeUp {

    @Test
    void promise2_eventBetweenFirstCheckAndWatch_isSeenBySecondCheck() {
      RecordingOperation operation = operation();
      listener.action =
          event -> {
            if (event.equals("held")) {
              operation.condition(true);
              assertThat(purgatory.signal("k")).isZero();
            }
          };
      assertThat(purgatory.hold(operation, List.of("k"))).isTrue();
      assertThat(operation.answers()).isEqualTo(1);
    }

    @Test
    void promise2_eventBetweenRegistrationsOnTwoKeys_isNotLost() {
      Key second = new Key("second");
      RecordingOperation operation = operation();
      AtomicInteger completedByEvent = new AtomicInteger();
      second.onHash =
          once(
              () ->
                  onAnotherThread(
                      () -> {
                        operation.condition(true);
                        completedByEvent.set(purgatory.signal("first"));
                      }));
      assertThat(purgatory.hold(operation, List.of("first", second, "third"))).isTrue();
      assertThat(completedByEvent).hasValue(0);
      assertThat(operation.answers()).isEqualTo(1);
    }

    @Test
    void promise2_eventDuringACheck_isCheckedAgain() {
      RecordingOperation operation = held("a", "b");
      int before = operation.checks();
      operation.onCheck(
          once(
              () ->
                  onAnotherThread(
                      () -> {
                        operation.condition(true);
                        assertThat(purgatory.signal("b")).isZero();
                      })));
      assertThat(purgatory.signal("a")).isEqualTo(1);
      assertThat(operation.checks()).isEqualTo(before + 2);
      assertThat(operation.answers()).isEqualTo(1);
    }

    @Test
    void promise2_eventDuringTheLastCheckOfHold_isCheckedAgain() {
      RecordingOperation operation = operation();
      operation.onCheck(
          () -> {
            if (operation.checks() == 2) {
              onAnotherThread(
                  () -> {
                    operation.condition(true);
                    assertThat(purgatory.signal("k")).isZero();
                  });
            }
          });
      assertThat(purgatory.hold(operation, List.of("k"))).isTrue();
      assertThat(operation.checks()).isEqualTo(3);
      assertThat(operation.answers()).isEqualTo(1);
    }

    @Test
    void promise2_eventOnItsOwnKeyFromItsOwnCheck_isCheckedAgain() {
      RecordingOperation operation = held("k");
      operation.onCheck(
          once(
              () -> {
                operation.condition(true);
                assertThat(purgatory.signal("k")).isZero();
              }));
      assertThat(purgatory.signal("k")).isEqualTo(1);
    }

    @Test
    void promise2_eventRacesWithHold_isNeverLost() throws InterruptedException {
      for (int round = 0; round < 1_000; round++) {
        RecordingOperation operation = operation();
        AtomicInteger completed = new AtomicInteger();
        Threads.race(
            () -> {
              List<String> keys = List.of("a", "b", "c");
              completed.addAndGet(purgatory.hold(operation, keys) ? 1 : 0);
            },
            () -> {
              operation.condition(true);
              completed.addAndGet(purgatory.signal("b"));
            });
        assertThat(operation.answers()).as("round %s", round).isEqualTo(1);
        assertThat(completed).hasValue(1);
      }
    }

    @Test
    void promise2_lastOfSeveralEvents_isNeverLost() throws InterruptedException {
      for (int round = 0; round < 1_000; round++) {
        AtomicInteger events = new AtomicInteger();
        RecordingOperation operation =
            new RecordingOperation(1_000) {
              @Override
              protected boolean isReady() {
                return events.get() == 3;
              }
            };
        purgatory.hold(operation, List.of("a", "b", "c"));
        AtomicInteger completed = new AtomicInteger();
        Function<String, Threads.Task> event =
            key ->
                () -> {
                  events.incrementAndGet();
                  completed.addAndGet(purgatory.signal(key));
                };
        Threads.race(event.apply("a"), event.apply("b"), event.apply("c"));
        assertThat(operation.answers()).as("round %s", round).isEqualTo(1);
        assertThat(completed).hasValue(1);
      }
    }

    @Test
    void promise2_eventOnAnotherKey_checksNothing() {
      RecordingOperation operation = held("a").condition(true);
      int before = operation.checks();
      assertThat(purgatory.signal("b")).isZero();
      assertThat(operation.checks()).isEqualTo(before);
    }

    @Test
    void promise2_eventOnAKey_checksItsOperationsInOrder() {
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = i;
        held("k", i).condition(i % 2 == 0).onAnswer(() -> order.add(number));
      }
      assertThat(purgatory.signal("k")).isEqualTo(10);
      assertThat(order).containsExactly(0, 2, 4, 6, 8, 10, 12, 14, 16, 18);
      assertThat(purgatory.pending()).isEqualTo(10);
    }
  }

  @Nested
  class Promise3NeverEarly {

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 1_000, 1_000_000, 7_000_000, 1_000_000_000})
    void promise3_anyTickAndTimeout_isNeverEarlyAndLessThanATickLate(long tick) {
      for (int wheelSize : new int[] {2, 20, 64}) {
        ManualTicker ticker = new ManualTicker(-12_345);
        Timer timer =
            Timer.builder()
                .ticker(ticker)
                .tick(Duration.ofNanos(tick))
                .wheelSize(wheelSize)
                .build();
        Purgatory<Object> timed = purgatory(b -> b.timer(timer));
        for (long timeout : timeoutsAround(tick, wheelSize)) {
          ticker.advance(timeout % 13 + 1); // begin between two ticks
          RecordingOperation operation = new RecordingOperation(Duration.ofNanos(timeout));
          timed.hold(operation, List.of("k"));
          ticker.advance(timeout - 1);
          timer.advance();
          assertThat(operation.isAnswered())
              .as("early: timeout %s ns, tick %s ns", timeout, tick)
              .isFalse();
          ticker.advance(tick);
          timer.advance();
          assertThat(operation.isExpired())
              .as("in time: timeout %s ns, tick %s ns", timeout, tick)
              .isTrue();
          assertThat(operation.expirations()).isEqualTo(1);
          assertThat(listener.held.remove(0)).isEqualTo(timeout + tick - 1);
          assertThat(listener.late.remove(0)).isEqualTo(tick - 1);
        }
      }
    }

    private List<Long> timeoutsAround(long tick, int wheelSize) {
      List<Long> timeouts = new ArrayList<>();
      long span = tick;
      for (int level = 0; level < 4; level++) {
        for (long timeout : new long[] {span - 1, span, span + 1, span + span / 3, span * 2 - 1}) {
          if (timeout > 0) {
            timeouts.add(timeout);
          }
        }
        span *= wheelSize;
      }
      return timeouts;
    }

    @Test
    void promise3_realClock_isNeverEarly() throws InterruptedException {
      CountDownLatch expired = new CountDownLatch(100);
      try (Purgatory<Object> real = Purgatory.builder("real", Object.class).build()) {
        AtomicInteger early = new AtomicInteger();
        for (int i = 1; i <= 100; i++) {
          Duration timeout = Duration.ofNanos(i * 123_456L);
          RecordingOperation operation = new RecordingOperation(timeout);
          long start = System.nanoTime();
          operation.onExpiry(
              () -> {
                early.addAndGet(System.nanoTime() - start < timeout.toNanos() ? 1 : 0);
                expired.countDown();
              });
          real.hold(operation, List.of(i % 7));
        }
        Threads.await(expired);
        assertThat(early).hasValue(0);
      }
    }

    @Test
    void promise3_timeoutOfZero_timesOutInHold() {
      RecordingOperation operation = operation(0);
      assertThat(purgatory.hold(operation, List.of("k"))).isFalse();
      assertThat(operation.isExpired()).isTrue();
      assertThat(operation.expirations()).isEqualTo(1);
      RecordingOperation ready = operation(0).condition(true);
      assertThat(purgatory.hold(ready, List.of("k"))).isTrue();
      assertThat(ready.expirations()).isZero();
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(purgatory.pending()).isZero();
    }

    @Test
    void promise3_manyAreLate_oneAdvanceExpiresAll() {
      for (int i = 1; i <= 5_000; i++) {
        purgatory.hold(operation(i), List.of(i % 10));
      }
      advance(Duration.ofSeconds(5));
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }
  }

  @Nested
  class Promise4PendingIsExact {

    @Test
    void promise4_pendingIsExactAfterEachStep() {
      assertThat(purgatory.pending()).isZero();
      RecordingOperation first = held("a", "b");
      RecordingOperation second = held("a");
      RecordingOperation third = held("b");
      RecordingOperation fourth = held("c", "c", "d");
      assertThat(purgatory.pending()).isEqualTo(4);
      assertThat(purgatory.inspect().watched()).isEqualTo(7);
      assertThat(purgatory.inspect().keys()).isEqualTo(4);
      purgatory.hold(operation().condition(true), List.of("a"));
      assertThat(purgatory.pending()).isEqualTo(4);
      purgatory.hold(operation(0), List.of("a"));
      assertThat(purgatory.pending()).isEqualTo(4);
      first.condition(true);
      purgatory.signal("b");
      assertThat(purgatory.pending()).isEqualTo(3);
      second.complete();
      assertThat(purgatory.pending()).isEqualTo(2);
      third.cancel();
      assertThat(purgatory.pending()).isEqualTo(1);
      assertThat(purgatory.cancelForKey("d")).containsExactly(fourth);
      assertThat(purgatory.pending()).isZero();
      RecordingOperation fifth = held("e");
      advance(Duration.ofSeconds(1));
      assertThat(fifth.isExpired()).isTrue();
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
    }

    @Test
    void promise4_readInCallbacks_countsHeldOperations() {
      List<Long> seen = new ArrayList<>();
      listener.action = event -> seen.add(purgatory.pending());
      RecordingOperation operation = operation();
      operation.onCheck(() -> seen.add(purgatory.pending()));
      operation.onAnswer(() -> seen.add(purgatory.pending()));
      operation.onExpiry(() -> seen.add(purgatory.pending()));
      purgatory.hold(operation, List.of("k"));
      assertThat(seen).containsExactly(0L, 1L, 1L);
      advance(Duration.ofSeconds(1));
      assertThat(seen).as("with the last check").containsExactly(0L, 1L, 1L, 1L, 0L, 0L, 0L);
    }

    @Test
    void promise4_answerIsQueuedInAnExecutor_isNotPending() {
      QueueingExecutor queue = new QueueingExecutor();
      Purgatory<Object> queued =
          purgatory(b -> b.completionExecutor(queue).expirationExecutor(queue));
      RecordingOperation byEvent = operation();
      RecordingOperation byTime = operation();
      queued.hold(byEvent, List.of("k"));
      queued.hold(byTime, List.of("k"));
      byEvent.condition(true);
      assertThat(queued.signal("k")).isEqualTo(1);
      assertThat(queued.pending()).isEqualTo(1);
      assertThat(byEvent.isAnswered()).isTrue();
      assertThat(byEvent.answers()).isZero();
      advance(Duration.ofSeconds(1));
      assertThat(queued.pending()).isEqualTo(1);
      queue.runAll();
      assertThat(queued.pending()).isZero();
      assertThat(byEvent.answers() + byTime.answers()).isEqualTo(2);
      assertThat(byTime.expirations()).isEqualTo(1);
    }

    @Test
    void promise4_timeoutIsQueuedInAnExecutor_eventCompletesTheOperation() {
      QueueingExecutor queue = new QueueingExecutor();
      Purgatory<Object> queued = purgatory(b -> b.expirationExecutor(queue));
      RecordingOperation operation = operation();
      queued.hold(operation, List.of("k"));
      advance(Duration.ofSeconds(1));
      operation.condition(true);
      assertThat(queued.signal("k")).isEqualTo(1);
      assertThat(queued.pending()).isZero();
      queue.runAll();
      assertThat(operation.answers()).isEqualTo(1);
      assertThat(operation.expirations()).isZero();
    }

    @Test
    void promise4_manyThreads_pendingIsExactAtTheEnd() throws InterruptedException {
      AtomicBoolean outOfRange = new AtomicBoolean();
      AtomicInteger busy = new AtomicInteger(2);
      Threads.Task work =
          () -> {
            try {
              for (int i = 0; i < 5_000; i++) {
                RecordingOperation operation = new RecordingOperation(1_000);
                purgatory.hold(operation, List.of(i % 5));
                if (i % 5 != 0) {
                  operation.complete();
                }
              }
            } finally {
              busy.decrementAndGet();
            }
          };
      Threads.race(
          work,
          work,
          () -> {
            while (busy.get() > 0) {
              long pending = purgatory.pending();
              if (pending < 0 || pending > 10_000) {
                outOfRange.set(true);
              }
            }
          });
      assertThat(outOfRange).isFalse();
      assertThat(purgatory.pending()).isEqualTo(2_000);
      assertThat(timer.size()).isEqualTo(2_000);
    }
  }

  @Nested
  class Promise5CompletionFreesAtOnce {

    /** Ends an operation in each of these ways and waits until none of them is reachable. */
    private void awaitUnreachable(List<Runnable> ends) throws InterruptedException {
      ReferenceQueue<Object> queue = new ReferenceQueue<>();
      List<WeakReference<Object>> references = new ArrayList<>();
      for (Runnable end : ends) {
        references.add(new WeakReference<>(endOne(end), queue));
      }
      long begin = System.nanoTime();
      for (int cleared = 0; cleared < references.size(); ) {
        assertThat(System.nanoTime() - begin).isLessThan(Threads.PATIENCE.toNanos());
        System.gc();
        while (queue.remove(20) != null) {
          cleared++;
        }
      }
    }

    private RecordingOperation endOne(Runnable end) {
      RecordingOperation operation = new RecordingOperation(1_000);
      purgatory.hold(operation, List.of("quiet-1", "quiet-2", "busy"));
      current = operation;
      end.run();
      current = null;
      assertThat(operation.isAnswered() || operation.isCancelled()).isTrue();
      return operation;
    }

    private @Nullable RecordingOperation current;

    @Test
    void promise5_anyEnd_operationBecomesUnreachable() throws InterruptedException {
      awaitUnreachable(
          List.of(
              () -> requireNonNull(current).complete(),
              () -> requireNonNull(current).cancel(),
              () -> {
                requireNonNull(current).condition(true);
                purgatory.signal("busy");
              },
              () -> purgatory.cancelForKey("busy"),
              purgatory::cancelAll,
              () -> advance(Duration.ofSeconds(1))));
      assertThat(timer.size()).isZero();
      assertThat(purgatory.pending()).isZero();
    }

    @Test
    void promise5_anyEnd_isRemovedFromTheTimerImmediately() {
      held("a").complete();
      held("a").cancel();
      held("a").condition(true);
      purgatory.signal("a");
      assertThat(timer.size()).isZero();
    }

    @Test
    void promise5_purge_retainsHeldOperations() {
      RecordingOperation live = held("a", "b");
      for (int i = 0; i < 100; i++) {
        held("a", "c").cancel();
      }
      purgatory.core().purge();
      assertThat(purgatory.inspect().watched()).isEqualTo(2);
      assertThat(purgatory.inspect().keys()).isEqualTo(2);
      live.condition(true);
      assertThat(purgatory.signal("b")).isEqualTo(1);
      purgatory.core().purge();
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(purgatory.inspect().keys()).isZero();
    }

    @Test
    void promise5_manyHaveEndedOnQuietKeys_arePurged() {
      Purgatory<Object> purging = purgatory(b -> b.purgeInterval(100));
      for (int i = 0; i < 100; i++) {
        endOn(purging, "quiet-" + i);
      }
      assertThat(purging.inspect().watched()).isEqualTo(100);
      assertThat(purging.inspect().keys()).isEqualTo(100);
      endOn(purging, "quiet-100");
      Threads.until(() -> purging.inspect().watched() == 0 && purging.inspect().keys() == 0);
    }

    private void endOn(Purgatory<Object> purging, Object... keys) {
      RecordingOperation operation = operation();
      purging.hold(operation, List.of(keys));
      operation.complete();
    }

    @Test
    void promise5_purgeIntervalOfZero_retainsNothing() {
      Purgatory<Object> purging = purgatory(b -> b.purgeInterval(0));
      endOn(purging, "a", "b", "c");
      Threads.until(() -> purging.inspect().watched() == 0 && purging.inspect().keys() == 0);
    }

    @Test
    void promise5_keyThrowsInAPurge_allKeysAreRemoved() {
      Purgatory<Object> purging = purgatory(b -> b.purgeInterval(0));
      Key first = new Key(""); // its hash code of 0 puts it before the other key
      RecordingOperation operation = operation();
      purging.hold(operation, List.of(first, "quiet"));
      AtomicInteger failures = new AtomicInteger();
      first.onHash =
          () -> {
            failures.incrementAndGet();
            throw failure();
          };
      operation.complete();
      Threads.until(() -> purging.inspect().watched() == 0 && purging.inspect().keys() == 0);
      assertThat(failures).hasPositiveValue();
    }

    @Test
    void promise5_purgeStartsWhenMoreHaveEndedThanAreHeld() {
      Purgatory<Object> purging = purgatory(b -> b.purgeInterval(10));
      for (int i = 0; i < 1_000; i++) {
        purging.hold(operation(), List.of("quiet-" + i));
      }
      for (int i = 0; i < 999; i++) {
        endOn(purging, "quiet-" + i);
      }
      assertThat(purging.inspect().watched()).isEqualTo(1_999);
      endOn(purging, "quiet-999");
      endOn(purging, "quiet-999");
      Threads.until(() -> purging.inspect().watched() <= 1_001);
      assertThat(purging.pending()).isEqualTo(1_000);
    }

    @Test
    void promise5_longRun_watchedStaysBounded() {
      Purgatory<Object> purging = purgatory(b -> b.purgeInterval(100));
      for (int i = 0; i < 50_000; i++) {
        RecordingOperation operation = new RecordingOperation(1_000);
        purging.hold(operation, List.of(i % 1_000, "hot"));
        operation.complete();
      }
      Threads.until(() -> purging.inspect().watched() <= 100);
    }

    @Test
    void promise5_oneKeyInUse_removesEndedOperations() {
      for (int i = 0; i < 10_000; i++) {
        held("k").complete();
        assertThat(purgatory.inspect().watched()).isLessThanOrEqualTo(8);
      }
    }
  }

  @Nested
  class Promise6NoLockAndNoStack {

    /** Calls every method with the same keys on another thread, and waits for it. */
    private Runnable callsFromAnotherThread(Purgatory<Object> target) {
      return once(
          () ->
              onAnotherThread(
                  () -> {
                    RecordingOperation other = new RecordingOperation(5);
                    target.hold(other, List.of("a", "b"));
                    target.signal("a");
                    target.signal("b");
                    other.complete();
                    target.hold(new RecordingOperation(5), List.of("b", "a"));
                    target.core().purge();
                    assertThat(target.pending()).isNotNegative();
                    assertThat(target.inspect().watched()).isNotNegative();
                    assertThat(target.inspect().keys()).isNotNegative();
                    timer.advance();
                  }));
    }

    @Test
    void promise6_inCondition_otherThreadsAreNotBlocked() {
      held("a", "b");
      RecordingOperation operation = operation();
      Runnable first = callsFromAnotherThread(purgatory);
      Runnable second = callsFromAnotherThread(purgatory);
      Runnable third = callsFromAnotherThread(purgatory);
      operation.onCheck(
          () -> (operation.checks() == 1 ? first : operation.checks() == 2 ? second : third).run());
      purgatory.hold(operation, List.of("a", "b"));
      purgatory.signal("a");
      assertThat(operation.checks()).isGreaterThanOrEqualTo(3);
      assertThat(listener.errors).isEmpty();
    }

    @Test
    void promise6_inOnOutcome_otherThreadsAreNotBlocked() {
      RecordingOperation byEvent = held("a", "b");
      RecordingOperation byTime = held("a", "b");
      byEvent.onAnswer(callsFromAnotherThread(purgatory)).condition(true);
      purgatory.signal("a");
      byTime
          .onAnswer(callsFromAnotherThread(purgatory))
          .onExpiry(callsFromAnotherThread(purgatory));
      advance(Duration.ofSeconds(1));
      assertThat(byTime.expirations()).isEqualTo(1);
      assertThat(listener.errors).isEmpty();
    }

    @Test
    void promise6_inListener_otherThreadsAreNotBlocked() {
      for (String expected : List.of("held", "completed", "timed_out", "cancelled", "error")) {
        Runnable calls = callsFromAnotherThread(purgatory);
        AtomicBoolean called = new AtomicBoolean();
        Thread test = Thread.currentThread();
        listener.action =
            event -> {
              if (event.equals(expected) && Thread.currentThread() == test) {
                called.set(true);
                calls.run();
              }
            };
        held("a", "b").condition(true).onAnswer(raising(failure()));
        purgatory.signal("a");
        held("a", "b").cancel();
        held("a", "b");
        advance(Duration.ofSeconds(1));
        assertThat(called).as(expected).isTrue();
      }
    }

    @Test
    void promise6_inExecutors_otherThreadsAreNotBlocked() {
      AtomicInteger used = new AtomicInteger();
      List<Purgatory<Object>> self = new ArrayList<>();
      Executor executor =
          task -> {
            used.incrementAndGet();
            if (Thread.currentThread().getName().equals("test")) {
              task.run();
              return;
            }
            callsFromAnotherThread(self.get(0)).run();
            task.run();
          };
      self.add(purgatory(b -> b.completionExecutor(executor).expirationExecutor(executor)));
      RecordingOperation byEvent = operation();
      self.get(0).hold(byEvent, List.of("a", "b"));
      self.get(0).hold(operation(), List.of("a", "b"));
      byEvent.condition(true);
      self.get(0).signal("b");
      advance(Duration.ofSeconds(1));
      assertThat(used.get()).isGreaterThanOrEqualTo(2);
      assertThat(operations).allMatch(operation -> operation.answers() == 1);
    }

    @Test
    void promise6_signalInOnOutcome_runsImmediately() {
      List<String> order = new ArrayList<>();
      RecordingOperation outer = held("outer");
      RecordingOperation inner = held("inner").condition(true);
      inner.onAnswer(() -> order.add("inner"));
      outer.condition(true);
      outer.onAnswer(
          () -> {
            order.add("outer begins");
            assertThat(purgatory.signal("inner")).isEqualTo(1);
            order.add("outer ends");
          });
      assertThat(purgatory.signal("outer")).isEqualTo(1);
      assertThat(order).containsExactly("outer begins", "inner", "outer ends");
      assertThat(listener.errors).isEmpty();
    }

    @Test
    void promise6_signalInCondition_runsImmediately() {
      RecordingOperation inner = held("inner").condition(true);
      RecordingOperation outer = operation();
      outer.onCheck(
          once(
              () -> {
                assertThat(purgatory.signal("inner")).isEqualTo(1);
                assertThat(inner.answers()).isEqualTo(1);
              }));
      purgatory.hold(outer, List.of("outer"));
      assertThat(listener.errors).isEmpty();
    }

    private void runWithSmallStack(Runnable task) throws InterruptedException {
      AtomicBoolean done = new AtomicBoolean();
      Thread thread =
          new Thread(
              null,
              () -> {
                task.run();
                done.set(true);
              },
              "small-stack",
              256 * 1024);
      thread.start();
      thread.join(Threads.PATIENCE.toMillis());
      assertThat(done).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"signal", "complete", "hold", "signal in isReady", "cancel"})
    void promise6_longChain_stackDepthIsBounded(String call) throws InterruptedException {
      int length = 100_000;
      RecordingOperation[] chain = new RecordingOperation[length + 1];
      for (int i = 0; i <= length; i++) {
        chain[i] = new RecordingOperation(1_000);
        if (!call.equals("hold")) {
          purgatory.hold(chain[i], List.of(i));
        }
      }
      for (int i = 0; i < length; i++) {
        RecordingOperation next = chain[i + 1];
        int key = i + 1;
        switch (call) {
          case "signal" ->
              chain[i].onAnswer(
                  () -> {
                    next.condition(true);
                    purgatory.signal(key);
                  });
          case "complete" -> chain[i].onAnswer(() -> assertThat(next.complete()).isTrue());
          case "hold" ->
              chain[i].onAnswer(
                  () -> {
                    next.condition(true);
                    purgatory.hold(next, List.of(key));
                  });
          case "signal in isReady" ->
              chain[i].onCheck(
                  () -> {
                    next.condition(true);
                    purgatory.signal(key);
                  });
          default -> {}
        }
      }
      if (call.equals("cancel")) {
        AtomicInteger cancelled = new AtomicInteger();
        listener.action = event -> chain[Math.min(length, cancelled.incrementAndGet())].cancel();
        runWithSmallStack(() -> chain[0].cancel());
        Threads.until(() -> chain[length].isCancelled());
        assertThat(Arrays.stream(chain)).allMatch(RecordingOperation::isCancelled);
      } else {
        chain[0].condition(true);
        runWithSmallStack(
            () -> {
              if (call.equals("hold")) {
                purgatory.hold(chain[0], List.of(0));
              } else {
                purgatory.signal(0);
              }
            });
        Threads.until(() -> purgatory.pending() == 0 && chain[0].answers() == 1);
        Threads.until(() -> Arrays.stream(chain).allMatch(o -> o.answers() == 1));
      }
      assertThat(listener.errors).isEmpty();
      Threads.until(() -> purgatory.pending() == 0); // a helper thread counts the last end
    }
  }

  @Nested
  class Promise7AFailureAffectsOnlyItsOwnOperation {

    /** Throwables that callbacks throw. */
    enum Failure {
      EXCEPTION(failure()),
      CHECKED(new Exception("expected")),
      OUT_OF_MEMORY(new OutOfMemoryError("expected")),
      STACK_OVERFLOW(new StackOverflowError("expected")),
      ASSERTION(new AssertionError("expected"));

      @SuppressWarnings("ImmutableEnumChecker") // never changed
      private final Throwable thrown;

      Failure(Throwable thrown) {
        this.thrown = thrown;
      }

      Runnable raise() {
        return raising(thrown);
      }
    }

    private RecordingOperation surrounded(UnaryOperator<RecordingOperation> setting) {
      held("k");
      RecordingOperation bad = setting.apply(operation());
      assertThat(purgatory.hold(bad, List.of("k"))).isFalse();
      held("k");
      return bad;
    }

    private void assertReportedOnce(Failure failure) {
      assertThat(listener.errors).containsExactly(failure.thrown);
      listener.errors.clear();
    }

    @ParameterizedTest
    @EnumSource
    void promise7_conditionThrowsInHold_failsTheOperation(Failure failure) {
      for (int check = 1; check <= 2; check++) {
        int throwing = check;
        RecordingOperation bad = operation();
        bad.onCheck(
            () -> {
              if (bad.checks() == throwing) {
                failure.raise().run();
              }
            });
        surrounded(unused -> bad);
        assertFailed(bad, failure);
        assertThat(purgatory.pending()).isEqualTo(2);
        operations.forEach(operation -> operation.condition(true));
        assertThat(purgatory.signal("k")).isEqualTo(2);
      }
    }

    private void assertFailed(RecordingOperation bad, Failure failure) {
      assertThat(bad.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(bad.outcomes()).isEqualTo(1);
      assertThat(bad.cause()).isSameAs(failure.thrown);
      assertThat(listener.errors).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void promise7_conditionThrowsInSignal_failsTheOperationAndOthersComplete(Failure failure) {
      RecordingOperation bad = surrounded(o -> o);
      bad.onCheck(once(failure.raise()));
      operations.forEach(operation -> operation.condition(true));
      assertThat(purgatory.signal("k")).isEqualTo(2);
      assertFailed(bad, failure);
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void promise7_conditionThrowsInItsLastCheck_failsTheOperation(Failure failure) {
      RecordingOperation bad = surrounded(o -> o);
      bad.onCheck(failure.raise());
      advance(Duration.ofSeconds(1));
      assertFailed(bad, failure);
      assertThat(operations).filteredOn(o -> o != bad).allMatch(o -> o.expirations() == 1);
    }

    @ParameterizedTest
    @EnumSource
    void promise7_conditionThrowsAfterTheEnd_isReportedOnce(Failure failure) {
      RecordingOperation bad = surrounded(o -> o);
      bad.onCheck(
          () -> {
            bad.complete();
            failure.raise().run();
          });
      assertThat(purgatory.signal("k")).isEqualTo(1);
      assertThat(bad.outcome()).isEqualTo(Outcome.COMPLETED);
      assertReportedOnce(failure);
    }

    @ParameterizedTest
    @EnumSource
    void promise7_onOutcomeThrows_othersComplete(Failure failure) {
      RecordingOperation bad = surrounded(o -> o.onAnswer(failure.raise()));
      operations.forEach(operation -> operation.condition(true));
      assertThat(purgatory.signal("k")).isEqualTo(3);
      assertReportedOnce(failure);
      assertThat(bad.isAnswered()).isTrue();
      assertThat(operations).allMatch(operation -> operation.answers() == 1);
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(timer.size()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void promise7_onOutcomeThrowsOnTimeout_othersExpire(Failure failure) {
      surrounded(o -> o.onAnswer(failure.raise()));
      advance(Duration.ofSeconds(1));
      assertReportedOnce(failure);
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }

    @Test
    void promise7_onOutcomeThrowsInComplete_callerReceivesNoException() {
      RuntimeException e = failure();
      RecordingOperation bad = surrounded(o -> o.onAnswer(raising(e)));
      assertThat(bad.complete()).isTrue();
      assertThat(listener.errors).containsExactly(e);
    }

    @ParameterizedTest
    @ValueSource(strings = {"held", "completed", "timed_out", "cancelled"})
    void promise7_listenerThrows_operationsAreNotAffected(String throwing) {
      Error e = new AssertionError("expected");
      listener.action =
          event -> {
            if (event.equals(throwing)) {
              throw e;
            }
          };
      RecordingOperation byEvent = held("k").condition(true);
      assertThat(purgatory.signal("k")).isEqualTo(1);
      RecordingOperation byCancel = held("k");
      assertThat(byCancel.cancel()).isTrue();
      RecordingOperation byTime = held("k");
      advance(Duration.ofSeconds(1));
      assertThat(listener.errors).isNotEmpty().allMatch(error -> error == e);
      assertThat(byEvent.answers()).isEqualTo(1);
      assertThat(byTime.expirations()).isEqualTo(1);
      assertThat(byCancel.answers()).isZero();
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
    }

    @Test
    void promise7_onErrorThrowsToo_operationsAreNotAffected() {
      listener.action =
          event -> {
            if (event.equals("error")) {
              throw failure();
            }
          };
      surrounded(o -> o.onAnswer(raising(failure())));
      operations.forEach(operation -> operation.condition(true));
      assertThat(purgatory.signal("k")).isEqualTo(3);
      assertThat(operations).allMatch(operation -> operation.answers() == 1);
    }

    @Test
    void promise7_nestedSignalFails_callbackReceivesNoException() {
      Key bad = new Key("bad");
      RecordingOperation outer = held("outer").condition(true);
      RecordingOperation inner = held(bad).condition(true);
      RecordingOperation last = held("last").condition(true);
      inner.onAnswer(() -> bad.onHash = raising(failure()));
      outer.onCheck(
          once(
              () -> {
                purgatory.signal(bad);
                purgatory.signal("last");
              }));
      assertThat(purgatory.signal("outer")).isEqualTo(1);
      assertThat(outer.answers()).isEqualTo(1);
      assertThat(inner.answers()).isEqualTo(1);
      assertThat(last.answers()).isEqualTo(1);
      bad.onHash = () -> {};
    }

    private void endByEventAndByTimeout(Executor executor, int answers, int errors) {
      Purgatory<Object> odd =
          purgatory(b -> b.completionExecutor(executor).expirationExecutor(executor));
      RecordingOperation byEvent = operation();
      RecordingOperation byTime = operation();
      odd.hold(byEvent, List.of("k", "quiet"));
      odd.hold(byTime, List.of("k", "quiet"));
      byEvent.condition(true);
      assertThat(odd.signal("k")).isEqualTo(1);
      advance(Duration.ofSeconds(1));
      Threads.until(byTime::isExpired); // may happen on the purgatory's own thread
      assertThat(byEvent.isAnswered()).isTrue();
      Threads.until(() -> odd.pending() == 0); // that thread counts the end
      assertThat(timer.size()).isZero();
      odd.close();
      assertThat(byEvent.answers()).isEqualTo(answers);
      assertThat(byTime.answers()).isEqualTo(answers);
      assertThat(byTime.expirations()).isEqualTo(answers);
      assertThat(listener.errors).hasSize(errors);
    }

    @Test
    void promise7_executorRejects_isReportedAndAnsweredOnOwnThread() {
      Executor full =
          task -> {
            throw new RejectedExecutionException("expected");
          };
      endByEventAndByTimeout(full, 1, 2);
    }

    @Test
    void promise7_executorThrowsAnError_isReportedAndAnsweredOnOwnThread() {
      endByEventAndByTimeout(task -> Sneaky.raise(new OutOfMemoryError("expected")), 1, 2);
    }

    @Test
    void promise7_executorThrowsAfterRunning_answersOnce() {
      Executor odd =
          task -> {
            task.run();
            throw failure();
          };
      endByEventAndByTimeout(odd, 1, 2);
    }

    @Test
    void promise7_executorRunsTwice_answersOnce() {
      Executor odd =
          task -> {
            task.run();
            task.run();
          };
      endByEventAndByTimeout(odd, 1, 0);
    }

    @Test
    void promise7_executorRunsInline_answersOnce() {
      endByEventAndByTimeout(DIRECT, 1, 0);
    }

    @Test
    void promise7_executorDropsATimeout_operationStaysHeldForAnEvent() {
      Purgatory<Object> odd = purgatory(b -> b.expirationExecutor(task -> {}));
      RecordingOperation operation = operation();
      odd.hold(operation, List.of("k"));
      advance(Duration.ofSeconds(1));
      assertThat(odd.pending()).isEqualTo(1);
      operation.condition(true);
      assertThat(odd.signal("k")).isEqualTo(1);
      assertThat(operation.answers()).isEqualTo(1);
      assertThat(odd.pending()).isZero();
    }

    @Test
    void promise7_executorDropsAnAnswer_operationIsNotPending() {
      Purgatory<Object> odd = purgatory(b -> b.completionExecutor(task -> {}));
      RecordingOperation operation = operation();
      odd.hold(operation, List.of("k"));
      assertThat(operation.complete()).isTrue();
      assertThat(operation.isAnswered()).isTrue();
      assertThat(odd.pending()).isZero();
      assertThat(timer.size()).isZero();
    }

    @Test
    void promise7_executorDropsTasks_endedOperationsArePurged() {
      Purgatory<Object> odd = purgatory(b -> b.expirationExecutor(task -> {}).purgeInterval(1));
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) {
          RecordingOperation operation = operation();
          odd.hold(operation, List.of("quiet-" + i));
          operation.complete();
        }
        Threads.until(() -> odd.inspect().watched() <= 1);
      }
    }

    @Test
    void promise7_errorsAndInterrupts_threadForExpirationsContinues() throws InterruptedException {
      CountDownLatch answered = new CountDownLatch(30);
      List<String> threads = new CopyOnWriteArrayList<>();
      try (Purgatory<Object> own =
          Purgatory.builder("survivor", Object.class).listener(listener).build()) {
        for (int i = 0; i < 30; i++) {
          int number = i;
          RecordingOperation operation = operation(1 + i / 10);
          operation.onExpiry(
              () -> {
                threads.add(Thread.currentThread().getName());
                answered.countDown();
                if (number % 3 == 0) {
                  Thread.currentThread().interrupt();
                } else if (number % 3 == 1) {
                  throw new LinkageError("expected");
                }
              });
          own.hold(operation, List.of("k"));
        }
        Threads.await(answered);
      }
      assertThat(threads).containsOnly("purgatory-survivor-expiration");
      assertThat(listener.errors).hasSize(10);
    }

    @Test
    void promise7_interruptedCaller_callsSucceedAndInterruptIsKept() {
      RecordingOperation operation = operation();
      Thread.currentThread().interrupt();
      purgatory.hold(operation, List.of("k"));
      operation.condition(true);
      int completed = purgatory.signal("k");
      purgatory.core().purge();
      boolean interrupted = Thread.interrupted();
      assertThat(completed).isEqualTo(1);
      assertThat(interrupted).isTrue();
    }

    @Test
    void promise7_noListener_failuresAreContained() {
      Purgatory<Object> silent =
          Purgatory.builder("silent", Object.class).timer(timer).expirationExecutor(DIRECT).build();
      purgatories.add(silent);
      RecordingOperation operation = operation().onAnswer(raising(failure()));
      silent.hold(operation, List.of("k"));
      assertThat(operation.complete()).isTrue();
      assertThat(silent.pending()).isZero();
    }
  }

  @Nested
  class Promise8CancelIsFinal {

    @Test
    void promise8_cancelled_neverRuns() {
      RecordingOperation operation = held("a", "b");
      assertThat(operation.cancel()).isTrue();
      assertThat(operation.cancel()).isFalse();
      assertThat(operation.isCancelled()).isTrue();
      assertThat(operation.isAnswered()).isFalse();
      operation.condition(true);
      assertThat(operation.complete()).isFalse();
      assertThat(purgatory.signal("a")).isZero();
      advance(Duration.ofDays(1));
      assertThat(operation.answers() + operation.expirations()).isZero();
      assertThat(listener.events).containsExactly("held", "cancelled");
    }

    @Test
    void promise8_cancelledByItsOwnCondition_neverRuns() {
      RecordingOperation operation = operation().condition(true);
      operation.onCheck(() -> assertThat(operation.cancel()).isTrue());
      assertThat(purgatory.hold(operation, List.of("k"))).isFalse();
      assertThat(operation.answers()).isZero();
      assertThat(listener.errors).isEmpty();
      assertThat(purgatory.pending()).isZero();
    }

    @Test
    void promise8_cancelledWhileBeingHeld_isOnNoList() {
      Key second = new Key("second");
      RecordingOperation operation = operation();
      second.onHash = once(operation::cancel);
      assertThat(purgatory.hold(operation, List.of("first", second, "third"))).isFalse();
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
      purgatory.core().purge();
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(operation.answers()).isZero();
    }

    @Test
    void promise8_cancelForKey_returnsTheCancelledOperations() {
      RecordingOperation first = held("a", "b");
      RecordingOperation second = held("b", "b");
      RecordingOperation other = held("c");
      held("b").complete();
      held("b").cancel();
      assertThat(purgatory.cancelForKey("unknown")).isEmpty();
      assertThat(purgatory.cancelForKey("b")).containsExactly(first, second);
      assertThat(purgatory.cancelForKey("b")).isEmpty();
      assertThat(purgatory.cancelForKey("a")).isEmpty();
      assertThat(first.isCancelled() && second.isCancelled()).isTrue();
      assertThat(other.isCancelled()).isFalse();
      assertThat(purgatory.pending()).isEqualTo(1);
      assertThat(timer.size()).isEqualTo(1);
    }

    @Test
    void promise8_cancelAll_returnsEachOperationOnce() {
      for (int i = 0; i < 100; i++) {
        held(i, i % 7, "k");
      }
      assertThat(purgatory.cancelAll()).containsExactlyInAnyOrderElementsOf(operations);
      assertThat(purgatory.cancelAll()).isEmpty();
      assertThat(timer.size()).isZero();
      assertThat(purgatory.inspect().watched()).isZero();
    }

    @Test
    void promise8_cancelAllInACallback_cancelsTheOthers() {
      RecordingOperation first = held("k").condition(true);
      RecordingOperation second = held("k").condition(true);
      List<Object> cancelled = new ArrayList<>();
      first.onAnswer(() -> cancelled.addAll(purgatory.cancelAll()));
      assertThat(purgatory.signal("k")).isEqualTo(1);
      assertThat(cancelled).containsExactly(second);
    }
  }

  @Nested
  class Promise9AnIdlePurgatoryDoesNothing {

    private static final int MAX_WINDOWS = 20;

    private final AtomicLong reads = new AtomicLong();
    private final Ticker counting =
        () -> {
          if (Thread.currentThread().getName().equals("idle-clock")) {
            reads.incrementAndGet();
          }
          return System.nanoTime();
        };

    /** Asserts that the clock stops reading the time, after a last alarm that may still be due. */
    private void assertNoWakeUps() throws InterruptedException {
      long before;
      int windows = 0;
      do {
        assertThat(windows++).as("windows with wake-ups").isLessThan(MAX_WINDOWS);
        before = reads.get();
        assertThat(new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS)).isFalse();
      } while (reads.get() != before);
    }

    @Test
    void promise9_nothingIsDueSoon_clockWaits() throws InterruptedException {
      try (Timer clock = Timer.builder().ticker(counting).start("idle-clock")) {
        assertNoWakeUps();
        Purgatory<Object> idle = purgatory(b -> b.timer(clock));
        RecordingOperation far = operation(TimeUnit.DAYS.toMillis(1));
        long before = reads.get();
        idle.hold(far, List.of("k"));
        Threads.until(() -> reads.get() > before); // the new deadline wakes the clock once
        assertNoWakeUps();
        idle.signal("k");
        RecordingOperation near = operation(1);
        idle.hold(near, List.of("k"));
        Threads.until(() -> near.expirations() == 1);
        assertNoWakeUps();
        far.complete();
        assertNoWakeUps();
      }
    }

    @Test
    void promise9_nothingHasExpired_threadForExpirationsIsNotStarted() {
      try (Purgatory<Object> idle = Purgatory.builder("lazy", Object.class).build()) {
        RecordingOperation operation = operation(TimeUnit.DAYS.toMillis(1));
        RecordingOperation keepsTheClock = operation(TimeUnit.DAYS.toMillis(1));
        idle.hold(keepsTheClock, List.of("k"));
        idle.hold(operation, List.of("k"));
        operation.complete();
        assertThat(Threads.isAlive("purgatory-lazy-clock")).isTrue();
        assertThat(Threads.isAlive("purgatory-lazy-expiration")).isFalse();
      }
    }
  }

  @Nested
  class Promise10AnyClock {

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 500_000_000, Long.MAX_VALUE})
    void promise10_anyOrigin_expiresOnTime(long origin) {
      ManualTicker ticker = new ManualTicker(origin);
      Timer timer = Timer.builder().ticker(ticker).build();
      Purgatory<Object> odd = purgatory(b -> b.timer(timer));
      RecordingOperation operation = operation();
      odd.hold(operation, List.of("k"));
      ticker.advance(Duration.ofSeconds(1).minusNanos(1));
      timer.advance();
      assertThat(operation.isExpired()).isFalse();
      ticker.advance(1);
      timer.advance();
      assertThat(operation.isExpired()).isTrue();
      assertThat(listener.held).containsExactly(Duration.ofSeconds(1).toNanos());
      assertThat(listener.late).containsExactly(0L);
    }

    @Test
    void promise10_tickerJumpsAndStops_expiresOnceAndNeverEarly() {
      RecordingOperation operation = held("k");
      advance(Duration.ofMillis(999));
      advance(Duration.ofMillis(-999));
      advance(Duration.ofMillis(999));
      assertThat(operation.isExpired()).isFalse();
      for (int i = 0; i < 100; i++) {
        timer.advance();
      }
      assertThat(operation.isExpired()).isFalse();
      advance(Duration.ofDays(3650));
      assertThat(operation.expirations()).isEqualTo(1);
    }

    @Test
    void promise10_tickerRunsBackwards_timeHeldIsNotNegative() {
      ticker.advance(Duration.ofSeconds(2));
      RecordingOperation operation = held("k");
      ticker.advance(Duration.ofSeconds(-1));
      assertThat(operation.complete()).isTrue();
      assertThat(listener.held).containsExactly(0L);
    }

    @Test
    void promise10_longestTimeouts_areHeld() {
      Purgatory<Object> longest = Purgatory.builder("longest", Object.class).timer(timer).build();
      purgatories.add(longest);
      longest.hold(new RecordingOperation(Duration.ofNanos(Long.MAX_VALUE)), List.of("k"));
      purgatory.hold(operation(Long.MAX_VALUE), List.of("k"));
      purgatory.hold(new RecordingOperation(Duration.ofSeconds(Long.MAX_VALUE)), List.of("k"));
      advance(Duration.ofDays(365 * 100));
      assertThat(longest.pending()).isEqualTo(1);
      assertThat(longest.cancelAll()).hasSize(1);
      assertThat(purgatory.pending()).isEqualTo(2);
      assertThat(purgatory.cancelAll()).hasSize(2);
      assertThat(listener.held).allMatch(nanos -> nanos >= 0);
    }

    @Test
    void promise10_negativeTimeout_isRefused() {
      for (Duration timeout : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
        assertThatThrownBy(() -> new RecordingOperation(timeout))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("time limit " + timeout + " is negative");
        RecordingOperation held = new RecordingOperation(1_000);
        purgatory.hold(held, List.of("k"));
        assertThatThrownBy(() -> held.reschedule(timeout))
            .isInstanceOf(IllegalArgumentException.class);
        assertThat(held.outcome()).isNull();
        assertThat(held.cancel()).isTrue();
      }
    }
  }

  @Nested
  class Promise11CloseIsBounded {

    private Purgatory<Object> own(String name) {
      Purgatory<Object> built = Purgatory.builder(name, Object.class).listener(listener).build();
      purgatories.add(built);
      return built;
    }

    private void assertNoThread(String name) {
      Threads.until(() -> !Threads.isAlive("purgatory-" + name + "-clock"));
      Threads.until(() -> !Threads.isAlive("purgatory-" + name + "-expiration"));
    }

    @Test
    void promise11_pendingOperations_areClosedBeforeTheirTimeout() {
      for (int i = 0; i < 100; i++) {
        held(i, "k", i % 3);
      }
      purgatory.close();
      purgatory.close();
      assertThat(operations).allMatch(RecordingOperation::isExpired);
      assertThat(operations).allMatch(operation -> operation.answers() == 1);
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
      assertThat(purgatory.pending()).isZero();
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(timer.size()).isZero();
      assertThat(listener.late).hasSize(100).allMatch(late -> late < 0);
      assertThat(listener.errors).isEmpty();
    }

    @Test
    void promise11_ownThreads_answerAllAndEnd() {
      Purgatory<Object> own = own("threads");
      for (int i = 0; i < 100; i++) {
        own.hold(operation(60_000), List.of(i % 10));
      }
      own.close();
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
      assertThat(Threads.isAlive("purgatory-threads-clock")).isFalse();
      assertNoThread("threads");
    }

    @Test
    void promise11_sharedTimer_staysOpen() {
      Purgatory<Object> other = purgatory(b -> b);
      RecordingOperation operation = operation();
      other.hold(operation, List.of("k"));
      purgatory.close();
      assertThat(operation.isAnswered()).isFalse();
      advance(Duration.ofSeconds(1));
      assertThat(operation.isExpired()).isTrue();
    }

    @Test
    void promise11_afterClose_operationsAreRejectedUnchanged() {
      purgatory.close();
      RecordingOperation operation = operation();
      assertThatThrownBy(() -> purgatory.hold(operation, List.of("k")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      assertThat(operation.checks()).isZero();
      assertThat(purgatory.signal("k")).isZero();
      assertThat(purgatory.cancelForKey("k")).isEmpty();
      assertThat(purgatory.cancelAll()).isEmpty();
      Purgatory<Object> other = purgatory(b -> b);
      assertThat(other.hold(operation, List.of("k"))).isFalse();
      assertThat(other.pending()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"isReady", "onOutcome", "timeout", "held", "cancelled"})
    void promise11_closedInACallback_endsAll(String callback) {
      Purgatory<Object> own = own("within");
      RecordingOperation other = operation(60_000);
      own.hold(other, List.of("other"));
      RecordingOperation operation = operation(callback.equals("timeout") ? 1 : 60_000);
      AtomicBoolean closed = new AtomicBoolean();
      Runnable close =
          once(
              () -> {
                own.close();
                closed.set(true);
              });
      switch (callback) {
        case "isReady" ->
            operation.onCheck(
                () -> {
                  if (operation.checks() == 3) {
                    close.run();
                  }
                });
        case "onOutcome" -> operation.onAnswer(close);
        case "timeout" -> operation.onExpiry(close);
        default ->
            listener.action =
                event -> {
                  if (event.equals(callback)) {
                    close.run();
                  }
                };
      }
      assertThatCode(() -> own.hold(operation, List.of("k")))
          .satisfiesAnyOf(
              thrown -> assertThat(thrown).isNull(),
              thrown -> assertThat(thrown).isInstanceOf(IllegalStateException.class));
      switch (callback) {
        case "onOutcome" -> operation.condition(true);
        case "cancelled" -> operation.cancel();
        default -> {}
      }
      own.signal("k");
      Threads.until(closed::get);
      assertNoThread("within");
      assertThat(operations).allMatch(o -> o.isAnswered() || o.isCancelled());
      assertThat(other.expirations()).isEqualTo(1);
      assertThat(operation.answers()).isEqualTo(operation.isCancelled() ? 0 : 1);
      assertThat(listener.errors).isEmpty();
    }

    @Test
    void promise11_closedOnTheClockThread_endsAll() {
      Purgatory<Object> own =
          Purgatory.builder("on-clock", Object.class).expirationExecutor(DIRECT).build();
      own.hold(operation(60_000), List.of("k"));
      own.hold(operation(1).onExpiry(own::close), List.of("k"));
      assertNoThread("on-clock");
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }

    @Test
    void promise11_interruptedCaller_allAreAnswered() {
      Purgatory<Object> own = own("interrupted");
      for (int i = 0; i < 1_000; i++) {
        own.hold(operation(60_000), List.of(i % 10));
      }
      Thread.currentThread().interrupt();
      own.close();
      assertThat(Thread.interrupted()).isTrue();
      Threads.until(() -> operations.stream().allMatch(operation -> operation.answers() == 1));
      assertNoThread("interrupted");
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }

    /** Two purgatories, in each of which a callback blocks and another operation is held. */
    private final class Stuck {
      private final Purgatory<Object> worker = own("stuck-worker");
      private final Purgatory<Object> relayed =
          Purgatory.builder("stuck-relay", Object.class).expirationExecutor(DIRECT).build();
      private final List<RecordingOperation> waiting = new ArrayList<>();
      private final List<Object> returned = new CopyOnWriteArrayList<>();
      private final List<Threads.Running> closing = new ArrayList<>();
      private final CountDownLatch release = new CountDownLatch(1);
      private final AtomicInteger released = new AtomicInteger();

      void beginToClose(Duration limit) throws InterruptedException {
        for (Purgatory<Object> stuck : List.of(worker, relayed)) {
          CountDownLatch begun = new CountDownLatch(1);
          Runnable block = () -> blockFrom(begun, release, released);
          stuck.hold(operation(1).onExpiry(block), List.of("k"));
          Threads.await(begun);
          RecordingOperation next = operation(60_000);
          stuck.hold(next, List.of("k"));
          waiting.add(next);
          closing.add(Threads.start(() -> returned.addAll(stuck.close(limit))));
        }
      }

      void join() throws InterruptedException {
        for (Threads.Running each : closing) {
          each.join();
        }
      }

      void assertNotInterrupted() {
        Threads.until(() -> released.get() == 2);
        Threads.until(() -> !Threads.isAlive("purgatory-stuck-worker-expiration"));
        Threads.until(() -> !Threads.isAlive("purgatory-stuck-relay-expiration"));
        assertThat(worker.pending() + relayed.pending()).isZero();
      }
    }

    @Test
    void promise11_callbackThatBlocks_delaysNoOther() throws InterruptedException {
      Stuck stuck = new Stuck();
      stuck.beginToClose(Threads.PATIENCE);
      Threads.until(() -> stuck.waiting.stream().allMatch(o -> o.outcome() == Outcome.CLOSED));
      assertThat(stuck.released).hasValue(0);
      stuck.release.countDown();
      stuck.join();
      assertThat(stuck.returned).isEmpty();
      stuck.assertNotInterrupted();
    }

    @Test
    void promise11_callbackThatBlocks_isNotInterrupted_andCloseEndsAtItsLimit()
        throws InterruptedException {
      Stuck stuck = new Stuck();
      stuck.beginToClose(Duration.ofMillis(100));
      stuck.join();
      assertThat(stuck.released).hasValue(0);
      for (RecordingOperation each : stuck.waiting) { // cancelled if its thread came too late
        assertThat(each.outcome())
            .isEqualTo(stuck.returned.contains(each) ? Outcome.CANCELLED : Outcome.CLOSED);
      }
      stuck.release.countDown();
      stuck.assertNotInterrupted();
    }

    private void blockFrom(CountDownLatch begun, CountDownLatch release, AtomicInteger released) {
      begun.countDown();
      try {
        Threads.await(release);
        released.incrementAndGet();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void promise11_holdRacesWithClose_everyOperationEnds(boolean ownTimer)
        throws InterruptedException {
      for (int round = 0; round < 200; round++) {
        operations.clear();
        Purgatory<Object> racing = ownTimer ? own("racing") : purgatory(b -> b);
        Threads.Task hold =
            () -> {
              for (int i = 0; i < 10; i++) {
                RecordingOperation operation = new RecordingOperation(60_000);
                try {
                  racing.hold(operation, List.of(i, "k"));
                  operations.add(operation);
                } catch (IllegalStateException e) {
                  assertThat(operation.answers()).isZero();
                }
              }
            };
        Threads.race(hold, racing::close, hold, racing::close);
        racing.close();
        if (ownTimer) {
          assertNoThread("racing");
        }
        assertThat(operations).allMatch(operation -> operation.expirations() == 1);
        assertThat(racing.pending()).isZero();
        racing.core().purge();
        Threads.until(() -> racing.inspect().watched() == 0); // a helper thread may purge, too
        assertThat(timer.size()).isZero();
        assertThat(listener.errors).isEmpty();
      }
    }

    @Test
    void promise11_callbacksThrowDuringClose_allAreAnswered() {
      for (int i = 0; i < 10; i++) {
        held("k").onAnswer(raising(failure())).onExpiry(raising(failure()));
      }
      purgatory.close();
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
      assertThat(listener.errors).as("the first failure ends the callback").hasSize(10);
    }

    @Test
    void promise11_keyThrowsDuringClose_threadsEnd() {
      Purgatory<Object> own = own("bad-key");
      Key bad = new Key("bad");
      own.hold(operation(60_000), List.of(bad));
      own.hold(operation(60_000), List.of("good"));
      bad.onHash = raising(failure());
      assertThatCode(own::close)
          .satisfiesAnyOf(
              thrown -> assertThat(thrown).isNull(),
              thrown -> assertThat(thrown).isInstanceOf(IllegalStateException.class));
      bad.onHash = () -> {};
      assertNoThread("bad-key");
      assertThat(operations).allMatch(operation -> operation.expirations() == 1);
    }
  }

  @Nested
  class Promise12BadInputChangesNothing {

    private void assertUnchanged() {
      assertThat(purgatory.pending()).isZero();
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(purgatory.inspect().keys()).isZero();
      assertThat(timer.size()).isZero();
      assertThat(listener.events).isEmpty();
      assertThat(operations).allMatch(operation -> operation.checks() == 0);
      for (RecordingOperation operation : List.copyOf(operations)) {
        assertThat(purgatory.hold(operation, List.of("good"))).isFalse();
      }
      assertThat(purgatory.pending()).isEqualTo(operations.size());
    }

    @Test
    void promise12_noKeys_throws() {
      assertThatThrownBy(() -> purgatory.hold(operation(), List.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("key");
      assertUnchanged();
    }

    @Test
    @SuppressWarnings("NullAway") // callers without null analysis
    void promise12_null_throws() {
      assertThatThrownBy(() -> purgatory.hold((DelayedOperation) null, List.of("k")))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("operation");
      assertThatThrownBy(() -> purgatory.hold(operation(), (List<Object>) null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("keys");
      assertThatThrownBy(() -> purgatory.hold(operation(), Arrays.asList("a", null, "b")))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("key");
      assertThatThrownBy(() -> purgatory.signal(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> purgatory.cancelForKey(null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> new RecordingOperation(null))
          .isInstanceOf(NullPointerException.class);
      Hold<Object, Object> hold = purgatory.untilCompleted().forever();
      assertNull("keys", () -> hold.hold((Object[]) null));
      assertNull("keys", () -> hold.hold((List<Object>) null));
      assertNull("key", () -> hold.hold("a", null));
      assertNull("scopes", () -> purgatory.untilCompleted().inScope((Scope[]) null));
      assertNull("scope", () -> purgatory.untilCompleted().inScope((Scope) null));
      Thresholds<Object> numbers = new Thresholds<>(purgatory);
      assertNull("thresholds", () -> numbers.reach(1, null));
      assertNull("key", () -> numbers.reach(1, Collections.singletonMap(null, 1L)));
      assertNull("threshold", () -> numbers.reach(1, Collections.singletonMap("a", null)));
      assertUnchanged();
    }

    private static void assertNull(String parameter, ThrowingCallable call) {
      assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(parameter);
    }

    @Test
    void promise12_sameOperationTwice_throwsAndTheFirstStaysHeld() {
      RecordingOperation operation = held("a");
      assertRejected(purgatory, operation);
      assertRejected(purgatory(b -> b), operation);
      assertThat(purgatory.pending()).isEqualTo(1);
      assertThat(purgatory.inspect().keys()).isEqualTo(1);
      operation.condition(true);
      assertThat(purgatory.signal("b")).isZero();
      assertThat(purgatory.signal("a")).isEqualTo(1);
      assertRejected(purgatory, operation);
      assertThat(operation.answers()).isEqualTo(1);
      RecordingOperation cancelled = held("a");
      cancelled.cancel();
      assertRejected(purgatory, cancelled);
    }

    private void assertRejected(Purgatory<Object> by, RecordingOperation operation) {
      int checks = operation.checks();
      assertThatThrownBy(() -> by.hold(operation, List.of("b")))
          .isInstanceOf(IllegalStateException.class);
      assertThat(operation.checks()).isEqualTo(checks);
    }

    @Test
    void promise12_sameOperationFromManyThreads_oneCallSucceeds() throws InterruptedException {
      for (int round = 0; round < 200; round++) {
        RecordingOperation operation = operation();
        AtomicInteger rejected = new AtomicInteger();
        Threads.Task hold =
            () -> {
              try {
                purgatory.hold(operation, List.of("k"));
              } catch (IllegalStateException e) {
                rejected.incrementAndGet();
              }
            };
        Threads.race(hold, hold, hold);
        assertThat(rejected).hasValue(2);
        assertThat(purgatory.pending()).isEqualTo(1);
        assertThat(operation.cancel()).isTrue();
      }
    }

    @Test
    void promise12_keyThrowsInHashCode_operationFailsAndNothingRemains() {
      RuntimeException e = failure();
      Key bad = new Key("bad");
      bad.onHash = raising(e);
      assertKeyFails(bad, e);
    }

    @Test
    void promise12_keyThrowsInEquals_operationFailsAndNothingRemains() {
      RuntimeException e = failure();
      Object colliding =
          new Object() {
            @Override
            public int hashCode() {
              return "first".hashCode();
            }

            @Override
            public boolean equals(Object other) {
              throw e;
            }
          };
      assertKeyFails(colliding, e);
    }

    private void assertKeyFails(Object bad, RuntimeException e) {
      RecordingOperation operation = operation();
      List<Object> keys = List.of("first", bad, "last");
      assertThatThrownBy(() -> purgatory.hold(operation, keys)).isSameAs(e);
      assertThat(operation.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(operation.cause()).isSameAs(e);
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
      purgatory.core().purge();
      assertThat(purgatory.inspect().watched()).isZero();
      assertThat(purgatory.inspect().keys()).isZero();
    }

    @Test
    void promise12_keysThrowWhenReadAgain_nothingRemains() {
      RuntimeException e = failure();
      AtomicInteger reads = new AtomicInteger();
      List<Object> keys =
          new AbstractList<>() {
            @Override
            public Object get(int index) {
              if (reads.incrementAndGet() == 5) {
                throw e;
              }
              return index;
            }

            @Override
            public int size() {
              return 3;
            }
          };
      RecordingOperation operation = operation();
      assertThatThrownBy(() -> purgatory.hold(operation, keys)).isSameAs(e);
      assertThat(purgatory.pending()).isZero();
      assertThat(timer.size()).isZero();
      assertThat(operation.answers()).isZero();
    }

    @Test
    void promise12_timerIsClosed_operationFails() {
      timer.close();
      RecordingOperation operation = operation();
      assertThatThrownBy(() -> purgatory.hold(operation, List.of("k")))
          .isInstanceOf(IllegalStateException.class);
      assertThat(operation.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(purgatory.pending()).isZero();
      assertThat(purgatory.inspect().watched()).isZero();
    }

    @Test
    @SuppressWarnings("NullAway") // callers without null analysis
    void promise12_badSettings_throw() {
      PurgatoryBuilder<String> builder = Purgatory.builder("bad", String.class);
      assertThatThrownBy(() -> builder.timer(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> builder.listener(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> builder.completionExecutor(null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> builder.expirationExecutor(null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> Purgatory.builder(null, String.class))
          .isInstanceOf(NullPointerException.class);
    }
  }
}
