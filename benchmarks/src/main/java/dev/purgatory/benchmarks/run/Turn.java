package dev.purgatory.benchmarks.run;

import java.time.Duration;
import java.util.Map;

/** One measurement of one contender, once. */
public interface Turn {

  /** The measurement, as it is called in the results. */
  String bench();

  /** Who is measured, as he is called in the results. */
  String contender();

  /** How it is measured, as far as what it measures does not tell that itself. */
  default Map<String, String> params() {
    return Map.of();
  }

  /** How long it takes, about. */
  Duration expected();

  /** What it is called in the display of the progress. */
  default String title() {
    return bench() + " " + contender();
  }
}
