package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that work that found no memory is repeated by the clock. */
class RetryTest {
  private static final Duration REST = Duration.ofMillis(10);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final AtomicInteger looks = new AtomicInteger();

  private Retry retry(Timer of, Runnable look) {
    return new Retry(WheelsView.wheels(of)) {
      @Override
      protected void look() {
        looks.incrementAndGet();
        look.run();
      }
    };
  }

  private void rest() {
    ticker.advance(REST);
    timer.advance();
  }

  @Test
  void retry_runsOnce_howeverOftenItIsRequested() {
    Retry one = retry(timer, () -> {});
    Retry other = retry(timer, () -> {});
    one.later();
    other.later();
    one.later();
    timer.advance();
    assertThat(looks).hasValue(0);
    assertThat(timer.nextDue()).isEqualTo(REST.toNanos());
    rest();
    assertThat(looks).hasValue(2);
    assertThat(timer.nextDue()).isEqualTo(Long.MAX_VALUE);
    assertThat(timer.size()).isZero();
    one.later();
    rest();
    assertThat(looks).hasValue(3);
  }

  @Test
  void lookThatFails_orRequestsAnother_isRepeated() {
    Retry[] self = new Retry[1];
    self[0] =
        retry(
            timer,
            () -> {
              if (looks.get() == 1) {
                throw new OutOfMemoryError("expected");
              }
              if (looks.get() == 2) {
                self[0].later();
              }
            });
    self[0].later();
    for (int i = 1; i <= 3; i++) {
      rest();
      assertThat(looks).hasValue(i);
    }
    rest();
    assertThat(looks).hasValue(3);
  }

  @Test
  void retryOnAnIdleTimer_startsItsThread_whichRunsIt() {
    Timer running = Timer.builder().start("retries");
    retry(running, () -> {}).later();
    Threads.until(() -> looks.get() == 1);
    running.close();
  }

  @Test
  void closedTimer_runsNone() {
    retry(timer, () -> {}).later();
    timer.close();
    rest();
    assertThat(looks).hasValue(0);
    assertThat(timer.nextDue()).isEqualTo(Long.MAX_VALUE);
  }
}
