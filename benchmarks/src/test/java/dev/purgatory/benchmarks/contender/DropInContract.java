package dev.purgatory.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs in a separate JVM, with the drop-in first on the class path. */
@ParameterizedClass
@MethodSource("contenders")
class DropInContract extends ContenderContract {
  DropInContract(Contenders named) {
    super(named);
  }

  static Stream<Contenders> contenders() {
    return Stream.of(Contenders.values()).filter(Contenders::needsDropIn);
  }

  @Test
  void runsOnTheDropIn() {
    assertThat(jarOf(DelayedOperationPurgatory.class)).endsWith("/purgatory-kafka.jar");
    assertThat(jarOf(SystemTimer.class)).endsWith("/purgatory-kafka.jar");
  }

  private static String jarOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
