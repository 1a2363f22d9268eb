package dev.purgatory.cluster.run;

import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.load.Reading;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.probe.NodeWatch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What all runs have in common: three nodes start in a temporary folder, clients put load on them,
 * and at the end all acknowledged messages must have been read. A run leaves no processes behind.
 * It keeps its folder only if a log in it explains a failure, or if the result is not clean.
 *
 * @param <R> the result
 */
abstract class ClusterRun<R> {
  static final int NODES = 3;

  /**
   * Several nodes must fit on a small machine. In runs of a few seconds, the optimizing compiler
   * would use more processor time than it saves.
   */
  private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:TieredStopAtLevel=1");

  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          // By default, the log cleaner's buffer would take a third of these small heaps.
          "log.cleaner.dedupe.buffer.size", "4194304");

  private static final Duration START_PATIENCE = Duration.ofSeconds(90);
  private static final Duration READ_PATIENCE = Duration.ofMinutes(2);
  private static final long PAUSE_MILLIS = 100;

  final Progress progress;
  final Cleanup cleanup;
  final TemporaryFolder folder;
  final NodeSetup setup;

  private final boolean dropIn;
  private long loadStart;

  /**
   * Creates the folder.
   *
   * @param name the name of the run
   * @param classPath the class path of the nodes
   * @param dropIn whether the nodes must run the drop-in at the start and at the end; otherwise,
   *     they must run stock Kafka
   * @param settings broker settings besides those of all runs
   * @param progress receives the progress
   * @param cleanup removes the folder
   */
  ClusterRun(
      String name,
      String classPath,
      boolean dropIn,
      Map<String, String> settings,
      Progress progress,
      Cleanup cleanup) {
    Map<String, String> all = new HashMap<>(SETTINGS);
    all.putAll(settings);
    this.progress = progress;
    this.cleanup = cleanup;
    this.folder = cleanup.add(new TemporaryFolder("purgatory-" + name + "-"));
    this.setup = new NodeSetup(classPath, all, JVM_OPTIONS);
    this.dropIn = dropIn;
  }

  /** Returns the nodes, which {@code cleanup} closes. */
  abstract KafkaCluster cluster();

  /** Puts load on the nodes, which serve clients. */
  abstract R measure() throws InterruptedException;

  /**
   * Starts the nodes, and measures.
   *
   * @param whose follows the number of nodes in the progress; may be empty
   */
  final R run(String whose) throws InterruptedException {
    try {
      progress.say("Starting " + NODES + " nodes" + whose + " …");
      cluster().start();
      identify(cluster().nodes(), dropIn).forEach(progress::say);
      return measure();
    } catch (NodeFailure e) {
      folder.keepFor(e);
      throw e;
    }
  }

  /** Waits until nodes serve clients, and returns what they run. Fails if that is wrong. */
  static List<String> identify(List<KafkaNode> nodes, boolean dropIn) throws InterruptedException {
    return NodeWatch.identify(nodes, START_PATIENCE, dropIn);
  }

  final ClusterLoad startLoad(int consumers) throws InterruptedException {
    ClusterLoad load = cleanup.add(ClusterLoad.start(cluster().bootstrap(), consumers));
    loadStart = System.nanoTime();
    return load;
  }

  /** Waits until a given time has passed since the load began. */
  final void advanceTo(Duration end, ClusterLoad load) throws InterruptedException {
    for (Duration now = elapsed(); now.compareTo(end) < 0; now = elapsed()) {
      progress.advanced(now, counts(load));
      Thread.sleep(PAUSE_MILLIS);
    }
    progress.advanced(end, counts(load));
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - loadStart);
  }

  private static String counts(ClusterLoad load) {
    return "%,d acknowledged, %,d read".formatted(load.acknowledged(), load.received());
  }

  /** Stops the producers, and waits until all messages in flight have been read. */
  final void settle(ClusterLoad load) throws InterruptedException {
    progress.say("Waiting until all acknowledged messages have been read …");
    load.stopProducing();
    identify(cluster().nodes(), dropIn);
    load.awaitReceived(READ_PATIENCE);
  }

  /**
   * Settles, reads all messages again, and stops the clients.
   *
   * @param disturbances the number of disturbances of each kind
   */
  final SoakResult readAgain(ClusterLoad load, Map<String, Integer> disturbances)
      throws InterruptedException {
    settle(load);
    progress.say("Reading all messages again from the beginning …");
    Reading readBack = load.readBack(READ_PATIENCE);
    load.close();
    SoakResult result = new SoakResult(disturbances, load.stats(), load.reading(), readBack);
    if (!result.isClean()) {
      folder.keep();
      progress.say("Keeping the nodes' logs and data in " + folder.path());
    }
    return result;
  }
}
