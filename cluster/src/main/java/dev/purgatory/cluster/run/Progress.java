package dev.purgatory.cluster.run;

import java.time.Duration;

/** Receives the progress of a run. */
@FunctionalInterface
public interface Progress {

  /** Called with a line for the user. */
  void say(String line);

  /**
   * Called ten times per second while the clients put load on the nodes, and with the length of the
   * load at its end.
   *
   * @param elapsed the time since the load began
   * @param counts what the clients have done so far
   */
  default void advanced(Duration elapsed, String counts) {}
}
