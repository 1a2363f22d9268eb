package dev.purgatory.benchmarks.feature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.Eventually;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of all contenders that keep sessions. */
@ParameterizedClass
@MethodSource("rivals")
class SessionTableTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /** Netty rounds the clock down to milliseconds. */
  private static final long LEAST_NANOS = TIMEOUT.minusMillis(1).toNanos();

  private final SessionTable table;

  SessionTableTest(Rival<SessionTable.Start> rival) {
    table = rival.start().get().start(TIMEOUT);
  }

  static Stream<Rival<SessionTable.Start>> rivals() {
    return Lineup.SESSIONS.rivals().stream();
  }

  @AfterEach
  void close() {
    table.close();
  }

  @Test
  void unknownSessionIsNotTouched() {
    assertThat(table.touch(1L)).isFalse();
    assertThat(table.size()).isZero();
  }

  @Test
  void sessionExpiresUnlessItIsTouched() throws InterruptedException {
    long begin = System.nanoTime();
    table.open(1L);
    table.open(2L);
    Eventually.await(
        () -> {
          table.touch(2L);
          return table.size() == 1;
        });

    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(LEAST_NANOS);
    assertThat(table.touch(1L)).isFalse();
    assertThat(table.touch(2L)).isTrue();
  }

  @Test
  void sessionExpiresAfterItsLastTouch() throws InterruptedException {
    table.open(1L);
    long last = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      last = System.nanoTime();
      assertThat(table.touch(1L)).isTrue();
      Thread.sleep(TIMEOUT.toMillis() / 10);
    }
    Eventually.await(() -> table.size() == 0);

    assertThat(System.nanoTime() - last).isGreaterThanOrEqualTo(LEAST_NANOS);
  }
}
