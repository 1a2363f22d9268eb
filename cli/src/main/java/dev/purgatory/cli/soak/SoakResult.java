package dev.purgatory.cli.soak;

import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.load.Reading;
import java.util.Map;

/**
 * What came of a soak.
 *
 * @param disturbances how many nodes were disturbed, by how
 * @param clients what the clients saw
 * @param onTheWay what the reader says that has read all the while
 * @param readBack what the one says that has read everything at the end
 */
public record SoakResult(
    Map<String, Integer> disturbances, LoadStats clients, Reading onTheWay, Reading readBack) {

  /** Whether Kafka's promises were kept: nothing acknowledged is lost, nothing comes twice. */
  public boolean isClean() {
    return onTheWay.isClean() && readBack.isClean() && clients.acknowledged() > 0;
  }

  /** In a few words, for people. */
  public String verdict() {
    if (clients.acknowledged() == 0) {
      return "nothing was acknowledged";
    }
    return isClean() ? "all promises were kept" : "promises were broken";
  }
}
