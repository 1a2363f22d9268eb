package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds all values of this library, its drop-in and its adapters that are worse than a rival's by
 * more than the noise.
 */
final class Losses {
  /** Metrics that depend on the load, not on the contender, or that are no longer recorded. */
  private static final Set<String> NO_COSTS =
      Set.of(
          "timed out",
          "behind schedule, p99",
          "behind schedule, max",
          "without an end",
          "requests",
          "expired",
          "CPU samples",
          "CPU samples of all threads",
          "CPU samples of the purgatory");

  private static final Set<String> ABOVE_FLOOR =
      Set.of("CPU per request", "heap per pending operation", "allocation per operation");

  /** The smallest ratio that is reported. */
  private static final double MIN_RATIO = 1.02;

  private final Contest contest;

  private Losses(Results results) {
    this.contest = new Contest(results);
  }

  /** Returns the losses to Kafka's classes, worst first. */
  static List<Loss> toKafka(Results results) {
    return new Losses(results).to(Palette.KAFKA::equals);
  }

  /** Returns the losses to other rivals, worst first. */
  static List<Loss> toOthers(Results results) {
    return new Losses(results).to(Predicate.not(Palette.KAFKA::equals));
  }

  /** Returns how each measurement ended, in order of presentation. */
  static List<Score> scores(Results results) {
    Losses losses = new Losses(results);
    Map<String, List<Row>> compared = new LinkedHashMap<>();
    for (Row row : losses.contest.rows()) {
      if (losses.isCompared(row)) {
        compared.computeIfAbsent(row.bench(), bench -> new ArrayList<>()).add(row);
      }
    }
    List<Loss> toKafka = losses.to(Palette.KAFKA::equals);
    List<Loss> toAny = losses.to(any -> true);
    return compared.entrySet().stream()
        .map(
            each ->
                new Score(
                    each.getKey(),
                    each.getValue().size(),
                    of(each.getKey(), toKafka).size(),
                    of(each.getKey(), toAny).size(),
                    of(each.getKey(), toAny).stream().findFirst()))
        .toList();
  }

  private static List<Loss> of(String bench, List<Loss> all) {
    return all.stream().filter(loss -> loss.row().bench().equals(bench)).toList();
  }

  /**
   * How a measurement ended.
   *
   * @param bench the measurement
   * @param compared how many of our values have a rival's next to them
   * @param toKafka how many of them are worse than those of Kafka's classes
   * @param toAny how many of them are worse than a rival's
   * @param worst the worst of them
   */
  record Score(String bench, int compared, int toKafka, int toAny, Optional<Loss> worst) {}

  /**
   * A value that is worse than a rival's.
   *
   * @param row our value
   * @param rivals those whose value is better, the best first; at least one
   */
  record Loss(Row row, List<Behind> rivals) {
    /** Returns how many times worse than the best rival; 0 if that cannot be said as a ratio. */
    double ratio() {
      return rivals.get(0).ratio();
    }
  }

  /**
   * A rival with a better value.
   *
   * @param rival the rival's value
   * @param times how many times worse our value is, above 1; empty if the rival's is too close to 0
   *     to divide by it
   */
  record Behind(Row rival, Optional<Ratio> times) {
    double ratio() {
      return times.map(Ratio::median).orElse(0.0);
    }
  }

  private boolean isCompared(Row row) {
    return Contest.isOurs(row.contender())
        && !NO_COSTS.contains(row.metric())
        && contest.isComparable(row)
        && contest.rivals(row).findAny().isPresent();
  }

  private List<Loss> to(Predicate<String> rivals) {
    List<Loss> losses = new ArrayList<>();
    for (Row row : contest.rows()) {
      if (isCompared(row)) {
        List<Behind> behind =
            contest
                .rivals(row)
                .filter(rival -> rivals.test(rival.contender()))
                .flatMap(rival -> behind(row, rival).stream())
                .sorted(Comparator.comparingDouble(each -> -each.ratio()))
                .toList();
        if (!behind.isEmpty()) {
          losses.add(new Loss(row, behind));
        }
      }
    }
    losses.sort(Comparator.comparingDouble(loss -> -loss.ratio()));
    return losses;
  }

  private Optional<Behind> behind(Row row, Row rival) {
    Optional<Row> floor =
        ABOVE_FLOOR.contains(row.metric()) ? contest.floor(row) : Optional.empty();
    Row worse = row.higherIsBetter() ? rival : row;
    Row better = row.higherIsBetter() ? row : rival;
    if (Ratio.isNegligible(better, floor)) {
      return Ratio.isAbove(worse, better, floor)
          ? Optional.of(new Behind(rival, Optional.empty()))
          : Optional.empty();
    }
    return Ratio.of(worse, better, floor)
        .filter(some -> some.isDifference() && some.median() >= MIN_RATIO)
        .map(some -> new Behind(rival, Optional.of(some)));
  }
}
