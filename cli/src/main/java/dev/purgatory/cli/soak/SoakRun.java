package dev.purgatory.cli.soak;

import dev.purgatory.cli.text.TimedProgress;
import dev.purgatory.cluster.disturb.Disturbance;
import dev.purgatory.cluster.disturb.DisturbanceSchedule;
import dev.purgatory.cluster.disturb.GatedCluster;
import dev.purgatory.cluster.disturb.GatedNode;
import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.probe.ClusterMonitor;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A soak of three nodes under load. One node after the other is killed, paused or cut off for a
 * random time. At the end, all acknowledged messages must have been read, once and in order.
 */
public final class SoakRun {
  private static final int NODES = 3;
  private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:TieredStopAtLevel=1");

  /** Since soaks are long, messages are compressed. They are kept until they are read back. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          "unclean.leader.election.enable", "false",
          "compression.type", "lz4",
          "log.retention.ms", "-1",
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          "replica.lag.time.max.ms", "3000",
          "log.cleaner.dedupe.buffer.size", "4194304");

  private static final Duration START_PATIENCE = Duration.ofSeconds(90);

  private final SoakPlan plan;
  private final PrintStream out;
  private final boolean terminal;
  private final Cleanup cleanup;
  private final TemporaryFolder folder;
  private final GatedCluster cluster;
  private final ClusterMonitor monitor;
  private final Map<String, Integer> disturbances = new LinkedHashMap<>();

  private SoakRun(SoakPlan plan, PrintStream out, boolean terminal, Cleanup cleanup) {
    this.plan = plan;
    this.out = out;
    this.terminal = terminal;
    this.cleanup = cleanup;
    this.folder = cleanup.add(new TemporaryFolder("purgatory-soak-"));
    NodeSetup setup = new NodeSetup(plan.classPath(), SETTINGS, JVM_OPTIONS);
    this.cluster = GatedCluster.of(NODES, folder.path(), setup, cleanup);
    this.monitor = cleanup.add(new ClusterMonitor(cluster.cluster().nodes()));
    for (Disturbance disturbance : Disturbance.values()) {
      disturbances.put(disturbance.participle(), 0);
    }
  }

  /**
   * Runs a soak. Leaves no processes behind. Keeps its folder only if a node did not start, for its
   * log, or if the result is not clean, for the logs and data of all nodes.
   *
   * @param plan the settings
   * @param out receives the progress
   * @param terminal whether {@code out} is a terminal
   * @throws NodeFailure if a node does not start or runs the wrong classes
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static SoakResult run(SoakPlan plan, PrintStream out, boolean terminal)
      throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      SoakRun run = new SoakRun(plan, out, terminal, cleanup);
      try {
        run.startNodes();
        return run.measure();
      } catch (NodeFailure e) {
        run.folder.keepFor(e);
        throw e;
      }
    }
  }

  private void startNodes() throws InterruptedException {
    out.println("Starting " + NODES + " nodes …");
    cluster.cluster().start();
    identify().forEach(out::println);
  }

  /** Disconnects from the nodes, since open connections report errors when a node is killed. */
  private List<String> identify() throws InterruptedException {
    monitor.awaitRunning(START_PATIENCE);
    List<String> lines = monitor.identify(plan.dropIn());
    monitor.disconnect();
    return lines;
  }

  private SoakResult measure() throws InterruptedException {
    ClusterLoad load =
        cleanup.add(ClusterLoad.start(cluster.cluster().bootstrap(), plan.consumers()));
    disturb(load);
    out.println("Waiting until all acknowledged messages have been read …");
    identify();
    return SoakEnd.await(load, disturbances, folder, out);
  }

  private void disturb(ClusterLoad load) throws InterruptedException {
    Supplier<String> message =
        () -> "%,d acknowledged, %,d read".formatted(load.acknowledged(), load.received());
    try (TimedProgress progress = new TimedProgress(out, terminal, "soak", plan.length())) {
      for (DisturbanceSchedule.Entry entry :
          DisturbanceSchedule.of(plan.seed(), plan.length(), NODES)) {
        progress.advanceTo(entry.begin(), message);
        progress.say(begin(entry));
        progress.advanceTo(entry.end(), message);
        entry.disturbance().end(cluster.nodes().get(entry.node()));
      }
      progress.advanceTo(plan.length(), message);
    }
  }

  /** Fails if the node has ended unexpectedly. */
  private String begin(DisturbanceSchedule.Entry entry) {
    GatedNode node = cluster.nodes().get(entry.node());
    String name = "node " + node.id();
    if (!node.node().isAlive()) {
      throw new NodeFailure(name + " has ended unexpectedly", node.node().config().log());
    }
    entry.disturbance().begin(node);
    String what = entry.disturbance().participle();
    disturbances.merge(what, 1, Integer::sum);
    Duration length = entry.end().minus(entry.begin());
    return "%s %s for %.1f s".formatted(name, what, length.toMillis() / 1e3);
  }
}
