package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Row;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class SvgChartTest {

  @BeforeAll
  static void assumeFonts() {
    Fonts.assumed();
  }

  private static final Pattern NO_NUMBER = Pattern.compile("[\"\\s,](NaN|-?Infinity)");

  private static Element parsed(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    return factory
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)))
        .getDocumentElement();
  }

  private static String svg(Panel panel) {
    return SvgChart.of(Drawing.of(panel, SampleResults.environment()));
  }

  private static Panel panel(Row... rows) {
    return Panels.of(List.of(rows)).get(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void isWellFormedAndContainsAllContenders(int kind) throws Exception {
    Panel panel = Panels.of(SampleResults.all().rows()).get(kind);
    Element svg = parsed(svg(panel));
    assertThat(svg.getLocalName()).isEqualTo("svg");
    assertThat(svg.getNamespaceURI()).isEqualTo(SvgChart.NAMESPACE);
    assertThat(svg.getAttribute("viewBox")).startsWith("0 0 800 ");
    assertThat(svg.getTextContent()).contains(SampleResults.CONTENDERS).contains(panel.heading());
  }

  @Test
  void isDeterministic() {
    Panel panel = Panels.of(SampleResults.all().rows()).get(2);
    assertThat(svg(panel)).isEqualTo(svg(panel));
  }

  @Test
  void idsBeginWithThePanelId() {
    String svg = svg(Panels.of(SampleResults.all().rows()).get(2));
    assertThat(Pattern.compile(" id=\"([^\"]*)\"").matcher(svg).results())
        .isNotEmpty()
        .allSatisfy(match -> assertThat(match.group(1)).startsWith("late-p99-"));
  }

  @Test
  void logarithmicAxisShowsEachDecade() throws Exception {
    Panel panel =
        panel(
            row("cpu", "kafka", Map.of(), "time", "1/s", 2_000),
            row("cpu", "purgatory", Map.of(), "time", "1/s", 3, 0, 4));
    assertThat(parsed(svg(panel)).getTextContent()).contains("logarithmic", "10", "100", "1,000");
  }

  @Test
  void logarithmicAxisOfPositionsShowsThem() throws Exception {
    Panel panel =
        panel(
            row("late", "kafka", Map.of("pending", "10000"), "late, p99", "ms", 2),
            row("late", "kafka", Map.of("pending", "300000"), "late, p99", "ms", 3));
    assertThat(parsed(svg(panel)).getTextContent())
        .contains("pending operations", "10,000", "300,000")
        .doesNotContain("100,000");
    assertThat(Axes.values(Points.of(panel)).getLabel()).isEqualTo("lateness of timeouts (ms)");
  }

  @Test
  void pointsOfTheSamePositionAreSideBySide_fromThreeContendersOn() {
    Row one = row("cpu", "kafka", Map.of("keys", "1"), "time", "ms", 5);
    Row two = row("cpu", "purgatory", Map.of("keys", "3"), "time", "ms", 5);
    Row three = row("cpu", "floor", Map.of("keys", "3"), "time", "ms", 5);

    assertThat(Theme.note(panel(one, two))).doesNotContain("side by side");
    assertThat(Theme.note(panel(one, two, three))).contains("side by side");
  }

  @Test
  void integerAxisHasNoFractions() {
    String svg =
        svg(
            panel(
                row("cpu", "kafka", Map.of("keys", "1"), "time", "ms", 500),
                row("cpu", "kafka", Map.of("keys", "3"), "time", "ms", 700)));
    assertThat(svg).contains(">2<").doesNotContain(">1.5<");
  }

  @Test
  void descriptionContainsTheValues() throws Exception {
    String svg = svg(panel(row("cpu", "kafka", Map.of(), "time", "ms", 5, 6, 9)));
    assertThat(parsed(svg).getElementsByTagName("desc").item(0).getTextContent())
        .isEqualTo(
            """
            contender | ms
            kafka | 6 (5–9)
            lower is better; median of 3 JVMs, error bars: min to max
            measured 2026-01-02, JDK 25, 2 cores, commit 0123abc\
            """);
  }

  @Test
  void noteSaysHowManyJvmsThereWere() {
    Row seven = row("cpu", "kafka", Map.of(), "time", "ms", 1, 2, 3, 4, 5, 6, 7);
    Row two = row("cpu", "map", Map.of(), "time", "ms", 1, 2);
    Row one = row("cpu", "map", Map.of(), "time", "ms", 1);

    assertThat(Theme.note(panel(seven, two))).contains("; median of 2 to 7 JVMs, ");
    assertThat(Theme.note(panel(seven))).contains("; median of 7 JVMs, ");
    assertThat(Theme.note(panel(one))).endsWith("; one JVM");
  }

  @Test
  void axisOfTimeIsLinear() {
    assertThat(Axes.positions("seconds", List.of(1.0, 600.0))).isNotInstanceOf(DecadeAxis.class);
    assertThat(Axes.positions("pending", List.of(1.0, 600.0))).isInstanceOf(DecadeAxis.class);
  }

  @Test
  void drawsUnusualValues() throws Exception {
    Panel nothing = panel(row("cpu", "kafka", Map.of(), "time", "ms", 0));
    Panel negative = panel(row("cpu", "kafka", Map.of(), "time", "ms", -5, -1, 2));
    Panel noNumber =
        panel(
            row("cpu", "kafka", Map.of("n", "1"), "time", "ms", Double.NaN),
            row("cpu", "kafka", Map.of("n", "2"), "time", "ms", Double.POSITIVE_INFINITY),
            row("cpu", "kafka", Map.of("n", "3"), "time", "ms", 5));
    for (Panel panel : List.of(nothing, negative, noNumber)) {
      String svg = svg(panel);
      assertThat(parsed(svg).getTextContent()).contains("kafka");
      assertThat(svg).doesNotContainPattern(NO_NUMBER);
    }
  }
}
