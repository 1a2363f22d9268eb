package dev.purgatory.benchmarks.measure;

/** Something that is measured of a contender. */
interface Measurement {

  /**
   * Measures.
   *
   * @param contender by its name
   * @param settings how large
   * @param out where to tell
   */
  void measure(String contender, Settings settings, Output out) throws Exception;
}
