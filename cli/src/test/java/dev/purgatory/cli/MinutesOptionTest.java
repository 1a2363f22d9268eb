package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MinutesOptionTest {
  @Test
  void oneMinute_isNotOneMinutes() {
    assertThat(MinutesOption.text(1)).isEqualTo("1 minute");
    assertThat(MinutesOption.text(10)).isEqualTo("10 minutes");
  }
}
