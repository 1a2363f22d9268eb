package dev.purgatory.cluster.probe;

/**
 * The counters of a node, summed over all its processes. Each process counts from zero, so the last
 * sample of each is kept. What a killed process counted after its last sample is lost.
 *
 * <p>Not safe for use by several threads.
 */
final class Incarnations {
  private NodeSample earlier = NodeSample.none();
  private NodeSample latest = NodeSample.none();
  private long pid;

  /**
   * Adds a sample.
   *
   * @param seenPid the id of the sampled process
   * @param sample the counters since that process started
   */
  void update(long seenPid, NodeSample sample) {
    if (seenPid != pid) {
      earlier = earlier.plus(latest.afterDeath());
      pid = seenPid;
    }
    latest = sample;
  }

  /** Returns the sum over all processes. */
  NodeSample total() {
    return earlier.plus(latest);
  }
}
