package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SoakReportTest {
  @Test
  void oneMinute_isNotOneMinutes() {
    assertThat(SoakReport.minutes(1)).isEqualTo("1 minute");
    assertThat(SoakReport.minutes(10)).isEqualTo("10 minutes");
  }
}
