package dev.purgatory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Code of users that leaves its thread interrupted, on a thread that is interrupted before: no code
 * of another request sees a flag, and the caller keeps its own.
 */
class InterruptFlagTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).errorHandler(e -> rude()).build();
  private final List<Boolean> began = new ArrayList<>();

  /** The code of a user. */
  private void rude() {
    began.add(Thread.currentThread().isInterrupted());
    Thread.currentThread().interrupt();
  }

  private final PurgatoryListener listener =
      new PurgatoryListener() {
        @Override
        public void onAnsweredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {
          rude();
        }

        @Override
        public void onHeld(Object operation) {
          rude();
        }

        @Override
        public void onEnded(
            Object operation,
            Outcome outcome,
            @Nullable Throwable cause,
            long heldNanos,
            long lateNanos) {
          rude();
        }

        @Override
        public void onSignalled(Object key, boolean foundKey, int completed) {
          rude();
        }

        @Override
        public void onRefused(Object operation, RuntimeException reason) {
          rude();
        }

        @Override
        public void onError(Object operation, Source source, Throwable error) {
          rude();
        }
      };

  private final class Observer implements Diagnostics.Observer {
    @Override
    public void onSignalled(Object key, boolean foundKey, int completed) {
      rude();
    }
  }

  private PurgatoryBuilder<String> builder() {
    return Purgatory.builder("rude", String.class).timer(timer);
  }

  /** Calls code of users twice or more, on this thread. */
  @FunctionalInterface
  interface Scenario {
    void run(InterruptFlagTest test);
  }

  private static Arguments scenario(String name, Scenario scenario) {
    return Arguments.of(name, scenario);
  }

  static Stream<Arguments> scenarios() {
    return Stream.of(
        scenario("conditions", InterruptFlagTest::signalTwo),
        scenario("operations", InterruptFlagTest::answerOperations),
        scenario("dependents", InterruptFlagTest::completeReplies),
        scenario("answers at a timeout", InterruptFlagTest::timeOutTwo),
        scenario("answers given back", InterruptFlagTest::discardTwo),
        scenario("listeners: held, signalled, ended", InterruptFlagTest::tellListeners),
        scenario("listeners: answered at once", InterruptFlagTest::tellListenersOfAnAnswer),
        scenario("listeners: refused", InterruptFlagTest::tellListenersOfARefusal),
        scenario("listeners: failures", InterruptFlagTest::tellListenersOfAFailure),
        scenario("observers", InterruptFlagTest::tellObservers),
        scenario("late replies", InterruptFlagTest::completeLate),
        scenario("executor of a purgatory", InterruptFlagTest::answerOnAnExecutor),
        scenario("executor of sessions", InterruptFlagTest::endSessions),
        scenario("error handler of a timer", InterruptFlagTest::failTasks));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void flagThatCodeLeaves_reachesNoOther_andTheCallerKeepsItsOwn(String name, Scenario scenario) {
    Thread.currentThread().interrupt();
    scenario.run(this);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(began).hasSizeGreaterThanOrEqualTo(2).containsOnly(false);
  }

  @AfterEach
  void clear() {
    boolean unused = Thread.interrupted();
  }

  private void signalTwo() {
    Purgatory<String> purgatory = builder().build();
    for (int i = 0; i < 2; i++) {
      var unused =
          purgatory
              .untilTrue(
                  () -> {
                    rude();
                    return false;
                  })
              .orTimeout(LIMIT)
              .hold("k");
    }
    assertThat(purgatory.signal("k")).isZero();
  }

  private void answerOperations() {
    Purgatory<String> purgatory = builder().build();
    for (int i = 0; i < 2; i++) {
      RecordingOperation operation = new RecordingOperation(LIMIT).onAnswer(this::rude);
      assertThat(purgatory.hold(operation, List.of("k"))).isFalse();
      operation.condition(true);
    }
    assertThat(purgatory.signal("k")).isEqualTo(2);
  }

  private void completeReplies() {
    Replies<Integer, String> replies =
        Replies.builder("rude", Integer.class, String.class).timer(timer).build();
    for (int i = 0; i < 2; i++) {
      var unused = replies.expect(i, LIMIT).thenRun(this::rude);
    }
    assertThat(replies.completeAll("x")).isEqualTo(2);
  }

  private void timeOutTwo() {
    Purgatory<String> purgatory = builder().build();
    for (int i = 0; i < 2; i++) {
      var unused =
          purgatory
              .<String>untilCompleted()
              .orAfter(
                  LIMIT,
                  () -> {
                    rude();
                    return "x";
                  })
              .hold("k");
    }
    ticker.advance(LIMIT);
    assertThat(timer.advance()).isEqualTo(2);
  }

  /** The condition of each cancels its request, and then finds an answer. */
  private void discardTwo() {
    Purgatory<String> purgatory = builder().build();
    for (int i = 0; i < 2; i++) {
      List<HeldFuture<String>> held = new ArrayList<>();
      held.add(
          purgatory
              .until(
                  () -> {
                    if (held.isEmpty()) {
                      return null;
                    }
                    Thread.currentThread().interrupt();
                    assertThat(held.get(0).cancel(false)).isTrue();
                    return "late";
                  })
              .orReturn(late -> rude())
              .forever()
              .hold("k"));
    }
    assertThat(purgatory.signal("k")).isZero();
  }

  private PurgatoryBuilder<String> withListeners() {
    return builder().listener(listener).listener(listener);
  }

  private void tellListeners() {
    Purgatory<String> purgatory = withListeners().build();
    HeldFuture<String> held = purgatory.<String>untilCompleted().orTimeout(LIMIT).hold("k");
    assertThat(began).as("held").hasSize(2);
    assertThat(purgatory.signal("k")).isZero();
    assertThat(began).as("signalled").hasSize(4);
    assertThat(held.complete("x")).isTrue();
    assertThat(began).as("ended").hasSize(6);
  }

  private void tellListenersOfAnAnswer() {
    assertThat(withListeners().build().until(() -> "x").forever().hold("k")).isDone();
  }

  private void tellListenersOfARefusal() {
    Limit limit = Limit.builder("one").requests(1).build();
    Purgatory<String> purgatory = builder().limit(limit).listener(listener).build();
    for (int i = 0; i < 3; i++) {
      var unused = purgatory.<String>untilCompleted().orTimeout(LIMIT).hold("k");
    }
    assertThat(limit.requests()).isEqualTo(1);
  }

  private void tellListenersOfAFailure() {
    Purgatory<String> purgatory = withListeners().build();
    RecordingOperation operation =
        new RecordingOperation(LIMIT)
            .condition(true)
            .onAnswer(
                () -> {
                  Thread.currentThread().interrupt();
                  throw new IllegalStateException("expected");
                });
    assertThat(purgatory.hold(operation, List.of("k"))).isTrue();
  }

  private void tellObservers() {
    Diagnostics diagnostics = new Diagnostics();
    diagnostics.addObserver(new Observer());
    diagnostics.addObserver(new Observer());
    assertThat(builder().diagnostics(diagnostics).build().signal("k")).isZero();
  }

  private void completeLate() {
    Replies<Integer, String> replies =
        Replies.builder("rude", Integer.class, String.class)
            .timer(timer)
            .rememberEnded(LIMIT, 10, late -> rude())
            .build();
    for (int i = 0; i < 2; i++) {
      assertThat(replies.expect(i, LIMIT).cancel(false)).isTrue();
    }
    for (int i = 0; i < 2; i++) {
      assertThat(replies.complete(i, "late")).isFalse();
    }
  }

  private final Executor rudeExecutor =
      task -> {
        rude();
        task.run();
      };

  private void answerOnAnExecutor() {
    Purgatory<String> purgatory = builder().completionExecutor(rudeExecutor).build();
    for (int i = 0; i < 2; i++) {
      var unused = purgatory.<String>untilCompleted().orTimeout(LIMIT).hold("k");
    }
    assertThat(purgatory.failForKey("k", new IllegalStateException("expected"))).hasSize(2);
  }

  private void endSessions() {
    Sessions<String, String> sessions = new Sessions<>(timer, LIMIT, end -> rude(), rudeExecutor);
    for (String key : List.of("a", "b")) {
      Session<String, String> session = sessions.open(key, "owner");
      assertThat(session.close()).isTrue();
    }
    assertThat(began).hasSize(4);
  }

  private void failTasks() {
    for (int i = 0; i < 2; i++) {
      timer.schedule(
          () -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("expected");
          },
          Duration.ZERO);
    }
    assertThat(timer.advance()).isEqualTo(2);
  }
}
