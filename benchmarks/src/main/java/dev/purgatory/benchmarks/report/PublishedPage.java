package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Generates the tables and charts of a page from results. The parts between {@code <!-- name -->}
 * and {@code <!-- end -->} are generated; the rest of the page remains unchanged. The same results
 * give the same text.
 */
public final class PublishedPage {
  private static final Pattern PART =
      Pattern.compile("<!-- ([a-z0-9-]+) -->\\n.*?<!-- end -->", Pattern.DOTALL);
  private static final String NOT_MEASURED = "*Not measured in the published run.*\n";

  private final Map<String, Supplier<String>> parts = new LinkedHashMap<>();

  private PublishedPage(Runs runs) {
    PageTables.all()
        .forEach((name, columns) -> parts.put(name, () -> table(columns, runs.of(name))));
    for (Question question : Question.values()) {
      parts.put(question.marker(), () -> image(question, runs));
    }
    parts.put("features-targets", () -> targets(runs.features()));
    parts.put("run", () -> run(runs.full().environment()));
    parts.put("broker-run", () -> run(runs.broker().environment()));
    parts.put("features-run", () -> run(runs.features().environment()));
    parts.put("adapters-run", () -> run(runs.adapters().environment()));
    parts.put("losses-to-kafka", () -> losses(Losses::toKafka, runs));
    parts.put("losses-to-others", () -> losses(Losses::toOthers, runs));
  }

  /**
   * Generates the parts of a page.
   *
   * @param page Markdown with markers
   * @param runs the results
   * @return the page with all parts up to date
   * @throws IllegalArgumentException if the page contains an unknown marker
   */
  public static String fill(String page, Runs runs) {
    PublishedPage published = new PublishedPage(runs);
    return PART.matcher(page)
        .replaceAll(part -> Matcher.quoteReplacement(published.part(part.group(1))));
  }

  private String part(String name) {
    Supplier<String> content = parts.get(name);
    if (content == null) {
      throw new IllegalArgumentException(
          "unknown part '" + name + "'; valid names: " + String.join(", ", parts.keySet()));
    }
    return "<!-- " + name + " -->\n" + content.get() + "<!-- end -->";
  }

  private static String table(List<Column> columns, Results results) {
    List<Column> measured =
        columns.stream().filter(column -> !column.contenders(results).isEmpty()).toList();
    if (measured.isEmpty()) {
      return NOT_MEASURED;
    }
    Stream<List<String>> rows =
        contenders(measured, results).stream()
            .map(
                name ->
                    prepend(
                        "`" + name + "`",
                        measured.stream().map(column -> column.cell(results, name))));
    return markdown(prepend("contender", measured.stream().map(Column::heading)), rows);
  }

  /** Returns the contenders that have a value, without the floor if it is subtracted. */
  private static List<String> contenders(List<Column> columns, Results results) {
    boolean withFloor = columns.stream().noneMatch(Column::aboveFloor);
    return columns.stream()
        .flatMap(column -> column.contenders(results).stream())
        .distinct()
        .filter(name -> withFloor || !name.equals(Palette.FLOOR))
        .sorted(Palette.ORDER)
        .toList();
  }

  private static String image(Question question, Runs runs) {
    return runs.byName().entrySet().stream()
        .flatMap(
            each ->
                question.chart(each.getValue()).stream()
                    .map(panel -> image(panel, "charts/" + each.getKey())))
        .findFirst()
        .orElse(NOT_MEASURED);
  }

  private static String image(Panel panel, String folder) {
    return "![" + panel.heading() + "](" + folder + "/" + panel.id() + ".svg)\n";
  }

  private static String targets(Results features) {
    List<List<String>> lines = Targets.table(features);
    return lines.isEmpty() ? NOT_MEASURED : markdown(Targets.HEADER, lines.stream());
  }

  private static String run(Environment environment) {
    return EnvironmentTable.of(environment).stream()
        .map(
            fact ->
                "- " + fact.name() + ": " + (fact.code() ? "`" + fact.text() + "`" : fact.text()))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String losses(Function<Results, List<Losses.Loss>> find, Runs runs) {
    List<Losses.Loss> all =
        runs.byName().values().stream().flatMap(run -> find.apply(run).stream()).toList();
    if (all.isEmpty()) {
      return "None.\n";
    }
    return markdown(
        List.of("measurement", "contender", "rival", "times worse"),
        all.stream()
            .map(
                loss ->
                    List.of(
                        what(loss.row()),
                        "`" + loss.row().contender() + "`",
                        "`" + loss.rival().contender() + "`",
                        Numbers.ratio(loss.ratios()))));
  }

  private static String what(Row row) {
    String params = String.join(", ", Panel.parts(row.params()));
    return row.bench() + ": " + row.metric() + (params.isEmpty() ? "" : " (" + params + ")");
  }

  private static List<String> prepend(String first, Stream<String> others) {
    return Stream.concat(Stream.of(first), others).toList();
  }

  private static String markdown(List<String> header, Stream<List<String>> rows) {
    return line(header)
        + line(header.stream().map(name -> "---").toList())
        + rows.map(PublishedPage::line).collect(Collectors.joining());
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }
}
