package dev.purgatory.benchmarks;

import java.time.Duration;

/** Receives the progress of a run. */
public interface Progress {

  /**
   * Called before each measurement and at the end of the run.
   *
   * @param done the number of completed measurements
   * @param total the total number of measurements
   * @param current the title of the next measurement; empty at the end
   * @param left an estimate of the remaining time
   */
  void advanced(int done, int total, String current, Duration left);

  /** Called with a message for the user, such as a failure or a skipped measurement. */
  void note(String text);
}
