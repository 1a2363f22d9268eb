package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Time limits of held requests that are moved. */
class DeadlineTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Long> late = new ArrayList<>();
  private final List<Long> held = new ArrayList<>();
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .listener(
              new PurgatoryListener() {
                @Override
                public void onEnded(
                    Object operation,
                    Outcome outcome,
                    @Nullable Throwable cause,
                    long heldNanos,
                    long lateNanos) {
                  held.add(heldNanos);
                  late.add(lateNanos);
                }
              })
          .build();

  @AfterEach
  void nothingIsLeft() {
    polls.close();
    assertThat(polls.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  private HeldFuture<String> poll() {
    return polls.<String>until(() -> null).orTimeout(LIMIT).hold("a");
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void laterDeadline_isWaitedFor_andTheEarlierOneIsIgnored() {
    HeldFuture<String> poll = poll();
    pass(Duration.ofSeconds(4));
    assertThat(poll.reschedule(LIMIT)).isTrue();
    assertThat(poll.toString()).contains("held by polls for 4 s, due in 5 s");
    assertThat(poll.timeout()).isEqualTo(LIMIT); // reschedule does not change it
    pass(LIMIT.minusNanos(1));
    assertThat(poll).isNotDone();
    pass(Duration.ofNanos(1));
    assertThatThrownBy(poll::join)
        .hasCauseInstanceOf(TimeoutException.class)
        .hasMessageContaining("no answer within PT9S on [a]");
    assertThat(held).containsExactly(Duration.ofSeconds(9).toNanos());
    assertThat(late).containsExactly(0L);
    assertThat(poll.reschedule(LIMIT)).isFalse();
  }

  @Test
  void laterDeadline_atTheEarlierOne_nothingCountsAsFired() {
    HeldFuture<String> poll = poll();
    assertThat(poll.reschedule(LIMIT.multipliedBy(2))).isTrue();
    ticker.advance(LIMIT);
    assertThat(timer.advance()).isZero();
    assertThat(timer.size()).isOne();
    assertThat(poll.toString()).contains("held by polls for 5 s, due in 5 s");
    ticker.advance(LIMIT);
    assertThat(timer.advance()).isOne();
    assertThat(poll).isCompletedExceptionally();
  }

  @Test
  void earlierDeadline_isMet() {
    HeldFuture<String> poll = poll();
    assertThat(poll.reschedule(Duration.ofSeconds(1))).isTrue();
    pass(Duration.ofMillis(999));
    assertThat(poll).isNotDone();
    pass(Duration.ofMillis(1));
    assertThat(poll).isCompletedExceptionally();
  }

  @Test
  void deadline_isMovedBackAndForth_andLeavesOneEntry() {
    HeldFuture<String> poll = poll();
    for (int i = 0; i < 100_000; i++) {
      assertThat(poll.reschedule(Duration.ofSeconds(1 + i % 60))).isTrue();
      assertThat(timer.size()).isEqualTo(1);
    }
    assertThat(TimerInternals.of(timer).wheels().retained()).isLessThan(3_000);
    assertThat(poll.complete("x")).isTrue();
    assertThat(timer.size()).isZero();
  }

  @Test
  void zero_timesOutAtOnce_andAYearIsNoProblem() {
    HeldFuture<String> poll = poll();
    assertThat(poll.reschedule(Duration.ofDays(365_000))).isTrue();
    pass(Duration.ofDays(1));
    assertThat(poll).isNotDone();
    assertThatThrownBy(() -> poll.reschedule(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(poll.reschedule(Duration.ZERO)).isTrue();
    pass(Duration.ZERO);
    assertThat(poll).isCompletedExceptionally();
  }

  @Test
  void clockThatHasJumpedFar_expiresNothingTooEarly() {
    Duration half = Duration.ofNanos(Long.MAX_VALUE / 2 - 1);
    pass(half.plusSeconds(10));
    HeldFuture<String> held = polls.<String>until(() -> null).orTimeout(half).hold("a");
    HeldFuture<String> moved = poll();
    assertThat(moved.reschedule(half)).isTrue();
    HeldFuture<String> unlimited = poll();
    assertThat(unlimited.reschedule(ChronoUnit.FOREVER.getDuration())).isTrue();
    HeldFuture<String> stage = polls.timeout(new CompletableFuture<>(), half);
    HeldFuture<String> rechecked =
        polls.<String>until(() -> null).recheckEvery(half).forever().hold("a");
    pass(Duration.ofDays(1));
    for (HeldFuture<String> each : List.of(held, moved, unlimited, stage, rechecked)) {
      assertThat(each).isNotDone();
      assertThat(each.cancel(false)).isTrue();
    }
  }

  @Test
  void requestWithoutALimit_getsOne() {
    HeldFuture<String> poll = polls.<String>until(() -> null).forever().hold("a");
    assertThat(timer.size()).isZero();
    assertThat(poll.reschedule(LIMIT)).isTrue();
    pass(LIMIT);
    assertThat(poll).isCompletedExceptionally();
  }

  @Test
  void operations_areRescheduled_unlessTheTimeLimitWasRemoved() {
    RecordingOperation early = new RecordingOperation(LIMIT);
    assertThat(early.reschedule(LIMIT)).isFalse();
    assertThat(polls.hold(early, "a")).isFalse();
    assertThat(early.reschedule(Duration.ofSeconds(1))).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(early.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(early.reschedule(LIMIT)).isFalse();
  }

  @Test
  void moving_whileTheDeadlineIsReached_orTheRequestEnds_isDecided() throws Exception {
    AtomicInteger moved = new AtomicInteger();
    Threads.repeat(
        3_000,
        round -> {
          HeldFuture<String> poll = poll();
          boolean[] isMoved = new boolean[1];
          boolean byEvent = round % 2 == 0;
          ticker.advance(LIMIT);
          Threads.race(
              () -> isMoved[0] = poll.reschedule(LIMIT),
              () -> {
                if (byEvent) {
                  assertThat(poll.complete("x")).isTrue();
                } else {
                  timer.advance();
                }
              });
          if (isMoved[0] && !byEvent) {
            moved.incrementAndGet();
            assertThat(poll).isNotDone();
            pass(LIMIT);
          }
          assertThat(poll).isDone();
          assertThat(timer.size()).isZero();
        });
    assertThat(polls.pending()).isZero();
  }

  @Test
  void rescheduling_takesNoMonitor() {
    AtomicReference<HeldFuture<String>> poll = new AtomicReference<>();
    List<Boolean> locked = new ArrayList<>();
    Timer watched =
        Timer.builder()
            .ticker(
                () -> {
                  HeldFuture<String> rescheduled = poll.get();
                  if (rescheduled != null) {
                    locked.add(Thread.holdsLock(rescheduled.registration()));
                  }
                  return 0;
                })
            .build();
    Purgatory<String> purgatory = Purgatory.builder("watched", String.class).timer(watched).build();
    HeldFuture<String> held = purgatory.<String>until(() -> null).forever().hold("a");
    poll.set(held);
    assertThat(held.reschedule(LIMIT)).isTrue();
    assertThat(held.reschedule(LIMIT.dividedBy(2))).isTrue();
    assertThat(locked).isNotEmpty().containsOnly(false);
    purgatory.close();
  }

  @Test
  void firstMoves_ofSeveralThreads_agree() throws InterruptedException {
    Threads.repeat(
        1_000,
        round -> {
          HeldFuture<String> poll = poll();
          AtomicInteger moved = new AtomicInteger();
          Threads.race(
              () -> moved.addAndGet(poll.reschedule(LIMIT.multipliedBy(2)) ? 1 : 0),
              () -> moved.addAndGet(poll.reschedule(LIMIT.multipliedBy(2)) ? 1 : 0));
          assertThat(moved).hasValue(2);
          pass(LIMIT);
          assertThat(poll).isNotDone();
          assertThat(timer.size()).isEqualTo(1);
          pass(LIMIT);
          assertThat(poll).isCompletedExceptionally();
          assertThat(timer.size()).isZero();
        });
  }
}
