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

/** The contract of all contenders that limit stages. */
@ParameterizedClass
@MethodSource("rivals")
class StageLimitsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final StageLimits limits;
  private final CompletableFuture<Object> stage = new CompletableFuture<>();

  StageLimitsTest(Rival<StageLimits> rival) {
    limits = rival.start().get();
  }

  static Stream<Rival<StageLimits>> rivals() {
    return Lineup.LIMITS.rivals().stream();
  }

  @AfterEach
  void close() {
    limits.close();
  }

  @Test
  void completesAsTheStageDoes() {
    CompletableFuture<Object> limited = limits.limit(stage, LONG);
    assertThat(limited).isNotDone();

    stage.complete("answer");

    assertThat(limited).isCompletedWithValue("answer");
  }

  @Test
  void failsAsTheStageDoes() {
    CompletableFuture<Object> limited = limits.limit(stage, LONG);

    stage.completeExceptionally(new IOException("failed"));

    assertThatThrownBy(limited::get).hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void timesOut() throws InterruptedException {
    CompletableFuture<Object> limited = limits.limit(stage, Duration.ofMillis(20));
    Eventually.await(limited::isDone);

    assertThatThrownBy(limited::get).hasRootCauseInstanceOf(TimeoutException.class);
  }
}
