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

  /** The time just before it. */
  private long lastTouch;

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
    open(2L);
    Eventually.await(
        () -> {
          touch(2L);
          return table.size() == 1;
        });

    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(LEAST_NANOS);
    assertThat(table.touch(1L)).isFalse();
  }

  @Test
  void sessionExpiresAfterItsLastTouch() throws InterruptedException {
    open(1L);
    for (int i = 0; i < 10; i++) {
      touch(1L);
      Thread.sleep(TIMEOUT.toMillis() / 10);
    }
    Eventually.await(() -> table.size() == 0);

    assertThat(System.nanoTime() - lastTouch).isGreaterThanOrEqualTo(LEAST_NANOS);
  }

  private void open(long id) {
    lastTouch = System.nanoTime();
    table.open(id);
  }

  /** Opens the session again if this thread was stopped until it had expired. */
  private void touch(long id) {
    long before = lastTouch;
    lastTouch = System.nanoTime();
    if (!table.touch(id)) {
      assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(LEAST_NANOS);
      open(id);
    }
  }
}
