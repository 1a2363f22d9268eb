package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Signals with a reason or for some requests, periodic evaluations, jitter, and contexts. */
class SignalTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();

  @AfterEach
  void nothingIsLeft() {
    polls.close();
    assertThat(polls.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  @Test
  void condition_seesTheReason_andNullWhenItMustLookAtEverything() {
    List<@Nullable Object> seen = new ArrayList<>();
    HeldFuture<String> future =
        polls
            .untilSignalled(
                reason -> {
                  seen.add(reason);
                  return "commit".equals(reason) ? "committed" : null;
                })
            .orTimeout(LIMIT)
            .hold("a");
    assertThat(polls.signal("a", "append")).isZero();
    assertThat(polls.signal("a")).isZero();
    assertThat(polls.signal("b", "commit")).isZero();
    assertThat(polls.signal("a", "commit")).isEqualTo(1);
    assertThat(future).isCompletedWithValue("committed");
    assertThat(seen).containsExactly(null, null, "append", null, "commit");
  }

  /** An interrupt closes the files that an answer is reading. */
  @Test
  void flagThatOneAnswerLeaves_reachesNoOther_butTheCaller() {
    List<Boolean> interrupted = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      var unused =
          polls
              .untilSignalled(reason -> reason)
              .orTimeout(LIMIT)
              .hold("a")
              .thenRun(
                  () -> {
                    interrupted.add(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                  });
    }
    assertThat(polls.signal("a", "commit")).isEqualTo(3);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(interrupted).containsExactly(false, false, false);
  }

  @Test
  void flagThatAnAnswerLeaves_reachesNoListener() {
    List<Boolean> interrupted = new ArrayList<>();
    PurgatoryListener listener =
        new PurgatoryListener() {
          @Override
          public void onEnded(
              Object operation, Outcome outcome, @Nullable Throwable cause, long held, long late) {
            interrupted.add(Thread.currentThread().isInterrupted());
          }
        };
    try (Purgatory<String> observed =
        Purgatory.builder("observed", String.class).listener(listener).build()) {
      for (int i = 0; i < 3; i++) {
        var unused =
            observed
                .untilSignalled(reason -> reason)
                .forever()
                .hold("a")
                .thenRun(Thread.currentThread()::interrupt);
      }
      assertThat(observed.signal("a", "commit")).isEqualTo(3);
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(interrupted).containsExactly(false, false, false);
  }

  @Test
  void operation_seesTheReason_andSkipsWhatDoesNotConcernIt() {
    RecordingOperation operation =
        new RecordingOperation(LIMIT) {
          @Override
          protected boolean isReady(Object reason) {
            return reason.equals("commit") && isReady();
          }
        };
    polls.hold(operation, "a");
    operation.condition(true);
    assertThat(polls.signal("a", "append")).isZero();
    assertThat(polls.signal("a", "commit")).isEqualTo(1);
  }

  @Test
  void reasonOfASignalDuringAnEvaluation_isNotLost_theEvaluatorLooksAtEverything()
      throws Exception {
    List<@Nullable Object> seen = new ArrayList<>();
    CyclicBarrier barrier = new CyclicBarrier(2);
    AtomicReference<String> data = new AtomicReference<>();
    HeldFuture<String> future =
        polls
            .untilSignalled(
                reason -> {
                  seen.add(reason);
                  String found = data.get();
                  if ("first".equals(reason)) {
                    meetTwice(barrier);
                  }
                  return found;
                })
            .forever()
            .hold("a");
    Threads.Running first = Threads.start(() -> polls.signal("a", "first"));
    Threads.meet(barrier);
    data.set("value");
    assertThat(polls.signal("a", "second")).isZero();
    Threads.meet(barrier);
    first.join();
    assertThat(future).isCompletedWithValue("value");
    assertThat(seen).containsExactly(null, null, "first", null);
  }

  private static void meetTwice(CyclicBarrier barrier) {
    try {
      Threads.meet(barrier);
      Threads.meet(barrier);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void signalAtMost_completesTheOldest_andEvaluatesNoMore() {
    AtomicInteger permits = new AtomicInteger();
    AtomicInteger evaluations = new AtomicInteger();
    List<HeldFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      waiting.add(
          polls
              .until(
                  () -> {
                    evaluations.incrementAndGet();
                    return permits.get() == 0 ? null : permits.getAndDecrement();
                  })
              .orTimeout(LIMIT)
              .hold("a"));
    }
    evaluations.set(0);
    permits.set(10);
    assertThat(polls.signalAtMost("a", 1)).isEqualTo(1);
    assertThat(evaluations).hasValue(1);
    assertThat(waiting.get(0)).isCompletedWithValue(10);
    assertThat(polls.signalAtMost("a", 5)).isEqualTo(5);
    assertThat(evaluations).hasValue(6);
    assertThat(waiting.get(5)).isDone();
    assertThat(waiting.get(6)).isNotDone();
    assertThat(polls.signalAtMost("a", 5)).isEqualTo(4);
    assertThatThrownBy(() -> polls.signalAtMost("a", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("most 0 is not positive");
    assertThat(polls.cancelAll()).hasSize(590);
  }

  @Test
  void recheckEvery_findsAConditionThatNobodySignals() {
    AtomicReference<@Nullable String> data = new AtomicReference<>();
    HeldFuture<String> future =
        polls.until(data::get).recheckEvery(Duration.ofMillis(100)).orTimeout(LIMIT).hold("a");
    pass(1_000);
    assertThat(future).isNotDone();
    data.set("value");
    pass(99);
    assertThat(future).isNotDone();
    pass(1);
    assertThat(future).isCompletedWithValue("value");
    assertThat(timer.size()).isZero();
  }

  @Test
  void recheckEvery_endsWithTheRequest_howeverItEnds() {
    for (int i = 0; i < 3; i++) {
      HeldFuture<String> future =
          polls
              .<String>until(() -> null)
              .recheckEvery(Duration.ofMillis(1))
              .orTimeout(LIMIT)
              .hold("a");
      pass(10);
      assertThat(timer.size()).isEqualTo(2);
      switch (i) {
        case 0 -> assertThat(future.cancel(false)).isTrue();
        case 1 -> assertThat(future.complete("x")).isTrue();
        default -> pass(LIMIT.toMillis());
      }
      assertThat(timer.size()).isZero();
    }
    assertThatThrownBy(() -> polls.until(() -> null).recheckEvery(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void pass(long millis) {
    for (long i = 0; i < millis; i++) {
      ticker.advance(Duration.ofMillis(1));
      timer.advance();
    }
  }

  @Test
  void jitter_spreadsTheTimeouts_neverBeforeTheTimeLimit() {
    Set<Long> ends = new TreeSet<>();
    Hold.Untimed<String, String> poll = polls.until(() -> null);
    Hold<String, String> scattered =
        poll.jitter(Duration.ofMillis(50)).orAfter(LIMIT, () -> "none");
    for (int i = 0; i < 200; i++) {
      CompletableFuture<Boolean> unused =
          scattered.hold("a").thenApply(none -> ends.add(ticker.nanos() / 1_000_000));
    }
    pass(LIMIT.toMillis());
    assertThat(ends).isEmpty();
    pass(51);
    assertThat(polls.pending()).isZero();
    assertThat(ends).hasSizeGreaterThan(10);
    assertThat(poll.jitter(Duration.ZERO).orTimeout(LIMIT).hold("a").timeout()).isEqualTo(LIMIT);
    assertThat(
            polls
                .until(() -> null)
                .jitter(Duration.ofDays(100_000))
                .forever()
                .hold("a")
                .timeout()
                .toDays())
        .isGreaterThan(106_000);
    assertThatThrownBy(() -> poll.jitter(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    polls.cancelAll();
  }

  @Test
  void context_isCarriedToTheConditionAndToWhatDependsOnTheFuture() throws Exception {
    ThreadLocal<@Nullable String> user = new ThreadLocal<>();
    Purgatory<String> purgatory =
        Purgatory.builder("context", String.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .context(
                () -> {
                  String captured = user.get();
                  return task ->
                      () -> {
                        String before = user.get();
                        user.set(captured);
                        try {
                          task.run();
                        } finally {
                          user.set(before);
                        }
                      };
                })
            .build();
    List<@Nullable String> seen = new ArrayList<>();
    AtomicReference<@Nullable String> data = new AtomicReference<>();
    user.set("alice");
    CompletableFuture<Boolean> byEvent =
        purgatory
            .until(
                () -> {
                  seen.add(user.get());
                  return data.get();
                })
            .forever()
            .hold("a")
            .thenApply(value -> seen.add(user.get()));
    HeldFuture<String> byCaller = purgatory.<String>until(() -> null).forever().hold("b");
    CompletableFuture<Boolean> after = byCaller.thenApply(value -> seen.add(user.get()));
    CompletableFuture<Boolean> late =
        purgatory
            .<String>until(() -> null)
            .orAfter(LIMIT, () -> "none")
            .hold("c")
            .thenApply(value -> seen.add(user.get()));
    user.set("bob");
    data.set("value");
    Threads.Running other = Threads.start(() -> purgatory.signal("a"));
    other.join();
    assertThat(byCaller.complete("x")).isTrue();
    ticker.advance(LIMIT);
    timer.advance();
    assertThat(List.of(byEvent.join(), after.join(), late.join())).containsOnly(true);
    assertThat(seen).hasSizeGreaterThanOrEqualTo(6).containsOnly("alice");
    assertThat(user.get()).isEqualTo("bob");
    purgatory.close();
  }

  @Test
  void contextThatFails_failsTheCondition_andLosesNoAnswer() {
    AtomicInteger calls = new AtomicInteger();
    Purgatory<String> purgatory =
        Purgatory.builder("context", String.class)
            .timer(timer)
            .context(
                () ->
                    task ->
                        () -> {
                          calls.incrementAndGet();
                          throw new IllegalStateException("no context");
                        })
            .build();
    HeldFuture<String> failed = purgatory.until(() -> "x").forever().hold("a");
    assertThatThrownBy(failed::join)
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("no context");
    HeldFuture<String> timed = purgatory.timeout(new CompletableFuture<>(), LIMIT);
    assertThat(timed.complete("x")).isTrue();
    assertThat(timed).isCompletedWithValue("x");
    assertThat(calls.get()).isPositive();
    purgatory.close();
  }

  @Test
  void signalAtMost_whileOthersSignal_losesNoPermit() throws Exception {
    AtomicInteger permits = new AtomicInteger();
    AtomicInteger taken = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(20_000);
    Hold<String, Integer> acquire =
        polls
            .until(
                () -> {
                  int left = permits.getAndUpdate(n -> Math.max(0, n - 1));
                  return left == 0 ? null : taken.incrementAndGet();
                })
            .forever();
    Threads.Task waiter =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            CompletableFuture<Void> unused = acquire.hold("a").thenRun(done::countDown);
          }
        };
    Threads.Task releaser =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            permits.incrementAndGet();
            polls.signalAtMost("a", 1);
          }
        };
    Threads.race(waiter, waiter, releaser, releaser);
    assertThat(requireNonNull(done).await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(taken).hasValue(20_000);
    assertThat(permits).hasValue(0);
  }
}
