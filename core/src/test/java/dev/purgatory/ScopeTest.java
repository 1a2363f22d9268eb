package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScopeTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<String> polls = purgatory("polls");
  private final Purgatory<String> writes = purgatory("writes");
  private final Scope connection = Scope.of("connection 7");
  private final Scope session = Scope.of("session 7");

  private Purgatory<String> purgatory(String name) {
    return Purgatory.builder(name, String.class)
        .timer(timer)
        .expirationExecutor(Runnable::run)
        .build();
  }

  @AfterEach
  void nothingIsLeft() {
    polls.close();
    writes.close();
    assertThat(polls.pending() + writes.pending()).isZero();
    assertThat(timer.size()).isZero();
    assertThat(polls.inspect().watched() + writes.inspect().watched()).isZero();
    assertThat(polls.inspect().keys() + writes.inspect().keys()).isZero();
  }

  private HeldFuture<String> poll(Purgatory<String> in, String key, Scope... scopes) {
    return in.<String>until(() -> null).inScope(scopes).orTimeout(LIMIT).hold(key);
  }

  @Test
  void heldRequests_sayWhoseTheyAre() {
    HeldFuture<String> owned = poll(polls, "a", connection, session);
    HeldFuture<String> free = poll(polls, "a");
    for (HeldRequest<String> each : polls.inspect().held()) {
      assertThat(each.keys()).containsExactly("a");
      if (each.operation() == owned) {
        assertThat(each.scopes()).containsExactlyInAnyOrder(connection, session);
      } else {
        assertThat(each.operation()).isSameAs(free);
        assertThat(each.scopes()).isEmpty();
      }
    }
    assertThat(polls.inspect().held()).hasSize(2);
  }

  @Test
  void close_cancelsWhatIsInTheScope_inAllPurgatories_andNothingElse() {
    HeldFuture<String> first = poll(polls, "a", connection);
    HeldFuture<String> second = poll(writes, "a", connection);
    HeldFuture<String> other = poll(polls, "a", session);
    HeldFuture<String> free = poll(polls, "a");
    connection.close();
    connection.close();
    assertThat(first).isCancelled();
    assertThat(second).isCancelled();
    assertThat(other).isNotDone();
    assertThat(free).isNotDone();
    assertThat(connection).hasToString("Scope[connection 7, closed]");
    assertThat(polls.cancelForKey("a")).containsExactly(other, free);
  }

  @Test
  void close_cancelsFutures_withTheirKeys_andOneCauseThatShowsTheCaller() throws Exception {
    List<HeldFuture<String>> futures =
        List.of(
            poll(polls, "a", connection),
            polls.<String>until(() -> null).inScope(connection).forever().hold("b", "c"));
    connection.close();
    HeldFuture<String> late = poll(writes, "d", connection);
    Throwable cause = requireNonNull(requireNonNull(futures.get(0).cause()).getCause());
    assertThat(cause).hasMessage("Scope[connection 7] was closed");
    assertThat(cause.getStackTrace())
        .extracting(StackTraceElement::getMethodName)
        .contains("close_cancelsFutures_withTheirKeys_andOneCauseThatShowsTheCaller");
    assertThat(requireNonNull(futures.get(0).cause())).hasMessage("polls: cancelled on [a]");
    assertThat(requireNonNull(futures.get(1).cause())).hasMessage("polls: cancelled on [b, c]");
    assertThat(requireNonNull(late.cause())).hasMessage("writes: cancelled on [d]");
    for (HeldFuture<String> each : List.of(futures.get(0), futures.get(1), late)) {
      assertThat(each.cause())
          .isInstanceOf(CancellationException.class)
          .hasSameClassAs(copy(requireNonNull(each.cause())));
      assertThat(requireNonNull(each.cause()).getCause()).isSameAs(cause);
      assertThat(requireNonNull(each.cause()).getStackTrace()).isEmpty();
    }
  }

  private static Object copy(Object original) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(original);
    }
    return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
  }

  @Test
  void close_tellsOperationsAndListenersNoCause() {
    List<String> told = new CopyOnWriteArrayList<>();
    PurgatoryListener listener =
        new PurgatoryListener() {
          @Override
          public void onEnded(
              Object operation,
              Outcome outcome,
              @Nullable Throwable cause,
              long heldNanos,
              long lateNanos) {
            told.add(outcome + " " + cause);
          }

          @Override
          public void onAnsweredAtOnce(
              Object operation, Outcome outcome, @Nullable Throwable cause) {
            told.add("at once " + outcome + " " + cause);
          }
        };
    try (Purgatory<String> heard =
        Purgatory.builder("heard", String.class).timer(timer).listener(listener).build()) {
      RecordingOperation operation = new RecordingOperation(LIMIT);
      boolean unused = heard.hold(operation, List.of("a"), connection);
      HeldFuture<String> future = poll(heard, "a", connection);
      connection.close();
      HeldFuture<String> late = poll(heard, "a", connection);
      assertThat(future).isCancelled();
      assertThat(late).isCancelled();
      assertThat(operation.outcome()).isEqualTo(Outcome.CANCELLED);
      assertThat(operation.cause()).isNull();
      assertThat(told)
          .containsExactly("CANCELLED null", "CANCELLED null", "at once CANCELLED null");
    }
  }

  @Test
  void fail_failsThemWithTheCause_andCountsThem() {
    IOException lost = new IOException("connection lost");
    HeldFuture<String> first = poll(polls, "a", connection);
    HeldFuture<String> second = poll(polls, "b", connection, session);
    assertThat(connection.fail(lost)).isEqualTo(2);
    assertThat(connection.fail(new IOException("again"))).isZero();
    assertThat(first.cause()).isSameAs(lost);
    assertThat(second.cause()).isSameAs(lost);
    assertThat(session.fail(lost)).isZero();
  }

  @Test
  void requestInAClosedScope_endsAtOnce_asTheScopeDid() {
    IOException lost = new IOException("connection lost");
    connection.close();
    assertThat(session.fail(lost)).isZero();
    assertThat(poll(polls, "a", connection)).isCancelled();
    assertThat(poll(polls, "a", session).cause()).isSameAs(lost);
    assertThat(polls.until(() -> "now").inScope(connection).forever().hold("a"))
        .isCompletedWithValue("now");
    assertThat(polls.pending()).isZero();
  }

  @Test
  void requestThatEnds_leavesBothItsScopesAtOnce() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(poll(polls, "a", connection, session).complete("x")).isTrue();
    }
    polls.core().purge();
    Threads.until(() -> polls.inspect().watched() == 0); // a helper thread may purge, too
    Threads.until(() -> polls.inspect().keys() == 0);
    assertThat(connection.fail(new IOException())).isZero();
  }

  @Test
  void operationsAndReplies_areInScopes_too() {
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(polls.hold(operation, List.of("a"), connection)).isFalse();
    Replies<Integer, String> replies =
        Replies.<Integer, String>builder("rpc", Integer.class, String.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .build();
    HeldFuture<String> reply = replies.expect(1, LIMIT, connection);
    IOException lost = new IOException("connection lost");
    assertThat(connection.fail(lost)).isEqualTo(2);
    assertThat(operation.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(reply.cause()).isSameAs(lost);
    assertThat(replies.complete(1, "late")).isFalse();
    replies.close();
  }

  private static <K> int visit(Core<K> core, Scope scope, Predicate<Registration> visitor) {
    return core.visit(requireNonNull(scope.owner().hiddenKey()).<K>asKey(), visitor);
  }

  @Test
  void close_costsWhatIsInTheScope() {
    AtomicInteger visited = new AtomicInteger();
    List<HeldFuture<String>> others = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      others.add(poll(polls, "a", session));
    }
    List<HeldFuture<String>> own = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      own.add(poll(polls, "a", connection, session));
    }
    assertThat(visit(polls.core(), connection, each -> visited.incrementAndGet() < 0)).isZero();
    assertThat(visited).hasValue(100);
    connection.close();
    assertThat(own).allSatisfy(each -> assertThat(each).isCancelled());
    assertThat(others).noneSatisfy(each -> assertThat(each).isDone());
    session.close();
  }

  @Test
  void pending_countsWhatIsHeldInTheScope() {
    HeldFuture<String> first = poll(polls, "a", connection);
    HeldFuture<String> second = poll(writes, "a", connection, session);
    HeldFuture<String> other = poll(writes, "a", session);
    assertThat(connection.pending()).isEqualTo(2);
    assertThat(first.complete("x")).isTrue();
    assertThat(connection.pending()).isEqualTo(1);
    connection.close();
    assertThat(connection.pending()).isZero();
    assertThat(second).isCancelled();
    assertThat(session.pending()).isEqualTo(1);
    assertThat(other.cancel(false)).isTrue();
  }

  @Test
  void gracefulClose_refusesNewRequests_waitsForTheOthers_andFailsTheRest() {
    IOException gone = new IOException("the server stops");
    HeldFuture<String> fast = poll(polls, "a", connection);
    HeldFuture<String> slow = poll(polls, "b", connection);
    HeldFuture<String> slowToo = poll(writes, "b", connection, session);
    HeldFuture<String> other = poll(writes, "b", session);
    Duration timeout = Duration.ofSeconds(2);
    CompletableFuture<Integer> closed = connection.close(timeout, gone);
    assertThat(connection.isClosed()).isTrue();
    assertThat(poll(polls, "a", connection).cause()).isSameAs(gone);
    assertThat(fast.complete("answer")).isTrue();
    assertThat(fast).isCompletedWithValue("answer");
    assertThat(connection.pending()).isEqualTo(2);
    pass(timeout.minusMillis(1));
    assertThat(closed).isNotDone();
    assertThat(slow).isNotDone();
    pass(Duration.ofMillis(1));
    assertThat(closed).isCompletedWithValue(2);
    assertThat(slow.cause()).isSameAs(gone);
    assertThat(slowToo.cause()).isSameAs(gone);
    assertThat(other.cancel(false)).isTrue();
    assertThat(timer.size()).isZero();
  }

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  @Test
  void gracefulClose_doesNotWaitForTheConditionOfARequestThatHasEnded() {
    IOException cause = new IOException("gone");
    AtomicReference<@Nullable HeldFuture<String>> held = new AtomicReference<>();
    List<Boolean> isOver = new ArrayList<>();
    held.set(
        polls
            .<String>until(
                () -> {
                  HeldFuture<String> itself = held.get();
                  if (itself != null) {
                    isOver.add(
                        CompletableFuture.supplyAsync(
                                () ->
                                    itself.cancel(false) && connection.close(LIMIT, cause).isDone())
                            .join());
                  }
                  return null;
                })
            .inScope(connection)
            .orTimeout(LIMIT)
            .hold("a"));
    assertThat(polls.signal("a")).isZero();
    assertThat(isOver).containsExactly(true);
  }

  @Test
  void gracefulClose_isOverWhenTheLastRequestEnds_orAtOnce() {
    IOException gone = new IOException("the server stops");
    HeldFuture<String> poll = poll(polls, "a", connection);
    HeldFuture<String> timesOut = poll(writes, "a", connection);
    CompletableFuture<Integer> closed = connection.close(LIMIT.plus(LIMIT), gone);
    assertThat(poll.cancel(false)).isTrue();
    assertThat(closed).isNotDone();
    pass(LIMIT);
    assertThat(timesOut.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(closed).isCompletedWithValue(0);
    assertThat(timer.size()).as("it waits for nothing").isZero();
    assertThat(session.close(LIMIT, gone)).isCompletedWithValue(0);
    assertThat(session.close(LIMIT, gone)).isCompletedWithValue(0);
  }

  @Test
  void gracefulClose_withoutTime_orClosedAtOnceMeanwhile_endsTheRest() {
    IOException gone = new IOException("the server stops");
    IOException lost = new IOException("connection lost");
    HeldFuture<String> first = poll(polls, "a", connection);
    CompletableFuture<Integer> closed = connection.close(LIMIT, gone);
    assertThat(connection.fail(lost)).isEqualTo(1);
    assertThat(connection.fail(lost)).isZero();
    assertThat(first.cause()).isSameAs(lost);
    assertThat(closed).isCompletedWithValue(0);
    assertThat(poll(polls, "a", connection).cause()).isSameAs(lost);
    HeldFuture<String> second = poll(polls, "a", session);
    assertThatThrownBy(() -> session.close(Duration.ofSeconds(-1), gone))
        .isInstanceOf(IllegalArgumentException.class);
    CompletableFuture<Integer> now = session.close(Duration.ZERO, gone);
    timer.advance();
    assertThat(now).isCompletedWithValue(1);
    assertThat(second.cause()).isSameAs(gone);
  }

  @Test
  void gracefulClose_withAClosedTimer_orPurgatory_doesNotWaitForIt() {
    IOException gone = new IOException("the server stops");
    Timer other = Timer.builder().ticker(ticker).build();
    Purgatory<String> purgatory =
        Purgatory.builder("other", String.class)
            .timer(other)
            .expirationExecutor(Runnable::run)
            .build();
    HeldFuture<String> stuck = poll(purgatory, "a", connection);
    HeldFuture<String> ends = poll(polls, "a", session);
    other.close();
    assertThat(connection.close(LIMIT, gone)).isCompletedWithValue(1);
    assertThat(stuck.cause()).isSameAs(gone);
    CompletableFuture<Integer> closed = session.close(LIMIT, gone);
    polls.close();
    assertThat(ends.outcome()).isEqualTo(Outcome.CLOSED);
    assertThat(closed).isCompletedWithValue(0);
    purgatory.close();
  }

  @Test
  void gracefulClose_racesWithEverything_endsOnceAndLosesNothing() throws Exception {
    IOException gone = new IOException("the server stops");
    Threads.repeat(
        300,
        round -> {
          Scope scope = Scope.of("round");
          HeldFuture<String> answered = poll(polls, "a", scope);
          HeldFuture<String> rest = poll(writes, "b", scope);
          List<HeldFuture<String>> late = new CopyOnWriteArrayList<>();
          List<CompletableFuture<Integer>> closed = new CopyOnWriteArrayList<>();
          Threads.race(
              () -> closed.add(scope.close(Duration.ofSeconds(1), gone)),
              () -> answered.complete("x"),
              () -> late.add(poll(polls, "a", scope)),
              timer::advance);
          assertThat(closed.get(0).isDone()).isFalse();
          Throwable refusal = late.get(0).cause();
          assertThat(refusal == null || refusal == gone).isTrue(); // null: it came before
          pass(Duration.ofSeconds(1));
          assertThat(rest.cause()).isSameAs(gone);
          assertThat(late.get(0).cause()).isSameAs(gone);
          assertThat(answered).isCompletedWithValue("x");
          assertThat(closed.get(0)).isDone();
          assertThat(closed.get(0).join()).isBetween(1, 2);
        });
    assertThat(polls.pending() + writes.pending()).isZero();
    assertThat(timer.size()).isZero();
  }

  @Test
  void manyThreadsHold_whileTheScopeCloses_noneEscapes() throws Exception {
    Threads.repeat(
        200,
        round -> {
          Scope scope = Scope.of("round");
          List<HeldFuture<String>> held = new CopyOnWriteArrayList<>();
          Threads.race(
              () -> held.add(poll(polls, "a", scope)),
              () -> held.add(poll(writes, "b", scope)),
              scope::close);
          assertThat(held).hasSize(2).allSatisfy(each -> assertThat(each).isCancelled());
        });
    assertThat(polls.pending() + writes.pending()).isZero();
  }

  @Test
  void scopeAsAnOrdinaryKey_isAKeyOfItsOwn() {
    Purgatory<Object> any = Purgatory.builder("any", Object.class).timer(timer).build();
    HeldFuture<String> key = any.<String>until(() -> null).orTimeout(LIMIT).hold(connection);
    HeldFuture<String> inIt =
        any.<String>until(() -> null).inScope(connection).orTimeout(LIMIT).hold("a");
    assertThat(any.inspect().snapshot(5).busiest()).isEqualTo(Map.of(connection, 1, "a", 1));
    assertThat(any.cancelForKey(connection)).containsExactly(key);
    HeldFuture<String> next = any.<String>until(() -> null).orTimeout(LIMIT).hold(connection);
    connection.close();
    assertThat(inIt).isCancelled();
    assertThat(next).isNotDone();
    any.close();
  }

  @Test
  void closedPurgatory_isNotKeptByItsScopes() {
    Scope closed = Scope.of("closed");
    closed.close();
    Purgatory<String> drained = purgatory("drained");
    assertThat(poll(drained, "a", connection).complete("x")).isTrue();
    drained.close();
    assertThat(connection.purgatories()).isEmpty();
    Purgatory<String> gone = purgatory("gone");
    HeldFuture<String> future = poll(gone, "a", connection);
    assertThat(poll(gone, "a", closed)).isCancelled();
    assertThat(connection.purgatories()).containsExactly(gone.core());
    assertThat(closed.purgatories()).isEmpty();
    assertThat(gone.close(Duration.ofMinutes(1))).isEmpty();
    assertThat(future).isDone();
    assertThat(connection.purgatories()).isEmpty();
  }

  @Test
  void endingByKey_completesFailsOrCancels() {
    HeldFuture<String> future = poll(polls, "a");
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(polls.hold(operation, "a", "b")).isFalse();
    HeldFuture<String> other = poll(polls, "b");
    assertThat(WatchListsView.completeForKey(polls, "a", "moved")).isEqualTo(2);
    assertThat(future).isCompletedWithValue("moved");
    assertThat(operation.outcome()).isEqualTo(Outcome.COMPLETED);
    IllegalStateException cause = new IllegalStateException("not the leader");
    assertThat(polls.failForKey("b", cause)).hasSize(1);
    assertThatThrownBy(other::join).isInstanceOf(CompletionException.class).hasCause(cause);
    assertThat(polls.failForKey("c", cause)).isEmpty();
  }

  @Test
  void heldRequest_endsWhatItShows() {
    IllegalStateException cause = new IllegalStateException("moved");
    HeldFuture<String> moved = poll(polls, "a-1");
    RecordingOperation operation = new RecordingOperation(LIMIT);
    assertThat(polls.hold(operation, "b-1")).isFalse();
    for (HeldRequest<String> each : polls.inspect().held()) {
      boolean isMoved = each.keys().contains("a-1");
      assertThat(isMoved ? each.fail(cause) : each.cancel()).isTrue();
      assertThat(each.fail(cause) || each.cancel()).isFalse();
    }
    assertThat(moved.cause()).isSameAs(cause);
    assertThat(operation.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(polls.pending()).isZero();
  }
}
