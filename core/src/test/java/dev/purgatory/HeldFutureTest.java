package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is held until a condition, without a subclass. */
class HeldFutureTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<String> news = new ArrayList<>();
  private final Purgatory<String> purgatory =
      Purgatory.builder("test")
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .listener(new News())
          .build();
  private volatile @Nullable String answer;

  private final class News implements PurgatoryListener {
    @Override
    public void onAnsweredAtOnce(Object operation) {
      news.add("at once");
    }

    @Override
    public void onHeld(Object operation) {
      news.add("held");
    }

    @Override
    public void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      news.add(outcome + (cause == null ? "" : " " + cause.getMessage()));
    }

    @Override
    public void onRefused(Object operation, RuntimeException reason) {
      news.add("refused");
    }

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      news.add("error " + source + " " + error.getMessage());
    }
  }

  private Hold<String, String> untilAnswer() {
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
    assertThat(purgatory.unanswered()).isZero();
    assertThat(timer.size()).isZero();
    purgatory.close();
  }

  @Nested
  class Outcomes {

    @Test
    void conditionTrueAtOnce_isNotHeld() {
      answer = "x";
      HeldFuture<String> future = held();
      assertThat(future).isCompletedWithValue("x");
      assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
      assertThat(future.heldFor()).isEqualTo(Duration.ZERO);
      assertThat(news).containsExactly("at once");
      assertThat(purgatory.watched()).isZero();
    }

    @Test
    void signalMakesItTrue_completesWithTheValueOfThatLook() {
      HeldFuture<String> future = held();
      assertThat(purgatory.signal("a")).isZero();
      assertThat(future.outcome()).isNull();
      assertThat(future.heldFor()).isNull();
      ticker.advance(Duration.ofSeconds(3));
      answer = "x";
      assertThat(purgatory.signal("b")).isEqualTo(1);
      assertThat(future).isCompletedWithValue("x");
      assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
      assertThat(future.heldFor()).isEqualTo(Duration.ofSeconds(3));
      assertThat(news).containsExactly("held", "COMPLETED");
    }

    @Test
    void timeIsUp_failsWithATimeoutThatNamesEverything() {
      HeldFuture<String> future = held();
      passLimit();
      assertThat(future.outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(future.cause())
          .isInstanceOf(TimeoutException.class)
          .hasMessage("test: no answer within PT30S on [a, b]");
      assertThat(future.heldFor()).isEqualTo(LIMIT);
    }

    @Test
    void timeIsUp_answersAsTheLimitSays() {
      HeldFuture<String> future = untilAnswer().orAfter(LIMIT, () -> "none").hold("a");
      passLimit();
      assertThat(future).isCompletedWithValue("none");
      assertThat(future.outcome()).isEqualTo(Outcome.TIMED_OUT);
    }

    @Test
    void timeIsUp_failsAsTheLimitSays() {
      Supplier<Throwable> exception = () -> new IllegalStateException("late");
      HeldFuture<String> future = untilAnswer().orTimeout(LIMIT, exception).hold("a");
      passLimit();
      assertThat(future.cause()).hasMessage("late");
    }

    @Test
    void timeIsUpButReady_completes() {
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
              .hold("a");
      broken.set(true);
      assertThat(purgatory.signal("a")).isZero();
      assertThat(future.cause()).hasMessage("broken");
      assertThat(future.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(news).containsExactly("held", "FAILED broken");
    }

    @Test
    void answerForTimeoutThrows_failsTheFuture() {
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
    void cancelledByTheUser() {
      HeldFuture<String> future = held();
      assertThat(future.cancel(true)).isTrue();
      assertThat(future).isCancelled();
      assertThat(future.outcome()).isEqualTo(Outcome.CANCELLED);
      assertThat(news).containsExactly("held", "CANCELLED");
    }

    @Test
    void cancelledByKey() {
      HeldFuture<String> future = held();
      assertThat(purgatory.cancelForKey("b")).containsExactly(future);
      assertThat(future).isCancelled();
      assertThat(future.outcome()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void closed() {
      HeldFuture<String> future = untilAnswer().orAfter(LIMIT, () -> "none").hold("a");
      purgatory.close();
      assertThat(future.outcome()).isEqualTo(Outcome.CLOSED);
      assertThat(future.cause())
          .isInstanceOf(PurgatoryClosedException.class)
          .hasMessage("test is closed");
    }

    @Test
    void closedBefore_isRefused() {
      purgatory.close();
      HeldFuture<String> future = held();
      assertThat(future.cause()).isInstanceOf(PurgatoryClosedException.class);
      assertThat(news).containsExactly("refused");
    }

    @Test
    void closedWithALimit_returnsWhatWasNotAnswered() {
      QueueingExecutor busy = new QueueingExecutor();
      Purgatory<String> slow =
          Purgatory.builder("slow").timer(timer).expirationExecutor(busy).build();
      HeldFuture<String> future = slow.until(() -> answer).hold("a");
      assertThat(slow.close(Duration.ZERO)).containsExactly(future);
      assertThat(future).isCancelled();
    }

    @ParameterizedTest
    @EnumSource(
        value = Outcome.class,
        names = {"TIMED_OUT", "CANCELLED", "CLOSED"})
    void exceptionOfThePurgatory_replacesItsOwn(Outcome outcome) {
      Purgatory<String> other =
          Purgatory.builder("other")
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
  }

  @Nested
  class EndedFromOutside {

    @Test
    void everyWayToCompleteAFuture_endsTheOperation() {
      List<Consumer<HeldFuture<String>>> ways =
          List.of(
              future -> future.complete("x"),
              future -> future.completeExceptionally(new IllegalStateException()),
              future -> future.cancel(false),
              future -> future.obtrudeValue("x"),
              future -> future.obtrudeException(new IllegalStateException()),
              future -> assertThat(future.completeAsync(() -> "x", Runnable::run)).isSameAs(future),
              future ->
                  assertThat(future.completeAsync(HeldFutureTest::fail, Runnable::run)).isDone());
      for (Consumer<HeldFuture<String>> way : ways) {
        HeldFuture<String> future = held();
        way.accept(future);
        assertThat(future).isDone();
        assertThat(future.outcome()).isNotNull();
        assertThat(purgatory.pending()).isZero();
        assertThat(timer.size()).isZero();
        assertThat(future.complete("y")).isFalse();
        assertThat(future.completeExceptionally(new IllegalStateException())).isFalse();
      }
    }

    @Test
    void cancelOfWhatHasAValue_isFalse() {
      HeldFuture<String> future = held();
      assertThat(future.complete("x")).isTrue();
      assertThat(future.cancel(false)).isFalse();
      assertThat(future).isCompletedWithValue("x");
    }

    @Test
    void completedWithinItsCondition_keepsTheValueFromOutside() {
      AtomicReference<HeldFuture<String>> self = new AtomicReference<>();
      HeldFuture<String> future =
          purgatory
              .until(
                  () -> {
                    HeldFuture<String> me = self.get();
                    return me != null && me.complete("outside") ? "inside" : null;
                  })
              .hold("a");
      self.set(future);
      assertThat(purgatory.signal("a")).isEqualTo(1);
      assertThat(future).isCompletedWithValue("outside");
    }

    @Test
    void completedDuringAnEvaluation_doesNotWaitForIt() {
      AtomicBoolean look = new AtomicBoolean();
      AtomicReference<HeldFuture<String>> self = new AtomicReference<>();
      HeldFuture<String> future =
          purgatory
              .<String>until(
                  () -> {
                    if (look.get()) {
                      HeldFuture<String> me = requireNonNull(self.get());
                      elsewhere(() -> me.complete("outside"));
                      assertThat(me).isCompletedWithValue("outside");
                      return "inside";
                    }
                    return null;
                  })
              .hold("a");
      self.set(future);
      look.set(true);
      assertThat(purgatory.signal("a")).isZero();
      assertThat(future).isCompletedWithValue("outside");
    }

    @Test
    void manyWaysAtOnce_oneWinsAndNothingIsLost() throws InterruptedException {
      for (int round = 0; round < 500; round++) {
        answer = null;
        AtomicInteger winners = new AtomicInteger();
        AtomicInteger notified = new AtomicInteger();
        HeldFuture<String> future = held();
        CompletableFuture<?> unused = future.whenComplete((v, e) -> notified.incrementAndGet());
        Threads.race(
            () -> {
              answer = "x";
              winners.addAndGet(purgatory.signal("a"));
            },
            () -> winners.addAndGet(future.complete("y") ? 1 : 0),
            () -> winners.addAndGet(purgatory.cancelForKey("b").size()),
            () -> winners.addAndGet(future.completeExceptionally(new Error()) ? 1 : 0));
        assertThat(winners).hasValue(1);
        assertThat(notified).hasValue(1);
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
      assertThat(untilAnswer().await("a")).isEqualTo("x");
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
      assertThat(untilAnswer().await("a")).isEqualTo("x");
      signaller.join();
    }

    @Test
    void interrupted_cancels() {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> untilAnswer().await("a")).isInstanceOf(InterruptedException.class);
      assertThat(news).containsExactly("held", "CANCELLED");
    }

    @Test
    void timeIsUp_throwsTheTimeout() {
      Hold<String, String> hold = untilAnswer().orTimeout(Duration.ZERO);
      assertThatThrownBy(() -> hold.await("a")).isInstanceOf(TimeoutException.class);
    }

    @Test
    void conditionThrows_throwsIt() {
      assertThatThrownBy(() -> purgatory.<String>until(HeldFutureTest::fail).await("a"))
          .isInstanceOf(CompletionException.class)
          .hasRootCauseMessage("expected");
    }

    @Test
    void closed_throws() {
      purgatory.close();
      assertThatThrownBy(() -> untilAnswer().await("a"))
          .isInstanceOf(PurgatoryClosedException.class);
    }
  }

  @Nested
  class Limits {

    @Test
    void stageCompletes_completesWithItsValue() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      HeldFuture<String> limited = purgatory.limit(stage, LIMIT);
      assertThat(purgatory.pending()).isEqualTo(1);
      stage.complete("x");
      assertThat(limited).isCompletedWithValue("x");
      assertThat(limited.outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void stageFails_failsWithItsCause() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      HeldFuture<String> limited = purgatory.limit(stage, LIMIT);
      stage.completeExceptionally(new IllegalStateException("broken"));
      assertThat(limited.cause()).hasMessage("broken");
    }

    @Test
    void stageIsComplete_isNotHeldForLong() {
      assertThat(purgatory.limit(CompletableFuture.completedFuture("x"), LIMIT))
          .isCompletedWithValue("x");
    }

    @Test
    void timeIsUp_endsTheFutureAndNotTheStage() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      HeldFuture<String> limited = purgatory.limit(stage, LIMIT);
      HeldFuture<String> withAnswer = purgatory.limit(stage, LIMIT, () -> "none");
      passLimit();
      assertThat(limited.cause()).hasMessage("test: no answer within PT30S");
      assertThat(withAnswer).isCompletedWithValue("none");
      assertThat(stage).isNotDone();
      stage.complete("too late");
      assertThat(withAnswer).isCompletedWithValue("none");
    }

    @Test
    void stageThatNeverCompletes_doesNotKeepTheAnswer() {
      CompletableFuture<Object> stage = new CompletableFuture<>();
      WeakReference<Object> kept = limitAndLetTimePass(stage);
      Threads.until(
          () -> {
            System.gc();
            return kept.get() == null;
          });
      assertThat(stage).isNotDone();
    }

    private WeakReference<Object> limitAndLetTimePass(CompletableFuture<Object> stage) {
      HeldFuture<Object> limited = purgatory.limit(stage, LIMIT, Object::new);
      passLimit();
      return new WeakReference<>(limited.join());
    }

    @Test
    void close_findsWhatHasNoKey() {
      CompletableFuture<String> stage = new CompletableFuture<>();
      List<HeldFuture<String>> limited =
          Stream.generate(() -> purgatory.limit(stage, LIMIT)).limit(1_000).toList();
      purgatory.close();
      assertThat(limited).allMatch(future -> future.outcome() == Outcome.CLOSED);
    }

    @Test
    void manyLimits_leaveNothingBehind() {
      for (int i = 0; i < 100_000; i++) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        HeldFuture<String> limited = purgatory.limit(stage, LIMIT);
        stage.complete("x");
        assertThat(limited).isDone();
      }
      purgatory.purge();
      assertThat(purgatory.watched()).isZero();
      assertThat(timer.retained()).as("an alarm at most").isLessThanOrEqualTo(1);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // What careless callers do.
  void badInput_isRefusedBeforeAnythingChanges() {
    Hold<String, String> hold = untilAnswer();
    assertThatThrownBy(() -> hold.hold()).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> hold.hold("a", null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> purgatory.until(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> hold.orTimeout(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> hold.orAfter(LIMIT, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> purgatory.limit(null, LIMIT)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> Purgatory.builder("x").exception(Outcome.FAILED, f -> new Error()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(news).isEmpty();
  }

  @Test
  void completedFuture_keepsNothingOfTheCondition() {
    AtomicReference<WeakReference<Object>> captured = new AtomicReference<>();
    HeldFuture<String> future = heldWithSomething(captured);
    WeakReference<Object> reference = requireNonNull(captured.get());
    future.complete("x");
    Threads.until(
        () -> {
          System.gc();
          return reference.get() == null;
        });
    assertThat(future).isCompletedWithValue("x");
  }

  private HeldFuture<String> heldWithSomething(AtomicReference<WeakReference<Object>> reference) {
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

  @Test
  void toString_showsStateAgeDeadlineAndKeys() {
    HeldFuture<String> future = held();
    ticker.advance(Duration.ofSeconds(10));
    assertThat(future).hasToString("HeldFuture[held by test for PT10S, due in PT20S, keys [a, b]]");
    assertThat(purgatory).hasToString("Purgatory[test, 1 pending, 2 keys]");
    future.complete("x");
    assertThat(future).hasToString("HeldFuture[COMPLETED, keys [a, b]]");
  }

  @Test
  void completionExecutor_isUsedAndCounted() {
    QueueingExecutor queue = new QueueingExecutor();
    Purgatory<String> queued =
        Purgatory.builder("queued").timer(timer).completionExecutor(queue).build();
    HeldFuture<String> future = queued.until(() -> answer).hold("a");
    answer = "x";
    assertThat(queued.signal("a")).isEqualTo(1);
    assertThat(queued.pending()).isZero();
    assertThat(queued.unanswered()).isEqualTo(1);
    assertThat(future).isNotDone();
    assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(future.complete("y")).isFalse();
    queue.runAll();
    assertThat(future).isCompletedWithValue("x");
    assertThat(queued.unanswered()).isZero();
    queued.close();
  }

  @Test
  void dependentThatThrows_harmsNobody() {
    HeldFuture<String> first = held();
    CompletableFuture<String> dependent = first.thenApply(value -> fail());
    HeldFuture<String> second = held();
    answer = "x";
    assertThat(purgatory.signal("a")).isEqualTo(2);
    assertThat(second).isCompletedWithValue("x");
    assertThat(dependent).isCompletedExceptionally();
  }

  private static void elsewhere(Threads.Task task) {
    try {
      Threads.start(task).join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String fail() {
    throw new IllegalStateException("expected");
  }

  /** A cancelled future has the exception that every cancelled future has. */
  @Test
  void cancelledForKey_joinThrowsACancellation() {
    HeldFuture<String> future = held();
    assertThat(purgatory.cancelAll()).containsExactly(future);
    assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
  }
}
