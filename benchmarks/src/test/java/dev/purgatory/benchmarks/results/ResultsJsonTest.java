package dev.purgatory.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsJsonTest {
  private static final Environment HERE =
      new Environment("2026-01-01T00:00:00Z", "abc", "bench", "quick", "25", "Linux", "x", 2, 1L);

  @Test
  void readsWhatItWrote(@TempDir Path folder) throws IOException {
    Map<String, String> params = new LinkedHashMap<>();
    params.put("rate", "10000");
    params.put("mix", "low");
    Row row = new Row("enqueue", "floor", params, "CPU", "us", false, List.of(0.25, 3.0));
    Path file = folder.resolve("new/results.json");

    ResultsJson.write(new Results(HERE, List.of(row)), file);

    assertThat(ResultsJson.read(file)).isEqualTo(new Results(HERE, List.of(row)));
    assertThat(ResultsJson.read(file).rows().get(0).params().keySet())
        .containsExactly("rate", "mix");
  }

  @Test
  void rejectsOtherFiles(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("other.json"), "[1]");

    assertThatThrownBy(() -> ResultsJson.read(file)).isInstanceOf(IOException.class);
  }

  @Test
  void computesMedianMinimumAndMaximum() {
    assertThat(row(3, 1, 2).median()).isEqualTo(2);
    assertThat(row(4, 1, 2, 3).median()).isEqualTo(2.5);
    assertThat(row(4, 1, 2, 3).min()).isEqualTo(1);
    assertThat(row(4, 1, 2, 3).max()).isEqualTo(4);
    assertThatThrownBy(() -> row()).isInstanceOf(IllegalArgumentException.class);
  }

  private static Row row(double... values) {
    List<Double> list = Arrays.stream(values).boxed().toList();
    return new Row("bench", "floor", Map.of(), "metric", "ms", false, list);
  }
}
