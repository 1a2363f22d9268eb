package dev.purgatory.cli.soak;

import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.load.Reading;
import dev.purgatory.cluster.node.TemporaryFolder;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

/** The end of a soak: all messages are read again. */
final class SoakEnd {
  private static final Duration READ_PATIENCE = Duration.ofMinutes(2);

  private SoakEnd() {}

  /**
   * Stops the producers, waits until all messages have been read, and reads them again.
   *
   * @param load the clients, which this closes
   * @param disturbances the number of disturbances of each kind
   * @param folder of the nodes, which is kept if the result is not clean
   * @param out receives the progress
   */
  static SoakResult await(
      ClusterLoad load, Map<String, Integer> disturbances, TemporaryFolder folder, PrintStream out)
      throws InterruptedException {
    load.stopProducing();
    load.awaitReceived(READ_PATIENCE);
    out.println("Reading all messages again from the beginning …");
    Reading readBack = load.readBack(READ_PATIENCE);
    load.close();
    SoakResult result = new SoakResult(disturbances, load.stats(), load.reading(), readBack);
    if (!result.isClean()) {
      folder.keep();
      out.println("Keeping the nodes' logs and data in " + folder.path());
    }
    return result;
  }
}
