package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.timer.Timers;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The values of a run, which of them may be compared, and with which. */
final class Contest {
  static final String KAFKA = Contenders.KAFKA.title();
  static final String FLOOR = Contenders.FLOOR.title();

  /** The share of its target rate below which a contender does not keep up. */
  private static final double KEPT_UP = 0.95;

  private static final String RATE = "rate";
  private static final String WITHOUT_AN_END = "without an end";
  private static final String CORE = Contenders.PURGATORY.title();

  /** Metrics that depend on the load, not on the contender. */
  private static final Set<String> NO_COSTS =
      Set.of(
          WITHOUT_AN_END,
          "timed out",
          "requests",
          "expired",
          "CPU samples of all threads",
          "CPU samples of the purgatory");

  /** Metrics from which the floor is subtracted before they are compared. */
  private static final Set<String> ABOVE_FLOOR =
      Set.of("CPU per request", "heap per pending operation", "allocation per operation");

  /** What an adapter is compared with. */
  private static final Map<String, Set<String>> REPLACED =
      Map.of(
          Timers.PURGATORY_NETTY.title(), Set.of(Timers.NETTY.title()),
          Timers.PURGATORY_EXECUTOR.title(), Set.of(Timers.STPE.title(), Timers.FJP.title()));

  private final Results results;

  Contest(Results results) {
    this.results = results;
  }

  Results results() {
    return results;
  }

  /** Returns whether a contender is this library, its drop-in or one of its adapters. */
  static boolean isOurs(String contender) {
    return contender.equals(CORE) || contender.startsWith(CORE + "-");
  }

  /** Returns whether a contender left requests without an end: it has no cost to compare. */
  boolean brokeContract(Row row) {
    return sibling(row, WITHOUT_AN_END).filter(broken -> broken.max() > 0).isPresent();
  }

  /** Returns whether a contender reached its target rate, if it had one. */
  boolean keepsUp(Row row) {
    String target = row.params().getOrDefault(RATE, "");
    return !Numbers.isNumber(target)
        || sibling(row, RATE)
            .map(rate -> rate.median() >= KEPT_UP * Double.parseDouble(target))
            .orElse(true);
  }

  /** Returns another metric of the same contender in the same configuration. */
  private Optional<Row> sibling(Row row, String metric) {
    return results.row(row.contender(), row.bench(), metric, row.params());
  }

  /** Returns whether a value can be compared with others. */
  boolean isComparable(Row row) {
    return !row.failed()
        && !Double.isNaN(row.median())
        && !NO_COSTS.contains(row.metric())
        && !brokeContract(row)
        && keepsUp(row);
  }

  /** Returns the median, above the floor if that is subtracted. */
  double value(Row row) {
    return row.median() - floor(row).map(Row::median).orElse(0.0);
  }

  private Optional<Row> floor(Row row) {
    return ABOVE_FLOOR.contains(row.metric())
        ? results.row(FLOOR, row.bench(), row.metric(), row.params())
        : Optional.empty();
  }

  /** Compares a value with that of another contender; empty if that cannot be compared. */
  Optional<Comparison> against(Row row, String rival) {
    return results
        .row(rival, row.bench(), row.metric(), row.params())
        .filter(this::isComparable)
        .filter(base -> isComparable(row) && !rival.equals(row.contender()))
        .map(base -> Comparison.of(row, base, floor(row)));
  }

  /** Compares our value with the best of all rivals; an adapter's are what it replaces. */
  Optional<Comparison> againstTheBest(Row row) {
    Set<String> replaced = REPLACED.getOrDefault(row.contender(), Set.of());
    Comparator<Row> better = Comparator.comparingDouble(Row::median);
    return Stream.of(row)
        .filter(ours -> isOurs(ours.contender()))
        .flatMap(ours -> results.rows(ours.bench(), ours.metric(), ours.params()))
        .filter(other -> !isOurs(other.contender()) && !other.contender().equals(FLOOR))
        .filter(other -> replaced.isEmpty() || replaced.contains(other.contender()))
        .filter(this::isComparable)
        .min(row.higherIsBetter() ? better.reversed() : better)
        .flatMap(best -> against(row, best.contender()));
  }

  /** Returns the rows of all our contenders. */
  List<Row> ours() {
    return results.rows().stream().filter(row -> isOurs(row.contender())).toList();
  }

  /**
   * A value beside a rival's.
   *
   * @param rival the rival's value
   * @param ratio the ratio to it; empty if the rival's is too close to 0 to divide by it
   * @param end who is better
   */
  record Comparison(Row rival, Optional<Ratio> ratio, End end) {

    private static Comparison of(Row row, Row rival, Optional<Row> floor) {
      Optional<Ratio> ratio = Ratio.of(row, rival, floor);
      return new Comparison(
          rival,
          ratio,
          ratio
              .map(some -> End.of(some, row.higherIsBetter()))
              .orElseGet(() -> End.of(row, rival, floor)));
    }

    /** Returns the ratio as Markdown, or which value is greater. */
    String text() {
      return ratio
          .map(Numbers::ratio)
          .orElse(
              switch (end) {
                case BETTER -> "**better**";
                case WORSE -> "**worse**";
                default -> "no difference";
              });
    }
  }

  /** How a comparison ends for the first of two values. */
  enum End {
    BETTER,
    NO_DIFFERENCE,
    UNCERTAIN,
    WORSE;

    private static End of(Ratio ratio, boolean higherIsBetter) {
      return switch (ratio.verdict()) {
        case DIFFERENCE -> ratio.median() > 1 == higherIsBetter ? BETTER : WORSE;
        case NO_DIFFERENCE -> NO_DIFFERENCE;
        case UNCERTAIN -> UNCERTAIN;
      };
    }

    private static End of(Row row, Row rival, Optional<Row> floor) {
      Row worse = row.higherIsBetter() ? rival : row;
      Row better = row.higherIsBetter() ? row : rival;
      if (Ratio.isAbove(worse, better, floor)) {
        return WORSE;
      }
      return Ratio.isAbove(better, worse, floor) ? BETTER : NO_DIFFERENCE;
    }
  }
}
