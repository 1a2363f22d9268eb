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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DiagnosticsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Diagnostics diagnostics = new Diagnostics();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .diagnostics(diagnostics)
          .build();
  private final AtomicReference<@Nullable String> data = new AtomicReference<>();

  @AfterEach
  void nothingIsLeft() {
    polls.close();
    assertThat(polls.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  private HeldFuture<String> poll(String... keys) {
    return polls.<String>until(data::get).orAfter(LIMIT, () -> "none").hold(keys);
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void periodicChecks_areNotCounted() {
    HeldFuture<String> signalled = poll("a");
    HeldFuture<String> periodic =
        polls.until(data::get).recheckEvery(Duration.ofSeconds(1)).forever().hold("a");
    pass(Duration.ofSeconds(3));
    data.set("value");
    assertThat(polls.signal("a")).isEqualTo(2);
    assertThat(signalled).isCompletedWithValue("value");
    assertThat(periodic).isCompletedWithValue("value");
    assertThat(diagnostics.checksPerCompletion().count()).isOne();
  }

  @Test
  void observer_getsSignalsChecksAndEnds_untilItIsRemoved() {
    List<String> seen = new ArrayList<>();
    Diagnostics.Observer observer =
        new Diagnostics.Observer() {
          @Override
          public void onSignalled(Object key, boolean foundKey, int completed) {
            seen.add("signal " + key + " " + foundKey + " " + completed);
          }

          @Override
          public void onChecked(
              Object operation, @Nullable Object reason, boolean ready, @Nullable Throwable error) {
            seen.add("check for " + reason + " " + ready + " " + error);
          }

          @Override
          public void onEnded(
              Object operation,
              Outcome outcome,
              @Nullable Throwable cause,
              long heldNanos,
              long lateNanos) {
            seen.add(outcome + " " + Duration.ofNanos(heldNanos));
          }
        };
    HeldFuture<String> held = poll("a");
    diagnostics.addObserver(observer);
    assertThat(polls.signal("b", "reason")).isZero();
    assertThat(polls.signal("a", "early")).isZero();
    pass(Duration.ofSeconds(1));
    data.set("value");
    assertThat(polls.signalAtMost("a", 1)).isOne();
    assertThat(held).isCompletedWithValue("value");
    assertThat(seen)
        .containsExactly(
            "signal b false 0",
            "check for early false null",
            "signal a true 0",
            "check for null true null",
            "COMPLETED PT1S",
            "signal a true 1");
    diagnostics.removeObserver(observer);
    assertThat(polls.signal("a")).isZero();
    assertThat(seen).hasSize(6);
  }

  @Test
  void observerThatThrows_hasNoEffect() {
    diagnostics.addObserver(
        new Diagnostics.Observer() {
          @Override
          public void onChecked(
              Object operation, @Nullable Object reason, boolean ready, @Nullable Throwable error) {
            throw new IllegalStateException("expected, from a test");
          }
        });
    HeldFuture<String> held = poll("a");
    data.set("value");
    assertThat(polls.signal("a")).isOne();
    assertThat(held).isCompletedWithValue("value");
  }

  @Test
  void missingSignal_isCountedForTheKeys_ofRequestsThatWereReadyAtTheirTimeout() {
    HeldFuture<String> forgotten = poll("a", "b");
    pass(Duration.ofSeconds(1));
    HeldFuture<String> empty = poll("c");
    data.set("value");
    pass(Duration.ofSeconds(4));
    assertThat(forgotten).isCompletedWithValue("value");
    data.set(null);
    pass(LIMIT);
    assertThat(empty).isCompletedWithValue("none");
    assertThat(diagnostics.missedSignals()).isEqualTo(Map.of("a", 1L, "b", 1L));
    assertThat(diagnostics.lateNanos().count()).as("both reached their limit").isEqualTo(2);
  }

  @Test
  void missingSignal_isCounted_ifTheConditionThrowsAtTheTimeoutOnly() {
    AtomicBoolean failing = new AtomicBoolean();
    HeldFuture<String> poll =
        polls
            .<String>until(
                () -> {
                  if (failing.get()) {
                    throw new IllegalStateException("expected, from a test");
                  }
                  return null;
                })
            .orTimeout(LIMIT)
            .hold("a");
    failing.set(true);
    pass(LIMIT);
    assertThat(poll).isCompletedExceptionally();
    assertThat(diagnostics.missedSignals()).isEqualTo(Map.of("a", 1L));
  }

  @Test
  void missedSignals_areCountedForAThousandKeys_andNoMore() {
    for (int i = 0; i < 1_100; i++) {
      assertThat(poll("key " + i)).isNotDone();
    }
    data.set("value");
    pass(LIMIT);
    assertThat(diagnostics.missedSignals()).hasSize(1_000);
  }

  @Test
  void heldTimes_latenessAndChecks_areCountedByOutcome() {
    assertThat(poll("a").cancel(false)).isTrue();
    HeldFuture<String> completed = poll("a");
    pass(Duration.ofSeconds(2));
    assertThat(polls.signal("a")).isZero();
    data.set("value");
    assertThat(polls.signal("a")).isEqualTo(1);
    assertThat(completed).isDone();
    data.set(null);
    HeldFuture<String> late = poll("b");
    pass(LIMIT.plusMillis(30));
    assertThat(late).isCompletedWithValue("none");
    assertThat(diagnostics.heldNanos(Outcome.COMPLETED).percentile(100)).isEqualTo(2_000_000_000L);
    assertThat(diagnostics.heldNanos(Outcome.CANCELLED).count()).isEqualTo(1);
    assertThat(diagnostics.heldNanos(Outcome.TIMED_OUT).percentile(100)).isEqualTo(5_030_000_000L);
    assertThat(diagnostics.lateNanos().percentile(100)).isEqualTo(30_000_000);
    assertThat(diagnostics.checksPerCompletion().percentile(100))
        .isEqualTo(4); // twice to hold it, 2 signals
    assertThat(diagnostics.toString()).contains("CANCELLED=count 1, p50 0, p99 0, max 0");
  }

  @Test
  void explain_tellsWhyARequestStillWaits() {
    HeldFuture<String> future = poll("a", "b");
    pass(Duration.ofSeconds(2));
    polls.signal("a", "append");
    pass(Duration.ofSeconds(1));
    assertThat(diagnostics.checks(future))
        .isEqualTo(new Diagnostics.Checks(3, Duration.ofSeconds(1), "append", false));
    assertThat(diagnostics.checks("something else")).isNull();
    HeldFuture<String> periodic =
        polls.<String>until(() -> null).recheckEvery(LIMIT).forever().hold("c");
    assertThat(requireNonNull(diagnostics.checks(periodic)).isPeriodic()).isTrue();
    assertThat(diagnostics.explain(future))
        .isEqualTo(
            "HeldFuture[held by polls for 3 s, due in 2 s, keys [a, b]] waits on [a, b];"
                + " 3 checks, the last one 1 s ago, for append");
    assertThat(future.complete("x")).isTrue();
    assertThat(diagnostics.explain(future)).isEqualTo("HeldFuture[COMPLETED]");
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(polls.hold(operation, "c")).isFalse();
    assertThat(diagnostics.explain(operation)).contains("waits on [c]; 2 checks");
    assertThat(diagnostics.explain("something else")).isEqualTo("something else");
  }

  @Test
  void snapshot_countsByKey() {
    Scope scope = Scope.of("scope");
    List<HeldFuture<String>> held = List.of(poll("a", "b"), poll("a"), poll("a"));
    pass(Duration.ofSeconds(1));
    assertThat(polls.<String>until(() -> null).inScope(scope).forever().hold("c")).isNotDone();
    assertThat(polls.timeout(new CompletableFuture<>(), LIMIT)).isNotDone();
    assertThat(held.get(2).cancel(false)).isTrue();
    PurgatorySnapshot<String> snapshot = polls.inspect().snapshot(2);
    assertThat(polls.pending()).isEqualTo(4);
    assertThat(polls.inspect().unanswered()).isZero();
    assertThat(snapshot.oldest()).isEqualTo(Duration.ofSeconds(1));
    assertThat(snapshot.retained()).isEqualTo(1);
    assertThat(snapshot.busiest()).hasSize(2).containsEntry("a", 2);
    assertThat(polls.inspect().snapshot(10).busiest()).isEqualTo(Map.of("a", 2, "b", 1, "c", 1));
    polls.cancelAll();
    assertThat(polls.inspect().snapshot(10).oldest()).isNull();
    assertThat(polls.inspect().snapshot(10).busiest()).isEmpty();
  }

  @Test
  void snapshot_countsRequestsOnKeyGroups_byKey() {
    try (KeyGroup<String> session = polls.group(List.of("a", "b"))) {
      for (int i = 0; i < 3; i++) {
        assertThat(polls.<String>until(() -> null).forever().hold(session)).isNotDone();
      }
      assertThat(poll("a")).isNotDone();
      assertThat(polls.inspect().snapshot(5).busiest()).isEqualTo(Map.of("a", 4, "b", 3));
    }
    assertThat(polls.inspect().snapshot(5).busiest()).isEqualTo(Map.of("a", 1));
  }

  @Test
  void snapshot_countsOnce_whileTheListsMove() {
    Purgatory<Object> moving =
        Purgatory.builder("moving", Object.class)
            .timer(timer)
            .purgeInterval(Integer.MAX_VALUE)
            .build();
    AtomicReference<@Nullable Runnable> inTheWay = new AtomicReference<>();
    Registration.Behaviour<String> adapter =
        new Registration.Behaviour<>(moving.core()) {
          @Override
          protected long timeoutNanos(String operation) {
            Runnable action = inTheWay.getAndSet(null);
            if (action != null) {
              action.run();
            }
            return LIMIT.toNanos();
          }
        };
    for (int i = 0; i < 5_000; i++) {
      assertThat(moving.until(() -> null).forever().hold(i).cancel(false)).isTrue();
    }
    assertThat(
            moving
                .core()
                .hold(
                    new Registration(adapter, "held"), adapter, List.of("a", "b"), Terms.of(null)))
        .isFalse();
    assertThat(
            moving
                .core()
                .hold(
                    new Registration(adapter, "ended"), adapter, List.of("a", "b"), Terms.of(null)))
        .isFalse();
    assertThat(moving.cancelForKey("a")).hasSize(2);
    assertThat(
            moving
                .core()
                .hold(
                    new Registration(adapter, "held"), adapter, List.of("a", "b"), Terms.of(null)))
        .isFalse();
    Object before = WatchListsView.map(moving);
    inTheWay.set(
        () -> {
          moving.inspect().purge();
          Threads.until(() -> WatchListsView.map(moving) != before);
        });
    PurgatorySnapshot<Object> snapshot = moving.inspect().snapshot(5);
    assertThat(WatchListsView.map(moving)).isNotSameAs(before);
    assertThat(snapshot.busiest()).isEqualTo(Map.of("a", 1, "b", 1));
    assertThat(snapshot.retained()).isLessThanOrEqualTo(5_004);
    moving.close();
  }

  @Test
  void buckets_haveEachValueOnce_underTheGreatestOfTheirs() {
    Histogram histogram = new Histogram();
    assertThat(histogram.buckets()).isEmpty();
    for (long value : new long[] {0, 3, 3, 1_000, 1_023, Long.MAX_VALUE}) {
      histogram.record(value);
    }
    assertThat(histogram.buckets())
        .containsExactly(
            Map.entry(0L, 1L),
            Map.entry(3L, 2L),
            Map.entry(1_023L, 2L),
            Map.entry(Long.MAX_VALUE, 1L));
  }

  @Test
  void purgatory_tellsWhatItWasBuiltWith() {
    try (Purgatory<String> plain = Purgatory.builder("plain", String.class).build();
        Purgatory<String> observed =
            Purgatory.builder("observed", String.class)
                .timer(timer)
                .diagnostics(diagnostics)
                .build()) {
      assertThat(plain.name()).isEqualTo("plain");
      assertThat(plain.inspect().diagnostics()).isNull();
      assertThat(plain.timer()).isNotSameAs(timer);
      assertThat(observed.timer()).isSameAs(timer);
      assertThat(observed.inspect().diagnostics()).isSameAs(diagnostics);
    }
  }

  @Test
  void histogram_isWithinAQuarterOfTheExactValue() {
    Histogram histogram = new Histogram();
    assertThat(histogram.percentile(50)).isZero();
    for (long value = 1; value <= 100_000; value++) {
      histogram.record(value);
    }
    histogram.record(-1);
    assertThat(histogram.count()).isEqualTo(100_001);
    assertThat(histogram.percentile(100)).isEqualTo(100_000);
    assertThat(histogram.percentile(50)).isBetween(50_000L, 62_500L);
    assertThat(histogram.percentile(99)).isBetween(99_000L, 100_000L);
    assertThat(histogram.percentile(100)).isEqualTo(100_000);
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.percentile(100)).isEqualTo(Long.MAX_VALUE);
    for (long value : new long[] {0, 1, 3, 4, 5, 7, 8, 1_023, 1_024}) {
      Histogram one = new Histogram();
      one.record(value);
      one.record(Long.MAX_VALUE);
      assertThat(one.percentile(50)).isBetween(value, value + value / 4);
    }
    assertThatThrownBy(() -> histogram.percentile(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
