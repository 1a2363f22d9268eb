package dev.purgatory.cli.soak;

import dev.purgatory.cli.load.LoadStats;
import java.util.Map;

/**
 * What came of a soak.
 *
 * @param disturbances how often nodes were disturbed, by how
 * @param clients what the clients saw
 */
public record SoakResult(Map<String, Integer> disturbances, LoadStats clients) {

  /** Whether Kafka's promises were kept: nothing acknowledged is lost, nothing comes twice. */
  public boolean isClean() {
    return clients.lost() == 0 && clients.duplicates() == 0 && clients.acknowledged() > 0;
  }
}
