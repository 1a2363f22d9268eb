package dev.purgatory.cli;

import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.probe.NodeWatch;
import dev.purgatory.console.Console;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** Whether a page shows what the purgatories of brokers hold. */
final class WatchOption {
  @Option(
      names = "--watch",
      description =
          "Serves a page that shows what the purgatories hold, for browsers on this machine.")
  private boolean watch;

  /** For picocli, which sets the field. */
  WatchOption() {}

  /**
   * Serves the page if the user wants it.
   *
   * @param nodes the brokers, which may be restarted
   * @param cleanup closes the page
   * @param say tells the user its address
   */
  void serve(List<KafkaNode> nodes, Cleanup cleanup, Consumer<String> say) {
    if (!watch) {
      return;
    }
    Console.Builder builder = Console.builder();
    for (KafkaNode node : nodes) {
      NodeWatch broker = cleanup.add(new NodeWatch(node));
      builder.add("node " + node.config().id(), broker::mBeans);
    }
    say.accept("What their purgatories hold: " + cleanup.add(builder.serve()).address());
  }
}
