package dev.purgatory.cluster.run;

import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.load.Reading;
import java.util.Map;

/**
 * The results of a soak.
 *
 * @param disturbances the number of disturbances of each kind
 * @param clients the statistics of the clients
 * @param duringSoak the findings of the reader that read during the soak
 * @param readBack the findings of the reader that read everything at the end
 */
public record SoakResult(
    Map<String, Integer> disturbances, LoadStats clients, Reading duringSoak, Reading readBack) {

  /**
   * Returns whether no message was lost, duplicated or out of order, and some were acknowledged.
   */
  public boolean isClean() {
    return duringSoak.isClean() && readBack.isClean() && clients.acknowledged() > 0;
  }

  /** Returns a phrase that describes the result. */
  public String verdict() {
    if (clients.acknowledged() == 0) {
      return "no messages were acknowledged";
    }
    return isClean()
        ? "no messages were lost, duplicated or out of order"
        : "messages were lost, duplicated or out of order";
  }
}
