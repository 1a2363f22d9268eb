package dev.purgatory.benchmarks.feature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of all contenders that put timeouts on stages. */
@ParameterizedClass
@MethodSource("rivals")
class StageTimeoutsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final StageTimeouts timeouts;
  private final CompletableFuture<Object> stage = new CompletableFuture<>();

  StageTimeoutsTest(Rival<StageTimeouts> rival) {
    timeouts = rival.start().get();
  }

  static Stream<Rival<StageTimeouts>> rivals() {
    return Lineup.STAGE_TIMEOUTS.rivals().stream();
  }

  @AfterEach
  void close() {
    timeouts.close();
  }

  @Test
  void completesAsTheStageDoes() {
    CompletableFuture<Object> timed = timeouts.timeout(stage, LONG);
    assertThat(timed).isNotDone();

    stage.complete("answer");

    assertThat(timed).isCompletedWithValue("answer");
  }

  @Test
  void failsAsTheStageDoes() {
    CompletableFuture<Object> timed = timeouts.timeout(stage, LONG);

    stage.completeExceptionally(new IOException("failed"));

    assertThatThrownBy(timed::get).hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void timesOut() throws InterruptedException {
    CompletableFuture<Object> timed = timeouts.timeout(stage, Duration.ofMillis(20));
    Eventually.await(timed::isDone);

    assertThatThrownBy(timed::get).hasRootCauseInstanceOf(TimeoutException.class);
  }
}
