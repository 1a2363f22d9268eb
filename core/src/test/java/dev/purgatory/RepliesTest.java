package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RepliesTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("rpc").timer(timer).expirationExecutor(Runnable::run).build();
  private final Replies<Integer, String> replies = new Replies<>(purgatory);

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
    assertThat(purgatory.keys()).isLessThan(1_000);
    purgatory.purge();
    assertThat(purgatory.keys()).isZero();
    assertThat(purgatory.watched()).isZero();
    assertThat(timer.retained()).as("at most one alarm").isLessThanOrEqualTo(1);
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
  void toString_describesThePurgatory() {
    assertThat(replies).hasToString("Replies[Purgatory[rpc, 0 pending, 0 keys]]");
  }
}
