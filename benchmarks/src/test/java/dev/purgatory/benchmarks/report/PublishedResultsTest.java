package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.purgatory.benchmarks.results.ResultsJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the repository shows is what its results give. */
class PublishedResultsTest {
  private static final Path RESULTS = Path.of("results");
  private static final Path CHARTS = Path.of("../docs/charts");
  private static final Pattern SHOWN = Pattern.compile("[\\w./-]*charts/[\\w./-]+\\.(svg|md)");

  @Test
  void tablesAndChartsAreThoseOfTheResults() throws Exception {
    List<Path> published = files(RESULTS, ".json");
    assumeFalse(published.isEmpty(), "NOT TESTED: there are no results in benchmarks/results");
    for (Path json : published) {
      String name = name(json);
      assertPublished(json, CHARTS.resolve(name.substring(0, name.lastIndexOf('.'))));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"../README.md", "../docs/benchmarks.md"})
  void whatIsShownIsThere(Path page) throws IOException {
    assertThat(SHOWN.matcher(Files.readString(page)).results().map(MatchResult::group))
        .allSatisfy(shown -> assertThat(page.resolveSibling(shown)).isRegularFile());
  }

  @Test
  void whatIsPublishedAsItIsPasses(@TempDir Path folder) throws Exception {
    assertPublished(publish(folder), folder);
  }

  @Test
  void anEditedTableIsFound(@TempDir Path folder) throws Exception {
    Path json = publish(folder);
    replace(folder.resolve("tables.md"), "0.33 ×", "0.23 ×");

    assertThatThrownBy(() -> assertPublished(json, folder)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aChartOfOtherNumbersIsFound(@TempDir Path folder) throws Exception {
    Path json = publish(folder);
    replace(folder.resolve("idle-wake-ups.svg"), "0.33 ×", "0.23 ×");

    assertThatThrownBy(() -> assertPublished(json, folder)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aChartTooManyIsFound(@TempDir Path folder) throws Exception {
    Path json = publish(folder);
    Files.copy(folder.resolve("idle-wake-ups.svg"), folder.resolve("idle-lost.svg"));

    assertThatThrownBy(() -> assertPublished(json, folder)).isInstanceOf(AssertionError.class);
  }

  private static Path publish(Path folder) throws IOException {
    Fonts.assumed();
    Path json = folder.resolve("sample.json");
    ResultsJson.write(SampleResults.all(), json);
    Report report = Report.of(ResultsJson.read(json));
    report.writeCharts(folder);
    report.writeMarkdown(folder.resolve("tables.md"), "sample.json");
    return json;
  }

  private static void replace(Path file, String old, String other) throws IOException {
    String text = Files.readString(file);
    assertThat(text).contains(old);
    Files.writeString(file, text.replace(old, other));
  }

  private static void assertPublished(Path json, Path folder) throws Exception {
    String tables = Report.of(ResultsJson.read(json)).markdown(name(json));
    assertThat(folder.resolve("tables.md")).content().isEqualTo(tables);
    List<Panel> drawn =
        Panels.of(ResultsJson.read(json).rows()).stream().filter(Panel::isDrawn).toList();
    assertThat(files(folder, ".svg").stream().map(PublishedResultsTest::name))
        .containsExactlyInAnyOrderElementsOf(drawn.stream().map(p -> p.id() + ".svg").toList());
    for (Panel panel : drawn) {
      assertThat(description(folder.resolve(panel.id() + ".svg"))).isEqualTo(Grid.of(panel).text());
    }
  }

  /** The numbers in a chart; where they are drawn depends on the fonts of the machine. */
  private static String description(Path svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(svg.toFile())
        .getElementsByTagName("desc")
        .item(0)
        .getTextContent();
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> name(file).endsWith(ending)).sorted().toList();
    }
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }
}
