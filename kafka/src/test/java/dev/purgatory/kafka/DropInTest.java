package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropInTest {
  @ParameterizedTest
  @ValueSource(strings = {"2.8.2", "3.9.1", "4.0.0", "4.0.1"})
  void olderKafka_isRefusedWithTheReason(String version) {
    assertThatThrownBy(() -> DropIn.check(version))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("needs Kafka 4.1", "this is Kafka " + version, "without");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.1.0", "4.4.0", "4.10.0", "5.0.0", "10.1.0", "unknown"})
  void supportedKafka_isAccepted(String version) {
    assertThatCode(() -> DropIn.check(version)).doesNotThrowAnyException();
  }
}
