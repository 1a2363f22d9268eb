package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** The losses of all published runs as tables. */
final class LossTables {
  private LossTables() {}

  /** Returns one line for each measurement: how many numbers are worse, and the worst one. */
  static String scores(Map<String, Results> runs) {
    List<Losses.Score> all =
        runs.values().stream().flatMap(run -> Losses.scores(run).stream()).toList();
    return Markdown.table(
        List.of(
            "measurement",
            "numbers",
            "worse than Kafka's classes",
            "worse than a rival",
            "the worst"),
        Stream.concat(
            runs.entrySet().stream()
                .flatMap(
                    run ->
                        Losses.scores(run.getValue()).stream()
                            .map(score -> cells(name(run.getKey(), score), score))),
            Stream.of(total(all))));
  }

  private static String name(String run, Losses.Score score) {
    boolean ofAdapters = run.startsWith("adapters") && score.bench().equals("timer");
    String name = ofAdapters ? "Adapters" : Explanation.of(score.bench()).headline();
    return run.endsWith("-17") ? name + ", JDK 17" : name;
  }

  private static List<String> cells(String name, Losses.Score score) {
    return List.of(
        name,
        Integer.toString(score.compared()),
        Integer.toString(score.toKafka()),
        Integer.toString(score.toAny()),
        score.worst().map(LossTables::worst).orElse("none"));
  }

  private static List<String> total(List<Losses.Score> all) {
    return List.of(
        "**all**",
        "**" + all.stream().mapToInt(Losses.Score::compared).sum() + "**",
        "**" + all.stream().mapToInt(Losses.Score::toKafka).sum() + "**",
        "**" + all.stream().mapToInt(Losses.Score::toAny).sum() + "**",
        "");
  }

  private static String worst(Losses.Loss loss) {
    return "`" + loss.row().contender() + "`, " + of(loss.row()) + ": " + text(loss, 1);
  }

  /** Returns one line for each number that is worse. */
  static String of(Map<String, Results> runs, Function<Results, List<Losses.Loss>> find) {
    List<List<String>> lines =
        runs.entrySet().stream()
            .flatMap(
                run ->
                    find.apply(run.getValue()).stream()
                        .map(
                            loss ->
                                List.of(
                                    run.getKey(),
                                    what(loss.row()),
                                    "`" + loss.row().contender() + "`",
                                    text(loss, loss.rivals().size()))))
            .toList();
    return lines.isEmpty()
        ? "None.\n"
        : Markdown.table(
            List.of("run", "measurement", "contender", "times worse than"), lines.stream());
  }

  private static String text(Losses.Loss loss, int most) {
    return loss.rivals().stream()
        .limit(most)
        .map(
            behind ->
                "`"
                    + behind.rival().contender()
                    + "` "
                    + behind.times().map(Numbers::ratio).orElseGet(() -> values(loss, behind)))
        .collect(joining(", "));
  }

  private static String values(Losses.Loss loss, Losses.Behind behind) {
    return "**"
        + Numbers.brief(loss.row().median())
        + "** to "
        + Numbers.brief(behind.rival().median())
        + " "
        + loss.row().unit();
  }

  /** Returns the measurement, metric and configuration of a value. */
  static String what(Row row) {
    return row.bench() + ": " + of(row);
  }

  private static String of(Row row) {
    String params = String.join(", ", Panel.parts(row.params()));
    return row.metric() + (params.isEmpty() ? "" : " (" + params + ")");
  }
}
