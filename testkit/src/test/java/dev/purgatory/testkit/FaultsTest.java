package dev.purgatory.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a purgatory makes of each fault. */
@Timeout(60)
class FaultsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = VirtualTime.create();
  private final List<Thread> answers = new ArrayList<>();

  @AfterEach
  void close() {
    time.close();
  }

  private final class Request extends DelayedOperation {
    Request() {
      super(SECOND);
    }

    @Override
    protected boolean isReady() {
      return false;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers.add(Thread.currentThread());
    }
  }

  private Request expire(Executor executor) {
    Purgatory<String> purgatory =
        time.builder("faults", String.class).expirationExecutor(executor).build();
    Request request = new Request();
    assertThat(purgatory.hold(request, "key")).isFalse();
    time.advance(SECOND);
    return request;
  }

  @Test
  void rejecting_anotherThreadAnswers_andTheErrorIsReported() throws InterruptedException {
    Request request = expire(Faults.atTask(1, Faults.rejecting(), Runnable::run));
    while (request.outcome() == null) {
      Thread.onSpinWait(); // the purgatory's own thread takes over
    }
    assertThat(time.takeErrors())
        .singleElement()
        .satisfies(
            event -> assertThat(event.error()).isInstanceOf(RejectedExecutionException.class));
  }

  @Test
  void dropping_operationStaysPending() {
    Request request = expire(Faults.dropping());
    assertThat(request.outcome()).isNull();
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(time::assertNothingPending)
        .withMessageContaining("#1 Request[held by faults");
  }

  @Test
  void dropping_completion_isReported() {
    Purgatory<String> purgatory =
        time.builder("faults", String.class).completionExecutor(Faults.dropping()).build();
    Request request = new Request();
    assertThat(purgatory.hold(request, "key")).isFalse();
    assertThat(request.complete()).isTrue();
    assertThat(purgatory.pending()).isZero();
    assertThat(answers).isEmpty();
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(time::assertNothingPending)
        .withMessageContaining("operations that are not answered:\n    #1 Request[COMPLETED]");
  }

  @Test
  void twice_operationIsAnsweredOnce() {
    assertThat(expire(Faults.twice(Runnable::run)).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(answers).hasSize(1);
    time.assertNoErrors();
  }

  @Test
  void twice_runsATaskTwice() {
    List<String> ran = new ArrayList<>();
    Faults.twice(time.executor()).execute(() -> ran.add("task"));
    time.advance(Duration.ZERO);
    assertThat(ran).hasSize(2);
  }

  @Test
  void delayed_operationStaysPendingUntilThen() {
    Request request = expire(time.executor(SECOND));
    assertThat(request.outcome()).isNull();
    assertThat(time.advance(SECOND)).hasToString("[2s faults: #1 TIMED_OUT, held for 2s, 1s late]");
  }

  @Test
  void onAnotherThread_answersThere() {
    expire(Faults.onAnotherThread());
    assertThat(answers)
        .singleElement()
        .satisfies(thread -> assertThat(thread.getName()).isEqualTo("test-executor"));
  }

  @Test
  void onAnotherThread_interrupted_keepsTheStatus() {
    Thread.currentThread().interrupt();
    Faults.onAnotherThread().execute(() -> {});
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void atTask_failsForThatTaskOnly() {
    List<Integer> ran = new ArrayList<>();
    Executor executor = Faults.atTask(2, Faults.dropping(), Runnable::run);
    for (int i = 1; i <= 4; i++) {
      int number = i;
      executor.execute(() -> ran.add(number));
    }
    assertThat(ran).containsExactly(1, 3, 4);
  }

  @Test
  void throwingAt_signal_failsTheRequest() {
    RuntimeException error = new IllegalStateException("broken");
    Purgatory<String> purgatory = time.purgatory("faults", String.class);
    Supplier<@Nullable String> condition = Faults.throwingAt(3, error, () -> null);
    HeldFuture<String> request = purgatory.<String>until(condition).forever().hold("key");
    assertThat(request.outcome()).isNull();
    purgatory.signal("key");
    assertThat(request.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(request.cause()).isSameAs(error);
    assertThat(condition.get()).as("after the fault").isNull();
  }

  @Test
  void numberBelowOne_isRejected() {
    assertThatThrownBy(() -> Faults.throwingAt(0, new RuntimeException(), () -> ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("number 0 is less than 1");
    assertThatThrownBy(() -> Faults.atTask(-1, Faults.dropping(), Runnable::run))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
