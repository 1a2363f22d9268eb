package dev.purgatory.benchmarks.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TimersTest {
  private static final long DELAY_NANOS = TimeUnit.MICROSECONDS.toNanos(50_500);

  /** How early Kafka's and Netty's timers may be. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  @ParameterizedTest
  @EnumSource(Timers.class)
  void runsTasksAfterTheirDelayIfItHasAThread(Timers timer) throws Exception {
    if (!timer.isAvailable()) {
      return;
    }
    CountDownLatch ran = new CountDownLatch(1);
    try (BareTimer started = timer.start()) {
      if (timer.runsTasks()) {
        long start = System.nanoTime();
        started.schedule(DELAY_NANOS, ran::countDown);
        assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(DELAY_NANOS - TICK_NANOS);
      } else {
        assertThatThrownBy(() -> started.schedule(DELAY_NANOS, ran::countDown))
            .isInstanceOf(UnsupportedOperationException.class);
      }
    }
  }
}
