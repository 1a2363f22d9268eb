package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Environment;
import java.util.List;
import java.util.Map;

/** The report as Markdown that shows the charts. The same results give the same text. */
final class MarkdownPage {
  private static final String LEGEND =
      "Each value is the median of several JVMs, with the range in parentheses. × is the median of the"
          + " ratios to kafka in all rounds, with their range. The floor is the load alone, which holds"
          + " nothing.\n";

  private MarkdownPage() {}

  static String of(String source, Environment environment, List<Panel> panels) {
    return "# Tables of "
        + code(source)
        + "\n\n"
        + EnvironmentTable.of(environment).stream().map(MarkdownPage::fact).collect(joining())
        + fact(
            new EnvironmentTable.Entry(
                "Charts drawn by", "./purgatory bench chart " + source, true))
        + "\n"
        + LEGEND
        + Panels.byBench(panels).entrySet().stream().map(MarkdownPage::section).collect(joining());
  }

  private static String fact(EnvironmentTable.Entry entry) {
    String text = entry.code() ? code(entry.text()) : escape(entry.text());
    return "- " + entry.name() + ": " + text + "\n";
  }

  private static String section(Map.Entry<String, List<Panel>> bench) {
    Explanation explanation = Explanation.of(bench.getKey());
    return "\n## "
        + escape(explanation.headline())
        + " "
        + code(bench.getKey())
        + "\n\n"
        + escape(explanation.meaning())
        + "\n"
        + bench.getValue().stream().map(MarkdownPage::figure).collect(joining());
  }

  private static String figure(Panel panel) {
    if (!panel.isDrawn()) {
      return "\n" + escape(panel.emptyText()) + "\n";
    }
    TextTable table = Grid.of(panel);
    return "\n### "
        + escape(table.title())
        + "\n\n![chart]("
        + panel.id()
        + ".svg)\n\n"
        + line(table.header())
        + line(table.header().stream().map(name -> "---").toList())
        + table.rows().stream()
            .map(cells -> line(cells.stream().map(MarkdownPage::escape).toList()))
            .collect(joining());
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String code(String text) {
    return "`" + text + "`";
  }

  private static String escape(String text) {
    return Html.escape(text).replaceAll("[\\\\`*_|\\[\\]]", "\\\\$0");
  }
}
