package dev.purgatory.benchmarks.measure;

/** A measurement of a contender. */
interface Measurement {

  /**
   * Measures a contender.
   *
   * @param contender the name of the contender
   * @param settings the size of the measurement
   * @param out receives the samples
   */
  void measure(String contender, Settings settings, Output out) throws Exception;
}
