package dev.purgatory.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 ms",
    "PT0.0019S, 1 ms",
    "PT0.999S, 999 ms",
    "PT3S, 3 s",
    "PT2.199S, 2.1 s",
    "PT8M58.9S, 8 min 58 s",
    "PT2H5M59S, 2 h 5 min",
    "PT-1.5S, -1.5 s"
  })
  void durations_areWrittenForPeople(Duration duration, String text) {
    assertThat(DurationText.of(duration)).isEqualTo(text);
  }
}
