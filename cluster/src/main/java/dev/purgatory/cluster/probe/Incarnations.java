package dev.purgatory.cluster.probe;

/**
 * The counters of a node, summed over all its processes. Each process counts from zero, so the last
 * sample of each is kept. Counts after the last sample of a killed process are lost.
 *
 * <p>Not thread-safe.
 */
final class Incarnations {
  private NodeSample earlier = NodeSample.none();
  private NodeSample latest = NodeSample.none();
  private long pid;

  /**
   * Adds a sample.
   *
   * @param sampledPid the id of the sampled process
   * @param sample the counters since that process started
   */
  void update(long sampledPid, NodeSample sample) {
    if (sampledPid != pid) {
      earlier = earlier.plus(latest.afterEnd());
      pid = sampledPid;
    }
    latest = sample;
  }

  /** Returns the sum over all processes. */
  NodeSample total() {
    return earlier.plus(latest);
  }
}
