package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Runs together with our own tests and with Kafka's; the guard must be active in both. */
class ReplacedClassesGuardTest {

  @Test
  void isActive() {
    assertThat(ReplacedClassesGuard.EXPECTED_ORIGIN).isNotBlank();
    assertThat(ReplacedClassesGuard.isActive()).isTrue();
  }
}
