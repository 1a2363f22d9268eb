package dev.purgatory.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

  private static void reject(Runnable task) {
    throw new RejectedExecutionException("expected");
  }

  @Test
  void rejecting_anotherThreadAnswers_andTheErrorIsReported() throws InterruptedException {
    Request request = expire(FaultsTest::reject);
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
    Request request = expire(task -> {});
    assertThat(request.outcome()).isNull();
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(time::assertNothingPending)
        .withMessageContaining("#1 Request[held by faults");
  }

  @Test
  void dropping_completion_isReported() {
    Purgatory<String> purgatory =
        time.builder("faults", String.class).completionExecutor(task -> {}).build();
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
    Executor twice =
        task -> {
          task.run();
          task.run();
        };
    assertThat(expire(twice).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(answers).hasSize(1);
    time.assertNoErrors();
  }

  @Test
  void delayed_operationStaysPendingUntilThen() {
    Request request = expire(time.executor(SECOND));
    assertThat(request.outcome()).isNull();
    assertThat(time.advance(SECOND)).hasToString("[2s faults: #1 TIMED_OUT, held for 2s, 1s late]");
  }
}
