package dev.purgatory.cluster.run;

import java.time.Duration;

/**
 * The settings of a rolling installation.
 *
 * @param stockClassPath the class path of nodes without the drop-in
 * @param dropInClassPath the class path of nodes with the drop-in
 * @param installs whether nodes get the drop-in; if not, they are restarted without it
 * @param pause the time between two nodes, in which they serve clients together
 * @param consumers the number of long-polling consumers
 */
public record RollingPlan(
    String stockClassPath,
    String dropInClassPath,
    boolean installs,
    Duration pause,
    int consumers) {

  /**
   * Returns a class path.
   *
   * @param dropIn whether it is the one with the drop-in
   */
  String classPath(boolean dropIn) {
    return dropIn ? dropInClassPath : stockClassPath;
  }
}
