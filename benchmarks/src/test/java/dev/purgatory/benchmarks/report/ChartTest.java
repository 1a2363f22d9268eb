package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Row;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ChartTest {
  private static final List<String> NOTES = List.of("Lower is better.");
  private static final Pattern COORDINATE =
      Pattern.compile("(?: [xy]| c[xy]|width)=\"([-\\d.]+)\"|points=\"([-\\d., ]+)\"");

  private static Row late(String contender, int pending, double... millis) {
    return row("lateness", contender, Map.of("pending", "" + pending), "late, p99", "ms", millis);
  }

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String contender : List.of("purgatory", "kafka", "<odd & new>")) {
      for (int pending : List.of(10_000, 100_000, 1_000_000)) {
        rows.add(late(contender, pending, pending / 1e4, pending / 5e3));
      }
    }
    return rows;
  }

  private static String draw(String title, List<Row> rows, boolean isLogarithmic) {
    return new Chart(rows, "pending", isLogarithmic, 1).draw(title, NOTES);
  }

  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  @Test
  void aLineForEachContender_withItsValuesAsText() throws Exception {
    String svg = draw("Late <ms>", rows(), true);
    Document chart = parsed(svg);

    assertThat(chart.getElementsByTagName("polyline").getLength()).isEqualTo(3);
    assertThat(chart.getElementsByTagName("circle").getLength()).isEqualTo(9);
    assertThat(chart.getElementsByTagName("title").item(0).getTextContent()).isEqualTo("Late <ms>");
    assertThat(chart.getElementsByTagName("desc").item(0).getTextContent())
        .startsWith("purgatory 10,000: 1.5, 100,000: 15, 1,000,000: 150; kafka 10,000: 1.5, ")
        .contains("<odd & new>");
    assertInside(svg);
  }

  @Test
  void manyValues_areALineWithoutPoints() throws Exception {
    List<Row> all = IntStream.range(0, 600).mapToObj(i -> late("purgatory", i, 1 + i % 7)).toList();
    Document chart = parsed(draw("Late", all, false));

    assertThat(chart.getElementsByTagName("polyline").getLength()).isEqualTo(1);
    assertThat(chart.getElementsByTagName("circle").getLength()).isZero();
  }

  @Test
  void sameValuesGiveTheSameText() {
    assertThat(draw("Late", rows(), true)).isEqualTo(draw("Late", rows(), true));
  }

  /** Checks that nothing is drawn outside the chart. */
  private static void assertInside(String svg) {
    assertThat(
            COORDINATE
                .matcher(svg)
                .results()
                .flatMap(
                    found ->
                        Pattern.compile("[ ,]")
                            .splitAsStream(
                                found.group(1) == null ? found.group(2) : found.group(1))))
        .isNotEmpty()
        .allSatisfy(number -> assertThat(Double.parseDouble(number)).isBetween(0.0, 800.0));
  }
}
