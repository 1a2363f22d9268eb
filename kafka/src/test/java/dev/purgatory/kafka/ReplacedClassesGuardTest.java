package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Runs with our own tests and with Kafka's: in both, the guard must have been there first. */
class ReplacedClassesGuardTest {

  @Test
  void isActive() {
    assertThat(ReplacedClassesGuard.EXPECTED_ORIGIN).isNotBlank();
    assertThat(ReplacedClassesGuard.isActive()).isTrue();
  }
}
