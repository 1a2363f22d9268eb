package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RepliesTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Replies<Integer, String> replies = builder("rpc").build();
  private final Purgatory<Integer> purgatory = replies.purgatory();

  private Replies.Builder<Integer, String> builder(String name) {
    return Replies.<Integer, String>builder(name, Integer.class, String.class)
        .timer(timer)
        .expirationExecutor(Runnable::run);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(replies.pending()).isZero();
    assertThat(timer.size()).isZero();
    replies.close();
  }

  private void passLimit() {
    ticker.advance(LIMIT);
    timer.advance();
  }

  @Test
  void replies_inAnyOrder_completeTheFuturesOfTheirIds() {
    HeldFuture<String> first = replies.expect(1, LIMIT);
    HeldFuture<String> second = replies.expect(2, LIMIT);
    assertThat(replies.pending()).isEqualTo(2);
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(first).isNotDone();
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(first).isCompletedWithValue("one");
    assertThat(second).isCompletedWithValue("two");
  }

  /** The request ends before it is in the map of ids. */
  @Test
  void listenerEndsTheRequest_whenItIsHeld_isAnsweredAndReleased() {
    PurgatoryListener listener =
        new PurgatoryListener() {
          @Override
          public void onHeld(Object operation) {
            assertThat(((HeldFuture<?>) operation).cancel(false)).isTrue();
          }
        };
    try (Replies<Integer, String> listened = builder("listened").listener(listener).build()) {
      assertThat(listened.expect(1, LIMIT)).isCancelled();
      assertThat(listened.find(1)).isNull();
      assertThat(listened.pending()).isZero();
      assertThat(listened.expect(1, LIMIT)).isCancelled();
    }
  }

  @Test
  void complete_secondReplyOrUnknownId_returnsFalse() {
    HeldFuture<String> reply = replies.expect(1, LIMIT);
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(replies.complete(1, "again")).isFalse();
    assertThat(replies.complete(7, "never expected")).isFalse();
    assertThat(replies.fail(1, new IOException())).isFalse();
    assertThat(reply).isCompletedWithValue("one");
  }

  @Test
  void end_ofEachKind_leavesNoIdBehind() {
    HeldFuture<String> completed = replies.expect(1, LIMIT);
    HeldFuture<String> cancelled = replies.expect(2, LIMIT);
    HeldFuture<String> timedOut = replies.expect(3, LIMIT);
    HeldFuture<String> owned = replies.expect(4, LIMIT, Scope.of("connection"));
    HeldFuture<String> refusing = replies.expecting().tag("caller").orTimeout(LIMIT).hold(5);
    assertThat(List.of(purgatory.inspect().watched(), (long) purgatory.inspect().keys()))
        .containsExactly(6L, 6L);
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(cancelled.cancel(false)).isTrue();
    assertThat(replies.complete(4, "four")).isTrue();
    assertThat(replies.fail(5, new IOException())).isTrue();
    passLimit();
    assertThat(timedOut.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(List.of(completed, owned, refusing)).allMatch(HeldFuture::isDone);
    for (int id = 1; id <= 5; id++) {
      assertThat(purgatory.core().keys().get(id)).as("id %s", id).isNull();
    }
  }

  @Test
  void repliesAndTimeouts_completeInTheContextOfTheirCaller() {
    AtomicReference<String> current = new AtomicReference<>("none");
    try (Replies<Integer, String> calls =
        builder("rpc").context(() -> in(String.valueOf(current.get()), current)).build()) {
      List<String> seen = new ArrayList<>();
      for (int id = 1; id <= 2; id++) {
        current.set("caller " + id);
        CompletableFuture<String> unused =
            calls.expect(id, LIMIT).whenComplete((reply, error) -> seen.add(current.get()));
      }
      current.set("none");
      assertThat(calls.complete(2, "two")).isTrue();
      passLimit();
      assertThat(seen).containsExactly("caller 2", "caller 1");
      assertThat(current).hasValue("none");
    }
  }

  private static UnaryOperator<Runnable> in(String context, AtomicReference<String> current) {
    return task ->
        () -> {
          String before = current.getAndSet(context);
          task.run();
          current.set(before);
        };
  }

  /** An id that runs an action when it is hashed: so in the middle of what the library does. */
  private static final class Hooked {
    private Runnable onHash = () -> {};

    @Override
    public int hashCode() {
      Runnable action = onHash;
      onHash = () -> {};
      action.run();
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  private Replies<Hooked, String> hooked() {
    return Replies.<Hooked, String>builder("hooked", Hooked.class, String.class)
        .timer(timer)
        .expirationExecutor(Runnable::run)
        .build();
  }

  @Test
  void expect_timesOutBeforeItIsInTheMap_leavesNoIdBehind() {
    try (Replies<Hooked, String> hooked = hooked()) {
      Hooked id = new Hooked();
      id.onHash = this::passLimit;
      assertThat(hooked.expect(id, LIMIT).outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(hooked.purgatory().inspect().keys()).isZero();
    }
  }

  @Test
  void expect_closedBeforeItIsInTheMap_isClosed() {
    Replies<Hooked, String> hooked = hooked();
    Hooked id = new Hooked();
    id.onHash = hooked::close;
    assertThat(hooked.expect(id, LIMIT).outcome()).isEqualTo(Outcome.CLOSED);
    assertThat(hooked.purgatory().inspect().keys()).isZero();
  }

  @Test
  void expect_idThrows_nothingIsHeld() {
    try (Replies<Hooked, String> hooked = hooked()) {
      Hooked id = new Hooked();
      id.onHash =
          () -> {
            throw new UnsupportedOperationException("hash");
          };
      assertThatThrownBy(() -> hooked.expect(id, LIMIT)).hasMessage("hash");
      assertThat(hooked.pending()).isZero();
    }
  }

  @Test
  void purgatoryOfReplies_holdsNothingElse() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    for (ThrowingCallable each :
        List.<ThrowingCallable>of(
            () -> purgatory.timeout(stage, LIMIT),
            () -> purgatory.timeout(stage, LIMIT, () -> "late"),
            () -> purgatory.until(() -> "x"),
            () -> purgatory.untilTrue(() -> true),
            () -> purgatory.untilSignalled(reason -> "x"),
            () -> purgatory.untilAsync(() -> stage),
            () -> purgatory.untilCompleted(),
            () -> new Thresholds<>(purgatory).reach(1, 2))) {
      assertThatThrownBy(each)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("rpc awaits replies: it holds nothing else");
    }
    assertThat(purgatory.pending()).isZero();
  }

  @Test
  void hold_inThePurgatoryOfReplies_isRefused() {
    DelayedOperation operation =
        new DelayedOperation(LIMIT) {
          @Override
          protected boolean isReady() {
            return true;
          }

          @Override
          protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {}
        };
    assertThatThrownBy(() -> purgatory.hold(operation, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rpc awaits replies: it holds nothing else");
  }

  @Test
  void completeAll_completesWhatIsAwaited() {
    HeldFuture<String> first = replies.expect(1, LIMIT);
    HeldFuture<String> second = replies.expect(2, LIMIT);
    assertThat(second.cancel(false)).isTrue();
    assertThat(replies.completeAll("gone")).isEqualTo(1);
    assertThat(first).isCompletedWithValue("gone");
    assertThat(replies.completeAll("gone")).isZero();
  }

  @Test
  void await_returnsTheReply_orThrowsWhatTheFutureFailsWith() throws Exception {
    HeldFuture<String> replied = replies.expect(1, LIMIT);
    assertThat(replies.complete(1, "x")).isTrue();
    assertThat(replied.awaitAnswer()).isEqualTo("x");
    HeldFuture<String> failed = replies.expect(1, LIMIT);
    assertThat(replies.fail(1, new UncheckedIOException(new IOException("lost")))).isTrue();
    assertThatThrownBy(() -> failed.awaitAnswer()).isInstanceOf(UncheckedIOException.class);
    HeldFuture<String> late = replies.expect(1, Duration.ZERO);
    assertThatThrownBy(() -> late.awaitAnswer()).isInstanceOf(TimeoutException.class);
    HeldFuture<String> interrupted = replies.expect(1, LIMIT);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> interrupted.awaitAnswer()).isInstanceOf(InterruptedException.class);
    assertThat(interrupted).isCancelled();
  }

  @Test
  void closeWithATime_letsRepliesCome_andRefusesFurtherWaits() throws InterruptedException {
    HeldFuture<String> first = replies.expect(1, LIMIT);
    HeldFuture<String> second = replies.expect(2, LIMIT);
    AtomicInteger left = new AtomicInteger(-1);
    Threads.Running closing = Threads.start(() -> left.set(replies.close(Threads.PATIENCE)));
    Threads.until(
        () -> replies.expect(3, Duration.ZERO).cause() instanceof PurgatoryClosedException);
    assertThat(replies.complete(1, "x")).isTrue();
    assertThat(replies.fail(2, new IOException("lost"))).isTrue();
    closing.join();
    assertThat(first).isCompletedWithValue("x");
    assertThat(second).isCompletedExceptionally();
    assertThat(left).hasValue(0);
  }

  @Test
  void closeWithATimeThatIsOver_cancelsTheRest() {
    HeldFuture<String> first = replies.expect(1, LIMIT);
    assertThatThrownBy(() -> replies.close(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(replies.expect(2, LIMIT).complete("x")).isTrue();
    assertThat(replies.close(Duration.ZERO)).isEqualTo(1);
    Threads.until(first::isCancelled); // by a helper thread
    assertThat(replies.expect(3, LIMIT).cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(replies.close(Duration.ZERO)).isZero();
  }

  @Test
  void timeoutsOfATableOnATimerWithoutAThread_endWithinAdvance() {
    Replies<Integer, String> table =
        Replies.builder("table", Integer.class, String.class).timer(timer).build();
    List<HeldFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(table.expecting().orAfter(LIMIT, () -> "late").hold(i));
    }
    passLimit();
    assertThat(all).allSatisfy(each -> assertThat(each).isCompletedWithValue("late"));
    table.close();
  }

  @Test
  void group_ofATableOfReplies_isRefused() {
    assertThatThrownBy(() -> purgatory.group(List.of(1, 2)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rpc awaits replies: it holds nothing else");
  }

  @Test
  void complete_lateReply_returnsFalse() {
    HeldFuture<String> reply = replies.expect(1, LIMIT);
    passLimit();
    assertThat(reply.cause())
        .isInstanceOf(TimeoutException.class)
        .hasMessage("rpc: no answer within PT5S on [1]");
    assertThat(replies.complete(1, "late")).isFalse();
  }

  @Test
  void expect_idInUse_throws_firstReplyStaysPending() {
    HeldFuture<String> reply = replies.expect(1, LIMIT);
    assertThatThrownBy(() -> replies.expect(1, LIMIT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rpc: 1 is awaited already");
    assertThat(replies.pending()).isEqualTo(1);
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(reply).isCompletedWithValue("one");
  }

  @Test
  void expect_idWhoseReplyEnded_canBeUsedAgain() {
    assertThat(replies.expect(1, LIMIT)).isNotDone();
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(replies.expect(1, LIMIT).cancel(false)).isTrue();
    HeldFuture<String> timedOut = replies.expect(1, LIMIT);
    passLimit();
    assertThat(timedOut).isCompletedExceptionally();
    HeldFuture<String> last = replies.expect(1, LIMIT);
    assertThat(replies.complete(1, "last")).isTrue();
    assertThat(last).isCompletedWithValue("last");
  }

  @Test
  void fail_failsOne_failAll_failsTheOthers() {
    List<HeldFuture<String>> waiting = new ArrayList<>();
    for (int id = 0; id < 100; id++) {
      waiting.add(replies.expect(id, LIMIT));
    }
    assertThat(replies.fail(0, new IOException("refused"))).isTrue();
    assertThat(replies.failAll(new IOException("connection lost"))).isEqualTo(99);
    assertThat(waiting.get(0).cause()).hasMessage("refused");
    assertThat(waiting.subList(1, 100))
        .allSatisfy(reply -> assertThat(reply.cause()).hasMessage("connection lost"));
  }

  @Test
  @SuppressWarnings("OverrideThrowableToString") // getMessage() would not make it throw
  void failAll_dependentThatMakesAFutureThrow_failsTheOthers() {
    List<HeldFuture<String>> waiting = new ArrayList<>();
    for (int id = 0; id < 10; id++) {
      HeldFuture<String> reply = replies.expect(id, LIMIT);
      CompletableFuture<String> unused =
          reply.exceptionally(
              error -> {
                throw new IllegalStateException("expected") {
                  @Override
                  public String toString() {
                    throw new IllegalStateException("unprintable");
                  }
                };
              });
      waiting.add(reply);
    }
    assertThat(replies.failAll(new IOException("connection lost"))).isEqualTo(10);
    assertThat(waiting)
        .allSatisfy(reply -> assertThat(reply.cause()).hasMessage("connection lost"));
  }

  @Test
  void complete_cancelledReply_returnsFalse() {
    HeldFuture<String> reply = replies.expect(1, LIMIT);
    assertThat(reply.cancel(false)).isTrue();
    assertThat(replies.complete(1, "too late")).isFalse();
    assertThat(reply).isCancelled();
  }

  @Test
  void manyReplies_leaveNothingBehind() {
    for (int id = 0; id < 100_000; id++) {
      HeldFuture<String> reply = replies.expect(id, LIMIT);
      assertThat(replies.complete(id, "x")).isTrue();
      assertThat(reply).isDone();
    }
    assertThat(purgatory.inspect().keys()).isLessThan(1_000);
    purgatory.core().purge();
    Threads.until(() -> purgatory.inspect().keys() == 0); // a helper thread may purge, too
    Threads.until(() -> purgatory.inspect().watched() == 0);
    assertThat(TimerInternals.of(timer).wheels().retained())
        .as("at most one alarm")
        .isLessThanOrEqualTo(1);
  }

  /** An alarm would wake two threads on a server with little to do. */
  @Test
  void repliesComeAndTimeOut_nothingIsScheduled() {
    for (int id = 0; id < 1_000; id++) {
      HeldFuture<String> reply = replies.expect(id, LIMIT);
      HeldFuture<String> lost = replies.expect(-id - 1, LIMIT);
      assertThat(replies.complete(id, "x")).isTrue();
      passLimit();
      assertThat(reply).isDone();
      Threads.until(lost::isDone);
    }
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
    assertThat(purgatory.inspect().keys()).isZero();
  }

  /** A thread that evaluates would finish the request after its answer, which forgets the id. */
  @Test
  void replyComesWhileItTimesOut_leavesNoId() {
    HeldFuture<String> reply = replies.expect(1, LIMIT);
    reply
        .registration()
        .attach(
            new Attachment() {
              @Override
              void end() {}

              @Override
              void evaluated(@Nullable Object reason, boolean ready, @Nullable Throwable e) {
                assertThat(CompletableFuture.supplyAsync(() -> replies.complete(1, "x")).join())
                    .isTrue();
              }
            });
    passLimit();
    Threads.until(reply::isDone);
    assertThat(purgatory.inspect().keys()).isZero();
  }

  @Test
  void replyWithoutATimeLimitComes_clockEnds() {
    try (Timer own = Timer.builder().start("kept-clock");
        Replies<Integer, String> forever =
            Replies.builder("kept", Integer.class, String.class).timer(own).build()) {
      HeldFuture<String> reply = forever.expect(1, Duration.ofSeconds(Long.MAX_VALUE));
      assertThat(Threads.isAlive("kept-clock")).isTrue();
      assertThat(forever.complete(1, "x")).isTrue();
      assertThat(reply).isDone();
      Threads.until(() -> !Threads.isAlive("kept-clock"));
    }
  }

  @Test
  void replyWithoutATimeLimitComesFirst_clockEndsWithTheLastReply() {
    try (Timer own = Timer.builder().start("kept-longer");
        Replies<Integer, String> mixed =
            Replies.builder("kept", Integer.class, String.class).timer(own).build()) {
      HeldFuture<String> forever = mixed.expect(1, Duration.ofSeconds(Long.MAX_VALUE));
      HeldFuture<String> timed = mixed.expect(2, Duration.ofHours(1));
      assertThat(mixed.complete(1, "x")).isTrue();
      assertThat(forever).isDone();
      WatchListsView view = new WatchListsView(mixed.purgatory());
      Threads.until(() -> view.lastPurgeNanos() > 0); // while the other one is pending
      assertThat(mixed.complete(2, "y")).isTrue();
      assertThat(timed).isDone();
      Threads.until(() -> !Threads.isAlive("kept-longer"));
    }
  }

  @Test
  void burstOfRepliesComes_mapShrinksWithoutAnotherCall() {
    Object map = WatchListsView.map(purgatory);
    int burst = 50_000;
    for (int id = 0; id < burst; id++) {
      assertThat(replies.expect(id, LIMIT)).isNotDone();
    }
    for (int id = 0; id < burst; id++) {
      assertThat(replies.complete(id, "x")).isTrue();
    }
    ticker.advance(Duration.ofMillis(500));
    timer.advance();
    Threads.until(() -> WatchListsView.map(purgatory) != map);
  }

  @Test
  void expect_racesWithItself_oneCallSucceeds() throws InterruptedException {
    for (int round = 0; round < 500; round++) {
      int id = round;
      AtomicInteger expecting = new AtomicInteger();
      Threads.Task expect =
          () -> {
            try {
              HeldFuture<String> reply = replies.expect(id, LIMIT);
              expecting.addAndGet(reply.outcome() == null ? 1 : 0);
            } catch (IllegalStateException e) {
              // Another call got the id.
            }
          };
      Threads.race(expect, expect, expect);
      assertThat(expecting).hasValue(1);
      assertThat(replies.complete(id, "x")).isTrue();
    }
  }

  @Test
  void reply_racesWithTimeoutAndCancellation_oneWins() throws InterruptedException {
    for (int round = 0; round < 500; round++) {
      HeldFuture<String> reply = replies.expect(round, LIMIT);
      int id = round;
      AtomicInteger replied = new AtomicInteger();
      ticker.advance(LIMIT);
      Threads.race(
          () -> replied.addAndGet(replies.complete(id, "x") ? 1 : 0),
          timer::advance,
          () -> reply.cancel(false));
      assertThat(reply).isDone();
      assertThat(replied.get() == 1).isEqualTo(reply.outcome() == Outcome.COMPLETED);
    }
  }

  @Test
  void close_failsPendingAndLaterReplies() {
    HeldFuture<String> reply = replies.expect(1, LIMIT);
    replies.close();
    assertThat(reply.cause()).isInstanceOf(PurgatoryClosedException.class);
    assertThat(replies.expect(2, LIMIT).cause()).isInstanceOf(PurgatoryClosedException.class);
  }

  @Test
  void tableWithAName_hasATimerOfItsOwn_orSharesOne() {
    try (Replies<Integer, String> own =
            Replies.builder("own", Integer.class, String.class).build();
        Replies<Integer, String> shared =
            Replies.builder("shared", Integer.class, String.class).timer(timer).build()) {
      HeldFuture<String> first = own.expect(1, Duration.ZERO);
      assertThat(first.cause()).hasMessage("own: no answer within PT0S on [1]");
      HeldFuture<String> second = shared.expect(1, LIMIT);
      passLimit();
      assertThat(second)
          .failsWithin(Threads.PATIENCE)
          .withThrowableOfType(ExecutionException.class)
          .withMessageContaining("shared: no answer within PT5S on [1]");
    }
    assertThat(timer.isClosed()).isFalse();
  }

  @Test
  void expecting_saysAllThatARequestCan() {
    Scope connection = Scope.of("connection");
    HeldFuture<String> reply =
        replies
            .expecting()
            .tag("request 1")
            .inScope(connection)
            .orAfter(LIMIT, () -> "nobody has answered")
            .hold(1);
    HeldFuture<String> other = replies.expecting().inScope(connection).forever().hold(2);
    assertThatThrownBy(() -> replies.expecting().forever().hold(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rpc: 1 is awaited already");
    assertThatThrownBy(() -> replies.expecting().forever().hold(3, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a reply has one id, not 2");
    assertThatThrownBy(() -> replies.expecting().orReturn(value -> {}))
        .isInstanceOf(IllegalStateException.class);
    assertThat(replies.purgatory().inspect().held())
        .hasSize(2)
        .anySatisfy(
            each -> {
              assertThat(each.tag()).isEqualTo("request 1");
              assertThat(each.keys()).containsExactly(1);
            });
    assertThat(replies.complete(2, "two")).isTrue();
    assertThat(other).isCompletedWithValue("two");
    passLimit();
    assertThat(reply).isCompletedWithValue("nobody has answered");
    assertThat(connection.pending()).isZero();
  }

  @Test
  void find_returnsTheFutureWithItsTag_whileTheReplyIsAwaited() {
    HeldFuture<String> reply = replies.expecting().tag("request 1").orTimeout(LIMIT).hold(1);
    assertThat(replies.find(1)).isSameAs(reply);
    assertThat(reply.tag()).isEqualTo("request 1");
    assertThat(replies.find(2)).isNull();
    assertThat(replies.complete(1, "one")).isTrue();
    assertThat(replies.find(1)).isNull();
    assertThat(reply.tag()).isNull();
  }

  /** Replies that come before they are expected. */
  @Nested
  class Early {
    private static final Duration KEPT = Duration.ofSeconds(30);

    private final Replies<Integer, String> mailbox = builder("mailbox").keepEarly(KEPT, 3).build();

    @AfterEach
    void close() {
      mailbox.close();
    }

    @Test
    void earlyReply_isThatOfTheNextRequest_once() {
      assertThat(mailbox.complete(1, "one")).isTrue();
      assertThat(mailbox.expect(1, LIMIT)).isCompletedWithValue("one");
      HeldFuture<String> again = mailbox.expect(1, LIMIT);
      assertThat(again).isNotDone();
      assertThat(mailbox.complete(1, "again")).isTrue();
      assertThat(again).isCompletedWithValue("again");
      assertThat(mailbox.complete(2, "two")).isTrue();
      assertThat(mailbox.expecting().orTimeout(Duration.ZERO).hold(2)).isCompletedWithValue("two");
      assertThat(timer.size()).as("nothing is kept").isZero();
    }

    @Test
    void earlyReply_isForgottenAfterItsTime() {
      assertThat(mailbox.complete(1, "one")).isTrue();
      ticker.advance(KEPT.minusMillis(1));
      timer.advance();
      assertThat(mailbox.complete(2, "two")).isTrue();
      ticker.advance(Duration.ofMillis(1));
      timer.advance();
      HeldFuture<String> first = mailbox.expect(1, LIMIT);
      assertThat(first).isNotDone();
      assertThat(mailbox.expect(2, LIMIT)).isCompletedWithValue("two");
      assertThat(first.cancel(false)).isTrue();
    }

    @Test
    void earlyReplies_areLimited_andDuplicatesDropped() {
      assertThat(mailbox.complete(1, "one")).isTrue();
      assertThat(mailbox.complete(1, "duplicate")).isFalse();
      assertThat(mailbox.complete(2, "two")).isTrue();
      assertThat(mailbox.complete(3, "three")).isTrue();
      assertThat(mailbox.complete(4, "four")).as("there is no room").isFalse();
      assertThat(mailbox.expect(1, LIMIT)).isCompletedWithValue("one");
      assertThat(mailbox.complete(4, "four")).isTrue();
      ticker.advance(KEPT);
      timer.advance();
      for (int id = 5; id < 8; id++) {
        assertThat(mailbox.complete(id, "x")).as("there is room for 3 again").isTrue();
      }
      assertThat(mailbox.complete(8, "x")).isFalse();
    }

    @Test
    void replyThatARequestTakesAndDoesNotGet_isKeptForTheNextOne_untilItsTime() {
      List<Runnable> meanwhile = new ArrayList<>();
      Replies<Integer, String> calls =
          builder("rpc")
              .context(
                  () ->
                      task ->
                          () -> {
                            task.run();
                            if (!meanwhile.isEmpty()) {
                              meanwhile.remove(0).run();
                            }
                          })
              .keepEarly(KEPT, 1)
              .build();
      Scope connection = Scope.of("connection");
      meanwhile.add(() -> calls.complete(1, "one")); // between the first evaluation and the second
      meanwhile.add(connection::close); // after the second one, which has taken it
      assertThat(calls.expect(1, LIMIT, connection)).isCancelled();
      assertThat(meanwhile).isEmpty();
      ticker.advance(KEPT.minusMillis(1));
      timer.advance();
      assertThat(calls.complete(2, "two")).as("there is no room").isFalse();
      assertThat(calls.expect(1, LIMIT)).isCompletedWithValue("one");
      meanwhile.add(() -> calls.complete(2, "two"));
      meanwhile.add(() -> calls.purgatory().cancelForKey(2));
      assertThat(calls.expect(2, LIMIT)).isCancelled();
      ticker.advance(KEPT);
      timer.advance();
      assertThat(timer.size()).as("the second is forgotten").isZero();
      calls.close();
    }

    @Test
    void close_forgetsWhatIsKept_andKeepsNothingMore() {
      assertThat(mailbox.complete(1, "one")).isTrue();
      mailbox.close();
      assertThat(timer.size()).isZero();
      assertThat(mailbox.complete(2, "two")).isFalse();
      assertThat(timer.size()).isZero();
      assertThat(mailbox.expect(1, LIMIT).outcome()).isEqualTo(Outcome.CLOSED);
    }

    @Test
    void badInput_isRefused() {
      Replies.Builder<Integer, String> builder = builder("bad");
      assertThatThrownBy(() -> builder.keepEarly(Duration.ZERO, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("remember 1 early replies for PT0S");
      assertThatThrownBy(() -> builder.keepEarly(KEPT, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void reply_racesWithItsRequest_isNeverLost() throws InterruptedException {
      Threads.repeat(
          2_000,
          round -> {
            List<HeldFuture<String>> waiting = new CopyOnWriteArrayList<>();
            Threads.race(
                () -> assertThat(mailbox.complete(round, "x")).isTrue(),
                () -> waiting.add(mailbox.expect(round, LIMIT)));
            assertThat(waiting.get(0)).isCompletedWithValue("x");
            assertThat(timer.size()).isZero();
          });
    }

    @Test
    void reply_racesWithRequestsThatGiveUp_oneGetsIt_orItIsKept() throws InterruptedException {
      AtomicInteger kept = new AtomicInteger();
      Threads.repeat(
          2_000,
          round -> {
            List<HeldFuture<String>> waiting = new CopyOnWriteArrayList<>();
            Threads.Task request =
                () -> {
                  try {
                    HeldFuture<String> future = mailbox.expect(round, LIMIT);
                    waiting.add(future);
                    future.cancel(false);
                  } catch (IllegalStateException e) {
                    // The other one awaits it.
                  }
                };
            Threads.race(request, request, () -> assertThat(mailbox.complete(round, "x")).isTrue());
            long got = waiting.stream().filter(each -> !each.isCancelled()).count();
            if (got == 0) {
              kept.incrementAndGet();
              assertThat(mailbox.expect(round, LIMIT)).isCompletedWithValue("x");
            }
            assertThat(got).isLessThanOrEqualTo(1);
            HeldFuture<String> next = mailbox.expect(round, LIMIT);
            assertThat(next).as("it was delivered once").isNotDone();
            assertThat(next.cancel(false)).isTrue();
            assertThat(timer.size()).isZero();
          });
      assertThat(kept.get()).isPositive();
    }
  }

  /** Replies that come when nobody awaits them any more. */
  @Nested
  class Late {
    private static final Duration TIME = Duration.ofSeconds(60);

    private final List<LateReply<Integer, String>> late = new CopyOnWriteArrayList<>();
    private final Replies<Integer, String> remembering = remembering(TIME, 3);

    private Replies<Integer, String> remembering(Duration time, int most) {
      return builder("late").rememberEnded(time, most, late::add).build();
    }

    private void pass(Duration time) {
      ticker.advance(time);
      timer.advance();
    }

    @AfterEach
    void close() {
      remembering.close();
    }

    @Test
    void lateReply_isToldOnce_withTheReasonAndTheTime() {
      HeldFuture<String> timedOut = remembering.expect(1, LIMIT);
      HeldFuture<String> cancelled = remembering.expect(2, LIMIT);
      HeldFuture<String> failed = remembering.expect(3, LIMIT);
      assertThat(cancelled.cancel(false)).isTrue();
      assertThat(remembering.fail(3, new IOException("lost"))).isTrue();
      passLimit();
      assertThat(timedOut.outcome()).isEqualTo(Outcome.TIMED_OUT);
      assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
      pass(Duration.ofSeconds(2));

      for (int i = 0; i < 2; i++) {
        assertThat(remembering.complete(1, "one")).isFalse();
        assertThat(remembering.complete(2, "two")).isFalse();
        assertThat(remembering.complete(3, "three")).isFalse();
      }
      assertThat(late)
          .containsExactly(
              new LateReply<>(1, "one", Outcome.TIMED_OUT, Duration.ofSeconds(2)),
              new LateReply<>(2, "two", Outcome.CANCELLED, LIMIT.plusSeconds(2)),
              new LateReply<>(3, "three", Outcome.FAILED, LIMIT.plusSeconds(2)));
      assertThat(timer.size()).isZero();
    }

    @Test
    void replyInTime_itsDuplicate_andOneThatNobodyExpected_areNotLate() {
      HeldFuture<String> reply = remembering.expect(1, LIMIT);
      assertThat(remembering.complete(1, "one")).isTrue();
      assertThat(reply).isCompletedWithValue("one");
      assertThat(remembering.complete(1, "again")).isFalse();
      assertThat(remembering.complete(7, "unknown")).isFalse();
      assertThat(late).isEmpty();
    }

    @Test
    void endedWait_keepsOnlyItsId() {
      List<WeakReference<Object>> references = cancelled();
      Threads.until(
          () -> {
            System.gc();
            return references.stream().allMatch(each -> each.get() == null);
          });
      assertThat(remembering.complete(1, "late")).isFalse();
      assertThat(late).hasSize(1);
    }

    /** Returns the future and the tag of a wait that was cancelled. */
    private List<WeakReference<Object>> cancelled() {
      Object tag = new Object();
      HeldFuture<String> future = remembering.expecting().tag(tag).forever().hold(1);
      assertThat(future.cancel(false)).isTrue();
      return List.of(new WeakReference<>(tag), new WeakReference<>(future));
    }

    @Test
    void endedWait_isForgottenAfterItsTime() {
      HeldFuture<String> reply = remembering.expect(1, LIMIT);
      passLimit();
      pass(TIME);
      assertThat(reply).isCompletedExceptionally();
      assertThat(remembering.complete(1, "one")).isFalse();
      assertThat(late).isEmpty();
      assertThat(timer.size()).isZero();
    }

    @Test
    void endedWaits_areLimited_andMakeRoomWhenTheyAreTold() {
      for (int id = 0; id < 5; id++) {
        HeldFuture<String> unused = remembering.expect(id, LIMIT);
      }
      passLimit();
      for (int id = 0; id < 5; id++) {
        assertThat(remembering.complete(id, "late")).isFalse();
      }
      assertThat(late).extracting(LateReply::id).containsExactly(0, 1, 2);

      HeldFuture<String> next = remembering.expect(9, LIMIT);
      assertThat(next.cancel(false)).isTrue();
      assertThat(remembering.complete(9, "late")).isFalse();
      assertThat(late).hasSize(4);
    }

    @Test
    void idThatIsUsedAgain_belongsToTheNewRequest() {
      HeldFuture<String> first = remembering.expect(1, LIMIT);
      assertThat(first.cancel(false)).isTrue();
      HeldFuture<String> second = remembering.expect(1, LIMIT);
      assertThat(remembering.complete(1, "one")).isTrue();
      assertThat(second).isCompletedWithValue("one");
      assertThat(late).isEmpty();
      assertThat(timer.size()).isZero();
    }

    @Test
    void idThatIsAwaited_isRefused_andStaysAwaited() {
      HeldFuture<String> first = remembering.expect(1, LIMIT);
      assertThatThrownBy(() -> remembering.expect(1, LIMIT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("late: 1 is awaited already");
      assertThat(remembering.complete(1, "one")).isTrue();
      assertThat(first).isCompletedWithValue("one");
    }

    @Test
    void keepEarly_doesNotKeepALateReply() {
      Replies<Integer, String> both =
          builder("both").rememberEnded(TIME, 3, late::add).keepEarly(TIME, 10).build();
      HeldFuture<String> reply = both.expect(1, LIMIT);
      passLimit();
      assertThat(reply).isCompletedExceptionally();
      assertThat(both.complete(1, "late")).isFalse();
      assertThat(late).hasSize(1);
      assertThat(both.complete(2, "early")).isTrue();
      assertThat(both.expect(2, LIMIT)).isCompletedWithValue("early");
      both.close();
    }

    @Test
    void handlerThatThrows_affectsNobody() {
      try (Replies<Integer, String> throwing =
          builder("late")
              .rememberEnded(
                  TIME,
                  1,
                  reply -> {
                    throw new IllegalStateException("full");
                  })
              .build()) {
        assertThat(throwing.expect(1, LIMIT).cancel(false)).isTrue();
        assertThat(throwing.complete(1, "late")).isFalse();
      }
    }

    @Test
    void close_forgets() {
      HeldFuture<String> ended = remembering.expect(1, LIMIT);
      assertThat(ended.cancel(false)).isTrue();
      HeldFuture<String> held = remembering.expect(2, LIMIT);
      remembering.close();
      assertThat(held.outcome()).isEqualTo(Outcome.CLOSED);
      assertThat(remembering.complete(1, "late")).isFalse();
      assertThat(remembering.complete(2, "late")).isFalse();
      assertThat(late).isEmpty();
      assertThat(timer.size()).isZero();
    }

    @Test
    void badInput_isRefused() {
      Replies.Builder<Integer, String> builder = builder("bad");
      for (Duration time : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
        assertThatThrownBy(() -> builder.rememberEnded(time, 1, late::add))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> builder.rememberEnded(TIME, 0, late::add))
          .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void reply_racesWithTheEndOfItsWait_isDeliveredOrTold() throws InterruptedException {
      Replies<Integer, String> racing = remembering(TIME, 1_000_000);
      AtomicInteger delivered = new AtomicInteger();
      Threads.repeat(
          2_000,
          round -> {
            HeldFuture<String> reply = racing.expect(round, LIMIT);
            Threads.race(() -> racing.complete(round, "reply"), () -> reply.cancel(false));
            if (!reply.isCancelled()) {
              delivered.incrementAndGet();
            }
            assertThat(delivered.get() + late.size()).isEqualTo(round + 1);
          });
      assertThat(timer.size()).isZero();
      racing.close();
    }
  }

  @Test
  void toString_describesThePurgatory() {
    assertThat(replies).hasToString("Replies[Purgatory[rpc, 0 pending, 0 keys]]");
  }
}
