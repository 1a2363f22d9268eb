package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.toMap;

import dev.purgatory.benchmarks.results.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A line of the published page: one of our values beside a rival's, on both JDKs.
 *
 * @param what what is measured, with the unit
 * @param run the run on the newer JDK
 * @param ours our contender
 * @param rival the rival
 * @param bench the measurement
 * @param metric the metric
 * @param params the configuration; other parameters are ignored
 * @param factor how many measured units a shown one has
 */
record Line(
    String what,
    String run,
    String ours,
    String rival,
    String bench,
    String metric,
    Map<String, String> params,
    double factor) {
  /** A parameter of measurements that depend on the JDK. */
  private static final String JDK = "jdk";

  private static final List<String> HEADER = List.of("what", "ours", "rival");
  private static final List<String> HEADER_25 = List.of("both on JDK 25", "ratio", "JVMs");
  private static final List<String> HEADER_17 = List.of("both on JDK 17", "ratio", "JVMs");

  /** Parses a line of {@code lines.txt}. */
  static Line of(List<String> cells) {
    Map<String, String> params =
        Pattern.compile("(\\w+)=([^,]+)")
            .matcher(cells.get(7))
            .results()
            .collect(toMap(param -> param.group(1), param -> param.group(2)));
    return new Line(
        cells.get(1),
        cells.get(2),
        cells.get(3),
        cells.get(4),
        cells.get(5),
        cells.get(6),
        params,
        Double.parseDouble(cells.get(8)));
  }

  /** Returns the lines as a table; a run that was not made has no columns. */
  static String table(List<Line> lines, Runs runs) {
    boolean both = lines.stream().anyMatch(line -> line.measured(runs, Runs.JDK_17).isPresent());
    List<String> header =
        Stream.of(HEADER, HEADER_25, both ? HEADER_17 : List.<String>of())
            .flatMap(List::stream)
            .toList();
    List<List<String>> rows = lines.stream().map(line -> line.cells(runs, both)).toList();
    return new Table("", header, rows).markdown();
  }

  private List<String> cells(Runs runs, boolean both) {
    return Stream.of(
            List.of(what, "`" + ours + "`", "`" + rival + "`"),
            cells(runs, ""),
            both ? cells(runs, Runs.JDK_17) : List.<String>of())
        .flatMap(List::stream)
        .toList();
  }

  private List<String> cells(Runs runs, String jdk) {
    return measured(runs, jdk)
        .map(pair -> List.of(pair.values(factor), pair.ratio(), pair.jvms()))
        .orElse(List.of(Numbers.NONE, Numbers.NONE, Numbers.NONE));
  }

  /** Returns this line as an item of a list. */
  String item(Runs runs) {
    String newer = measured(runs, "").map(pair -> pair.item(factor)).orElse(Numbers.NONE);
    String older =
        measured(runs, Runs.JDK_17).map(pair -> "; on JDK 17: " + pair.ratio()).orElse("");
    return "- **" + what + ":** " + newer + older + ".\n";
  }

  private Optional<Pair> measured(Runs runs, String jdk) {
    Map<String, String> exactly = new HashMap<>(params);
    exactly.computeIfPresent(JDK, (name, newer) -> jdk.isEmpty() ? newer : jdk.substring(1));
    return runs.get(run + jdk)
        .flatMap(
            contest ->
                contest
                    .results()
                    .row(ours, bench, metric, exactly)
                    .flatMap(
                        row ->
                            contest
                                .against(row, rival)
                                .map(against -> new Pair(contest, row, against))));
  }

  private record Pair(Contest contest, Row row, Contest.Comparison against) {
    String values(double factor) {
      return Numbers.brief(contest.value(row) / factor)
          + " and "
          + Numbers.brief(contest.value(against.rival()) / factor);
    }

    String item(double factor) {
      return "`"
          + row.contender()
          + "` "
          + Numbers.brief(contest.value(row) / factor)
          + ", `"
          + against.rival().contender()
          + "` "
          + Numbers.brief(contest.value(against.rival()) / factor)
          + ": "
          + ratio();
    }

    String ratio() {
      return against.text();
    }

    String jvms() {
      int own = row.values().size();
      int others = against.rival().values().size();
      return own == others ? "" + own : own + " and " + others;
    }
  }
}
