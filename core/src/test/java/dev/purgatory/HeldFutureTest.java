package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Futures that are held until a condition or for the outcome of a stage. */
class HeldFutureTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<String> events = Collections.synchronizedList(new ArrayList<>());
  private final Purgatory<String> purgatory =
      Purgatory.builder("test", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .listener(new Recorder())
          .build();
  private volatile @Nullable String answer;

  private final class Recorder implements PurgatoryListener {
    @Override
    public void onAnsweredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {
      events.add("at once: " + outcome + (cause == null ? "" : " " + cause.getMessage()));
    }

    @Override
    public void onHeld(Object operation) {
      events.add("held");
    }

    @Override
    public void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      events.add(outcome + (cause == null ? "" : " " + cause.getMessage()));
    }

    @Override
    public void onRefused(Object operation, RuntimeException reason) {
      events.add("refused");
    }

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      events.add("error " + source + " " + error.getMessage());
    }
  }

  private Hold.Untimed<String, String> untilAnswer() {
    return purgatory.until(() -> answer);
  }

  private HeldFuture<String> held() {
    return untilAnswer().orTimeout(LIMIT).hold("a", "b");
  }

  private void passLimit() {
    ticker.advance(LIMIT);
    timer.advance();
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(purgatory.pending()).isZero();
    assertThat(purgatory.inspect().unanswered()).isZero();
    assertThat(timer.size()).isZero();
    purgatory.close();
  }

  @Nested
  class TimeLimits {

    @Test
    void noTimeLimit_isShown() {
      HeldFuture<String> forever = untilAnswer().jitter(LIMIT).forever().hold("a");
      assertThat(forever).hasToString("HeldFuture[held by test for 0 ms, no time limit, keys [a]]");
      assertThat(forever.cancel(false)).isTrue();
    }

    @Test
    void negativeTimeLimit_isRefused() {
      Duration negative = Duration.ofMillis(-1);
      assertThatThrownBy(() -> untilAnswer().orTimeout(negative))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("time limit PT-0.001S is negative");
      assertThatThrownBy(() -> untilAnswer().orAfter(negative, () -> "none"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> purgatory.timeout(new CompletableFuture<>(), negative))
          .isInstanceOf(IllegalArgumentException.class);
      Replies<String, String> replies =
          Replies.<String, String>builder("rpc", String.class, String.class).timer(timer).build();
      assertThatThrownBy(() -> replies.expect("a", negative))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(events).isEmpty();
    }

    @Test
    void zero_doesNotWait() {
      HeldFuture<String> future = untilAnswer().orAfter(Duration.ZERO, () -> "none").hold("a");
      assertThat(future).isCompletedWithValue("none");
    }
  }

  @Nested
  class UntilCompleted {

    @Test
    void signal_doesNotComplete_aCallerDoes() {
      HeldFuture<Integer> own = purgatory.<Integer>untilCompleted().orTimeout(LIMIT).hold("a");
      HeldFuture<Integer> byKey = purgatory.<Integer>untilCompleted().forever().hold("a", "b");
      assertThat(purgatory.signal("a")).isZero();
      assertThat(own.complete(1)).isTrue();
      assertThat(own).isCompletedWithValue(1);
      assertThat(WatchListsView.completeForKey(purgatory, "b", 2)).isEqualTo(1);
      assertThat(byKey).isCompletedWithValue(2);
      assertThat(events).containsExactly("held", "held", "COMPLETED", "COMPLETED");
    }

    @Test
    void orReturn_isRefused() {
      assertThatThrownBy(() -> purgatory.untilCompleted().orReturn(value -> {}))
          .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void nobodyCompletesIt_timesOut() {
      HeldFuture<Integer> future =
          purgatory.<Integer>untilCompleted().orAfter(LIMIT, () -> 0).hold("a");
      passLimit();
      assertThat(future).isCompletedWithValue(0);
    }
  }

  @Nested
  class Outcomes {

    @Test
    void conditionHoldsImmediately_isNotHeld() {
      answer = "x";
      HeldFuture<String> future = held();
      assertThat(future).isCompletedWithValue("x");
      assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
      assertThat(events).containsExactly("at once: COMPLETED");
      assertThat(purgatory.inspect().watched()).isZero();
    }

    @Test
    void signalFindsAValue_completesWithThatValue() {
      HeldFuture<String> future = held();
      assertThat(purgatory.signal("a")).isZero();
      assertThat(future.outcome()).isNull();
      ticker.advance(Duration.ofSeconds(3));
      answer = "x";
      assertThat(purgatory.signal("b")).isEqualTo(1);
      assertThat(future).isCompletedWithValue("x");
      assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
      assertThat(events).containsExactly("held", "COMPLETED");
    }

    @Test
    void timeout_failsWithAMessageThatNamesPurgatoryTimeLimitAndKeys() {
      HeldFuture<String> future = held();
      passLimit();
      assertThat(future.outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(future.cause())
          .isInstanceOf(TimeoutException.class)
          .hasMessage("test: no answer within PT30S on [a, b]");
      assertThat(requireNonNull(future.cause()).getStackTrace()).isEmpty();
    }

    @Test
    void timeout_orAfter_completesWithItsValue() {
      HeldFuture<String> future = untilAnswer().orAfter(LIMIT, () -> "none").hold("a");
      passLimit();
      assertThat(future).isCompletedWithValue("none");
      assertThat(future.outcome()).isEqualTo(Outcome.TIMED_OUT);
    }

    @Test
    void timeout_orTimeoutWithAnException_failsWithIt() {
      Supplier<Throwable> exception = () -> new IllegalStateException("late");
      HeldFuture<String> future = untilAnswer().orTimeout(LIMIT, exception).hold("a");
      passLimit();
      assertThat(future.cause()).hasMessage("late");
    }

    @Test
    void timeout_conditionHolds_completes() {
      HeldFuture<String> future = held();
      answer = "x";
      passLimit();
      assertThat(future).isCompletedWithValue("x");
      assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void conditionThrows_failsTheFuture() {
      AtomicBoolean broken = new AtomicBoolean();
      HeldFuture<String> future =
          purgatory
              .<String>until(
                  () -> {
                    if (broken.get()) {
                      throw new IllegalStateException("broken");
                    }
                    return null;
                  })
              .forever()
              .hold("a");
      broken.set(true);
      assertThat(purgatory.signal("a")).isZero();
      assertThat(future.cause()).hasMessage("broken");
      assertThat(future.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(events).containsExactly("held", "FAILED broken");
    }

    @Test
    void conditionThrowsImmediately_failsTheFutureAndTellsTheListener() {
      HeldFuture<String> future =
          purgatory
              .<String>until(
                  () -> {
                    throw new IllegalStateException("broken");
                  })
              .forever()
              .hold("a");
      assertThat(future.cause()).hasMessage("broken");
      assertThat(events).containsExactly("at once: FAILED broken");
      assertThat(purgatory.inspect().watched()).isZero();
    }

    @Test
    void refused_isToldAsRefusalOnly() {
      Limit one = Limit.builder("one request").requests(1).build();
      Purgatory<String> limited =
          Purgatory.builder("limited", String.class)
              .timer(timer)
              .limit(one)
              .listener(new Recorder())
              .build();
      assertThat(limited.until(() -> answer).forever().hold("a")).isNotDone();
      assertThat(limited.until(() -> answer).forever().hold("a")).isCompletedExceptionally();
      assertThat(events).containsExactly("held", "refused");
      limited.close();
    }

    @Test
    void timeout_orAfterThrows_failsTheFuture() {
      Supplier<String> failing =
          () -> {
            throw new IllegalStateException("broken");
          };
      HeldFuture<String> future = untilAnswer().orAfter(LIMIT, failing).hold("a");
      passLimit();
      assertThat(future.cause()).hasMessage("broken");
      assertThat(future.outcome()).isEqualTo(Outcome.TIMED_OUT);
    }

    @Test
    void cancel_cancelsTheOperation() {
      HeldFuture<String> future = held();
      assertThat(future.cancel(true)).isTrue();
      assertThat(future).isCancelled();
      assertThat(future.outcome()).isEqualTo(Outcome.CANCELLED);
      assertThat(events).containsExactly("held", "CANCELLED");
    }

    @Test
    void cancelForKey_cancelsTheFuture() {
      HeldFuture<String> future = held();
      assertThat(purgatory.cancelForKey("b")).containsExactly(future);
      assertThat(future).isCancelled();
      assertThat(future.outcome()).isEqualTo(Outcome.CANCELLED);
      assertThat(future.handle((value, error) -> error).join())
          .isInstanceOf(CancellationException.class)
          .hasMessageContaining(": cancelled on [");
    }

    @Test
    void close_failsTheFuture() {
      HeldFuture<String> future = untilAnswer().orAfter(LIMIT, () -> "none").hold("a");
      purgatory.close();
      assertThat(future.outcome()).isEqualTo(Outcome.CLOSED);
      assertThat(future.cause())
          .isInstanceOf(PurgatoryClosedException.class)
          .hasMessage("test is closed");
    }

    @Test
    void hold_purgatoryIsClosed_failsTheFuture() {
      purgatory.close();
      HeldFuture<String> future = held();
      assertThat(future.cause()).isInstanceOf(PurgatoryClosedException.class);
      assertThat(events).containsExactly("refused");
    }

    @Test
    void close_withATimeout_returnsUnansweredFutures() {
      QueueingExecutor busy = new QueueingExecutor();
      Purgatory<String> slow =
          Purgatory.builder("slow", String.class).timer(timer).expirationExecutor(busy).build();
      HeldFuture<String> future = slow.until(() -> answer).forever().hold("a");
      assertThat(slow.close(Duration.ZERO)).containsExactly(future);
      assertThat(future.outcome()).isEqualTo(Outcome.CANCELLED);
      Threads.until(future::isCancelled); // close() does not wait for its dependents
    }

    @ParameterizedTest
    @EnumSource(
        value = Outcome.class,
        names = {"TIMED_OUT", "CANCELLED", "CLOSED"})
    void exceptionGroupInTheBuilder_replacesTheDefault(Outcome outcome) {
      Purgatory<String> other =
          Purgatory.builder("other", String.class)
              .timer(timer)
              .expirationExecutor(Runnable::run)
              .exception(outcome, future -> new IllegalStateException(outcome + " " + future))
              .build();
      HeldFuture<String> future = other.until(() -> answer).orTimeout(LIMIT).hold("a");
      switch (outcome) {
        case TIMED_OUT -> passLimit();
        case CANCELLED -> other.cancelAll();
        default -> other.close();
      }
      assertThat(future.cause()).hasMessageStartingWith(outcome.toString());
      assertThat(future.outcome()).isEqualTo(outcome);
    }

    @Test
    void exceptionGroupInTheBuilder_canNameTheTimeLimit() {
      Purgatory<String> other =
          Purgatory.builder("other", String.class)
              .timer(timer)
              .expirationExecutor(Runnable::run)
              .exception(
                  Outcome.TIMED_OUT,
                  future -> new TimeoutException(future.timeout().toMillis() + " ms"))
              .build();
      HeldFuture<String> future = other.<String>until(() -> answer).orTimeout(LIMIT).hold("a");
      passLimit();
      assertThat(future.cause()).isInstanceOf(TimeoutException.class).hasMessage("30000 ms");
      assertThat(future.timeout()).isEqualTo(LIMIT);
    }
  }

  @Nested
  class CompletedByCallers {

    @Test
    void everyMethodThatCompletesAFuture_endsTheOperation() {
      List<Consumer<HeldFuture<String>>> methods =
          List.of(
              future -> future.complete("x"),
              future -> future.completeExceptionally(new IllegalStateException()),
              future -> future.cancel(false),
              future -> future.obtrudeValue("x"),
              future -> future.obtrudeException(new IllegalStateException()),
              future -> assertThat(future.completeAsync(() -> "x", Runnable::run)).isSameAs(future),
              future ->
                  assertThat(future.completeAsync(HeldFutureTest::fail, Runnable::run)).isDone());
      for (Consumer<HeldFuture<String>> method : methods) {
        HeldFuture<String> future = held();
        method.accept(future);
        assertThat(future).isDone();
        assertThat(future.outcome()).isNotNull();
        assertThat(purgatory.pending()).isZero();
        assertThat(timer.size()).isZero();
        assertThat(future.complete("y")).isFalse();
        assertThat(future.completeExceptionally(new IllegalStateException())).isFalse();
      }
    }

    @Test
    void cancel_completed_returnsFalse() {
      HeldFuture<String> future = held();
      assertThat(future.complete("x")).isTrue();
      assertThat(future.cancel(false)).isFalse();
      assertThat(future).isCompletedWithValue("x");
    }

    @Test
    void complete_calledByTheCondition_keepsTheValueOfTheCall() {
      AtomicReference<HeldFuture<String>> self = new AtomicReference<>();
      HeldFuture<String> future =
          purgatory
              .until(
                  () -> {
                    HeldFuture<String> own = self.get();
                    return own != null && own.complete("call") ? "condition" : null;
                  })
              .forever()
              .hold("a");
      self.set(future);
      assertThat(purgatory.signal("a")).isEqualTo(1);
      assertThat(future).isCompletedWithValue("call");
    }

    @Test
    void complete_conditionIsBeingChecked_doesNotWait() {
      AtomicBoolean checking = new AtomicBoolean();
      AtomicReference<HeldFuture<String>> self = new AtomicReference<>();
      HeldFuture<String> future =
          purgatory
              .<String>until(
                  () -> {
                    if (checking.get()) {
                      HeldFuture<String> own = requireNonNull(self.get());
                      onAnotherThread(() -> own.complete("call"));
                      assertThat(own).isCompletedWithValue("call");
                      return "condition";
                    }
                    return null;
                  })
              .forever()
              .hold("a");
      self.set(future);
      checking.set(true);
      assertThat(purgatory.signal("a")).isZero();
      assertThat(future).isCompletedWithValue("call");
    }

    @Test
    void concurrentEnds_oneWinsAndDependentsRunOnce() throws InterruptedException {
      for (int round = 0; round < 500; round++) {
        answer = null;
        AtomicInteger winners = new AtomicInteger();
        AtomicInteger dependentRuns = new AtomicInteger();
        HeldFuture<String> future = held();
        CompletableFuture<?> unused =
            future.whenComplete((v, e) -> dependentRuns.incrementAndGet());
        Threads.race(
            () -> {
              answer = "x";
              winners.addAndGet(purgatory.signal("a"));
            },
            () -> winners.addAndGet(future.complete("y") ? 1 : 0),
            () -> winners.addAndGet(purgatory.cancelForKey("b").size()),
            () -> winners.addAndGet(future.completeExceptionally(new Error()) ? 1 : 0));
        assertThat(winners).hasValue(1);
        assertThat(dependentRuns).hasValue(1);
        assertThat(future).isDone();
        assertThat(purgatory.pending()).isZero();
      }
    }
  }

  @Nested
  class Await {

    @Test
    void returnsTheAnswer() throws Exception {
      answer = "x";
      assertThat(untilAnswer().forever().hold("a").awaitAnswer()).isEqualTo("x");
    }

    @Test
    void waitsForTheSignal() throws Exception {
      Threads.Running signaller =
          Threads.start(
              () -> {
                Threads.until(() -> purgatory.pending() == 1);
                answer = "x";
                purgatory.signal("a");
              });
      assertThat(untilAnswer().forever().hold("a").awaitAnswer()).isEqualTo("x");
      signaller.join();
    }

    @Test
    void interrupted_cancels() {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> untilAnswer().forever().hold("a").awaitAnswer())
          .isInstanceOf(InterruptedException.class);
      assertThat(events).containsExactly("held", "CANCELLED");
    }

    @Test
    void timeout_throwsTimeoutException_thatShowsTheCaller() {
      Hold<String, String> hold = untilAnswer().orTimeout(Duration.ZERO);
      assertThatThrownBy(() -> hold.hold("a").awaitAnswer())
          .isInstanceOf(TimeoutException.class)
          .hasMessage("test: no answer within PT0S on [a]")
          .hasStackTraceContaining("HeldFutureTest");
    }

    @Test
    void conditionThrows_throwsItsException() {
      assertThatThrownBy(
              () -> purgatory.<String>until(HeldFutureTest::fail).forever().hold("a").awaitAnswer())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("expected");
    }

    @Test
    void checkedException_isWrapped() {
      Hold<String, String> hold =
          purgatory.<String>until(() -> null).orTimeout(Duration.ZERO, () -> new IOException("no"));
      assertThatThrownBy(() -> hold.hold("a").awaitAnswer())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void limitWithoutRoom_throwsItsException() {
      Limit full = Limit.builder("full").requests(1).build();
      try (Purgatory<String> limited =
          Purgatory.builder("limited", String.class).timer(timer).limit(full).build()) {
        Hold<String, String> hold = limited.<String>until(() -> null).forever();
        assertThat(hold.hold("a")).isNotDone();
        assertThatThrownBy(() -> hold.hold("a").awaitAnswer())
            .isInstanceOf(LimitExceededException.class);
      }
    }

    @Test
    void closed_throws() {
      purgatory.close();
      assertThatThrownBy(() -> untilAnswer().forever().hold("a").awaitAnswer())
          .isInstanceOf(PurgatoryClosedException.class);
    }
  }

  /** Time limits on stages. */
  abstract class Limits {
    final Purgatory<String> limiting;

    Limits(Purgatory<String> limiting) {
      this.limiting = limiting;
    }

    @Test
    void stageCompletes_completesWithItsValue() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      HeldFuture<String> timed = limiting.timeout(stage, LIMIT);
      assertThat(limiting.pending()).isEqualTo(1);
      stage.complete("x");
      assertThat(timed).isCompletedWithValue("x");
      assertThat(timed.outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void stageFails_failsWithItsCause() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      HeldFuture<String> timed = limiting.timeout(stage, LIMIT);
      stage.completeExceptionally(new IllegalStateException("broken"));
      assertThat(timed.cause()).hasMessage("broken");
    }

    @Test
    void stageIsComplete_isNotHeld() {
      HeldFuture<String> timed =
          limiting.timeout(CompletableFuture.completedFuture("x"), Duration.ZERO);
      assertThat(timed).isCompletedWithValue("x");
      HeldFuture<String> failed =
          limiting.timeout(
              CompletableFuture.failedFuture(new IllegalStateException("broken")), LIMIT);
      assertThat(failed.cause()).hasMessage("broken");
    }

    @Test
    void stageIsComplete_purgatoryIsClosed_isRefused() {
      limiting.close();
      HeldFuture<String> timed = limiting.timeout(CompletableFuture.completedFuture("x"), LIMIT);
      assertThat(timed.outcome()).isEqualTo(Outcome.CLOSED);
    }

    @Test
    void timeout_endsTheFutureButNotTheStage() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      HeldFuture<String> timed = limiting.timeout(stage, LIMIT);
      HeldFuture<String> withAnswer = limiting.timeout(stage, LIMIT, () -> "none");
      passLimit();
      assertThat(timed.cause()).hasMessage("test: no answer within PT30S");
      assertThat(withAnswer).isCompletedWithValue("none");
      assertThat(stage).isNotDone();
      stage.complete("too late");
      assertThat(withAnswer).isCompletedWithValue("none");
    }

    @Test
    void stageThatNeverCompletes_doesNotRetainTheAnswer() {
      CompletableFuture<Object> stage = new CompletableFuture<>();
      WeakReference<Object> answer = waitUntilTimeout(stage);
      Threads.until(
          () -> {
            System.gc();
            return answer.get() == null;
          });
      assertThat(stage).isNotDone();
    }

    private WeakReference<Object> waitUntilTimeout(CompletableFuture<Object> stage) {
      HeldFuture<Object> timed = limiting.timeout(stage, LIMIT, Object::new);
      passLimit();
      return new WeakReference<>(timed.join());
    }

    @Test
    void close_futuresWithoutKeys_areClosed() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      List<HeldFuture<String>> timed =
          Stream.generate(() -> limiting.timeout(stage, LIMIT)).limit(1_000).toList();
      limiting.close();
      assertThat(timed).allMatch(future -> future.outcome() == Outcome.CLOSED);
    }

    @Test
    void manyLimits_leaveNothingBehind() {
      for (int i = 0; i < 100_000; i++) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HeldFuture<String> timed = limiting.timeout(stage, LIMIT);
        stage.complete("x");
        assertThat(timed).isDone();
      }
      limiting.core().purge();
      Threads.until(() -> limiting.inspect().watched() == 0); // a helper thread may purge, too
      assertThat(TimerInternals.of(timer).wheels().retained())
          .as("at most one alarm")
          .isLessThanOrEqualTo(1);
    }
  }

  @Nested
  class LimitsWithListeners extends Limits {
    LimitsWithListeners() {
      super(purgatory);
    }

    @Test
    void listenersLearnOfEachEnd() {
      CompletableFuture<String> stage = CompletableFuture.completedFuture("x");
      boolean unused = purgatory.timeout(stage, LIMIT).isDone();
      CompletableFuture<String> later = new CompletableFuture<>();
      unused = purgatory.timeout(later, LIMIT).isDone();
      later.completeExceptionally(new IllegalStateException("broken"));
      assertThat(events).containsExactly("at once: COMPLETED", "held", "FAILED broken");
    }
  }

  @Nested
  class LimitsWithoutListeners extends Limits {
    private final AtomicReference<@Nullable Runnable> onTime = new AtomicReference<>();

    LimitsWithoutListeners() {
      super(
          Purgatory.builder("test", String.class)
              .timer(timer)
              .expirationExecutor(Runnable::run)
              .build());
    }

    /** Has a timer that runs {@code onTime} once, when it reads the time. */
    private Purgatory<String> hooked() {
      Timer hooked =
          Timer.builder()
              .ticker(
                  () -> {
                    Runnable hook = onTime.getAndSet(null);
                    if (hook != null) {
                      hook.run();
                    }
                    return ticker.nanos();
                  })
              .build();
      return Purgatory.builder("hooked", String.class)
          .timer(hooked)
          .expirationExecutor(Runnable::run)
          .build();
    }

    @Test
    void closedMeanwhile_isClosed() {
      Purgatory<String> other = hooked();
      onTime.set(other::close);
      HeldFuture<String> timed = other.timeout(new CompletableFuture<>(), LIMIT);
      assertThat(timed.outcome()).isEqualTo(Outcome.CLOSED);
      assertThat(other.pending()).isZero();
      assertThat(other.timer().size()).isZero();
    }

    @Test
    void timerIsClosedMeanwhile_isRefused() {
      Purgatory<String> other = hooked();
      onTime.set(other.timer()::close);
      HeldFuture<String> timed = other.timeout(new CompletableFuture<>(), LIMIT);
      assertThat(timed.cause()).isInstanceOf(PurgatoryClosedException.class);
      assertThat(other.pending()).isZero();
      other.close();
    }

    @Test
    void noTimeLimit_waitsForTheStage() {
      try (Purgatory<String> other = hooked()) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HeldFuture<String> timed = other.timeout(stage, Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(other.pending()).isEqualTo(1);
        assertThat(other.timer().size()).isZero();
        stage.complete("x");
        assertThat(timed).isCompletedWithValue("x");
      }
    }

    @Test
    void held_isFound() {
      try (Purgatory<String> sharing =
          Purgatory.builder("sharing", String.class)
              .timer(timer)
              .expirationExecutor(Runnable::run)
              .build()) {
        HeldFuture<String> theirs = sharing.timeout(new CompletableFuture<>(), LIMIT);
        HeldFuture<String> timed = limiting.timeout(new CompletableFuture<>(), LIMIT);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(limiting.inspect().held())
            .extracting(HeldRequest::operation)
            .containsExactly(timed);
        assertThat(limiting.inspect().snapshot(1).oldest()).isEqualTo(Duration.ofSeconds(1));
        assertThat(limiting.cancelAll()).containsExactly(timed);
        assertThat(limiting.inspect().held()).isEmpty();
        assertThat(theirs).isNotDone();
      }
    }

    /** Nothing of its first wait is left in the timer. */
    @Test
    void movedTimeout_isClosed() {
      HeldFuture<String> timed = limiting.timeout(new CompletableFuture<>(), LIMIT);
      assertThat(timed.reschedule(LIMIT.multipliedBy(2))).isTrue();
      assertThat(timed.reschedule(LIMIT.multipliedBy(3))).isTrue();
      TimerInternals.of(timer).wheels().purge();
      assertThat(limiting.inspect().held())
          .extracting(HeldRequest::operation)
          .containsExactly(timed);
      limiting.close();
      assertThat(timed.outcome()).isEqualTo(Outcome.CLOSED);
      limiting.core().purge();
      assertThat(limiting.inspect().watched()).isZero();
      assertThat(timer.size()).isZero();
    }

    @Test
    void timedOut_executorDoesNotRunIt_isFound() {
      QueueingExecutor queue = new QueueingExecutor();
      Purgatory<String> other =
          Purgatory.builder("other", String.class).timer(timer).expirationExecutor(queue).build();
      HeldFuture<String> timed = other.timeout(new CompletableFuture<>(), LIMIT);
      passLimit();
      TimerInternals.of(timer).wheels().purge();
      assertThat(other.inspect().held()).extracting(HeldRequest::operation).containsExactly(timed);
      assertThat(other.close(Duration.ZERO)).containsExactly(timed);
      assertThat(timed.outcome()).isEqualTo(Outcome.CANCELLED);
      queue.runAll();
    }

    @Test
    void timedOut_whileTheExecutorIsBusy_isFound() {
      List<Runnable> tasks = new ArrayList<>();
      try (Purgatory<String> other =
          Purgatory.builder("other", String.class)
              .timer(timer)
              .expirationExecutor(tasks::add)
              .build()) {
        HeldFuture<String> first = other.timeout(new CompletableFuture<>(), LIMIT);
        HeldFuture<String> second = other.timeout(new CompletableFuture<>(), LIMIT);
        passLimit();
        TimerInternals.of(timer).wheels().purge();
        tasks.remove(0).run();
        assertThat(first).isDone();
        assertThat(other.inspect().held())
            .extracting(HeldRequest::operation)
            .containsExactly(second);
        assertThat(other.cancelAll()).containsExactly(second);
      }
    }

    @Test
    void term_isKept() {
      try (Purgatory<String> full =
          Purgatory.builder("full", String.class)
              .timer(timer)
              .limit(Limit.builder("one").requests(1).build())
              .build()) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HeldFuture<String> first = full.timeout(stage, LIMIT);
        assertThat(full.timeout(stage, LIMIT).cause()).isInstanceOf(LimitExceededException.class);
        assertThat(first).isNotDone();
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // callers without null analysis
  void badInput_throwsWithoutSideEffects() {
    Hold.Untimed<String, String> hold = untilAnswer();
    Hold<String, String> timed = hold.orTimeout(LIMIT);
    assertThatThrownBy(() -> timed.hold()).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> timed.hold("a", null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> purgatory.until(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> hold.orTimeout(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> hold.orAfter(LIMIT, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> purgatory.timeout(null, LIMIT))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(
            () -> Purgatory.builder("x", String.class).exception(Outcome.FAILED, f -> new Error()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(events).isEmpty();
  }

  @Test
  void completedFuture_doesNotRetainTheCondition() {
    AtomicReference<WeakReference<Object>> captured = new AtomicReference<>();
    HeldFuture<String> future = heldWithNewObject(captured);
    WeakReference<Object> reference = requireNonNull(captured.get());
    future.complete("x");
    Threads.until(
        () -> {
          System.gc();
          return reference.get() == null;
        });
    assertThat(future).isCompletedWithValue("x");
  }

  private HeldFuture<String> heldWithNewObject(AtomicReference<WeakReference<Object>> reference) {
    Object captured = new Object();
    reference.set(new WeakReference<>(captured));
    return heldWith(captured);
  }

  private HeldFuture<String> heldWith(Object captured) {
    return purgatory
        .until(() -> captured.hashCode() == 0 ? "" : answer)
        .orAfter(LIMIT, captured::toString)
        .hold("a");
  }

  /** What a purgatory refuses because of its state fails the future, and nothing is thrown. */
  @Nested
  class Closed {
    private final RecordingOperation operation = new RecordingOperation(LIMIT);

    private void assertRefused(Purgatory<String> closed) {
      List<HeldFuture<String>> refused =
          List.of(
              closed.until(() -> "now").forever().hold("a"),
              closed.<String>untilCompleted().orAfter(LIMIT, () -> "late").hold("a"),
              closed.<String>until(() -> null).orTimeout(Duration.ZERO).hold("a"),
              closed.timeout(new CompletableFuture<String>(), LIMIT));
      assertThat(refused)
          .allSatisfy(
              future -> {
                assertThat(future.outcome()).isEqualTo(Outcome.CLOSED);
                assertThat(future.cause()).isInstanceOf(PurgatoryClosedException.class);
              });
      assertThatThrownBy(() -> closed.hold(operation, "a"))
          .isInstanceOf(PurgatoryClosedException.class);
      assertThat(closed.pending()).isZero();
      assertThat(closed.inspect().unanswered()).isZero();
    }

    @Test
    void purgatory_refusesWithClosed() {
      purgatory.close();
      assertRefused(purgatory);
      assertThat(operation.outcome()).as("it can be held elsewhere").isNull();
      assertThat(events).isNotEmpty().allMatch("refused"::equals);
    }

    @Test
    void timer_refusesWithClosed_andFailsTheOperation() {
      Timer closed = Timer.builder().ticker(ticker).build();
      Purgatory<String> other = Purgatory.builder("other", String.class).timer(closed).build();
      closed.close();
      assertRefused(other);
      assertThat(operation.outcome()).isEqualTo(Outcome.FAILED);
      other.close();
    }

    @Test
    void exceptionOfThePurgatory_isThatOfItsRefusals_too() {
      Purgatory<String> polite =
          Purgatory.builder("polite", String.class)
              .timer(timer)
              .exception(Outcome.CLOSED, future -> new IllegalArgumentException("try the other"))
              .build();
      polite.close();
      HeldFuture<String> future = polite.<String>untilCompleted().forever().hold("a");
      assertThat(future.cause()).hasMessage("try the other");
    }
  }

  /** What is held, for a screen. */
  @Nested
  class Screen {
    @Test
    void held_tellsKeysTagAndTimes_theOldestFirst() {
      HeldFuture<String> tagged =
          purgatory
              .<String>untilCompleted()
              .tag("delete the old files")
              .orTimeout(LIMIT)
              .hold("a", "b");
      ticker.advance(Duration.ofSeconds(10));
      RecordingOperation operation = new RecordingOperation(LIMIT);
      assertThat(purgatory.hold(operation, "b")).isFalse();
      KeyGroup<String> group = purgatory.group(List.of("b", "c"));
      ticker.advance(Duration.ofSeconds(1));
      HeldFuture<String> onGroup = purgatory.<String>untilCompleted().forever().hold(group);
      HeldFuture<String> stage = purgatory.timeout(new CompletableFuture<>(), LIMIT);
      assertThat(tagged.reschedule(Duration.ofSeconds(100))).isTrue();

      List<HeldRequest<String>> held = purgatory.inspect().held();
      assertThat(held).hasSize(4);
      assertThat(held.get(0).operation()).isSameAs(tagged);
      assertThat(held.get(0).keys()).containsExactlyInAnyOrder("a", "b");
      assertThat(held.get(0).tag()).isEqualTo("delete the old files");
      assertThat(held.get(0).heldFor()).isEqualTo(Duration.ofSeconds(11));
      assertThat(held.get(0).timeLeft()).isEqualTo(Duration.ofSeconds(100));
      assertThat(held.get(1))
          .isEqualTo(
              new HeldRequest<>(
                  operation,
                  List.of("b"),
                  List.of(),
                  null,
                  Duration.ofSeconds(1),
                  Duration.ofSeconds(29)));
      assertThat(held.subList(2, 4))
          .anySatisfy(
              each -> {
                assertThat(each.operation()).isSameAs(onGroup);
                assertThat(each.keys()).containsExactlyInAnyOrder("b", "c");
                assertThat(each.timeLeft()).isNull();
              })
          .anySatisfy(
              each -> {
                assertThat(each.operation()).isSameAs(stage);
                assertThat(each.keys()).isEmpty();
              });
      assertThat(
              List.of(
                  purgatory.inspect().pending("a"),
                  purgatory.inspect().pending("b"),
                  purgatory.inspect().pending("c")))
          .containsExactly(1, 3, 1);
      group.close();
      assertThat(purgatory.cancelAll()).hasSize(4);
      assertThat(purgatory.inspect().held()).isEmpty();
      assertThat(purgatory.inspect().pending("b")).isZero();
    }

    @Test
    void tag_isKnownToTheExceptionAndTheDependents_andReleasedThen() {
      Purgatory<String> calls =
          Purgatory.builder("calls", String.class)
              .timer(timer)
              .expirationExecutor(Runnable::run)
              .exception(Outcome.TIMED_OUT, f -> new TimeoutException(f.tag() + " timed out"))
              .build();
      Object tag = "call 7";
      HeldFuture<String> future =
          calls.<String>untilCompleted().tag(tag).orTimeout(LIMIT).hold("a");
      assertThat(future.tag()).isSameAs(tag);
      assertThat(future.toString()).contains("keys [a]");
      List<@Nullable Object> seen = new ArrayList<>();
      var unused = future.whenComplete((value, error) -> seen.add(future.tag()));
      passLimit();
      assertThat(future.cause()).hasMessage("call 7 timed out");
      assertThat(seen).containsExactly(tag);
      assertThat(future.tag()).isNull();
      HeldFuture<String> plain = calls.<String>untilCompleted().forever().hold("a");
      assertThat(plain.tag()).isNull();
      calls.close();
    }

    @Test
    void held_whileRequestsComeAndGo_listsWhatStays() throws Exception {
      HeldFuture<String> stays = purgatory.<String>untilCompleted().forever().hold("stays", "busy");
      Threads.repeat(
          200,
          round ->
              Threads.race(
                  () -> purgatory.<String>untilCompleted().forever().hold("busy").complete("x"),
                  () -> purgatory.<String>untilCompleted().forever().hold("other").complete("x"),
                  () -> {
                    List<HeldRequest<String>> held = purgatory.inspect().held();
                    assertThat(held)
                        .filteredOn(each -> each.operation() == stays)
                        .singleElement()
                        .satisfies(
                            each ->
                                assertThat(each.keys()).containsExactlyInAnyOrder("stays", "busy"));
                  }));
      assertThat(stays.complete("x")).isTrue();
    }
  }

  /** Conditions that take what they return. */
  @Nested
  class Taking {
    private final ArrayDeque<String> queue = new ArrayDeque<>();
    private final List<String> returned = new ArrayList<>();
    private final Scope scope = Scope.of("owner");
    private Runnable meanwhile = () -> {};

    private String take() {
      String taken = queue.poll();
      if (taken != null) {
        meanwhile.run();
      }
      return taken;
    }

    private HeldFuture<String> taking(Purgatory<String> from) {
      return from.until(this::take)
          .orReturn(returned::add)
          .inScope(scope)
          .orTimeout(LIMIT)
          .hold("a");
    }

    @Test
    void answerThatIsDelivered_isNotReturned() {
      HeldFuture<String> future = taking(purgatory);
      queue.add("x");
      assertThat(purgatory.signal("a")).isEqualTo(1);
      assertThat(future).isCompletedWithValue("x");
      assertThat(returned).isEmpty();
    }

    /** Its exception cannot be printed, so {@code CompletableFuture} throws when it runs. */
    @SuppressWarnings("OverrideThrowableToString") // getMessage() would not make it throw
    private static Object throwUnprintable() {
      throw new IllegalStateException("expected") {
        @Override
        public String toString() {
          throw new IllegalStateException("unprintable");
        }
      };
    }

    @Test
    void dependentThatMakesTheFutureThrow_answerIsDeliveredOnce_andTheOthersRun() {
      HeldFuture<String> future = taking(purgatory);
      CompletableFuture<Integer> other = future.thenApply(String::length);
      CompletableFuture<Object> unused =
          future.thenApply(value -> throwUnprintable()); // runs first
      queue.add("x");
      assertThat(purgatory.signal("a")).isEqualTo(1);
      assertThat(future).isCompletedWithValue("x");
      assertThat(other).isCompletedWithValue(1);
      assertThat(returned).isEmpty();
      HeldFuture<String> completed = taking(purgatory);
      other = completed.thenApply(String::length);
      unused = completed.thenApply(value -> throwUnprintable());
      assertThat(completed.complete("xy")).isTrue();
      assertThat(other).isCompletedWithValue(2);
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void requestThatEndsMeanwhile_givesTheAnswerBackOnce(End end) {
      HeldFuture<String> future = taking(purgatory);
      queue.add("x");
      meanwhile = () -> end.end(HeldFutureTest.this, future, scope);
      assertThat(purgatory.signal("a")).isEqualTo(end == End.COMPLETED ? 1 : 0);
      assertThat(future).isDone();
      assertThat(returned).containsExactly("x");
      assertThat(queue).isEmpty();
    }

    @Test
    void requestThatOthersCancel_loseNothing() throws InterruptedException {
      Queue<Integer> values = new ConcurrentLinkedQueue<>();
      Hold<String, Integer> hold =
          purgatory.<Integer>until(values::poll).orReturn(values::add).orTimeout(LIMIT);
      AtomicInteger delivered = new AtomicInteger();
      AtomicInteger put = new AtomicInteger();
      Threads.repeat(
          2_000,
          round -> {
            HeldFuture<Integer> future = hold.hold("a");
            Threads.race(
                () -> {
                  values.add(round);
                  put.incrementAndGet();
                  int unused = purgatory.signal("a");
                },
                () -> future.cancel(false));
            if (!future.isCancelled()) {
              future.join();
              delivered.incrementAndGet();
            }
          });
      assertThat(delivered.get() + values.size()).isEqualTo(put.get());
    }

    @Test
    void contextIsTheHolders_andMayRunTwiceOrThrow() {
      List<String> in = new ArrayList<>();
      AtomicReference<String> mode = new AtomicReference<>("once");
      Purgatory<String> wrapped =
          Purgatory.builder("wrapped", String.class)
              .timer(timer)
              .context(
                  () ->
                      task ->
                          () -> {
                            in.add(mode.get());
                            task.run();
                            if ("twice".equals(mode.get())) {
                              task.run();
                            } else if ("throws".equals(mode.get())) {
                              throw new IllegalStateException("context");
                            }
                          })
              .build();
      HeldFuture<String> cancelled = taking(wrapped);
      queue.add("x");
      meanwhile = () -> cancelled.cancel(false);
      in.clear();
      int unused = wrapped.signal("a");
      assertThat(returned).containsExactly("x");
      assertThat(in).hasSize(3); // the condition, the cancellation, and the return

      meanwhile = () -> {};
      HeldFuture<String> twice = taking(wrapped);
      queue.addAll(List.of("first", "second"));
      mode.set("twice");
      unused = wrapped.signal("a");
      assertThat(twice).isCompletedWithValue("first");
      assertThat(returned).containsExactly("x");
      assertThat(queue.poll()).isEqualTo("second");

      mode.set("once");
      HeldFuture<String> thrown = taking(wrapped);
      queue.add("y");
      mode.set("throws");
      unused = wrapped.signal("a");
      assertThat(thrown.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(returned).containsExactly("x", "y");
      mode.set("once");
      wrapped.close();
    }

    @Test
    void receiverThatThrows_isReported() {
      HeldFuture<String> future =
          purgatory
              .until(this::take)
              .orReturn(
                  value -> {
                    throw new IllegalStateException("full");
                  })
              .orTimeout(LIMIT)
              .hold("a");
      queue.add("x");
      meanwhile = () -> future.cancel(false);
      int unused = purgatory.signal("a");
      assertThat(future).isCancelled();
      assertThat(events).contains("error ANSWER full");
    }

    @Test
    void secondReceiver_isRefused() {
      Hold.Untimed<String, String> hold = purgatory.until(this::take).orReturn(returned::add);
      assertThatThrownBy(() -> hold.orReturn(returned::add))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("orReturn is set already");
    }
  }

  /** What ends a request while its condition is evaluated. */
  private enum End {
    COMPLETED {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        assertThat(future.complete("y")).isTrue();
      }
    },
    FAILED {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        assertThat(future.completeExceptionally(new IllegalStateException())).isTrue();
      }
    },
    CANCELLED {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        assertThat(future.cancel(false)).isTrue();
      }
    },
    CANCELLED_FOR_KEY {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        assertThat(test.purgatory.cancelForKey("a")).containsExactly(future);
      }
    },
    FAILED_FOR_KEY {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        assertThat(test.purgatory.failForKey("a", new IllegalStateException())).hasSize(1);
      }
    },
    SCOPE_CLOSED {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        scope.close();
      }
    },
    TIMED_OUT {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        test.passLimit();
      }
    },
    CLOSED {
      @Override
      void end(HeldFutureTest test, HeldFuture<String> future, Scope scope) {
        test.purgatory.close();
      }
    };

    abstract void end(HeldFutureTest test, HeldFuture<String> future, Scope scope);
  }

  @Test
  void timeoutOfZero_asksOnceAndIsNotHeld() {
    Limit limit = Limit.builder("one").requests(1).evictOldest().build();
    Purgatory<String> limited =
        Purgatory.builder("limited", String.class).timer(timer).limit(limit).build();
    HeldFuture<String> held = limited.until(() -> answer).orTimeout(LIMIT).hold("a");
    AtomicInteger asked = new AtomicInteger();
    HeldFuture<String> poll =
        limited
            .until(
                () -> {
                  asked.incrementAndGet();
                  return answer;
                })
            .orAfter(Duration.ZERO, () -> "none")
            .hold("a");
    assertThat(poll).isCompletedWithValue("none");
    assertThat(poll.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(asked).hasValue(1);
    assertThat(held).isNotDone();
    assertThat(limited.pending()).isEqualTo(1);
    assertThat(timer.size()).isEqualTo(1);
    answer = "x";
    assertThat(limited.until(() -> answer).orTimeout(Duration.ZERO).hold("a"))
        .isCompletedWithValue("x");
    answer = null;
    RecordingOperation operation = new RecordingOperation(0);
    assertThat(limited.hold(operation, "a")).isFalse();
    assertThat(operation.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(limited.pending()).isEqualTo(1);
    limited.close();
  }

  @Test
  void contextThatPutsBackWhatItFound_leavesTheCallersAlone() {
    ThreadLocal<@Nullable String> context = new ThreadLocal<>();
    List<@Nullable String> seen = new ArrayList<>();
    Purgatory<String> wrapped =
        Purgatory.builder("wrapped", String.class)
            .timer(timer)
            .context(
                () -> {
                  String captured = context.get();
                  return task ->
                      () -> {
                        String former = context.get();
                        context.set(captured);
                        try {
                          task.run();
                        } finally {
                          context.set(former);
                        }
                      };
                })
            .build();
    context.set("holder");
    HeldFuture<String> future =
        wrapped
            .until(
                () -> {
                  seen.add(context.get());
                  return answer;
                })
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(context.get()).isEqualTo("holder");
    context.set("caller");
    assertThat(wrapped.signal("a")).isZero();
    assertThat(future.cancel(false)).isTrue();
    assertThat(context.get()).isEqualTo("caller");
    assertThat(seen).isNotEmpty().containsOnly("holder");
    context.remove();
    wrapped.close();
  }

  @Test
  void untilTrue_waitsUntilItsConditionIsTrue() {
    AtomicBoolean ready = new AtomicBoolean();
    HeldFuture<Boolean> future = purgatory.untilTrue(ready::get).orTimeout(LIMIT).hold("a");
    assertThat(purgatory.signal("a")).isZero();
    ready.set(true);
    assertThat(purgatory.signal("a")).isEqualTo(1);
    assertThat(future).isCompletedWithValue(true);
  }

  @Test
  void conditionThatGivesABooleanOrAnOptional_failsTheRequest_andSaysWhatToUse() {
    for (Object given : List.of(true, false, Optional.empty(), Optional.of("x"))) {
      List<HeldFuture<?>> futures =
          List.of(
              purgatory.until(() -> given).orTimeout(LIMIT).hold("a"),
              purgatory.untilSignalled(reason -> given).orTimeout(LIMIT).hold("a"),
              purgatory
                  .untilAsync(() -> CompletableFuture.completedFuture(given))
                  .orTimeout(LIMIT)
                  .hold("a"));
      String advice = given instanceof Boolean ? "use untilTrue" : "orElse(null)";
      for (HeldFuture<?> each : futures) {
        assertThat(each.cause())
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining(advice);
      }
    }
  }

  @Test
  void messages_boundAndEscapeKeys_andHaveTheNamesThatUsersCatch() {
    Purgatory<Object> keyed =
        Purgatory.builder("keyed", Object.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .build();
    String hostile = "k\n2026-11-28 ERROR forged\u001b[2J" + "x".repeat(1_000_000);
    List<Object> many = IntStream.range(0, 100_000).<Object>mapToObj(i -> "key " + i).toList();
    Scope scope = Scope.of("connection\n" + hostile);
    Hold.Untimed<Object, String> hold = keyed.untilCompleted();
    HeldFuture<String> cancelled = hold.inScope(scope).orTimeout(LIMIT).hold(hostile);
    HeldFuture<String> one = hold.orTimeout(LIMIT).hold(hostile);
    HeldFuture<String> several = hold.orTimeout(LIMIT).hold(many);
    scope.close();
    passLimit();
    for (HeldFuture<String> each : List.of(cancelled, one, several)) {
      Throwable cause = requireNonNull(each.cause());
      assertThat(cause.toString().length()).isLessThan(600);
      assertThat(cause.toString())
          .doesNotContain("\n", "\u001b")
          .startsWith("java.util.concurrent.");
    }
    assertThat(several.cause())
        .hasMessageContaining("[key 0, key 1,")
        .hasMessageContaining("more]");
    assertThat(requireNonNull(one.cause()).toString())
        .startsWith(
            "java.util.concurrent.TimeoutException: keyed: no answer within PT30S on [k\\u000a");
    assertThat(requireNonNull(cancelled.cause()).toString())
        .startsWith("java.util.concurrent.CancellationException: keyed: cancelled on [k\\u000a");
    keyed.close();
  }

  /** An end that could not complete its future, for want of memory. */
  @Test
  void futureThatIsUnsettled_isCompletedByAHelperThread() {
    HeldFuture<String> future = untilAnswer().orTimeout(LIMIT).hold("a");
    assertThat(future.registration().endSelfAnswered(Outcome.COMPLETED, null)).isTrue();
    assertThat(future).isNotDone();
    assertThat(future.complete("late")).isFalse();
    purgatory.futures().settleLater(future);
    Threads.until(future::isDone);
    assertThat(future).isCompletedWithValue(null);
  }

  @Test
  void keyWhoseToStringThrows_doesNotReplaceTheException() {
    Object key =
        new Object() {
          @Override
          public String toString() {
            throw new IllegalStateException("no name");
          }
        };
    Purgatory<Object> keyed =
        Purgatory.builder("keyed", Object.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .build();
    HeldFuture<String> timedOut = keyed.until(() -> answer).orTimeout(LIMIT).hold(key);
    HeldFuture<String> cancelled =
        keyed.until(() -> answer).orTimeout(LIMIT.multipliedBy(2)).hold(key);
    assertThat(timedOut.toString()).contains("(toString threw java.lang.IllegalStateException)");
    passLimit();
    assertThatThrownBy(timedOut::join).hasCauseInstanceOf(TimeoutException.class);
    assertThat(keyed.cancelAll()).containsExactly(cancelled);
    assertThat(cancelled).isCancelled();
    keyed.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"COMPLETED", "TIMED_OUT", "CANCELLED", "FAILED", "CLOSED"})
  void futureThatIsKept_keepsNeitherKeysNorContextNorPurgatory(Outcome outcome) {
    List<WeakReference<Object>> references = new ArrayList<>();
    HeldFuture<String> kept = keptFuture(outcome, references);
    assertThat(kept.outcome()).isEqualTo(outcome);
    assertThat(kept).isDone();
    references.forEach(reference -> Threads.until(() -> isCollected(reference)));
    assertThat(kept.toString()).isEqualTo("HeldFuture[" + outcome + "]");
    assertThat(kept.reschedule(LIMIT)).isFalse();
  }

  private static boolean isCollected(WeakReference<Object> reference) {
    System.gc();
    return reference.get() == null;
  }

  private static HeldFuture<String> keptFuture(
      Outcome outcome, List<WeakReference<Object>> references) {
    ManualTicker ticker = new ManualTicker();
    Timer timer = Timer.builder().ticker(ticker).build();
    Object key = new Object();
    int[] context = {1};
    boolean[] ready = new boolean[1];
    Purgatory<Object> purgatory =
        Purgatory.builder("kept", Object.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .context(
                () ->
                    task ->
                        () -> {
                          context[0]++;
                          task.run();
                        })
            .build();
    references.add(new WeakReference<>(key));
    references.add(new WeakReference<>(context));
    references.add(new WeakReference<>(purgatory));
    HeldFuture<String> future =
        purgatory.until(() -> ready[0] ? "x" : null).orTimeout(LIMIT).hold(key);
    switch (outcome) {
      case COMPLETED -> {
        ready[0] = true;
        int unused = purgatory.signal(key);
      }
      case TIMED_OUT -> {
        ticker.advance(LIMIT);
        int unused = timer.advance();
      }
      case CANCELLED -> future.cancel(false);
      case FAILED -> {
        var unused = purgatory.failForKey(key, new IllegalStateException("failed"));
      }
      case CLOSED -> purgatory.close();
    }
    return future;
  }

  @Test
  void toString_showsStateAgeDeadlineAndKeys() {
    HeldFuture<String> future = held();
    ticker.advance(Duration.ofSeconds(10));
    assertThat(future).hasToString("HeldFuture[held by test for 10 s, due in 20 s, keys [a, b]]");
    assertThat(purgatory).hasToString("Purgatory[test, 1 pending, 2 keys]");
    future.complete("x");
    assertThat(future).hasToString("HeldFuture[COMPLETED]");
  }

  @Test
  void completionExecutor_isUsedAndCounted() {
    QueueingExecutor queue = new QueueingExecutor();
    Purgatory<String> queued =
        Purgatory.builder("queued", String.class).timer(timer).completionExecutor(queue).build();
    HeldFuture<String> future = queued.until(() -> answer).forever().hold("a");
    answer = "x";
    assertThat(queued.signal("a")).isEqualTo(1);
    assertThat(queued.pending()).isZero();
    assertThat(queued.inspect().unanswered()).isEqualTo(1);
    assertThat(future).isNotDone();
    assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(future.complete("y")).isFalse();
    queue.runAll();
    assertThat(future).isCompletedWithValue("x");
    assertThat(queued.inspect().unanswered()).isZero();
    queued.close();
  }

  @Test
  void dependentThatThrows_doesNotAffectOtherFutures() {
    HeldFuture<String> first = held();
    CompletableFuture<String> dependent = first.thenApply(value -> fail());
    HeldFuture<String> second = held();
    answer = "x";
    assertThat(purgatory.signal("a")).isEqualTo(2);
    assertThat(second).isCompletedWithValue("x");
    assertThat(dependent).isCompletedExceptionally();
  }

  private static void onAnotherThread(Threads.Task task) {
    try {
      Threads.start(task).join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String fail() {
    throw new IllegalStateException("expected");
  }

  @Test
  void cancelAll_joinThrowsCancellationException() {
    HeldFuture<String> future = held();
    assertThat(purgatory.cancelAll()).containsExactly(future);
    assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
  }
}
