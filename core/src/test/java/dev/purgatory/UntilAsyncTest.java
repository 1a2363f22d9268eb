package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.base.Headroom;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Futures that are held until a condition gives an answer whose evaluations take time. */
class UntilAsyncTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** More than any chain of calls here needs, and far less than a recursion takes. */
  private static final int MOST_FRAMES = 2_000;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
  private final Purgatory<String> purgatory = builder().build();
  private final Scope scope = Scope.of("owner");

  /** The evaluations that have begun. */
  private final List<CompletableFuture<@Nullable String>> looks = new ArrayList<>();

  private final List<String> returned = new ArrayList<>();

  private PurgatoryBuilder<String> builder() {
    return Purgatory.<String>builder("test", String.class)
        .timer(timer)
        .expirationExecutor(Runnable::run)
        .listener(
            new PurgatoryListener() {
              @Override
              public void onError(Object operation, Source source, Throwable error) {
                errors.add(error);
              }
            });
  }

  private CompletableFuture<@Nullable String> look() {
    CompletableFuture<@Nullable String> look = new CompletableFuture<>();
    looks.add(look);
    return look;
  }

  private Hold.Untimed<String, String> untilFound() {
    return purgatory.untilAsync(this::look);
  }

  private HeldFuture<String> held() {
    return untilFound().inScope(scope).orTimeout(LIMIT).hold("a", "b");
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
    assertThat(errors).isEmpty();
    purgatory.close();
  }

  @Test
  void stageThatIsComplete_answersAtOnce_afterOneEvaluation() {
    AtomicInteger evaluations = new AtomicInteger();
    HeldFuture<String> future =
        purgatory
            .untilAsync(
                () -> CompletableFuture.completedFuture("x" + evaluations.incrementAndGet()))
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(future).isCompletedWithValue("x1");
  }

  @Test
  void stageThatCompletesLater_answers() {
    HeldFuture<String> future = held();
    assertThat(purgatory.pending()).isEqualTo(1);
    assertThat(looks).hasSize(1);
    looks.get(0).complete("x");
    assertThat(future).isCompletedWithValue("x");
    assertThat(future.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(looks).hasSize(1);
  }

  @Test
  void stageOfNull_waitsForASignal() {
    HeldFuture<String> future = held();
    looks.get(0).complete(null);
    assertThat(future).isNotDone();
    assertThat(looks).hasSize(1);

    assertThat(purgatory.signal("b")).isZero();
    assertThat(looks).hasSize(2);
    looks.get(1).complete("x");
    assertThat(future).isCompletedWithValue("x");
  }

  @Test
  void signalsDuringAnEvaluation_causeOneMoreAfterIt() {
    HeldFuture<String> future = held();
    for (int i = 0; i < 5; i++) {
      assertThat(purgatory.signal("a")).isZero();
      assertThat(purgatory.signal("b", "reason")).isZero();
    }
    assertThat(looks).hasSize(1);
    looks.get(0).complete(null);
    assertThat(looks).hasSize(2);
    looks.get(1).complete(null);
    assertThat(looks).hasSize(2);
    assertThat(future.cancel(false)).isTrue();
  }

  @Test
  void answerFoundDuringASignal_endsTheRequest() {
    HeldFuture<String> future = held();
    purgatory.signal("a");
    looks.get(0).complete("x");
    assertThat(future).isCompletedWithValue("x");
    assertThat(looks).hasSize(1);
  }

  @Test
  void signalOfAStageThatIsComplete_isCounted() {
    AtomicReference<@Nullable String> answer = new AtomicReference<>();
    HeldFuture<String> future =
        purgatory
            .<String>untilAsync(() -> CompletableFuture.completedFuture(answer.get()))
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(purgatory.signal("a")).isZero();
    answer.set("x");
    assertThat(purgatory.signal("a")).isEqualTo(1);
    assertThat(future).isCompletedWithValue("x");
  }

  /** What ends a request. */
  private enum End {
    TIMED_OUT {
      @Override
      void end(UntilAsyncTest test, HeldFuture<String> future) {
        test.passLimit();
      }
    },
    CANCELLED {
      @Override
      void end(UntilAsyncTest test, HeldFuture<String> future) {
        assertThat(future.cancel(false)).isTrue();
      }
    },
    COMPLETED {
      @Override
      void end(UntilAsyncTest test, HeldFuture<String> future) {
        assertThat(future.complete("other")).isTrue();
      }
    },
    FAILED {
      @Override
      void end(UntilAsyncTest test, HeldFuture<String> future) {
        assertThat(test.scope.fail(new IOException("lost"))).isEqualTo(1);
      }
    },
    CLOSED {
      @Override
      void end(UntilAsyncTest test, HeldFuture<String> future) {
        test.purgatory.close();
      }
    };

    abstract void end(UntilAsyncTest test, HeldFuture<String> future);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void end_doesNotWaitForAnEvaluation_whoseResultIsDropped(End end) {
    HeldFuture<String> future = held();
    end.end(this, future);
    assertThat(future).isDone();
    assertThat(future.outcome()).hasToString(end.name());
    looks.get(0).complete("late");
    assertThat(future.isCompletedExceptionally() || future.join().equals("other")).isTrue();
    assertThat(looks).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void end_doesNotWaitForAnEvaluation_whoseExceptionIsDropped(End end) {
    HeldFuture<String> future = held();
    end.end(this, future);
    looks.get(0).completeExceptionally(new IOException("late"));
    assertThat(future.outcome()).hasToString(end.name());
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void end_withoutAnEvaluation_beginsNone(End end) {
    HeldFuture<String> future = held();
    looks.get(0).complete(null);
    end.end(this, future);
    assertThat(future.outcome()).hasToString(end.name());
    assertThat(looks).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void end_afterASignalDuringAnEvaluation_beginsNone(End end) {
    HeldFuture<String> future = held();
    purgatory.signal("a");
    end.end(this, future);
    looks.get(0).complete(null);
    assertThat(future.outcome()).hasToString(end.name());
    assertThat(looks).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void lateAnswer_isReturnedOnce_ifTheRequestSaysWhere(End end) {
    HeldFuture<String> future =
        untilFound().orReturn(returned::add).inScope(scope).orTimeout(LIMIT).hold("a");
    end.end(this, future);
    assertThat(returned).isEmpty();
    looks.get(0).complete("late");
    assertThat(returned).containsExactly("late");
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void answerOfAStageThatIsComplete_isReturnedOnce_ifTheRequestEndsMeanwhile(End end) {
    AtomicReference<@Nullable HeldFuture<String>> self = new AtomicReference<>();
    HeldFuture<String> future =
        purgatory
            .untilAsync(
                () -> {
                  HeldFuture<String> own = self.get();
                  if (own == null) {
                    return CompletableFuture.<@Nullable String>completedFuture(null);
                  }
                  end.end(this, own);
                  return CompletableFuture.completedFuture("late");
                })
            .orReturn(returned::add)
            .inScope(scope)
            .orTimeout(LIMIT)
            .hold("a");
    self.set(future);
    purgatory.signal("a");
    assertThat(future.outcome()).hasToString(end.name());
    assertThat(returned).containsExactly("late");
  }

  @Test
  void answerThatIsDelivered_isNotReturned() {
    HeldFuture<String> future = untilFound().orReturn(returned::add).orTimeout(LIMIT).hold("a");
    looks.get(0).complete("x");
    assertThat(future).isCompletedWithValue("x");
    assertThat(returned).isEmpty();
  }

  @Test
  void stageThatFails_failsTheRequest_asAConditionThatThrows() {
    IOException cause = new IOException("no connection");
    HeldFuture<String> future = held();
    looks.get(0).completeExceptionally(cause);
    assertThat(future.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(future.cause()).isSameAs(cause);

    HeldFuture<String> dependent =
        purgatory.untilAsync(() -> look().thenApply(Function.identity())).forever().hold("a");
    looks.get(1).completeExceptionally(cause);
    assertThat(dependent.cause()).isSameAs(cause);

    HeldFuture<String> atOnce =
        purgatory
            .untilAsync(
                () -> CompletableFuture.<String>failedFuture(new CompletionException(cause)))
            .forever()
            .hold("a");
    assertThat(atOnce.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(atOnce.cause()).isSameAs(cause);
  }

  @Test
  void conditionThatThrows_failsTheRequest() {
    HeldFuture<String> future =
        purgatory
            .<String>untilAsync(
                () -> {
                  throw new IllegalStateException("closed pool");
                })
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(future.cause()).isInstanceOf(IllegalStateException.class).hasMessage("closed pool");
  }

  @Test
  @SuppressWarnings("NullAway") // that is tested
  void conditionWithoutAStage_failsTheRequest() {
    HeldFuture<String> future = purgatory.<String>untilAsync(() -> null).orTimeout(LIMIT).hold("a");
    assertThat(future.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(future.cause())
        .isInstanceOf(NullPointerException.class)
        .hasMessage("the condition returned null in place of a stage");
    assertThatThrownBy(() -> purgatory.untilAsync(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void stageThatNeverCompletes_leavesTheRequestToItsTimeout() {
    HeldFuture<String> future = held();
    ticker.advance(LIMIT.minusNanos(1));
    timer.advance();
    assertThat(future).isNotDone();
    ticker.advance(1);
    timer.advance();
    assertThat(future.cause()).isInstanceOf(TimeoutException.class);
  }

  @Test
  void timeoutOfZero_getsAnAnswerOnlyFromAStageThatIsComplete() {
    HeldFuture<String> waits = untilFound().orTimeout(Duration.ZERO).hold("a");
    assertThat(waits.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(looks).hasSize(1);
    looks.get(0).complete("late");
    assertThat(waits.cause()).isInstanceOf(TimeoutException.class);

    HeldFuture<String> complete =
        purgatory
            .untilAsync(() -> CompletableFuture.completedFuture("x"))
            .orTimeout(Duration.ZERO)
            .hold("a");
    assertThat(complete).isCompletedWithValue("x");
  }

  @Test
  void evaluation_takesAPlaceUnderALimit() {
    Limit limit = Limit.builder("looks").requests(1).build();
    try (Purgatory<String> limited = builder().limit(limit).build()) {
      Hold.Untimed<String, String> hold = limited.untilAsync(this::look);
      HeldFuture<String> first = hold.forever().hold("a");
      HeldFuture<String> second = hold.forever().hold("a");
      assertThat(second.cause()).isInstanceOf(LimitExceededException.class);
      assertThat(looks).hasSize(1);
      looks.get(0).complete("x");
      assertThat(first).isCompletedWithValue("x");
    }
  }

  @Test
  void period_beginsEvaluations_oneAtATime() {
    HeldFuture<String> future =
        untilFound().recheckEvery(Duration.ofSeconds(1)).orTimeout(LIMIT).hold("a");
    looks.get(0).complete(null);
    passSeconds(1);
    assertThat(looks).hasSize(2);
    passSeconds(3);
    assertThat(looks).hasSize(2);
    looks.get(1).complete(null);
    assertThat(looks).hasSize(3);
    looks.get(2).complete("x");
    assertThat(future).isCompletedWithValue("x");
  }

  private void passSeconds(int seconds) {
    for (int i = 0; i < seconds; i++) {
      ticker.advance(Duration.ofSeconds(1));
      timer.advance();
    }
  }

  @Test
  void threshold_beginsAnEvaluation() {
    Thresholds<String> thresholds = new Thresholds<>(purgatory);
    HeldFuture<String> future =
        untilFound().reaching(thresholds, "offset", 5).orTimeout(LIMIT).hold();
    looks.get(0).complete(null);
    assertThat(thresholds.advance("offset", 4)).isZero();
    assertThat(looks).hasSize(1);
    assertThat(thresholds.advance("offset", 5)).isZero();
    assertThat(looks).hasSize(2);
    looks.get(1).complete("x");
    assertThat(future).isCompletedWithValue("x");
  }

  @Test
  void answer_isGivenOnTheExecutorForCompletions() {
    QueueingExecutor executor = new QueueingExecutor();
    try (Purgatory<String> other = builder().completionExecutor(executor).build()) {
      HeldFuture<String> future = other.untilAsync(this::look).orTimeout(LIMIT).hold("a");
      looks.get(0).complete("x");
      assertThat(other.pending()).isZero();
      assertThat(future).isNotDone();
      executor.runAll();
      assertThat(future).isCompletedWithValue("x");
    }
  }

  @Test
  void condition_runsInTheContextOfItsHolder() {
    ThreadLocal<@Nullable String> context = new ThreadLocal<>();
    List<@Nullable String> seen = new ArrayList<>();
    try (Purgatory<String> other = builder().context(() -> restoring(context)).build()) {
      context.set("holder");
      HeldFuture<String> future =
          other
              .untilAsync(
                  () -> {
                    seen.add(context.get());
                    return look();
                  })
              .orReturn(value -> returned.add(value + " in " + context.get()))
              .orTimeout(LIMIT)
              .hold("a");
      context.set("caller");
      other.signal("a");
      looks.get(0).complete(null);
      assertThat(seen).containsExactly("holder", "holder");
      assertThat(future.cancel(false)).isTrue();
      looks.get(1).complete("late");
      assertThat(returned).containsExactly("late in holder");
      assertThat(context.get()).isEqualTo("caller");
    }
    context.remove();
  }

  private static UnaryOperator<Runnable> restoring(ThreadLocal<@Nullable String> context) {
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
  }

  @Test
  void completeStages_andSignalsInThem_useABoundedStack() {
    int rounds = 3_000;
    AtomicInteger evaluations = new AtomicInteger();
    AtomicInteger deepest = new AtomicInteger();
    HeldFuture<String> future =
        purgatory
            .untilAsync(
                () -> {
                  deepest.accumulateAndGet(frames(), Math::max);
                  int number = evaluations.incrementAndGet();
                  purgatory.signal("a");
                  return CompletableFuture.<@Nullable String>completedFuture(
                      number < rounds ? null : "x");
                })
            .forever()
            .hold("a");
    Threads.until(future::isDone);
    assertThat(future).isCompletedWithValue("x");
    assertThat(evaluations).hasValue(rounds);
    assertThat(deepest.get()).isLessThan(MOST_FRAMES);
    Threads.until(() -> purgatory.inspect().unanswered() == 0);
  }

  /** The answer of each request completes the stage of the next one. */
  @Test
  void stagesThatCompleteEachOther_useABoundedStack() {
    int requests = 5_000;
    AtomicInteger deepest = new AtomicInteger();
    List<HeldFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      futures.add(held());
    }
    for (int i = 0; i < requests - 1; i++) {
      CompletionStage<@Nullable String> next = looks.get(i + 1);
      CompletableFuture<Void> unused =
          futures
              .get(i)
              .thenAccept(
                  value -> {
                    deepest.accumulateAndGet(frames(), Math::max);
                    next.toCompletableFuture().complete(value);
                  });
    }
    looks.get(0).complete("x");
    Threads.until(futures.get(requests - 1)::isDone);
    assertThat(futures.get(requests - 1)).isCompletedWithValue("x");
    assertThat(deepest.get()).isLessThan(MOST_FRAMES);
    Threads.until(() -> purgatory.inspect().unanswered() == 0);
  }

  /** The condition of each request completes the stage of the next one. */
  @Test
  void conditionsThatCompleteStages_useABoundedStack() {
    int requests = 5_000;
    AtomicInteger deepest = new AtomicInteger();
    List<HeldFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      int next = i + 1;
      futures.add(
          purgatory
              .untilAsync(
                  () -> {
                    if (looks.size() < requests) {
                      return look();
                    }
                    deepest.accumulateAndGet(frames(), Math::max);
                    if (next < requests) {
                      looks.get(next).complete(null);
                    }
                    return CompletableFuture.<@Nullable String>completedFuture("x");
                  })
              .forever()
              .hold("a"));
    }
    purgatory.signal("a");
    looks.get(0).complete(null);
    for (HeldFuture<String> each : futures) {
      Threads.until(each::isDone);
    }
    assertThat(deepest.get()).isLessThan(MOST_FRAMES);
    Threads.until(() -> purgatory.inspect().unanswered() == 0);
  }

  @Test
  void stageThatCompletesAtTheEndOfTheStack_answersOnAHelperThread() {
    HeldFuture<String> future = held();
    completeAtTheEndOfTheStack(looks.get(0));
    Threads.until(future::isDone);
    assertThat(future).isCompletedWithValue("x");
    Threads.until(() -> purgatory.inspect().unanswered() == 0);
  }

  @SuppressWarnings("InfiniteRecursion") // until the stack ends it
  private static void completeAtTheEndOfTheStack(CompletableFuture<@Nullable String> stage) {
    try {
      Headroom.ensure();
    } catch (StackOverflowError e) {
      assertThat(stage.complete("x")).isTrue();
      return;
    }
    completeAtTheEndOfTheStack(stage);
  }

  private static int frames() {
    return StackWalker.getInstance().walk(all -> (int) all.count());
  }

  @Test
  void stageThatHangs_keepsNothingOfTheRequest() {
    CompletableFuture<@Nullable String> hangs = new CompletableFuture<>();
    List<WeakReference<Object>> references = endedOn(hangs);
    Threads.until(
        () -> {
          System.gc();
          return references.stream().allMatch(each -> each.get() == null);
        });
    hangs.complete("late");
    assertThat(hangs).isCompletedWithValue("late");
  }

  /** Returns the payload and the future of a request that has timed out. */
  private List<WeakReference<Object>> endedOn(CompletableFuture<@Nullable String> stage) {
    Object payload = new Object();
    HeldFuture<String> future =
        purgatory
            .untilAsync(() -> requireNonNull(payload).hashCode() == -1 ? look() : stage)
            .tag(payload)
            .orTimeout(LIMIT)
            .hold("a");
    passLimit();
    assertThat(future.outcome()).isEqualTo(Outcome.TIMED_OUT);
    return List.of(new WeakReference<>(payload), new WeakReference<>(future));
  }

  @Test
  void receiverOfALateAnswerThatThrows_affectsNobody() {
    HeldFuture<String> future =
        untilFound()
            .orReturn(
                value -> {
                  throw new IllegalStateException("full");
                })
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(future.cancel(false)).isTrue();
    assertThat(looks.get(0).complete("late")).isTrue();
    assertThat(future).isCancelled();
  }

  @Test
  void stagesAndCancellationsThatMeet_loseNoAnswer() throws InterruptedException {
    AtomicInteger delivered = new AtomicInteger();
    AtomicInteger given = new AtomicInteger();
    int rounds = 3_000;
    Threads.repeat(
        rounds,
        round -> {
          CompletableFuture<@Nullable String> stage = new CompletableFuture<>();
          HeldFuture<String> future =
              purgatory
                  .untilAsync(() -> stage)
                  .orReturn(value -> given.incrementAndGet())
                  .forever()
                  .hold("a");
          Threads.race(() -> stage.complete("x"), () -> future.cancel(false));
          if (!future.isCancelled()) {
            assertThat(future).isCompletedWithValue("x");
            delivered.incrementAndGet();
          }
          assertThat(delivered.get() + given.get()).isEqualTo(round + 1);
        });
  }

  @Test
  void signalsAndStagesThatMeet_loseNoWakeUp() throws InterruptedException {
    Threads.repeat(
        2_000,
        round -> {
          AtomicReference<@Nullable String> row = new AtomicReference<>();
          List<Runnable> running = Collections.synchronizedList(new ArrayList<>());
          AtomicInteger atOnce = new AtomicInteger();
          HeldFuture<String> future =
              purgatory
                  .untilAsync(
                      () -> {
                        assertThat(atOnce.incrementAndGet()).isEqualTo(1);
                        CompletableFuture<@Nullable String> look = new CompletableFuture<>();
                        String read = row.get();
                        running.add(
                            () -> {
                              atOnce.decrementAndGet();
                              look.complete(read);
                            });
                        return look;
                      })
                  .forever()
                  .hold("a");
          Threads.race(
              () -> running.remove(0).run(),
              () -> {
                row.set("x");
                purgatory.signal("a");
              });
          while (!running.isEmpty()) {
            running.remove(0).run();
          }
          assertThat(future).isCompletedWithValue("x");
        });
  }
}
