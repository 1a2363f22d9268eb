package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  @BeforeAll
  static void assumeFonts() {
    Fonts.assumed();
  }

  private static final Pattern LOADS =
      Pattern.compile(
          "\\s(src|srcset|xlink:href)\\s*=|@import|url\\((?!['\"]?#)|<(script|link|img)");

  @Test
  void pageIsSelfContained() {
    String html = Report.of(SampleResults.all()).html();
    assertThat(html.replace(SvgChart.NAMESPACE, "")).doesNotContain("http:", "https:", "//www");
    assertThat(html).doesNotContainPattern(LOADS);
  }

  @Test
  void pageHasASectionAndATableForEachMeasurement() {
    String html = Report.of(SampleResults.all()).html();
    assertThat(html).contains("<h2>", "idle", "late");
    assertThat(html.split("<svg ")).hasSize(3);
    assertThat(html.split("<table>")).hasSize(3);
    assertThat(html).contains("<td>purgatory</td>", "<td>&lt;odd &amp; new&gt;</td>");
  }

  @Test
  void describesPanelsWithoutNonZeroValues() {
    String html = Report.of(SampleResults.all()).html();
    assertThat(html).contains("<p>Lost: 0 for purgatory, purgatory-kafka, kafka,");
  }

  @Test
  void pageShowsTheEnvironment() {
    String html = Report.of(SampleResults.all()).html();
    assertThat(html)
        .contains(
            "./purgatory bench --only &quot;late&quot;",
            "0123abc",
            "A &lt;JDK&gt; 25",
            "A CPU, 2 cores",
            "8 GiB");
  }

  @Test
  void idsOnThePageAreUnique() {
    String html = Report.of(SampleResults.all()).html();
    assertThat(Pattern.compile(" id=\"([^\"]*)\"").matcher(html).results().map(m -> m.group(1)))
        .doesNotHaveDuplicates();
  }

  @Test
  void writesChartsToFiles(@TempDir Path folder) throws IOException {
    List<Path> files = Report.of(SampleResults.all()).writeCharts(folder.resolve("new/charts"));
    assertThat(files.stream().map(file -> file.getFileName().toString()))
        .containsExactly("idle-wake-ups.svg", "late-p99.svg");
    assertThat(Files.readString(files.get(0))).startsWith("<svg ").endsWith("</svg>\n");
  }

  @Test
  void pageWithoutResultsHasNoCharts() {
    Report report = Report.of(new Results(SampleResults.environment(), List.of()));
    assertThat(report.tables()).isEmpty();
    assertThat(report.html()).doesNotContain("<svg");
  }
}
