package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.measure.Sample;
import java.io.IOException;
import java.util.List;

/** What is measured under one load. */
interface Measurement {
  /**
   * Puts the load on a cluster that nobody else uses, and measures.
   *
   * @return the numbers, in the order in which they are told
   * @throws IOException when the cluster does not do as it should
   * @throws InterruptedException when the thread is interrupted
   */
  List<Sample> run(TestCluster cluster) throws IOException, InterruptedException;
}
