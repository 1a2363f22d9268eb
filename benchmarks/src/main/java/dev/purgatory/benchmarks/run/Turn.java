package dev.purgatory.benchmarks.run;

import java.time.Duration;
import java.util.Map;

/** A single measurement of one contender. */
public interface Turn {

  /** Returns the name of the measurement in the results. */
  String bench();

  /** Returns the name of the contender in the results. */
  String contender();

  /** Returns parameters of the results that the samples do not contain. */
  default Map<String, String> params() {
    return Map.of();
  }

  /** Returns the expected time. */
  Duration expected();

  /** Returns the title in progress messages. */
  default String title() {
    return bench() + " " + contender();
  }
}
