package dev.purgatory.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleTest {
  @Test
  void parsesPrintedSamples() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Output out = new Output(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    out.with("mix", "low").with("rate", 10).lowerIsBetter("late, p99", "ms", 0.25);

    String line = bytes.toString(StandardCharsets.UTF_8).strip();
    Sample sample = Sample.parse(line);
    assertThat(sample)
        .isEqualTo(new Sample(Map.of("mix", "low", "rate", "10"), "late, p99", "ms", false, 0.25));
    assertThat(sample.params().keySet()).containsExactly("mix", "rate");
  }

  @Test
  void parsesSamplesWithoutParameters() {
    Sample sample = new Sample(Map.of(), "wake-ups", "1/s", true, 1e12);

    assertThat(Sample.parse(sample.line())).isEqualTo(sample);
  }

  @Test
  void findsTheLastAnnouncedConfiguration() {
    String first = Sample.beginning(Map.of("rate", "1"));
    String second = Sample.beginning(Map.of("rate", "2"));

    assertThat(Sample.lastBegun(List.of("x"))).isEmpty();
    assertThat(Sample.lastBegun(List.of(first, second, "x"))).isEqualTo(Map.of("rate", "2"));
  }

  @Test
  void rejectsOtherLines() {
    assertThat(Sample.isLine("note\tsomething")).isFalse();
    assertThatThrownBy(() -> Sample.parse("sample\tbroken"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("broken");
  }
}
