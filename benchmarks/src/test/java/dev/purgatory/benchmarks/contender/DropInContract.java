package dev.purgatory.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.junit.jupiter.api.Test;

/** Runs apart from all other tests, with the drop-in first on the class path. */
class DropInContract extends ContenderContract {
  @Override
  Contenders named() {
    return Contenders.PURGATORY_KAFKA;
  }

  @Override
  Duration earliness() {
    return Duration.ZERO;
  }

  @Test
  void itIsTheDropIn() {
    assertThat(jarOf(DelayedOperationPurgatory.class)).endsWith("/purgatory-kafka.jar");
    assertThat(jarOf(SystemTimer.class)).endsWith("/purgatory-kafka.jar");
  }

  private static String jarOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
