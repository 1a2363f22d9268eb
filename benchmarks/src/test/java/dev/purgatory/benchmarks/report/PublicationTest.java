package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the published pages and charts match the published results. */
class PublicationTest {
  private static final Path HOME = Path.of("..");
  private static final Path PAGE = Path.of("docs/benchmarks.md");
  private static final Pattern SHOWN = Pattern.compile("\\]\\(([\\w./-]+\\.svg)\\)");

  /** A number with a unit or a ratio, which only a generated part may have. */
  private static final Pattern FIGURE =
      Pattern.compile("\\d ?(%|×|ns|µs|us|bytes|KiB|MiB|requests/s)(?!\\w)|\\d\\.\\d times");

  @TempDir private Path copy = Path.of("");

  @Test
  void pagesAndChartsMatchTheResults() throws IOException {
    assertPublished(HOME);
  }

  /** A line that names no measured value would be empty. */
  @Test
  void eachLineOfThePageHasItsFigures() throws IOException {
    assertThat(HOME.resolve(PAGE)).content().doesNotContain("| – |", ":** –");
  }

  @Test
  void thePageIsShort_andHasNoFigureThatIsNotGenerated() throws IOException {
    String page = Files.readString(HOME.resolve(PAGE));
    String written = page.replaceAll("(?s)<!-- [a-z-]+ -->\\n.*?<!-- end -->", "");
    // The rules have limits of their own.
    String figures = written.replaceAll("(?s)## Rules.*?\\n\\n.*?\\n\\n", "");

    assertThat(page.lines()).hasSizeLessThan(150);
    assertThat(FIGURE.matcher(figures).results().map(found -> found.group())).isEmpty();
  }

  /**
   * The page for operators estimates the heap by the bytes of an entry that an ended poll leaves.
   */
  @Test
  void bytesOfAnEntry_areThoseOfTheRun() throws IOException {
    Results run = ResultsJson.read(HOME.resolve("benchmarks/results/purge-interval.json"));
    double entries = 1_000 * grown(run, "ended polls still reachable");
    long bytes = 10 * Math.round(grown(run, "heap after a collection") / entries / 10);
    assertThat(HOME.resolve("docs/operators/kafka-operators.md"))
        .content()
        .contains("about " + bytes + " bytes × this peak");
  }

  /**
   * Returns by how much a value of stock Kafka grew from the first step to the last before a purge.
   */
  private static double grown(Results run, String metric) {
    return value(run, metric, "12") - value(run, metric, "1");
  }

  private static double value(Results run, String metric, String step) {
    return run.rows("broker-retained", metric, Map.of("step", step))
        .filter(row -> row.contender().equals("kafka"))
        .mapToDouble(row -> row.values().get(0))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachChartIsShown_andEachShownChartExists() throws IOException {
    List<Path> shown;
    try (Stream<Path> pages =
        Files.find(
            HOME.resolve("docs"), 3, (file, attributes) -> file.toString().endsWith(".md"))) {
      shown =
          pages
              .flatMap(
                  page -> SHOWN.matcher(read(page)).results().map(at -> file(page, at.group(1))))
              .toList();
    }
    assertThat(shown).allSatisfy(chart -> assertThat(chart).isRegularFile());
    try (Stream<Path> charts =
        Files.find(
            HOME.resolve("docs/charts"), 3, (file, unused) -> file.toString().endsWith(".svg"))) {
      assertThat(charts.map(Path::normalize)).isSubsetOf(shown);
    }
  }

  private static Path file(Path page, String link) {
    return page.resolveSibling(link).normalize();
  }

  private static String read(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void figuresAreThoseOfTheRun() throws IOException {
    publish("<!-- against-code-by-hand -->\n<!-- end -->\n\n<!-- all-numbers -->\n<!-- end -->");

    assertThat(copy.resolve(PAGE))
        .content()
        .contains(
            "| await and complete a reply (ns) | `purgatory` | `map+netty` | 30 and 20 |"
                + " **1.50 ×** | 2 | – | – | – |",
            "| touch a session (ns) | `purgatory` | `map+sweep` | – | – | – | 8 and 4 |"
                + " **2.00 ×** | 1 |",
            "| 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 0 | 2 |");
    assertThat(copy.resolve("docs/evidence/benchmarks-all.md"))
        .content()
        .contains(
            "## features\n", "commit `0123abcd`", "| replies: reply, time (ns) | `purgatory` |");
    assertPublished(copy);
  }

  @Test
  void detectsAnEditedFigure() throws IOException {
    publish("<!-- against-code-by-hand -->\n<!-- end -->");
    Path page = copy.resolve(PAGE);
    Files.writeString(page, Files.readString(page).replace("1.50 ×", "0.50 ×"));

    assertThatThrownBy(() -> assertPublished(copy)).isInstanceOf(AssertionError.class);
  }

  @Test
  void rejectsAnUnknownPartBeforeWriting() {
    String page = "<!-- losses -->\n<!-- end -->\n<!-- nonsense -->\n<!-- end -->\n";

    assertThatThrownBy(() -> publish(page))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown part 'nonsense'");
    assertThat(copy.resolve(PAGE)).content().isEqualTo(page);
  }

  private void publish(String page) throws IOException {
    Files.createDirectories(copy.resolve("docs"));
    Files.writeString(copy.resolve(PAGE), page);
    Row ours = row("replies", "purgatory", Map.of(), "reply, time", "ns", 30, 30);
    Row netty = row("replies", "map+netty", Map.of(), "reply, time", "ns", 20, 20);
    write("features", SampleResults.of(ours, netty));
    Row touch = row("sessions", "purgatory", Map.of(), "touch, time", "ns", 8);
    Row sweep = row("sessions", "map+sweep", Map.of(), "touch, time", "ns", 4);
    write("features-17", SampleResults.of(touch, sweep));
    assertThat(new Publication(copy).write()).contains(copy.resolve(PAGE));
  }

  private void write(String run, Results results) throws IOException {
    ResultsJson.write(results, copy.resolve("benchmarks/results").resolve(run + ".json"));
  }

  private static void assertPublished(Path home) throws IOException {
    for (Map.Entry<Path, String> file : new Publication(home).files().entrySet()) {
      assertThat(Files.readString(file.getKey()).equals(file.getValue()))
          .as("%s is up to date; ./purgatory bench publish makes it so", file.getKey())
          .isTrue();
    }
  }
}
