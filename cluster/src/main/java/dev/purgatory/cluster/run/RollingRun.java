package dev.purgatory.cluster.run;

import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.probe.NodeProbe;
import java.io.IOException;
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
public final class RollingRun extends ClusterRun<SoakResult> {
  private static final Map<String, String> SETTINGS =
      Map.of("unclean.leader.election.enable", "false");

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(60);
  private static final Duration SYNC_PATIENCE = Duration.ofMinutes(2);
  private static final long PAUSE_MILLIS = 500;

  private final RollingPlan plan;
  private final KafkaCluster cluster;
  private final Map<String, Integer> steps = new LinkedHashMap<>();

  private RollingRun(RollingPlan plan, Progress progress, Cleanup cleanup) {
    super("rolling", plan.stockClassPath(), false, SETTINGS, progress, cleanup);
    this.plan = plan;
    this.cluster = cleanup.add(KafkaCluster.of(NODES, folder.path(), setup));
  }

  /**
   * Installs the drop-in on all nodes, if the plan says so, and removes it again.
   *
   * @param plan the settings
   * @param progress receives the progress
   * @throws NodeFailure if a node does not start, runs the wrong classes, or ends unexpectedly
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static SoakResult run(RollingPlan plan, Progress progress) throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      return new RollingRun(plan, progress, cleanup).run("");
    }
  }

  @Override
  KafkaCluster cluster() {
    return cluster;
  }

  @Override
  SoakResult measure() throws InterruptedException {
    ClusterLoad load = startLoad(plan.consumers());
    roll(plan.installs(), load);
    roll(false, load);
    Thread.sleep(plan.pause().toMillis());
    return readAgain(load, steps);
  }

  private void roll(boolean dropIn, ClusterLoad load) throws InterruptedException {
    for (KafkaNode node : cluster.nodes()) {
      awaitInSync();
      Thread.sleep(plan.pause().toMillis());
      node.stop(STOP_PATIENCE);
      node.useClassPath(plan.classPath(dropIn));
      node.start();
      String line = identify(List.of(node), dropIn).get(0);
      progress.say("%s; %,d messages acknowledged".formatted(line, load.acknowledged()));
      steps.merge(dropIn ? "with the drop-in" : "without it", 1, Integer::sum);
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
        throw node.ended();
      }
    }
    return sum;
  }
}
