package dev.purgatory.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.session.Sessions;
import dev.purgatory.testkit.Event.Kind;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class VirtualTimeTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = VirtualTime.create();
  private final List<Duration> ran = new ArrayList<>();

  @AfterEach
  void close() {
    time.close();
  }

  private void runAt(long millis) {
    time.timer().schedule(() -> ran.add(time.now()), Duration.ofMillis(millis));
  }

  private static HeldFuture<String> hold(Purgatory<String> purgatory, Duration limit) {
    return purgatory.<String>until(() -> null).orTimeout(limit).hold("key");
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }

  @Nested
  class Time {

    @Test
    void advance_timesOut_neverEarly() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      CompletableFuture<String> poll =
          polls.until(() -> (String) null).orAfter(SECOND, () -> "none").hold("topic");
      assertThat(time.advance(SECOND.minusNanos(1))).isEmpty();
      assertThat(poll).isNotDone();
      List<Event> events = time.advance(Duration.ofNanos(1));
      assertThat(poll).isCompletedWithValue("none");
      assertThat(events).hasToString("[1s polls: #1 TIMED_OUT, held for 1s]");
      time.assertNothingPending();
    }

    @Test
    void advance_isDeterministic() {
      for (int i = 0; i < 200; i++) {
        try (VirtualTime each = VirtualTime.create()) {
          HeldFuture<String> poll = hold(each.purgatory("polls", String.class), SECOND);
          each.advance(SECOND);
          assertThat(poll).as("run " + i).isCompletedExceptionally();
        }
      }
    }

    @Test
    void advance_releasesThrottledRequests_andTellsOfSessions_withoutAnExecutor() {
      for (int i = 0; i < 200; i++) {
        try (VirtualTime each = VirtualTime.create()) {
          Purgatory<String> uploads = each.purgatory("uploads", String.class);
          Throttles<String> throttles = new Throttles<>(uploads, each.timer(), Rate.per(1, SECOND));
          List<Thread> told = new ArrayList<>();
          Sessions<String, String> sessions =
              new Sessions<>(each.timer(), SECOND, end -> told.add(Thread.currentThread()));
          assertThat(throttles.tryAcquire("client", 1)).isTrue();
          CompletableFuture<Thread> released =
              throttles.acquire("client", 1).thenApply(one -> Thread.currentThread());
          sessions.open("client", "owner");
          each.advance(SECOND);
          assertThat(released).as("run " + i).isCompletedWithValue(Thread.currentThread());
          assertThat(told).as("run " + i).containsExactly(Thread.currentThread());
          sessions.open("client", "owner").close();
          assertThat(told).as("not in close()").hasSize(1);
          each.advance(Duration.ZERO);
          assertThat(told).hasSize(2);
          each.assertNothingPending();
        }
      }
    }

    @Test
    void quotaThatIsNotFull_isNotPending() {
      Purgatory<String> uploads = time.purgatory("uploads", String.class);
      Throttles<String> throttles = new Throttles<>(uploads, time.timer(), Rate.per(1, SECOND));
      assertThat(throttles.tryAcquire("client", 1)).isTrue();
      time.assertNothingPending();
      HeldFuture<Long> waiting = throttles.acquire("client", 1);
      assertThatThrownBy(time::assertNothingPending).hasMessageContaining("uploads");
      time.advanceUntilIdle();
      assertThat(waiting).isDone();
      assertThat(time.now()).isEqualTo(SECOND);
      time.assertNothingPending();
      time.advance(SECOND);
      assertThat(throttles.keys()).isZero();
    }

    @Test
    void advance_whileOthersHold_missesNothing() throws InterruptedException {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      List<HeldFuture<String>> held = new CopyOnWriteArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int n = 1; n <= 500; n++) {
                    held.add(hold(polls, ms(n)));
                  }
                });
        threads.add(thread);
        thread.start();
      }
      while (threads.stream().anyMatch(Thread::isAlive)) {
        time.advance(ms(1));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      time.advanceUntilIdle();
      assertThat(held).hasSize(2_000).allSatisfy(each -> assertThat(each).isDone());
      time.assertNothingPending();
    }

    @Test
    void advance_stopsAtEachDeadline() {
      runAt(30);
      runAt(10);
      runAt(20);
      time.advance(SECOND);
      assertThat(ran).containsExactly(ms(10), ms(20), ms(30));
      assertThat(time.now()).isEqualTo(SECOND);
    }

    @Test
    void advance_taskSchedulesAnother_runsAtItsOwnTime() {
      time.timer().schedule(() -> runAt(5), ms(10));
      runAt(20);
      time.advance(SECOND);
      assertThat(ran).containsExactly(ms(15), ms(20));
    }

    @Test
    void advance_farAhead_stopsAtDeadlinesOfAllLevels() {
      List<Duration> deadlines = new ArrayList<>();
      for (long millis = 1; millis < 1_000_000_000_000L; millis = millis * 3 + 1) {
        runAt(millis);
        deadlines.add(ms(millis));
      }
      time.advance(Duration.ofDays(20_000));
      assertThat(ran).isEqualTo(deadlines);
    }

    @Test
    void advance_betweenTicks_runsAtTheNextTick() {
      time.timer().schedule(() -> ran.add(time.now()), Duration.ofNanos(1_000_001));
      time.advance(ms(10));
      assertThat(ran).containsExactly(ms(2));
    }

    @Test
    void create_otherTick_isUsed() {
      try (VirtualTime coarse = VirtualTime.create(Timer.builder().tick(SECOND))) {
        coarse.timer().schedule(() -> ran.add(coarse.now()), ms(1));
        coarse.advance(SECOND);
        assertThat(ran).containsExactly(SECOND);
      }
    }

    @Test
    void advance_answerHoldsAnother_timesOutAtItsOwnTime() {
      Purgatory<String> first = time.purgatory("first", String.class);
      Purgatory<String> second = time.purgatory("second", String.class);
      List<HeldFuture<String>> next = new ArrayList<>();
      var unused =
          hold(first, SECOND).whenComplete((answer, error) -> next.add(hold(second, SECOND)));
      time.advance(Duration.ofSeconds(10));
      assertThat(next.get(0).outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(time.events())
          .extracting(event -> event.at() + " " + event.source() + " " + event.kind())
          .containsExactly(
              "PT0S first HELD",
              "PT1S first TIMED_OUT",
              "PT1S second HELD",
              "PT2S second TIMED_OUT");
    }

    @Test
    void advance_endOfTime_runsEverything() {
      runAt(Long.MAX_VALUE / 1_000_000);
      time.advanceTo(Duration.ofSeconds(Long.MAX_VALUE));
      assertThat(ran).hasSize(1);
      time.assertNothingPending();
    }

    @Test
    void advance_negative_isRejected() {
      assertThatThrownBy(() -> time.advance(ms(-1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("-0.001s is before 0s: to move the clock backwards, use jump");
      assertThat(time.now()).isZero();
    }

    @Test
    void step_runsTheNextDeadline() {
      runAt(20);
      runAt(10);
      assertThat(time.step()).isTrue();
      assertThat(time.now()).isEqualTo(ms(10));
      assertThat(time.step()).isTrue();
      assertThat(time.now()).isEqualTo(ms(20));
      assertThat(time.step()).isFalse();
      assertThat(time.now()).isEqualTo(ms(20));
    }

    @Test
    void step_nothingButCancelledAndHousekeeping_doesNotMove() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      assertThat(hold(polls, SECOND).cancel(false)).isTrue();
      assertThat(time.timer().nextDue()).isLessThan(Long.MAX_VALUE);
      assertThat(time.step()).isFalse();
      assertThat(time.now()).isZero();
    }

    @Test
    void step_doesNotStopAtCancelledAndHousekeeping() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> cancelled = hold(polls, SECOND);
      HeldFuture<String> poll = hold(polls, Duration.ofSeconds(2));
      assertThat(cancelled.cancel(false)).isTrue();
      assertThat(time.step()).isTrue();
      assertThat(time.now()).isEqualTo(Duration.ofSeconds(2));
      assertThat(poll.outcome()).isEqualTo(Outcome.TIMED_OUT);
    }

    @Test
    void advanceUntilIdle_runsEverything() {
      time.timer().schedule(() -> runAt(86_400_000), SECOND);
      time.advanceUntilIdle();
      assertThat(ran).containsExactly(Duration.ofDays(1).plus(SECOND));
      assertThat(time.now()).isEqualTo(Duration.ofDays(1).plus(SECOND));
    }

    @Test
    void advanceUntilIdle_neverIdle_fails() {
      Runnable again =
          new Runnable() {
            @Override
            public void run() {
              time.timer().schedule(this, SECOND);
            }
          };
      again.run();
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(time::advanceUntilIdle)
          .withMessageStartingWith("not idle after 100000 steps");
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void taskThatSchedulesItselfWithoutADelay_fails() {
      Runnable again =
          new Runnable() {
            @Override
            public void run() {
              time.timer().schedule(this, Duration.ZERO);
            }
          };
      again.run();
      again.run();
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(time::advanceUntilIdle)
          .withMessageContaining("without the time moving");
      assertThat(time.now()).isZero();
      assertThat(time.advance(SECOND)).isEmpty();
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void tasksThatTakeTurnsWithoutADelay_fail() {
      Runnable again =
          new Runnable() {
            @Override
            public void run() {
              time.timer().schedule(() -> time.executor().execute(this), Duration.ZERO);
            }
          };
      again.run();
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(() -> time.advance(SECOND))
          .withMessageContaining("without the time moving");
    }

    @Test
    void advanceUntil_stopsWhenTheConditionIsTrue() {
      runAt(10);
      runAt(20);
      runAt(30);
      time.advanceUntil(() -> ran.size() == 2);
      assertThat(time.now()).isEqualTo(ms(20));
    }

    @Test
    void advanceUntil_nothingLeft_failsWithTheEvents() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> poll = hold(polls, SECOND);
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(() -> time.advanceUntil(() -> poll.outcome() == Outcome.COMPLETED))
          .withMessageContaining("the condition is false after 1 steps")
          .withMessageContaining("1s polls: #1 TIMED_OUT, held for 1s");
    }

    @Test
    void jump_runsLate() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> poll = hold(polls, SECOND);
      runAt(10);
      assertThat(time.jump(Duration.ofSeconds(5)))
          .hasToString("[5s polls: #1 TIMED_OUT, held for 5s, 4s late]");
      assertThat(poll.outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(ran).containsExactly(Duration.ofSeconds(5));
    }

    @Test
    void jump_runsWhatBecomesDue() {
      time.timer().schedule(() -> time.executor().execute(() -> runAt(0)), ms(10));
      time.jump(SECOND);
      assertThat(ran).containsExactly(SECOND);
    }

    @Test
    void jump_backwards_timeStandsStillUntilTheClockCatchesUp() {
      time.advance(Duration.ofSeconds(10));
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> poll = hold(polls, SECOND);
      time.jump(Duration.ofSeconds(-20));
      assertThat(time.now()).isEqualTo(Duration.ofSeconds(-10));
      time.advance(Duration.ofSeconds(20));
      assertThat(poll.outcome()).isNull();
      time.advance(SECOND);
      assertThat(poll.outcome()).isEqualTo(Outcome.TIMED_OUT);
    }

    @Test
    void advance_withinATask_isRejected() {
      time.executor().execute(() -> time.advance(SECOND));
      time.advance(SECOND);
      assertThat(time.takeErrors())
          .singleElement()
          .satisfies(event -> assertThat(event.error()).hasMessageContaining("being moved by"));
      assertThat(time.now()).isEqualTo(SECOND);
    }

    @Test
    void closeOfTheTimer_stopsEverything() {
      runAt(10);
      time.timer().close();
      time.advance(SECOND);
      assertThat(ran).isEmpty();
      assertThat(time.step()).isFalse();
    }

    @Test
    void close_endsOperations_andRejectsMoves() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> poll = hold(polls, SECOND);
      time.close();
      assertThat(poll.outcome()).isEqualTo(Outcome.CLOSED);
      assertThatThrownBy(() -> time.advance(SECOND))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the virtual time is closed");
      assertThatThrownBy(time::step).isInstanceOf(IllegalStateException.class);
    }
  }

  @Nested
  class Executors {

    @Test
    void executor_runsTasksInOrder_whenTheTimeMoves() {
      time.executor().execute(() -> ran.add(ms(1)));
      time.executor().execute(() -> ran.add(ms(2)));
      assertThat(ran).isEmpty();
      time.advance(Duration.ZERO);
      assertThat(ran).containsExactly(ms(1), ms(2));
    }

    @Test
    void executor_taskOfATimeout_runsBeforeTheNextDeadline() {
      time.timer().schedule(() -> time.executor().execute(() -> ran.add(time.now())), ms(10));
      runAt(11);
      time.advance(SECOND);
      assertThat(ran).containsExactly(ms(10), ms(11));
    }

    @Test
    void step_queuedTasks_runWithoutMovingTheTime() {
      runAt(10);
      time.executor().execute(() -> runAt(5));
      assertThat(time.step()).isTrue();
      assertThat(time.now()).isZero();
      assertThat(time.step()).isTrue();
      assertThat(ran).containsExactly(ms(5));
    }

    @Test
    void executorWithDelay_runsLater() {
      time.executor(SECOND).execute(() -> ran.add(time.now()));
      time.advance(ms(999));
      assertThat(ran).isEmpty();
      time.advance(ms(1));
      assertThat(ran).containsExactly(SECOND);
    }

    @Test
    void executor_endless_fails() {
      Runnable again =
          new Runnable() {
            @Override
            public void run() {
              time.executor().execute(this);
            }
          };
      again.run();
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(() -> time.advance(SECOND))
          .withMessageContaining("1000000 tasks without the time moving");
    }

    @Test
    void tasksThatThrow_areRecorded_andTheOthersRun() {
      time.executor().execute(() -> fail("in the executor"));
      time.timer().schedule(() -> fail("in the timer"), ms(10));
      runAt(10);
      time.advance(SECOND);
      assertThat(ran).containsExactly(ms(10));
      assertThat(time.takeErrors())
          .hasToString(
              "[0s executor: ERROR: java.lang.IllegalStateException: in the executor,"
                  + " 0.01s timer: ERROR: java.lang.IllegalStateException: in the timer]");
    }

    private static void fail(String message) {
      throw new IllegalStateException(message);
    }
  }

  @Nested
  class Assertions {

    @Test
    void assertNothingPending_namesWhatIsLeft() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> ended = hold(polls, SECOND);
      time.advance(SECOND);
      HeldFuture<String> poll = polls.<String>until(() -> null).forever().hold("topic");
      runAt(10);
      time.executor().execute(() -> {});
      assertThat(ended).isCompletedExceptionally();
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(time::assertNothingPending)
          .withMessageContaining("something is pending at 1s")
          .withMessageContaining("#2 " + poll)
          .withMessageContaining("entries of the timer: 1, due at 1.01s or later")
          .withMessageContaining("tasks of the executor that have not run: 1")
          .withMessageContaining("1s polls: #1 TIMED_OUT")
          .withMessageNotContaining("#1 HeldFuture[TIMED_OUT");
    }

    @Test
    void assertNothingPending_message_isTheOneInTheDocs() throws IOException {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> poll =
          polls.<String>until(() -> null).orTimeout(Duration.ofSeconds(30)).hold("topic");
      time.advance(Duration.ofSeconds(10));
      assertThat(poll).isNotDone();
      String docs = Files.readString(Path.of("../docs/use/testing.md"));
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(time::assertNothingPending)
          .satisfies(error -> assertThat(docs).contains(error.toString()));
    }

    @Test
    void assertNothingPending_veryMany_listsSome() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      List<HeldFuture<String>> held = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        held.add(hold(polls, SECOND));
      }
      assertThat(time.events()).hasSize(Ledger.MOST_EVENTS);
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(time::assertNothingPending)
          .withMessageContaining("and 19990 more")
          .withMessageContaining("the last 100 of 20000 events")
          .satisfies(error -> assertThat(error.toString().lines().count()).isLessThan(130));
      assertThat(time.advance(SECOND)).hasSize(Ledger.MOST_EVENTS);
      assertThat(held).allSatisfy(each -> assertThat(each).isDone());
      time.assertNothingPending();
    }

    @Test
    void assertNothingPending_builder_isSeen() {
      try (Purgatory<String> polls = time.builder("built", String.class).build()) {
        HeldFuture<String> poll = polls.<String>until(() -> null).forever().hold("topic");
        assertThatExceptionOfType(AssertionError.class)
            .isThrownBy(time::assertNothingPending)
            .withMessageContaining("held by built");
        assertThat(poll.complete("now")).isTrue();
        time.assertNothingPending();
      }
    }

    @Test
    void assertNoErrors_namesTheErrors() {
      RuntimeException error = new IllegalArgumentException("wrong");
      time.assertNoErrors();
      time.executor()
          .execute(
              () -> {
                throw error;
              });
      time.advance(SECOND);
      assertThatExceptionOfType(AssertionError.class)
          .isThrownBy(time::assertNoErrors)
          .withMessageContaining("0s executor: ERROR: java.lang.IllegalArgumentException: wrong")
          .withCause(error);
      assertThat(time.takeErrors()).hasSize(1);
      time.assertNoErrors();
    }

    @Test
    void assertNothingReachable_endedOperation_isReleased() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      holdTracked(polls);
      time.advance(SECOND);
      time.assertNothingReachable();
    }

    private void holdTracked(Purgatory<String> polls) {
      byte[] payload = time.track(new byte[1]);
      HeldFuture<String> poll =
          polls.until(() -> payload[0] == 0 ? (String) null : "").orTimeout(SECOND).hold("a", "b");
      assertThat(time.track(poll)).isNotDone();
    }

    @Test
    void tracked_reachable_isNamed() {
      Object kept = new AtomicInteger(1);
      Tracked tracked = new Tracked(ms(100));
      tracked.add(kept, "kept");
      tracked.add(new AtomicInteger(2), "dropped");
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (tracked.reachable().size() > 1 && System.nanoTime() - end < 0) {
        // The garbage collector takes longer.
      }
      assertThat(tracked.reachable()).containsExactly("kept");
      assertThat(kept).hasToString("1");
    }
  }

  @Nested
  class Events {

    @Test
    void events_tellWhatHappened() {
      Purgatory<String> polls = time.purgatory("polls", String.class);
      assertThat(polls.until(() -> "now").forever().hold("a")).isCompletedWithValue("now");
      HeldFuture<String> completed = hold(polls, SECOND);
      HeldFuture<String> cancelled = hold(polls, SECOND);
      HeldFuture<String> failed = hold(polls, SECOND);
      assertThat(completed.complete("answer")).isTrue();
      assertThat(cancelled.cancel(false)).isTrue();
      IllegalStateException cause = new IllegalStateException("broken");
      assertThat(failed.completeExceptionally(cause)).isTrue();
      HeldFuture<String> closed = hold(polls, SECOND);
      polls.close();
      assertThat(closed).isDone();
      assertThat(hold(polls, SECOND)).isCompletedExceptionally();
      assertThat(time.events())
          .extracting(event -> event.operation() + " " + event.kind())
          .containsExactly(
              "#1 ANSWERED_AT_ONCE",
              "#2 HELD",
              "#3 HELD",
              "#4 HELD",
              "#2 COMPLETED",
              "#3 CANCELLED",
              "#4 FAILED",
              "#5 HELD",
              "#5 CLOSED",
              "#6 REFUSED");
      assertThat(time.events().get(6).error()).isSameAs(cause);
      assertThat(time.events().get(9).error()).hasMessage("polls is closed");
    }

    @Test
    void everyOutcome_hasAKind() {
      for (Outcome outcome : Outcome.values()) {
        assertThat(Kind.valueOf(outcome.name())).hasToString(outcome.name());
      }
    }

    @Test
    void ledger_endBeforeHeld_isNotPending() {
      Ledger ledger = new Ledger(time::now);
      var listener = ledger.listener("polls");
      Object operation = new Object();
      listener.onEnded(operation, Outcome.COMPLETED, null, 0, 0);
      listener.onHeld(operation);
      assertThat(ledger.unanswered()).isEmpty();
    }

    @Test
    void ledger_objectThatIsHeldSeveralTimes_isPendingUntilItsLastEnd() {
      Ledger ledger = new Ledger(time::now);
      var listener = ledger.listener("polls");
      Object operation = new ArrayList<>();
      listener.onHeld(operation);
      listener.onHeld(operation);
      listener.onEnded(operation, Outcome.COMPLETED, null, 0, 0);
      assertThat(ledger.unanswered()).containsExactly("#1 []");
      listener.onEnded(operation, Outcome.COMPLETED, null, 0, 0);
      assertThat(ledger.unanswered()).isEmpty();
      listener.onHeld(operation);
      assertThat(ledger.unanswered()).containsExactly("#1 []");
    }

    @Test
    void ledger_forgetsUnreachableOperations() {
      Ledger ledger = new Ledger(time::now);
      var listener = ledger.listener("polls");
      for (int i = 0; i < 5_000; i++) {
        Object operation = new int[1];
        listener.onHeld(operation);
        listener.onEnded(operation, Outcome.COMPLETED, null, 0, 0);
      }
      for (int i = 0; ledger.tickets() > 10 && i < 1_000; i++) {
        System.gc();
        LockSupport.parkNanos(10_000_000);
        listener.onAnsweredAtOnce("removes what is unreachable", Outcome.COMPLETED, null);
      }
      assertThat(ledger.tickets()).isLessThanOrEqualTo(10);
    }

    @Test
    void ledger_equalOperations_areDistinct() {
      Ledger ledger = new Ledger(time::now);
      var listener = ledger.listener("polls");
      Object first = new ArrayList<>();
      Object second = new ArrayList<>();
      listener.onHeld(first);
      listener.onHeld(second);
      listener.onEnded(first, Outcome.COMPLETED, null, 0, 0);
      assertThat(ledger.unanswered()).containsExactly("#2 []");
      assertThat(second).isEqualTo(first);
    }

    @Test
    void event_hostileToString_isContained() {
      Object hostile =
          new Object() {
            @Override
            public String toString() {
              throw new IllegalStateException("no text");
            }
          };
      assertThat(Event.describe(hostile))
          .endsWith("(its toString threw java.lang.IllegalStateException)");
    }

    @Test
    void callbackThatThrows_isAnError() {
      AtomicInteger checks = new AtomicInteger();
      Purgatory<String> polls = time.purgatory("polls", String.class);
      HeldFuture<String> poll =
          polls
              .until(
                  () -> {
                    if (checks.incrementAndGet() > 2) {
                      throw new IllegalStateException("broken condition");
                    }
                    return (String) null;
                  })
              .orTimeout(SECOND)
              .hold("topic");
      polls.signal("topic");
      assertThat(poll.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(time.events())
          .last()
          .hasToString(
              "0s polls: #1 FAILED, held for 0s: java.lang.IllegalStateException: broken"
                  + " condition");
      time.assertNoErrors(); // a failed operation is an outcome, not an error
    }
  }
}
