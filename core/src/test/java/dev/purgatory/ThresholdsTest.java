package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThresholdsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<String> purgatory =
      Purgatory.builder("reads", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();
  private final Thresholds<String> offsets = new Thresholds<>(purgatory);

  @AfterEach
  void nothingIsLeft() {
    purgatory.close();
    assertThat(purgatory.pending()).isZero();
    assertThat(timer.size()).isZero();
    for (String key : List.of("a", "b", "c")) {
      offsets.remove(key);
    }
    assertThat(offsets.keys()).isZero();
  }

  private HeldFuture<Long> reach(String key, long threshold) {
    return offsets.reach(key, threshold).orTimeout(LIMIT).hold();
  }

  @Test
  void advance_completesWhatIsReached_andNothingElse() {
    HeldFuture<Long> ten = reach("a", 10);
    HeldFuture<Long> eleven = reach("a", 11);
    HeldFuture<Long> other = reach("b", 1);
    assertThat(offsets.advance("a", 9)).isZero();
    assertThat(offsets.advance("a", 10)).isEqualTo(1);
    assertThat(ten).isCompletedWithValue(10L);
    assertThat(eleven).isNotDone();
    assertThat(other).isNotDone();
    assertThat(offsets.advance("a", 100)).isEqualTo(1);
    assertThat(eleven).isCompletedWithValue(100L);
    assertThat(offsets.advance("b", 1)).isEqualTo(1);
  }

  @Test
  void reachedAlready_isAnsweredAtOnce_andNumbersNeverShrink() {
    assertThat(offsets.number("a")).isNull();
    offsets.advance("a", 10);
    assertThat(offsets.advance("a", 5)).isZero();
    assertThat(offsets.number("a")).isEqualTo(10);
    assertThat(reach("a", 10)).isCompletedWithValue(10L);
    assertThat(reach("a", -1)).isCompletedWithValue(10L);
  }

  @Test
  void lowestThreshold_isAnsweredFirst_equalOnesInTheOrderOfArrival() {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    for (String name : List.of("30 first", "10 first", "20", "10 second", "30 second")) {
      long threshold = Long.parseLong(name.substring(0, 2));
      CompletableFuture<?> unused = reach("a", threshold).thenRun(() -> order.add(name));
    }
    assertThat(offsets.advance("a", 99)).isEqualTo(5);
    assertThat(order).containsExactly("10 first", "10 second", "20", "30 first", "30 second");
  }

  @Test
  void advance_evaluatesOnlyWhatItReaches() {
    AtomicInteger evaluations = new AtomicInteger();
    List<HeldFuture<Long>> waiting = new ArrayList<>();
    for (long i = 1; i <= 1_000; i++) {
      long threshold = i;
      waiting.add(
          purgatory
              .until(
                  () -> {
                    evaluations.incrementAndGet();
                    Long number = offsets.number("a");
                    return number != null && number >= threshold ? number : null;
                  })
              .reaching(offsets, "a", threshold)
              .forever()
              .hold());
    }
    evaluations.set(0);
    for (long i = 1; i <= 1_000; i++) {
      assertThat(offsets.advance("a", i)).isEqualTo(1);
    }
    assertThat(evaluations).hasValue(1_000);
    assertThat(waiting).allSatisfy(each -> assertThat(each).isDone());
  }

  @Test
  void allOfSeveral_andSomeOfSeveral() {
    Map<String, Long> all = Map.of("a", 10L, "b", 20L, "c", 30L);
    HeldFuture<Map<String, Long>> every = offsets.reach(3, all).orTimeout(LIMIT).hold();
    HeldFuture<Map<String, Long>> quorum = offsets.reach(2, all).orTimeout(LIMIT).hold();
    assertThat(offsets.advance("b", 25)).isZero();
    assertThat(offsets.advance("a", 10)).isEqualTo(1);
    assertThat(quorum).isCompletedWithValue(Map.of("a", 10L, "b", 25L));
    assertThat(every).isNotDone();
    assertThat(offsets.advance("c", 30)).isEqualTo(1);
    assertThat(every).isCompletedWithValue(Map.of("a", 10L, "b", 25L, "c", 30L));
  }

  @Test
  void thresholdAndOrdinaryKey_eitherEvaluates() {
    AtomicBoolean changed = new AtomicBoolean();
    Hold<String, String> hold =
        purgatory
            .until(() -> changed.get() ? "changed" : offsets.number("a") == null ? null : "reached")
            .reaching(offsets, "a", 10)
            .orTimeout(LIMIT);
    HeldFuture<String> first = hold.hold("config");
    assertThat(offsets.advance("a", 10)).isEqualTo(1);
    assertThat(first).isCompletedWithValue("reached");
    offsets.remove("a");
    HeldFuture<String> second = hold.hold("config");
    changed.set(true);
    assertThat(purgatory.signal("config")).isEqualTo(1);
    assertThat(second).isCompletedWithValue("changed");
    assertThat(offsets.keys()).isZero();
  }

  @Test
  void everyEnd_leavesNothingBehind() {
    HeldFuture<Long> cancelled = reach("a", 1);
    HeldFuture<Long> completed = reach("a", 1);
    HeldFuture<Long> timedOut = reach("b", 1);
    assertThat(offsets.keys()).isEqualTo(2);
    cancelled.cancel(false);
    completed.complete(7L);
    assertThat(offsets.keys()).isEqualTo(1);
    ticker.advance(LIMIT);
    timer.advance();
    assertThat(timedOut.cause()).isInstanceOf(TimeoutException.class);
    assertThat(offsets.keys()).isZero();
    HeldFuture<Long> closed = reach("c", 1);
    purgatory.close();
    assertThat(closed.cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(reach("c", 1).cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(offsets.keys()).isZero();
  }

  @Test
  void conditionThatIsFalse_whenItsThresholdIsReached_staysHeld() {
    AtomicBoolean ready = new AtomicBoolean();
    HeldFuture<String> future =
        purgatory
            .until(() -> ready.get() ? "ready" : null)
            .reaching(offsets, "a", 1)
            .reaching(offsets, "a", 2)
            .orTimeout(LIMIT)
            .hold();
    assertThat(offsets.advance("a", 1)).isZero();
    ready.set(true);
    assertThat(offsets.advance("a", 1)).isZero();
    assertThat(future).isNotDone();
    assertThat(offsets.advance("a", 2)).isEqualTo(1);
  }

  @Test
  void anAnswerIsToBeGivenBack_theThresholdStillEvaluates() {
    List<Long> returned = new ArrayList<>();
    HeldFuture<Long> held = offsets.reach("a", 3).orReturn(returned::add).orTimeout(LIMIT).hold();
    assertThat(offsets.advance("a", 3)).isEqualTo(1);
    assertThat(held.join()).isEqualTo(3);
    assertThat(returned).isEmpty();
  }

  @Test
  void remove_forgetsTheNumber_andWaitersStay() {
    HeldFuture<Long> waiting = reach("a", 20);
    offsets.advance("a", 10);
    offsets.remove("a");
    assertThat(offsets.number("a")).isNull();
    assertThat(waiting).isNotDone();
    assertThat(offsets.advance("a", 20)).isEqualTo(1);
    assertThat(waiting).isCompletedWithValue(20L);
  }

  @Test
  void numberIsReachedAgainAfterRemove_whatStayedHeldIsEvaluatedAgain() {
    Map<String, Long> both = Map.of("a", 5L, "b", 5L);
    HeldFuture<Map<String, Long>> waiting = offsets.reach(2, both).orTimeout(LIMIT).hold();
    assertThat(offsets.advance("a", 10)).isZero();
    offsets.remove("a");
    assertThat(offsets.advance("b", 10)).isZero();
    assertThat(offsets.advance("a", 20)).isEqualTo(1);
    assertThat(waiting).isCompletedWithValue(Map.of("a", 20L, "b", 10L));
  }

  @Test
  void numberIsRemovedWhileItsRequestIsEvaluated_theNextAdvanceAnswers() {
    AtomicInteger evaluations = new AtomicInteger();
    HeldFuture<Long> waiting =
        purgatory
            .until(
                () -> {
                  if (evaluations.incrementAndGet() == 3) { // the first two are those of hold()
                    offsets.remove("a");
                  }
                  return offsets.number("a");
                })
            .reaching(offsets, "a", 10)
            .orTimeout(LIMIT)
            .hold();
    assertThat(offsets.advance("a", 10)).isZero();
    assertThat(offsets.advance("a", 10)).isEqualTo(1);
    assertThat(waiting).isCompletedWithValue(10L);
    assertThat(evaluations).hasValue(4);
  }

  @Test
  void numberIsReachedAgain_inSmallerSteps_evaluatesInTheSameOrder() {
    List<Long> evaluated = new ArrayList<>();
    for (long threshold : List.of(3L, 1L, 2L)) {
      HeldFuture<Long> unused =
          purgatory
              .<Long>until(
                  () -> {
                    evaluated.add(threshold);
                    return null;
                  })
              .reaching(offsets, "a", threshold)
              .orTimeout(LIMIT)
              .hold();
    }
    evaluated.clear();
    offsets.advance("a", 3);
    assertThat(evaluated).containsExactly(1L, 2L, 3L);
    offsets.advance("a", 4);
    assertThat(evaluated).hasSize(3);
    offsets.remove("a");
    offsets.advance("a", 2);
    assertThat(evaluated).containsExactly(1L, 2L, 3L, 1L, 2L);
    offsets.advance("a", 3);
    assertThat(evaluated).containsExactly(1L, 2L, 3L, 1L, 2L, 3L);
  }

  @Test
  void leastThreshold_isReachedByAnyNumber() {
    HeldFuture<Long> waiting = reach("a", Long.MIN_VALUE);
    assertThat(waiting).isNotDone();
    assertThat(offsets.advance("a", Long.MIN_VALUE + 1)).isEqualTo(1);
    assertThat(waiting).isCompletedWithValue(Long.MIN_VALUE + 1);
    assertThat(reach("a", Long.MIN_VALUE)).isCompletedWithValue(Long.MIN_VALUE + 1);
  }

  @Test
  void greatestThreshold_isReachedByTheGreatestNumber() {
    HeldFuture<Long> waiting = reach("a", Long.MAX_VALUE);
    assertThat(offsets.advance("a", Long.MAX_VALUE - 1)).isZero();
    assertThat(offsets.advance("a", Long.MAX_VALUE)).isEqualTo(1);
    assertThat(waiting).isCompletedWithValue(Long.MAX_VALUE);
  }

  @Test
  @SuppressWarnings("NullAway") // passes null on purpose
  void badInput_throwsBeforeAnythingChanges() {
    assertThatThrownBy(() -> offsets.advance("a", Long.MIN_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> offsets.reach(0, Map.of("a", 1L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count 0 is not from 1 to 1, the number of thresholds");
    assertThatThrownBy(() -> offsets.reach(2, Map.of("a", 1L)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> offsets.reach(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> offsets.advance(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new Thresholds<>(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> purgatory.until(() -> null).forever().hold())
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(offsets.keys()).isZero();
  }

  @Test
  void chainOfAdvances_fromCallbacks_takesABoundedStack() {
    int length = 20_000;
    for (long i = 1; i < length; i++) {
      long next = i + 1;
      CompletableFuture<?> unused = reach("a", i).thenRun(() -> offsets.advance("a", next));
    }
    HeldFuture<Long> last = reach("a", length);
    offsets.advance("a", 1);
    Threads.until(last::isDone);
    assertThat(last).isCompletedWithValue((long) length);
  }

  @Test
  void addersAndAdvancers_atOnce_loseNoWakeUp() throws InterruptedException {
    int count = 20_000;
    AtomicLong number = new AtomicLong();
    List<HeldFuture<Long>> waiting = Collections.synchronizedList(new ArrayList<>());
    Threads.Task adder =
        () -> {
          for (int i = 0; i < count; i++) {
            waiting.add(offsets.reach("a", number.get() + 1).forever().hold());
          }
        };
    Threads.Task advancer =
        () -> {
          for (int i = 0; i < count; i++) {
            offsets.advance("a", number.incrementAndGet());
          }
        };
    Threads.race(List.of(adder, adder, advancer, advancer));
    offsets.advance("a", number.get() + 1);
    assertThat(waiting).hasSize(2 * count).allSatisfy(each -> assertThat(each).isDone());
  }

  @Test
  void advanceAgainstRemove_losesNoWakeUp() throws InterruptedException {
    Map<String, Long> both = Map.of("a", 5L, "b", 5L);
    Threads.repeat(
        3_000,
        round -> {
          HeldFuture<Map<String, Long>> waiting = offsets.reach(2, both).forever().hold();
          Threads.race(
              () -> offsets.advance("a", 10),
              () -> offsets.advance("b", 10),
              () -> offsets.remove("a"));
          offsets.advance("a", 10);
          assertThat(waiting).isDone();
          offsets.remove("a");
          offsets.remove("b");
        });
  }

  @Test
  void awaitAgainstRemove_losesNoWakeUp() throws InterruptedException {
    Threads.repeat(
        3_000,
        round -> {
          offsets.advance("a", 1);
          List<HeldFuture<Long>> waiting = new ArrayList<>();
          Threads.race(() -> offsets.remove("a"), () -> waiting.add(reach("a", 5)));
          offsets.advance("a", 5);
          assertThat(waiting.get(0)).isDone();
          offsets.remove("a");
        });
  }

  @Test
  void advanceAgainstRemove_leavesNothing() throws InterruptedException {
    Threads.repeat(
        3_000,
        round -> {
          HeldFuture<Long> waiting = reach("a", 5);
          Threads.race(() -> offsets.advance("a", 5), () -> offsets.remove("a"));
          waiting.cancel(false);
          assertThat(offsets.keys()).isEqualTo(offsets.number("a") == null ? 0 : 1);
          offsets.remove("a");
        });
  }
}
