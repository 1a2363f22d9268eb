package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the published page and charts match the published results. */
class PublishedResultsTest {
  private static final Path HOME = Path.of("..");
  private static final Pattern SHOWN = Pattern.compile("charts/([\\w./-]+\\.svg)");
  private static final String PAGE =
      """
      Before.

      <!-- wake-up -->
      <!-- end -->

      <!-- chart-lateness-of-timeouts -->
      <!-- end -->

      <!-- features-targets -->
      <!-- end -->

      After.
      """;

  @TempDir private Path copy = Path.of("");

  @BeforeEach
  void publishIntoAFolder() throws IOException {
    Fonts.assumed();
    Files.createDirectories(copy.resolve("docs"));
    Files.writeString(copy.resolve("docs/benchmarks.md"), PAGE);
    Results none = new Results(SampleResults.environment(), List.of());
    ResultsJson.write(sample(/* full= */ true), results(copy, "full"));
    ResultsJson.write(sample(/* full= */ false), results(copy, "broker"));
    ResultsJson.write(TargetsTest.results(40, 100), results(copy, "features"));
    for (String run : List.of("features-17", "adapters", "adapters-17", "scaling")) {
      ResultsJson.write(none, results(copy, run));
    }
    new Publication(copy).write();
  }

  private static Results sample(boolean full) {
    List<Row> rows = new ArrayList<>();
    for (Row row : SampleResults.all().rows()) {
      boolean isLateness = row.bench().equals("late");
      rows.add(
          SampleResults.row(
              isLateness ? "lateness" : full ? "wake-up" : "broker-polls",
              row.contender(),
              row.params(),
              isLateness ? "late, p99" : full ? "held to wake-up, p50" : "CPU per request",
              row.unit(),
              row.values().stream().mapToDouble(Double::doubleValue).toArray()));
    }
    rows.removeIf(row -> !full && row.bench().equals("lateness"));
    return new Results(SampleResults.environment(), rows);
  }

  private static Path results(Path home, String run) {
    return home.resolve("benchmarks/results").resolve(run + ".json");
  }

  @Test
  void pageAndChartsMatchTheResults() throws Exception {
    assertPublished(HOME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/benchmarks.md"})
  void shownChartsExist(String page) throws IOException {
    assertThat(shown(page))
        .isNotEmpty()
        .allSatisfy(
            chart -> assertThat(HOME.resolve("docs/charts").resolve(chart)).isRegularFile());
  }

  @Test
  void existingChartsAreShown() throws IOException {
    List<String> there = new ArrayList<>();
    for (String run : Runs.CHARTED) {
      charts(HOME, run).forEach(file -> there.add(run + "/" + file.getFileName()));
    }

    assertThat(there).hasSizeLessThanOrEqualTo(8);
    assertThat(shown("docs/benchmarks.md")).containsExactlyInAnyOrderElementsOf(there);
  }

  private static List<String> shown(String page) throws IOException {
    return SHOWN
        .matcher(Files.readString(HOME.resolve(page)))
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  @Test
  void acceptsAPublishedPage() throws Exception {
    assertPublished(copy);
    assertThat(copy.resolve("docs/benchmarks.md"))
        .content()
        .startsWith("Before.\n\n<!-- wake-up -->\n| contender |")
        .contains(
            "| `purgatory` | 1, **0.33 ×** (0.333–0.333) |",
            "charts/full/lateness-of-timeouts.svg",
            "| **0.40 ×** (0.4–0.4) | 0.8 | met |",
            "**1 of 1 targets are met.**",
            "*[The full run](#the-runs), 2026-01-02, commit `0123abc`, JDK 25. 1 JVM each.*")
        .endsWith("<!-- end -->\n\nAfter.\n");
  }

  @Test
  void eachTableAndChartSaysWhereItComesFrom() throws IOException {
    String page = Files.readString(HOME.resolve("docs/benchmarks.md"));

    assertThat(count("<!-- (?!end|ages|runs|contracts|loss)[a-z0-9-]+ -->", page))
        .isGreaterThan(20)
        .isEqualTo(
            count("\\n\\*\\[The [a-z0-9-]+ run\\]", page)
                + count("\\n\\*Not measured in the published run\\.\\*", page));
  }

  @Test
  void aTableIsFilledAsSoonAsItsMeasurementIsPublished() {
    Results none = new Results(SampleResults.environment(), List.of());
    List<Row> rows = new ArrayList<>();
    for (String contender : List.of("purgatory", "map+netty")) {
      double value = contender.equals("purgatory") ? 1 : 2;
      Map<String, String> rate = Map.of("rate", "1000");
      rows.add(SampleResults.row("replies", contender, rate, "paced reply, CPU", "us", value));
      Map<String, String> pending = Map.of("pending", "10000");
      String far = "add here, cancel there, time";
      rows.add(SampleResults.row("timer-cancel", contender, pending, far, "ns", value));
    }
    Results some = new Results(SampleResults.environment(), rows);
    String page =
        "<!-- features-replies-paced -->\n<!-- end -->\n<!-- adapters-cancel -->\n<!-- end -->";

    Map<String, Results> runs = Map.of("features", none, "adapters", none);
    assertThat(count("Not measured", PublishedPage.fill(page, new Runs(runs)))).isEqualTo(2);
    runs = Map.of("features", some, "adapters", some);
    assertThat(PublishedPage.fill(page, new Runs(runs)))
        .contains(
            "| contender | CPU (µs) |",
            "| `purgatory` | 1, **0.50 ×** (0.5–0.5) against `map+netty` |",
            "*[The features run](#the-runs)",
            "| contender | time (ns) |",
            "*[The adapters run](#the-runs)")
        .doesNotContain("wake-ups", "Not measured");
  }

  private static long count(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().count();
  }

  @Test
  void detectsAnEditedTable() throws Exception {
    replace(copy.resolve("docs/benchmarks.md"), "0.33 ×", "0.23 ×");

    assertThatThrownBy(() -> assertPublished(copy)).isInstanceOf(AssertionError.class);
  }

  @Test
  void detectsAnEditedChart() throws Exception {
    replace(copy.resolve("docs/charts/full/lateness-of-timeouts.svg"), "0.11 ×", "0.10 ×");

    assertThatThrownBy(() -> assertPublished(copy)).isInstanceOf(AssertionError.class);
  }

  @Test
  void detectsAndDeletesASuperfluousChart() throws Exception {
    Path old = copy.resolve("docs/charts/full/idle-lost.svg");
    Files.copy(copy.resolve("docs/charts/full/lateness-of-timeouts.svg"), old);

    assertThatThrownBy(() -> assertPublished(copy)).isInstanceOf(AssertionError.class);
    new Publication(copy).write();
    assertThat(old).doesNotExist();
    assertPublished(copy);
  }

  @Test
  void rejectsAnUnknownPartBeforeWriting() throws Exception {
    Path page = copy.resolve("docs/benchmarks.md");
    replace(page, "<!-- wake-up -->", "<!-- nonsense -->");
    String before = Files.readString(page);

    assertThatThrownBy(() -> new Publication(copy).write())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown part 'nonsense'");
    assertThat(page).content().isEqualTo(before);
  }

  private static void replace(Path file, String old, String other) throws IOException {
    String text = Files.readString(file);
    assertThat(text).contains(old);
    Files.writeString(file, text.replace(old, other));
  }

  private static void assertPublished(Path home) throws Exception {
    Publication publication = new Publication(home);
    assertThat(publication.page()).content().isEqualTo(publication.filledPage());
    for (String run : Runs.CHARTED) {
      Map<String, String> expected = new TreeMap<>();
      for (Drawing chart : Question.charts(ResultsJson.read(results(home, run)))) {
        expected.put(chart.file(), chart.description());
      }
      assertThat(descriptions(charts(home, run))).isEqualTo(expected);
    }
  }

  /** Returns the values in charts, since their layout depends on the fonts of the machine. */
  private static Map<String, String> descriptions(List<Path> charts) throws Exception {
    Map<String, String> all = new TreeMap<>();
    for (Path chart : charts) {
      all.put(String.valueOf(chart.getFileName()), description(chart));
    }
    return all;
  }

  static String description(Path chart) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(chart.toFile())
        .getElementsByTagName("desc")
        .item(0)
        .getTextContent();
  }

  private static List<Path> charts(Path home, String run) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("docs/charts").resolve(run))) {
      return files.sorted().toList();
    }
  }
}
