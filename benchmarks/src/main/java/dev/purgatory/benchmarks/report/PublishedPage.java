package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    Map<String, Results> byName = runs.byName();
    PageTables.all()
        .forEach(
            (name, columns) -> {
              String run = Runs.nameOf(name);
              parts.put(name, () -> table(columns, run, runs.get(run)));
            });
    for (Question question : Question.values()) {
      parts.put(question.marker(), () -> image(question, runs));
    }
    parts.put("features-targets", () -> targets("features", runs));
    parts.put("features-targets-17", () -> targets("features-17", runs));
    parts.put("ages", () -> ages(byName));
    parts.put("runs", () -> runs(byName));
    parts.put("contracts", () -> contracts(byName));
    parts.put("losses", () -> LossTables.scores(byName));
    parts.put("losses-to-kafka", () -> LossTables.of(byName, Losses::toKafka));
    parts.put("losses-to-others", () -> LossTables.of(byName, Losses::toOthers));
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

  private static String table(List<Column> columns, String run, Results results) {
    List<Column> measured =
        columns.stream().filter(column -> !column.rows(results).isEmpty()).toList();
    if (measured.isEmpty()) {
      return NOT_MEASURED;
    }
    List<String> contenders = contenders(measured, results);
    Stream<List<String>> lines =
        contenders.stream()
            .map(
                name ->
                    prepend(
                        "`" + name + "`",
                        measured.stream().map(column -> column.cell(results, name))));
    List<Row> shown =
        measured.stream()
            .flatMap(column -> column.rows(results).stream())
            .filter(row -> contenders.contains(row.contender()))
            .toList();
    return Markdown.table(prepend("contender", measured.stream().map(Column::heading)), lines)
        + Provenance.of(results.environment()).caption(run, shown);
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
    return Runs.CHARTED.stream()
        .flatMap(run -> image(question, run, runs).stream())
        .findFirst()
        .orElse(NOT_MEASURED);
  }

  private static Optional<String> image(Question question, String run, Runs runs) {
    Results results = runs.get(run);
    return question.chart(results).map(chart -> image(chart, run, results));
  }

  private static String image(Drawing chart, String run, Results results) {
    String file = "charts/" + run + "/" + chart.file();
    return "!["
        + chart.heading()
        + "]("
        + file
        + ")\n"
        + Provenance.of(results.environment()).caption(run, chart.rows());
  }

  private static String targets(String run, Runs runs) {
    Results features = runs.get(run);
    List<List<String>> lines = Targets.table(features);
    if (lines.isEmpty()) {
      return NOT_MEASURED;
    }
    List<Row> rows =
        Targets.compare(features).stream()
            .flatMap(each -> Stream.of(each.ours(), each.best()))
            .toList();
    return "**"
        + Targets.summary(features)
        + "**\n\n"
        + Markdown.table(Targets.HEADER, lines.stream())
        + Provenance.of(features.environment()).caption(run, rows);
  }

  private static String ages(Map<String, Results> runs) {
    return Markdown.table(
        List.of("run", "date", "commit", "JDK"),
        runs.entrySet().stream()
            .map(
                each -> {
                  Environment environment = each.getValue().environment();
                  Provenance provenance = Provenance.of(environment);
                  return List.of(
                      each.getKey(), provenance.day(), provenance.commit("`"), environment.jdk());
                }));
  }

  private static String runs(Map<String, Results> runs) {
    return runs.entrySet().stream()
        .map(each -> run(each.getKey(), each.getValue().environment()))
        .collect(Collectors.joining("\n"));
  }

  private static String run(String name, Environment environment) {
    return "The "
        + name
        + " run, commit "
        + Provenance.of(environment).commit("`")
        + ", [values](../benchmarks/results/"
        + name
        + ".json):\n\n"
        + EnvironmentTable.of(environment).stream()
            .map(
                fact ->
                    "- "
                        + fact.name()
                        + ": "
                        + (fact.code() ? "`" + fact.text() + "`" : fact.text()))
            .collect(Collectors.joining("\n", "", "\n"));
  }

  /** Returns who broke the contract of the contenders. */
  private static String contracts(Map<String, Results> runs) {
    List<List<String>> broken =
        runs.values().stream()
            .flatMap(run -> new Contest(run).broken())
            .map(
                row ->
                    List.of(
                        "`" + row.contender() + "`",
                        LossTables.what(row),
                        Numbers.text(row.min()) + " to " + Numbers.text(row.max())))
            .toList();
    return broken.isEmpty()
        ? "None.\n"
        : Markdown.table(List.of("contender", "measurement", "requests in a JVM"), broken.stream());
  }

  private static List<String> prepend(String first, Stream<String> others) {
    return Stream.concat(Stream.of(first), others).toList();
  }
}
