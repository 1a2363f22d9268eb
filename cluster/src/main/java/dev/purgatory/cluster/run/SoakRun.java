package dev.purgatory.cluster.run;

import dev.purgatory.cluster.disturb.Disturbance;
import dev.purgatory.cluster.disturb.DisturbanceSchedule;
import dev.purgatory.cluster.disturb.GatedCluster;
import dev.purgatory.cluster.disturb.GatedNode;
import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.NodeFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A soak of three nodes under load. One node after the other is killed, paused or cut off for a
 * random time. At the end, all acknowledged messages must have been read, once and in order.
 */
public final class SoakRun extends ClusterRun<SoakResult> {
  /** Since soaks are long, messages are compressed. They are kept until they are read back. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "unclean.leader.election.enable", "false",
          "compression.type", "lz4",
          "log.retention.ms", "-1",
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          "replica.lag.time.max.ms", "3000");

  private final SoakPlan plan;
  private final GatedCluster gated;
  private final Map<String, Integer> disturbances = new LinkedHashMap<>();

  private SoakRun(SoakPlan plan, Progress progress, Cleanup cleanup) {
    super("soak", plan.classPath(), plan.dropIn(), SETTINGS, progress, cleanup);
    this.plan = plan;
    this.gated = GatedCluster.of(NODES, folder.path(), setup, cleanup);
    for (Disturbance disturbance : Disturbance.values()) {
      disturbances.put(disturbance.participle(), 0);
    }
  }

  /**
   * Runs a soak.
   *
   * @param plan the settings
   * @param progress receives the progress
   * @throws NodeFailure if a node does not start, runs the wrong classes, or ends unexpectedly
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static SoakResult run(SoakPlan plan, Progress progress) throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      return new SoakRun(plan, progress, cleanup).run("");
    }
  }

  @Override
  KafkaCluster cluster() {
    return gated.cluster();
  }

  @Override
  SoakResult measure() throws InterruptedException {
    ClusterLoad load = startLoad(plan.consumers());
    for (DisturbanceSchedule.Entry entry :
        DisturbanceSchedule.of(plan.seed(), plan.length(), NODES)) {
      advanceTo(entry.begin(), load);
      progress.say(begin(entry));
      advanceTo(entry.end(), load);
      entry.disturbance().end(gated.nodes().get(entry.node()));
    }
    advanceTo(plan.length(), load);
    return readAgain(load, disturbances);
  }

  /** Fails if the node has ended unexpectedly. */
  private String begin(DisturbanceSchedule.Entry entry) {
    GatedNode node = gated.nodes().get(entry.node());
    if (!node.isAlive()) {
      throw node.node().ended();
    }
    entry.disturbance().begin(node);
    String what = entry.disturbance().participle();
    disturbances.merge(what, 1, Integer::sum);
    Duration length = entry.end().minus(entry.begin());
    return "%s %s for %.1f s".formatted(node.name(), what, length.toMillis() / 1e3);
  }
}
