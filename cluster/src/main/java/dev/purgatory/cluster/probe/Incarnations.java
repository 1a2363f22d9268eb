package dev.purgatory.cluster.probe;

/**
 * The counts of one node over all lives of its process. Each life counts from zero, so the last
 * look at each is kept: what a killed process counted after that look is lost with it.
 *
 * <p>Not safe for use by several threads.
 */
final class Incarnations {
  private NodeSample earlier = NodeSample.none();
  private NodeSample latest = NodeSample.none();
  private long pid;

  /**
   * Takes a newer look at the node.
   *
   * @param seenPid the process that was looked at; another one than before is a new life
   * @param sample what it counted since its start
   */
  void update(long seenPid, NodeSample sample) {
    if (seenPid != pid) {
      earlier = earlier.plus(latest.afterDeath());
      pid = seenPid;
    }
    latest = sample;
  }

  /** All lives added up. */
  NodeSample total() {
    return earlier.plus(latest);
  }
}
