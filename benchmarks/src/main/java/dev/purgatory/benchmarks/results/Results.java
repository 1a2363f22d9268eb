package dev.purgatory.benchmarks.results;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The results of a run.
 *
 * @param environment the environment of the run
 * @param rows the measured values, in order of presentation
 */
public record Results(Environment environment, List<Row> rows) {

  /** Copies the rows. */
  public Results {
    rows = List.copyOf(rows);
  }

  /**
   * Returns the values of all contenders, in order of presentation.
   *
   * @param params the configuration; other parameters of a row are ignored
   */
  public Stream<Row> rows(String bench, String metric, Map<String, String> params) {
    return rows.stream()
        .filter(row -> row.bench().equals(bench) && row.metric().equals(metric))
        .filter(row -> row.params().entrySet().containsAll(params.entrySet()));
  }

  /** Returns the first of these values that is of a contender. */
  public Optional<Row> row(
      String contender, String bench, String metric, Map<String, String> params) {
    return rows(bench, metric, params).filter(row -> row.contender().equals(contender)).findFirst();
  }
}
