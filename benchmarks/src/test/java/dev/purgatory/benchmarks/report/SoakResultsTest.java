package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the soaks of the library and of answers on docs/evidence/reliability.md. */
class SoakResultsTest {
  private static final Path DOCS = Path.of("../docs/evidence");

  private static Results soak() throws Exception {
    return ResultsJson.read(DOCS.resolve("reliability/library-soak.json"));
  }

  private static String page() throws Exception {
    return Files.readString(DOCS.resolve("reliability.md"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "heap after a collection, nothing pending | MB | 1e6",
        "entries and keys kept, nothing pending   |    | 1",
        "threads                                  |    | 1",
        "lateness of timeouts, p99                | ms | 1e6"
      })
  void tableMatchesTheSamples(String metric, String unit, double factor) throws Exception {
    List<Row> samples = soak().rows().stream().filter(row -> row.metric().equals(metric)).toList();
    String thirds =
        IntStream.range(0, 3)
            .mapToObj(i -> samples.subList(i * samples.size() / 3, (i + 1) * samples.size() / 3))
            .map(third -> cell(third, factor))
            .collect(joining(" | "));
    String name = unit == null ? metric : metric + " (" + unit + ")";
    assertThat(page()).contains("| " + name + " | " + thirds + " |");
  }

  private static String cell(List<Row> third, double factor) {
    double[] values = third.stream().mapToDouble(Row::median).sorted().toArray();
    Row all = SampleResults.row("", "", Map.of(), "", "", values);
    return Numbers.brief(all.median() / factor) + ", " + brief(all.max() / factor);
  }

  private static String brief(double value) {
    return value >= 1000 ? Numbers.text(value) : Numbers.brief(value);
  }

  /** {@code ./purgatory bench chart docs/evidence/reliability/library-soak.json} draws them. */
  @Test
  void chartsMatchTheSamples() throws Exception {
    Results soak = soak();
    int shown = 0;
    for (Panel panel : Panels.of(soak.rows())) {
      Drawing drawing = Drawing.of(panel, soak.environment());
      Path file = DOCS.resolve("reliability").resolve(drawing.file());
      if (page().contains("(reliability/" + drawing.file() + ")")) {
        assertThat(PublishedResultsTest.description(file)).isEqualTo(drawing.description());
        shown++;
      }
    }
    assertThat(shown).isEqualTo(3);
  }

  @Test
  void soakOfAnswers_matchesItsFigures() throws Exception {
    Results soak = ResultsJson.read(DOCS.resolve("reliability/answers-soak.json"));
    String date = soak.environment().date().substring(0, 10);
    String commit = soak.environment().commit().substring(0, 7);
    assertThat(page())
        .contains("of " + date + " (commit `" + commit + "`, [raw figures]")
        .containsPattern(
            "\\| `--seed 42` \\| 10 .* \\| " + figure(soak, "ids answered") + " \\|.*\\| 0 \\|")
        .contains(figure(soak, "latency, p50") + " ms (p50)")
        .contains(figure(soak, "latency, p99") + " ms (p99)")
        .contains("read " + figure(soak, "records read for each written") + " records");
    assertThat(figure(soak, "violations")).isEqualTo("0");
  }

  private static String figure(Results results, String metric) {
    return results.rows().stream()
        .filter(row -> row.metric().equals(metric))
        .map(row -> brief(row.median()))
        .collect(joining());
  }

  @Test
  void pageNamesTheRun() throws Exception {
    String date = soak().environment().date().substring(0, 10);
    String commit = soak().environment().commit().substring(0, 7);
    assertThat(page()).contains("of " + date + " (commit `" + commit + "`)");
  }
}
