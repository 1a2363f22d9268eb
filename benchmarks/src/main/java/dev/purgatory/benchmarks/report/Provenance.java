package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says where values come from: when and of which commit they were measured, in how many JVMs. */
final class Provenance {
  private static final String DIRTY = "-dirty";
  private static final Pattern VERSION = Pattern.compile("[0-9]+(\\.[0-9]+)*");
  private static final int SHORT = 7;
  private static final String JDK = "jdk";

  private final Environment environment;

  private Provenance(Environment environment) {
    this.environment = environment;
  }

  static Provenance of(Environment environment) {
    return new Provenance(environment);
  }

  /** Returns the day of the run, as {@code 2026-11-22}. */
  String day() {
    return environment.date().replaceFirst("T.*", "");
  }

  /** Returns the commit, abbreviated, and whether the run had uncommitted changes. */
  String commit(String quote) {
    String hash = environment.commit().replace(DIRTY, "");
    String text = quote + hash.substring(0, Math.min(SHORT, hash.length())) + quote;
    return text + (environment.commit().endsWith(DIRTY) ? " with uncommitted changes" : "");
  }

  /** Returns a line for a chart. */
  String line() {
    String cores = environment.cores() == 1 ? " core" : " cores";
    return "measured "
        + String.join(
            ", ",
            day(),
            "JDK " + version(environment.jdk()),
            environment.cores() + cores,
            "commit " + commit(""));
  }

  /**
   * Returns a line below a table or a chart of the page.
   *
   * @param run the name of the run
   * @param rows the values that are shown
   */
  String caption(String run, List<Row> rows) {
    return "\n*"
        + String.join(
            ", ", "[The " + run + " run](#the-runs)", day(), "commit " + commit("`"), jdk(rows))
        + ". "
        + jvms(rows)
        + ".*\n";
  }

  private String jdk(List<Row> rows) {
    List<String> named =
        rows.stream().map(row -> row.params().getOrDefault(JDK, "")).distinct().toList();
    String own = version(environment.jdk());
    boolean isOther =
        named.size() == 1 && !named.get(0).isEmpty() && !own.startsWith(named.get(0) + ".");
    return "JDK " + (isOther ? named.get(0) : own);
  }

  private static String version(String jdk) {
    Matcher version = VERSION.matcher(jdk);
    return version.find() ? version.group() : jdk;
  }

  /** Returns how many JVMs the values come from. */
  static String jvms(List<Row> rows) {
    Map<String, List<Integer>> byContender = new LinkedHashMap<>();
    rows.stream()
        .sorted((a, b) -> Palette.ORDER.compare(a.contender(), b.contender()))
        .forEach(
            row ->
                byContender
                    .computeIfAbsent(row.contender(), name -> new ArrayList<>())
                    .add(row.values().size()));
    Map<String, List<String>> byCount = new LinkedHashMap<>();
    byContender.forEach(
        (name, counts) ->
            byCount
                .computeIfAbsent(range(counts), range -> new ArrayList<>())
                .add("`" + name + "`"));
    String first = byCount.isEmpty() ? "0" : byCount.keySet().iterator().next();
    String others =
        byCount.entrySet().stream()
            .skip(1)
            .map(each -> ", of " + String.join(", ", each.getValue()) + " " + each.getKey())
            .collect(joining());
    return first + (first.equals("1") ? " JVM" : " JVMs") + " each" + others;
  }

  /** Returns the least and the greatest number. */
  static String range(List<Integer> counts) {
    int least = counts.stream().mapToInt(Integer::intValue).min().orElse(0);
    int most = counts.stream().mapToInt(Integer::intValue).max().orElse(0);
    return least == most ? "" + most : least + (most == least + 1 ? " or " : " to ") + most;
  }
}
