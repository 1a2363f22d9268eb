package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.Html.element;
import static dev.purgatory.benchmarks.report.Html.escape;
import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Environment;
import java.util.List;
import java.util.Map;

/** The report as a self-contained page: the environment, and a section for each measurement. */
final class HtmlPage {
  private static final String TITLE = "What a purgatory costs";
  private static final String INTRODUCTION =
      "All contenders were measured in the same run, each value in several JVMs. Charts show the"
          + " median and the range. If lower values are better, a ratio to kafka below 1 is a win."
          + " The floor is the load alone, which holds nothing: the cost of holding is the"
          + " difference from the floor.";

  private HtmlPage() {}

  static String of(Environment environment, List<Panel> panels) {
    Map<String, List<Panel>> benches = Panels.byBench(panels);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n"
        + head()
        + "<body>\n<main>\n"
        + element("h1", TITLE)
        + element("p", INTRODUCTION)
        + facts(environment)
        + contents(benches)
        + benches.entrySet().stream().map(each -> section(each, environment)).collect(joining())
        + "</main>\n</body>\n</html>\n";
  }

  private static String head() {
    return "<head>\n<meta charset=\"utf-8\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + element("title", TITLE)
        + "<style>\n"
        + Html.style()
        + "</style>\n</head>\n";
  }

  private static String facts(Environment environment) {
    return EnvironmentTable.of(environment).stream()
        .map(entry -> "<dt>" + entry.name() + "</dt><dd>" + text(entry) + "</dd>\n")
        .collect(joining("", "<dl>\n", "</dl>\n"));
  }

  private static String text(EnvironmentTable.Entry entry) {
    String text = escape(entry.text());
    return entry.code() ? "<code>" + text + "</code>" : text;
  }

  private static String contents(Map<String, List<Panel>> benches) {
    return benches.keySet().stream()
        .map(bench -> "<li><a href=\"#" + anchor(bench) + "\">" + heading(bench) + "</a></li>\n")
        .collect(joining("", "<nav><ul>\n", "</ul></nav>\n"));
  }

  private static String section(Map.Entry<String, List<Panel>> bench, Environment environment) {
    return "<section id=\""
        + anchor(bench.getKey())
        + "\">\n<h2>"
        + heading(bench.getKey())
        + " <code>"
        + escape(bench.getKey())
        + "</code></h2>\n"
        + element("p", Explanation.of(bench.getKey()).meaning())
        + bench.getValue().stream().map(panel -> figure(panel, environment)).collect(joining())
        + "</section>\n";
  }

  private static String figure(Panel panel, Environment environment) {
    if (!panel.isDrawn()) {
      return element("p", panel.emptyText());
    }
    return "<figure id=\""
        + panel.id()
        + "\">\n"
        + SvgChart.of(Drawing.of(panel, environment))
        + "\n"
        + table(TextTable.of(panel))
        + "</figure>\n";
  }

  private static String table(TextTable table) {
    return "<table>\n<caption>"
        + escape(table.title())
        + "</caption>\n<thead>"
        + row("th", table.header())
        + "</thead>\n<tbody>\n"
        + table.rows().stream().map(cells -> row("td", cells)).collect(joining())
        + "</tbody>\n</table>\n";
  }

  private static String row(String tag, List<String> cells) {
    return cells.stream()
        .map(cell -> "<" + tag + ">" + escape(cell) + "</" + tag + ">")
        .collect(joining("", "<tr>", "</tr>\n"));
  }

  private static String heading(String bench) {
    return escape(Explanation.of(bench).headline());
  }

  private static String anchor(String bench) {
    return "bench-" + Html.slug(bench);
  }
}
