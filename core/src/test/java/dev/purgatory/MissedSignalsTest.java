package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which requests count as ones that nobody has signalled, and for which keys. */
class MissedSignalsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration WINDOW = Duration.ofMillis(20);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Diagnostics diagnostics = new Diagnostics();
  private final Purgatory<Object> polls = observed("polls");
  private final QueueingExecutor executor = new QueueingExecutor();
  private final AtomicReference<@Nullable String> data = new AtomicReference<>();

  @AfterEach
  void nothingIsLeft() {
    polls.close();
    assertThat(polls.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  private Purgatory<Object> observed(String name) {
    return Purgatory.builder(name, Object.class)
        .timer(timer)
        .expirationExecutor(Runnable::run)
        .diagnostics(diagnostics)
        .build();
  }

  private Hold.Untimed<Object, String> poll() {
    return polls.until(data::get);
  }

  private void hold(Object... keys) {
    assertThat(poll().orAfter(LIMIT, () -> "none").hold(keys)).isNotDone();
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  /** Lets the requests time out, whose condition has become true meanwhile. */
  private void passWithData(Duration time) {
    data.set("value");
    pass(time);
    data.set(null);
  }

  private void miss(Object key) {
    hold(key);
    passWithData(LIMIT);
  }

  private Map<Object, Long> missed() {
    return diagnostics.missedSignals();
  }

  // What does not count.

  @Test
  void closedPurgatory_doesNotCount() {
    hold("a");
    data.set("value");
    polls.close();
    assertThat(missed()).isEmpty();
    data.set(null);
    Purgatory<Object> slow = observed("slow");
    HeldFuture<String> future =
        slow.<String>until(data::get).orAfter(LIMIT, () -> "none").hold("b");
    data.set("value");
    assertThat(slow.close(Threads.PATIENCE)).isEmpty();
    assertThat(future).isCompletedWithValue("value");
    assertThat(missed()).isEmpty();
  }

  @Test
  void requestWithPeriodicEvaluations_doesNotCount() {
    assertThat(poll().recheckEvery(Duration.ofSeconds(4)).orAfter(LIMIT, () -> "none").hold("a"))
        .isNotDone();
    pass(Duration.ofMillis(4_500));
    passWithData(Duration.ofMillis(500));
    assertThat(polls.pending()).isZero();
    assertThat(missed()).isEmpty();
  }

  @Test
  void requestOnAKeyThatIsMarked_doesNotCount_alsoNotForItsOtherKeys() {
    SignalQueue<Object> windowed =
        new SignalQueue<>(
            polls,
            task -> {
              Timeout unused = timer.schedule(() -> executor.execute(task), WINDOW);
            });
    hold("a", "b");
    pass(LIMIT.minusMillis(10));
    assertThat(windowed.mark("b")).isTrue();
    passWithData(Duration.ofMillis(10)); // the window goes on
    assertThat(polls.pending()).isZero();
    hold("b");
    pass(LIMIT.minusMillis(1)); // the window has ended; the executor has not begun
    assertThat(executor.size()).isPositive();
    passWithData(Duration.ofMillis(1));
    assertThat(polls.pending()).isZero();
    assertThat(missed()).isEmpty();
    executor.runAll();
    miss("b");
    assertThat(missed()).isEqualTo(Map.of("b", 1L));
  }

  @Test
  void requestOnAKeyThatIsBeingSignalled_doesNotCount() {
    SignalQueue<Object> events = new SignalQueue<>(polls);
    AtomicBoolean running = new AtomicBoolean();
    HeldFuture<String> slow =
        polls
            .<String>until(
                () -> {
                  if (running.getAndSet(false)) {
                    passWithData(LIMIT);
                  }
                  return null;
                })
            .forever()
            .hold("a");
    hold("b");
    boolean unused = events.mark("a") && events.mark("b");
    running.set(true);
    assertThat(events.run()).isZero();
    assertThat(polls.pending()).isOne();
    assertThat(missed()).isEmpty();
    miss("b");
    assertThat(missed()).isEqualTo(Map.of("b", 1L));
    assertThat(slow.cancel(false)).isTrue();
  }

  @Test
  void marksThatNobodyRuns_areNoExcuse() {
    SignalQueue<Object> events = new SignalQueue<>(polls);
    hold("a");
    pass(Duration.ofSeconds(1));
    assertThat(events.mark("a")).isTrue();
    passWithData(Duration.ofSeconds(4)); // somebody may still call run()
    assertThat(missed()).isEmpty();
    miss("a"); // nobody has done so since the request was held
    assertThat(missed()).isEqualTo(Map.of("a", 1L));
    assertThat(events.run()).isZero();
  }

  @Test
  void marksForAnotherPurgatory_areNoExcuse() {
    Purgatory<Object> other = observed("other");
    SignalQueue<Object> events = new SignalQueue<>(other, executor);
    assertThat(events.mark("a")).isTrue();
    miss("a");
    assertThat(missed()).isEqualTo(Map.of("a", 1L));
    executor.runAll();
    other.close();
  }

  @Test
  void queueThatIsForgotten_isNotKept() {
    WeakReference<Object> queue = new WeakReference<>(new SignalQueue<>(polls));
    assertUnreachable(queue);
  }

  // For what a request counts.

  @Test
  void requestOnAKeyGroup_countsForItsKeys_andInAScope_notForThat() {
    try (KeyGroup<Object> group = polls.group(List.of("a", "b"));
        Scope scope = Scope.of("scope")) {
      assertThat(poll().inScope(scope).orAfter(LIMIT, () -> "none").hold(group)).isNotDone();
      assertThat(poll().inScope(scope).orAfter(LIMIT, () -> "none").hold("a")).isNotDone();
      passWithData(LIMIT);
      assertThat(missed()).isEqualTo(Map.of("a", 2L, "b", 1L));
    }
  }

  @Test
  void requestOnAKeyGroup_doesNotCount_ifOneOfItsKeysIsMarked() {
    SignalQueue<Object> drained = new SignalQueue<>(polls, executor);
    try (KeyGroup<Object> group = polls.group(List.of("a", "b"))) {
      assertThat(poll().orAfter(LIMIT, () -> "none").hold(group)).isNotDone();
      assertThat(drained.mark("b")).isTrue();
      passWithData(LIMIT);
      assertThat(missed()).isEmpty();
    }
    executor.runAll();
  }

  @Test
  void requestOnAKeyGroupThatIsClosed_countsForTheGroup_whichNoSignalReaches() {
    KeyGroup<Object> group = polls.group(List.of("a", "b"));
    assertThat(poll().orAfter(LIMIT, () -> "none").hold(group)).isNotDone();
    group.close();
    passWithData(LIMIT);
    assertThat(missed()).isEqualTo(Map.of(group, 1L));
  }

  @Test
  void requestWithThresholds_countsForThoseThatAreNotReached_eachKeyOnce() {
    Thresholds<Object> applied = new Thresholds<>(polls);
    for (int i = 1; i <= 3; i++) {
      long least = i == 2 ? 9 : i;
      HeldFuture<String> future =
          poll()
              .reaching(applied, "p", least)
              .reaching(applied, "q", 5)
              .orAfter(LIMIT, () -> "none")
              .hold();
      assertThat(diagnostics.explain(future))
          .contains("waits on [threshold " + least + " of p, threshold 5 of q];");
    }
    assertThat(poll().reaching(applied, "p", 4).orAfter(LIMIT, () -> "none").hold("a", "p"))
        .isNotDone();
    int unused = applied.advance("q", 5);
    passWithData(LIMIT);
    assertThat(missed()).hasSize(3).containsEntry("a", 1L).containsEntry("p", 1L);
    assertThat(missed().toString()).startsWith("{threshold 9 of p=4, ");
  }

  // How many keys, and for how long.

  @Test
  void keyThatIsMissedMost_isNotHiddenByAThousandOthers() {
    for (int i = 0; i < 1_000; i++) {
      hold("once " + i);
    }
    passWithData(LIMIT);
    assertThat(missed()).hasSize(1_000);
    for (int i = 0; i < 5_000; i++) {
      hold("culprit");
    }
    passWithData(LIMIT);
    assertThat(missed()).hasSize(1_000).containsEntry("culprit", 5_000L);
    assertThat(missed().keySet()).first().isEqualTo("culprit");
    assertThat(missed()).doesNotContainKey("once 0").containsEntry("once 1", 1L);
  }

  @Test
  void countsOfManyKeys_areTooSmallByAThousandthOfAllAtMost_andNeverTooLarge() {
    MissedSignals counted = new MissedSignals();
    Map<Object, Long> exact = new HashMap<>();
    Random random = new Random(1);
    int misses = 200_000;
    for (int i = 0; i < misses; i++) {
      int key = (int) Math.pow(50_000, random.nextDouble()); // small ones are frequent
      counted.count(key);
      exact.merge(key, 1L, Long::sum);
    }
    Map<Object, Long> counts = counted.counts();
    long error = misses / 1_000;
    assertThat(exact).hasSizeGreaterThan(10_000);
    assertThat(counts).hasSize(1_000);
    assertThat(List.copyOf(counts.values())).isSortedAccordingTo(Comparator.reverseOrder());
    counts.forEach((key, count) -> assertThat(exact.get(key)).isBetween(count, count + error));
    exact.forEach(
        (key, count) -> {
          if (count > error) {
            assertThat(counts).containsKey(key);
          }
        });
  }

  @Test
  void keyIsForgotten_whenItHadNoMissForAnHour() {
    miss("b");
    miss("a");
    pass(HOUR.minus(LIMIT.multipliedBy(2)));
    assertThat(missed()).isEqualTo(Map.of("a", 1L, "b", 1L));
    miss("a"); // an hour after the miss of b
    assertThat(missed()).isEqualTo(Map.of("a", 2L));
    pass(HOUR.minusNanos(1));
    assertThat(missed()).isEqualTo(Map.of("a", 2L));
    pass(Duration.ofNanos(1));
    assertThat(missed()).isEmpty();
  }

  @Test
  void keyThatIsForgotten_isNotKept_whileRequestsEnd() {
    WeakReference<Object> key = missedOnce();
    System.gc();
    assertThat(key.get()).isNotNull();
    pass(HOUR);
    assertThat(poll().orAfter(LIMIT, () -> "none").hold("b").cancel(false))
        .isTrue(); // nobody reads
    polls.core().purge();
    assertUnreachable(key);
  }

  private static void assertUnreachable(WeakReference<?> reference) {
    Threads.until(
        () -> {
          System.gc();
          return reference.refersTo(null);
        });
  }

  private WeakReference<Object> missedOnce() {
    Object key = new Object();
    miss(key);
    return new WeakReference<>(key);
  }

  @Test
  void reset_forgetsMissesAndHistograms() {
    HeldFuture<String> completed = poll().orAfter(LIMIT, () -> "none").hold("a");
    data.set("value");
    assertThat(polls.signal("a")).isOne();
    assertThat(completed).isDone();
    data.set(null);
    hold("a");
    pass(LIMIT.plusMillis(30));
    miss("a");
    assertThat(diagnostics.lateNanos().percentile(100)).isEqualTo(30_000_000);
    diagnostics.reset();
    assertThat(missed()).isEmpty();
    assertThat(diagnostics.toString()).doesNotContainPattern("count [1-9]|max [1-9]");
    miss("a");
    assertThat(missed()).isEqualTo(Map.of("a", 1L));
    assertThat(diagnostics.heldNanos(Outcome.COMPLETED).count()).isOne();
  }

  // Keys that throw.

  /** A key whose methods throw while it is broken. */
  private static final class Fragile {
    private boolean broken;

    @Override
    public boolean equals(@Nullable Object other) {
      check();
      return this == other;
    }

    @Override
    public int hashCode() {
      check();
      return 7;
    }

    private void check() {
      if (broken) {
        throw new IllegalStateException("broken");
      }
    }
  }

  @Test
  void keyThatThrows_hidesNoOther_andCanBeForgotten() {
    List<Fragile> keys = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Fragile key = new Fragile();
      keys.add(key);
      hold(key);
    }
    passWithData(LIMIT);
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(polls.hold(operation, keys.get(1), "a")).isFalse();
    operation.condition(true);
    SignalQueue<Object> drained = new SignalQueue<>(polls, executor);
    assertThat(drained.mark(new Fragile())).isTrue();
    keys.get(1).broken = true;
    pass(LIMIT);
    assertThat(operation.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(missed()).isEqualTo(Map.of(keys.get(0), 1L, keys.get(2), 1L, "a", 1L));
    pass(HOUR);
    assertThat(missed()).isEmpty();
    keys.get(1).broken = false;
    miss(keys.get(1));
    assertThat(missed()).isEqualTo(Map.of(keys.get(1), 1L));
    executor.runAll();
  }
}
