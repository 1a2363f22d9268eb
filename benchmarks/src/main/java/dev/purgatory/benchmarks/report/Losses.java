package dev.purgatory.benchmarks.report;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds all values that are worse than a rival's by more than the noise. */
final class Losses {
  private static final String CORE = Contenders.PURGATORY.title();
  private static final String DROP_IN = Contenders.PURGATORY_KAFKA.title();
  private static final Set<String> OURS = Set.of(CORE, DROP_IN);
  private static final Set<String> NO_RIVALS = Set.of(Palette.KAFKA, Palette.FLOOR);

  /** Metrics that depend on the load, not on the contender, or that are no longer recorded. */
  private static final Set<String> NO_COSTS =
      Set.of(
          "timed out",
          "behind schedule, p99",
          "behind schedule, max",
          "without an end",
          "requests",
          "CPU samples",
          "CPU samples of all threads",
          "CPU samples of the purgatory");

  private static final Set<String> ABOVE_FLOOR =
      Set.of("CPU per request", "heap per pending operation", "allocation per operation");

  /** The smallest ratio that is reported. */
  private static final double MIN_RATIO = 1.02;

  private final List<Row> rows;

  private Losses(Results results) {
    rows =
        results.rows().stream()
            .filter(row -> !row.failed() && !NO_COSTS.contains(row.metric()))
            .toList();
  }

  /** Returns the losses of the library and the drop-in to Kafka's classes, worst first. */
  static List<Loss> toKafka(Results results) {
    Losses losses = new Losses(results);
    return losses.of(row -> OURS.contains(row.contender()), Palette.KAFKA::equals);
  }

  /** Returns the losses of the library to the best other rival of each value, worst first. */
  static List<Loss> toOthers(Results results) {
    Losses losses = new Losses(results);
    return losses.of(
        row -> row.contender().equals(CORE),
        name -> !NO_RIVALS.contains(name) && !name.startsWith(CORE)); // adapters are no rivals
  }

  /**
   * A value that is worse than a rival's.
   *
   * @param row our value
   * @param rival the rival's value
   * @param ratios how many times worse our value is; above 1
   */
  record Loss(Row row, Row rival, Ratios ratios) {}

  private List<Loss> of(Predicate<Row> ours, Predicate<String> rivals) {
    List<Loss> losses = new ArrayList<>();
    for (Row row : rows) {
      if (ours.test(row)) {
        beside(row)
            .filter(other -> rivals.test(other.contender()))
            .flatMap(other -> loss(row, other).stream())
            .max(Comparator.comparingDouble(loss -> loss.ratios.median()))
            .ifPresent(losses::add);
      }
    }
    losses.sort(Comparator.comparingDouble(loss -> -loss.ratios.median()));
    return losses;
  }

  private Optional<Loss> loss(Row row, Row rival) {
    Optional<Row> floor =
        ABOVE_FLOOR.contains(row.metric())
            ? beside(row).filter(other -> other.contender().equals(Palette.FLOOR)).findFirst()
            : Optional.empty();
    Optional<Ratios> ratios =
        row.higherIsBetter() ? Ratios.of(rival, row, floor) : Ratios.of(row, rival, floor);
    return ratios
        .filter(some -> some.isDifference() && some.median() >= MIN_RATIO)
        .map(some -> new Loss(row, rival, some));
  }

  /** Returns the values of all contenders for the same metric and configuration. */
  private Stream<Row> beside(Row row) {
    return rows.stream()
        .filter(other -> other.bench().equals(row.bench()) && other.metric().equals(row.metric()))
        .filter(other -> other.params().equals(row.params()));
  }
}
