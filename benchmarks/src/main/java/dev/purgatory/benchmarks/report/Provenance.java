package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says where values come from: when and of which commit they were measured, in how many JVMs. */
final class Provenance {
  /** Commits of published runs that are not in the repository. A test compares this with Git. */
  static final Set<String> LOST = Set.of("21c88d23ea46620255abd468e6e8876cd9c3a2d9");

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

  /** Returns the commit without a suffix. */
  static String hash(Environment environment) {
    return environment.commit().replace(DIRTY, "");
  }

  /** Returns the day of the run, as {@code 2026-11-22}. */
  String day() {
    return environment.date().replaceFirst("T.*", "");
  }

  /** Returns the commit, abbreviated, and what is wrong with it. */
  String commit(String quote) {
    String hash = hash(environment);
    String text = quote + hash.substring(0, Math.min(SHORT, hash.length())) + quote;
    return text
        + (environment.commit().endsWith(DIRTY) ? " with uncommitted changes" : "")
        + (LOST.contains(hash) ? ", not in this repository" : "");
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
