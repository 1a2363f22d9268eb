package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.contender.Contenders;
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
  /** The share of its target rate below which a contender does not keep up. */
  private static final double KEPT_UP = 0.95;

  private static final String RATE = "rate";
  private static final String WITHOUT_AN_END = "without an end";
  private static final String CORE = Contenders.PURGATORY.title();

  /** What an adapter is compared with. */
  private static final Map<String, Set<String>> REPLACED =
      Map.of(
          Timers.PURGATORY_NETTY.title(), Set.of(Timers.NETTY.title()),
          Timers.PURGATORY_EXECUTOR.title(), Set.of(Timers.STPE.title(), Timers.FJP.title()));

  private final Results results;
  private final List<Row> rows;

  Contest(Results results) {
    this.results = results;
    this.rows = results.rows().stream().filter(row -> !row.failed()).toList();
  }

  List<Row> rows() {
    return rows;
  }

  /** Returns whether a contender is this library, its drop-in or one of its adapters. */
  static boolean isOurs(String contender) {
    return contender.equals(CORE) || contender.startsWith(CORE + "-");
  }

  /** Returns whether a contender left requests without an end: it has no cost to compare. */
  boolean brokeContract(Row row) {
    return sibling(row, WITHOUT_AN_END).filter(broken -> broken.max() > 0).isPresent();
  }

  /** Returns the numbers of requests that were left without an end. */
  Stream<Row> broken() {
    return rows.stream().filter(row -> row.metric().equals(WITHOUT_AN_END) && row.max() > 0);
  }

  /** Returns whether a contender reached its target rate, if it had one. */
  boolean keepsUp(Row row) {
    String target = row.params().getOrDefault(RATE, "");
    if (!Parameters.isNumber(target)) {
      return true;
    }
    return sibling(row, RATE)
        .map(rate -> rate.median() >= KEPT_UP * Double.parseDouble(target))
        .orElse(true);
  }

  /** Returns whether a value can be compared with others. */
  boolean isComparable(Row row) {
    return !Double.isNaN(row.median()) && !brokeContract(row) && keepsUp(row);
  }

  /** Returns the comparable values of all rivals: an adapter's are what it replaces. */
  Stream<Row> rivals(Row row) {
    Set<String> replaced = REPLACED.getOrDefault(row.contender(), Set.of());
    return results
        .rows(row.bench(), row.metric(), row.params())
        .filter(other -> !isOurs(other.contender()) && !other.contender().equals(Palette.FLOOR))
        .filter(other -> replaced.isEmpty() || replaced.contains(other.contender()))
        .filter(this::isComparable);
  }

  /** Returns the best value of all rivals. */
  Optional<Row> bestRival(Row row) {
    Comparator<Row> better = Comparator.comparingDouble(Row::median);
    return rivals(row).min(row.higherIsBetter() ? better.reversed() : better);
  }

  /** Returns the value of the floor. */
  Optional<Row> floor(Row row) {
    return results.row(Palette.FLOOR, row.bench(), row.metric(), row.params());
  }

  /** Returns another metric of the same contender in the same configuration. */
  private Optional<Row> sibling(Row row, String metric) {
    return results.row(row.contender(), row.bench(), metric, row.params());
  }
}
