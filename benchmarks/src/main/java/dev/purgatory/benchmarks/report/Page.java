package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.results.TextFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Generates the figures of a page. The parts between {@code <!-- name -->} and {@code <!-- end -->}
 * are generated; the rest of the page remains unchanged. The same results give the same text.
 */
final class Page {
  private static final Pattern PART =
      Pattern.compile("<!-- ([a-z0-9-]+) -->\\n.*?<!-- end -->", Pattern.DOTALL);

  private static final String PURGES = "purge-interval";
  private static final String LOSSES = "losses";
  private static final Map<String, List<Line>> LINES =
      TextFile.cells(Page.class, "lines.txt").stream()
          .collect(groupingBy(cells -> cells.get(0), mapping(Line::of, toList())));

  private static final List<String> COUNTS =
      List.of(
          "against Kafka's classes",
          "better",
          "no difference",
          "uncertain",
          "worse",
          "against the best rival",
          "better",
          "no difference",
          "uncertain",
          "worse");

  private Page() {}

  /**
   * Generates the parts of a page.
   *
   * @throws IllegalArgumentException if the page contains an unknown marker
   */
  static String fill(String page, Runs runs) {
    return PART.matcher(page)
        .replaceAll(part -> Matcher.quoteReplacement(part(part.group(1), runs)));
  }

  private static String part(String name, Runs runs) {
    return "<!-- " + name + " -->\n" + content(name, runs) + "<!-- end -->";
  }

  private static String content(String name, Runs runs) {
    List<Line> lines = LINES.getOrDefault(name, List.of());
    return switch (name) {
      case "runs" -> runs(runs);
      case "all-numbers" -> counts(runs);
      case LOSSES -> lines.stream().map(line -> line.item(runs)).collect(joining());
      default -> {
        if (lines.isEmpty()) {
          throw new IllegalArgumentException("unknown part '" + name + "'");
        }
        yield Line.table(lines, runs);
      }
    };
  }

  /** Returns when, where and from which commit each run was made. */
  private static String runs(Runs runs) {
    return new Table(
            "",
            List.of("run", "date", "commit", "JDK", "processor", "memory"),
            runs.byName().entrySet().stream()
                .map(each -> facts(each.getKey(), each.getValue().results().environment()))
                .toList())
        .markdown();
  }

  private static List<String> facts(String name, Environment environment) {
    return List.of(
        "[" + name + "](../benchmarks/results/" + name + ".json)",
        day(environment),
        "`" + commit(environment) + "`",
        environment.jdk(),
        environment.cores() + " × " + environment.cpu(),
        (environment.memoryBytes() >> 30) + " GiB");
  }

  static String day(Environment environment) {
    return environment.date().replaceFirst("T.*", "");
  }

  static String commit(Environment environment) {
    String dirty = environment.commit().endsWith("-dirty") ? "-dirty" : "";
    return environment.commit().substring(0, Math.min(8, environment.commit().length())) + dirty;
  }

  /** Returns how many of our numbers are better, not different, uncertain and worse. */
  private static String counts(Runs runs) {
    List<Contest.End> toKafka = new ArrayList<>();
    List<Contest.End> toTheBest = new ArrayList<>();
    runs.byName()
        .forEach(
            (run, contest) -> {
              if (run.equals(PURGES)) {
                return; // one curve, and polls that `broker` has too
              }
              toKafka.addAll(ends(contest, row -> contest.against(row, Contest.KAFKA)));
              toTheBest.addAll(ends(contest, contest::againstTheBest));
            });
    List<String> row = Stream.of(toKafka, toTheBest).flatMap(ends -> counts(ends)).toList();
    return new Table("", COUNTS, List.of(row)).markdown();
  }

  private static List<Contest.End> ends(
      Contest contest, Function<Row, Optional<Contest.Comparison>> compare) {
    return contest.ours().stream()
        .flatMap(row -> compare.apply(row).stream())
        .map(Contest.Comparison::end)
        .toList();
  }

  private static Stream<String> counts(List<Contest.End> ends) {
    return Stream.concat(
        Stream.of(Integer.toString(ends.size())),
        Stream.of(Contest.End.values())
            .map(end -> Integer.toString(Collections.frequency(ends, end))));
  }
}
