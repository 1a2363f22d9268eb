package dev.purgatory.base;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.LogRecorder;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LastResortTest {
  private static final int MAX_PER_SECOND = 10;

  private final IllegalStateException error = new IllegalStateException("expected");
  private final LogRecorder log = new LogRecorder();

  LastResortTest() throws ReflectiveOperationException {}

  @AfterEach
  void stopRecording() throws ReflectiveOperationException {
    log.close();
  }

  @Test
  void log_burst_logsTenErrorsPerSecond() {
    long begin = System.nanoTime();
    for (int i = 0; i < 20_000; i++) {
      LastResort.handler("A burst").accept(error);
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + 1;
    assertThat(log.messages().size()).isLessThanOrEqualTo((int) (seconds + 1) * MAX_PER_SECOND);
  }

  @Test
  void log_burstContinuesInTheNextSecond_reportsHowManyWereNotLogged() {
    long calls = 0;
    do {
      LastResort.handler("A long burst").accept(error);
      calls++;
    } while (log.messages().stream()
        .noneMatch(each -> each.matches("A long burst \\([1-9].* not logged\\)")));
    assertThat(calls).isGreaterThanOrEqualTo(log.messages().size());
  }
}
