package dev.purgatory.benchmarks;

import java.time.Duration;

/** Is told how far a run has come. */
public interface Progress {

  /**
   * Called before each JVM is started, and when all is done.
   *
   * @param done how many JVMs have ended
   * @param total how many there are in all
   * @param current what the next measures, and of whom; empty when all is done
   * @param left how long the rest takes, as far as that can be told
   */
  void advanced(int done, int total, String current, Duration left);

  /** Called when something happens that people should know of: what was skipped, what failed. */
  void note(String text);
}
