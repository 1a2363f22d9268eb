package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.measure.Sample;
import java.io.IOException;
import java.util.List;

/** Measures brokers under one load. */
interface BrokerMeasurement {
  /**
   * Puts the load on a cluster and measures. The cluster must have no other clients.
   *
   * @return the measured values, in the order of the report
   * @throws IOException if the cluster does not behave as expected
   * @throws InterruptedException if the thread is interrupted
   */
  List<Sample> run(TestCluster cluster) throws IOException, InterruptedException;
}
