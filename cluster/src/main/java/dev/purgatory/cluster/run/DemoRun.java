package dev.purgatory.cluster.run;

import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.probe.ClusterMonitor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * A run of the demo. Three nodes start, and clients put load on them. One node is killed after a
 * third of the time and restarted after two thirds. At the end, all acknowledged messages must have
 * been read.
 */
public final class DemoRun extends ClusterRun<DemoResult> {
  /** The death of a node must be detected well before it restarts a few seconds later. */
  private static final Map<String, String> SETTINGS =
      Map.of("broker.session.timeout.ms", "3000", "broker.heartbeat.interval.ms", "500");

  private final DemoPlan plan;
  private final KafkaCluster cluster;
  private final ClusterMonitor monitor;

  private final BiConsumer<List<KafkaNode>, Cleanup> onStarted;

  private DemoRun(
      DemoPlan plan,
      Progress progress,
      BiConsumer<List<KafkaNode>, Cleanup> onStarted,
      Cleanup cleanup) {
    super("demo", plan.classPath(), plan.dropIn(), SETTINGS, progress, cleanup);
    this.plan = plan;
    this.onStarted = onStarted;
    this.cluster = cleanup.add(KafkaCluster.of(NODES, folder.path(), setup));
    this.monitor = cleanup.add(new ClusterMonitor(cluster.nodes()));
  }

  /**
   * Runs the demo.
   *
   * @param plan the settings
   * @param progress receives the progress
   * @param onStarted called when the nodes serve clients, with what closes resources at the end
   * @throws NodeFailure if a node does not start, runs the wrong classes, or ends unexpectedly
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static DemoResult run(
      DemoPlan plan, Progress progress, BiConsumer<List<KafkaNode>, Cleanup> onStarted)
      throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      return new DemoRun(plan, progress, onStarted, cleanup).run(" for " + plan.name());
    }
  }

  @Override
  KafkaCluster cluster() {
    return cluster;
  }

  @Override
  DemoResult measure() throws InterruptedException {
    onStarted.accept(cluster.nodes(), cleanup);
    monitor.start();
    Duration cpuBefore = monitor.total().cpu();
    ClusterLoad load = startLoad(plan.consumers());
    drive(load);
    Duration cpu = monitor.total().cpu().minus(cpuBefore);
    settle(load);
    load.close();
    LoadStats clients = load.stats();
    monitor.finish();
    return new DemoResult(
        plan.name(), monitor.total(), monitor.maxWatched(), cpu, monitor.retained(), clients);
  }

  private void drive(ClusterLoad load) throws InterruptedException {
    KafkaNode victim = monitor.follower();
    Duration third = plan.load().dividedBy(3);
    advanceTo(third, load);
    victim.kill();
    progress.say("node " + victim.config().id() + " killed");
    advanceTo(third.multipliedBy(2), load);
    victim.start();
    progress.say("node " + victim.config().id() + " restarted");
    advanceTo(plan.load(), load);
  }
}
