package dev.purgatory.cli.soak;

import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.probe.NodeProbe;
import dev.purgatory.cluster.probe.NodeWatch;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A rolling installation under load. Three stock nodes are shut down and started again with the
 * drop-in, one after the other, and then the same without it. Most of the time, nodes with and
 * without the drop-in replicate from each other. At the end, all acknowledged messages must have
 * been read, once and in order.
 */
public final class RollingRun {
  private static final int NODES = 3;
  private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:TieredStopAtLevel=1");

  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          "unclean.leader.election.enable", "false",
          "log.cleaner.dedupe.buffer.size", "4194304");

  private static final Duration START_PATIENCE = Duration.ofSeconds(90);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(60);
  private static final Duration SYNC_PATIENCE = Duration.ofMinutes(2);
  private static final long PAUSE_MILLIS = 500;

  private final RollingPlan plan;
  private final PrintStream out;
  private final Cleanup cleanup;
  private final TemporaryFolder folder;
  private final KafkaCluster cluster;
  private final Map<String, Integer> steps = new LinkedHashMap<>();

  private RollingRun(RollingPlan plan, PrintStream out, Cleanup cleanup) {
    this.plan = plan;
    this.out = out;
    this.cleanup = cleanup;
    this.folder = cleanup.add(new TemporaryFolder("purgatory-rolling-"));
    NodeSetup setup = new NodeSetup(plan.stockClassPath(), SETTINGS, JVM_OPTIONS);
    this.cluster = cleanup.add(KafkaCluster.of(NODES, folder.path(), setup));
  }

  /**
   * Installs the drop-in on all nodes, if the plan says so, and removes it again. Leaves no
   * processes behind. Keeps its folder only if a node did not start, or if the result is not clean.
   *
   * @param plan the settings
   * @param out receives the progress
   * @throws NodeFailure if a node does not start or runs the wrong classes
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static SoakResult run(RollingPlan plan, PrintStream out) throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      RollingRun run = new RollingRun(plan, out, cleanup);
      try {
        return run.measure();
      } catch (NodeFailure e) {
        run.folder.keepFor(e);
        throw e;
      }
    }
  }

  private SoakResult measure() throws InterruptedException {
    out.println("Starting " + NODES + " nodes …");
    cluster.start();
    for (KafkaNode node : cluster.nodes()) {
      out.println(identify(node, false));
    }
    ClusterLoad load = cleanup.add(ClusterLoad.start(cluster.bootstrap(), plan.consumers()));
    roll(plan.installs(), load);
    roll(false, load);
    Thread.sleep(plan.pause().toMillis());
    return SoakEnd.await(load, steps, folder, out);
  }

  private void roll(boolean dropIn, ClusterLoad load) throws InterruptedException {
    for (KafkaNode node : cluster.nodes()) {
      awaitInSync();
      Thread.sleep(plan.pause().toMillis());
      node.stop(STOP_PATIENCE);
      node.useClassPath(plan.classPath(dropIn));
      node.start();
      out.printf("%s; %,d messages acknowledged%n", identify(node, dropIn), load.acknowledged());
      steps.merge(dropIn ? "with the drop-in" : "without it", 1, Integer::sum);
    }
  }

  /** Fails if the node does not run what it should. */
  private static String identify(KafkaNode node, boolean dropIn) throws InterruptedException {
    try (NodeWatch watch = new NodeWatch(node)) {
      watch.awaitRunning(System.nanoTime() + START_PATIENCE.toNanos());
      return watch.identify(dropIn);
    }
  }

  /** Waits until all replicas are in sync, as an operator has to before the next restart. */
  private void awaitInSync() throws InterruptedException {
    long deadline = System.nanoTime() + SYNC_PATIENCE.toNanos();
    while (underReplicated() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new NodeFailure(
            "some replicas do not get in sync", cluster.nodes().get(0).config().log());
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private long underReplicated() {
    long sum = 0;
    for (KafkaNode node : cluster.nodes()) {
      try (NodeProbe probe = NodeProbe.attach(node.pid())) {
        sum += probe.underReplicated();
      } catch (IOException e) {
        throw new NodeFailure(
            "node " + node.config().id() + " has ended unexpectedly", node.config().log());
      }
    }
    return sum;
  }
}
