package dev.purgatory.benchmarks.results;

import java.util.List;

/**
 * A whole run.
 *
 * @param environment where, when and how it was made
 * @param rows what was measured, in the order in which it is told
 */
public record Results(Environment environment, List<Row> rows) {

  /** Copies the rows. */
  public Results {
    rows = List.copyOf(rows);
  }
}
