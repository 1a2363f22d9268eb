package dev.purgatory.benchmarks.results;

import java.util.List;

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
}
