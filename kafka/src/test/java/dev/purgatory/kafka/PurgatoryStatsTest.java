package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PurgatoryStatsTest {
  private final PurgatoryStats stats = new PurgatoryStats("test", 0);
  private final Object operation = new Object();

  @Test
  void countsOperationsByOutcome() {
    for (int i = 0; i < 6; i++) {
      stats.onHeld(operation);
    }
    for (int i = 0; i < 3; i++) {
      stats.onEnded(operation, Outcome.COMPLETED, null, millis(1), 0);
    }
    stats.onEnded(operation, Outcome.TIMED_OUT, null, millis(200), millis(1));
    stats.onEnded(operation, Outcome.TIMED_OUT, null, millis(200), millis(1));
    stats.onEnded(operation, Outcome.CANCELLED, null, millis(5), 0);

    assertThat(stats.getHeld()).isEqualTo(6);
    assertThat(stats.getCompleted()).isEqualTo(3);
    assertThat(stats.getExpired()).isEqualTo(2);
    assertThat(stats.getCancelled()).isOne();
  }

  @Test
  void showsTheOldestOperation_andTheNextWakeUp() {
    AtomicLong nanos = new AtomicLong();
    Timer timer = Timer.builder().ticker(nanos::get).build();
    try (Purgatory<String> purgatory = Purgatory.builder("test").timer(timer).build()) {
      stats.register(purgatory, timer);
      assertThat(stats.getOldestMillis()).isZero();
      assertThat(stats.getNextDueMillis()).isEqualTo(-1);
      var held = purgatory.untilCompleted().orTimeout(Duration.ofMinutes(1)).hold("key");
      nanos.set(millis(1_500));
      assertThat(stats.getOldestMillis()).isEqualTo(1_500);
      assertThat(stats.getNextDueMillis()).isBetween(0L, 58_500L);
      assertThat(stats.getPending()).isOne();
      nanos.set(millis(1_600));
      assertThat(stats.getOldestMillis()).as("up to a second old").isEqualTo(1_500);
      assertThat(held.cancel(false)).isTrue();
    } finally {
      stats.unregister();
    }
  }

  @Test
  void measuresTimeHeldAndLateness() throws Exception {
    for (int i = 0; i < 98; i++) {
      boolean measured = i < 6;
      stats.onEnded(operation, Outcome.COMPLETED, null, measured ? millis(10) : -1, 0);
    }
    stats.onEnded(operation, Outcome.TIMED_OUT, null, millis(200), millis(3));
    stats.onEnded(operation, Outcome.TIMED_OUT, null, millis(200), millis(3));

    assertThat(stats.getHeldMsP50()).isCloseTo(10, within(0.1));
    assertThat(stats.getHeldMsP99()).isCloseTo(200, within(2.0));
    assertThat(stats.getLatenessMsP50()).isCloseTo(3, within(0.03));
    assertThat(decoded(stats.getHeldMicrosHistogram()).getTotalCount()).isEqualTo(6 * 16 + 2);
    assertThat(decoded(stats.getLatenessMicrosHistogram()).getTotalCount()).isEqualTo(2);
  }

  @Test
  void measuresOneCompletionOfSixteen_andEachTimeout() {
    int measured = 0;
    for (int i = 0; i < 16_000; i++) {
      measured += stats.measures(Outcome.COMPLETED) ? 1 : 0;
      assertThat(stats.measures(Outcome.TIMED_OUT)).isTrue();
    }
    assertThat(measured).isBetween(700, 1_300);
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private static Histogram decoded(String encoded) throws Exception {
    byte[] bytes = Base64.getDecoder().decode(encoded);
    return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 1);
  }
}
