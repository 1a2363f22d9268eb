package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PurgatoryStatsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong oldest = new AtomicLong();
  private final Timer timer = Timer.builder().ticker(nanos::get).build();
  private final PurgatoryStats stats =
      new PurgatoryStats("test", 0, TimerInternals.of(timer).wheels(), () -> 7, oldest::get);

  @Test
  void countsOperationsByOutcome() {
    for (int i = 0; i < 7; i++) {
      stats.held();
    }
    for (int i = 0; i < 3; i++) {
      stats.completed();
    }
    stats.expired(millis(200), millis(1));
    stats.expired(millis(200), millis(1));
    stats.cancelled();

    assertThat(stats.getHeld()).isEqualTo(7);
    assertThat(stats.getCompleted()).isEqualTo(3);
    assertThat(stats.getExpired()).isEqualTo(2);
    assertThat(stats.getCancelled()).isOne();
    assertThat(stats.getPending()).isOne();
    assertThat(stats.getWatched()).isEqualTo(7);
  }

  @Test
  void showsTheOldestOperation_andTheNextWakeUp() {
    assertThat(stats.getOldestMillis()).isZero();
    assertThat(stats.getNextDueMillis()).isEqualTo(-1);
    Timeout timeout = timer.schedule(() -> {}, Duration.ofMinutes(1));
    nanos.set(millis(1_500));
    oldest.set(millis(1_400));
    assertThat(stats.getOldestMillis()).isEqualTo(1_400);
    assertThat(stats.getNextDueMillis()).isBetween(0L, 58_500L);
    nanos.set(millis(1_600));
    oldest.set(millis(1_500));
    assertThat(stats.getOldestMillis()).as("up to a second old").isEqualTo(1_400);
    assertThat(timeout.cancel()).isTrue();
  }

  @Test
  void measuresTimeHeldAndLateness() throws Exception {
    int measured = 0;
    for (int i = 0; i < 16_000; i++) {
      if (stats.completed()) {
        stats.measured(millis(10));
        measured++;
      }
    }
    stats.expired(millis(200), millis(3));
    stats.expired(millis(200), millis(3));

    assertThat(measured).as("one of sixteen").isBetween(700, 1_300);
    assertThat(stats.getHeldMsP50()).isCloseTo(10, within(0.1));
    assertThat(stats.getLatenessMsP50()).isCloseTo(3, within(0.03));
    assertThat(decoded(stats.getHeldMicrosHistogram()).getTotalCount())
        .isEqualTo(measured * 16 + 2);
    assertThat(decoded(stats.getLatenessMicrosHistogram()).getTotalCount()).isEqualTo(2);
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private static Histogram decoded(String encoded) throws Exception {
    byte[] bytes = Base64.getDecoder().decode(encoded);
    return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 1);
  }
}
