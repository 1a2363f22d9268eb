package dev.purgatory.cli.demo;

import dev.purgatory.cli.text.TimedProgress;
import dev.purgatory.cluster.load.ClusterLoad;
import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.KafkaCluster;
import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.probe.ClusterMonitor;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A run of the demo. Three nodes start, and clients put load on them. One node is killed after a
 * third of the time and restarted after two thirds. At the end, all acknowledged messages must have
 * been read.
 */
public final class DemoRun {
  private static final int NODES = 3;
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration READ_PATIENCE = Duration.ofSeconds(30);

  /**
   * Several nodes must fit on a small machine. In runs of a few seconds, the optimizing compiler
   * would use more processor time than it saves.
   */
  private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:TieredStopAtLevel=1");

  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          // The death of a node must be detected well before it restarts a few seconds later.
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          // By default, the log cleaner's buffer would take a third of these small heaps.
          "log.cleaner.dedupe.buffer.size", "4194304");

  private final DemoPlan plan;
  private final PrintStream out;
  private final boolean terminal;
  private final Cleanup cleanup;
  private final TemporaryFolder folder;
  private final KafkaCluster cluster;
  private final ClusterMonitor monitor;

  private DemoRun(DemoPlan plan, PrintStream out, boolean terminal, Cleanup cleanup) {
    this.plan = plan;
    this.out = out;
    this.terminal = terminal;
    this.cleanup = cleanup;
    this.folder = cleanup.add(new TemporaryFolder("purgatory-demo-"));
    NodeSetup setup = new NodeSetup(plan.classPath(), SETTINGS, JVM_OPTIONS);
    this.cluster = cleanup.add(KafkaCluster.of(NODES, folder.path(), setup));
    this.monitor = cleanup.add(new ClusterMonitor(cluster.nodes()));
  }

  /**
   * Runs the demo. Leaves no processes and no folders behind, except for the logs of a node that
   * did not start.
   *
   * @param plan the settings
   * @param out receives the progress
   * @param terminal whether {@code out} is a terminal
   * @throws NodeFailure if a node does not start or runs the wrong classes
   * @throws IOException if a node has ended unexpectedly
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static RunResult run(DemoPlan plan, PrintStream out, boolean terminal)
      throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      DemoRun run = new DemoRun(plan, out, terminal, cleanup);
      run.startNodes();
      return run.measure();
    }
  }

  private void startNodes() throws InterruptedException {
    out.println("Starting " + NODES + " nodes for " + plan.name() + " …");
    cluster.start();
    awaitNodes();
    monitor.identify(plan.dropIn()).forEach(out::println);
    monitor.start();
  }

  private void awaitNodes() throws InterruptedException {
    try {
      monitor.awaitRunning(START_PATIENCE);
    } catch (NodeFailure e) {
      folder.keepFor(e);
      throw e;
    }
  }

  private RunResult measure() throws IOException, InterruptedException {
    Duration cpuBefore = monitor.total().cpu();
    ClusterLoad load = cleanup.add(ClusterLoad.start(cluster.bootstrap(), plan.consumers()));
    drive(load);
    Duration cpu = monitor.total().cpu().minus(cpuBefore);
    LoadStats clients = settle(load);
    monitor.finish();
    return new RunResult(
        plan.name(), monitor.total(), monitor.maxWatched(), cpu, monitor.retained(), clients);
  }

  private void drive(ClusterLoad load) throws InterruptedException {
    KafkaNode victim = monitor.follower();
    Supplier<String> message = () -> counts(load);
    Duration third = plan.load().dividedBy(3);
    try (TimedProgress progress = new TimedProgress(out, terminal, "load", plan.load())) {
      progress.advanceTo(third, message);
      victim.kill();
      progress.say("node " + victim.config().id() + " killed");
      progress.advanceTo(third.multipliedBy(2), message);
      victim.start();
      progress.say("node " + victim.config().id() + " restarted");
      progress.advanceTo(plan.load(), message);
    }
  }

  private static String counts(ClusterLoad load) {
    return "%,d acknowledged, %,d read".formatted(load.acknowledged(), load.received());
  }

  /** Waits until all messages in flight have been read, then stops the clients. */
  private LoadStats settle(ClusterLoad load) throws InterruptedException {
    out.println("Waiting until all acknowledged messages have been read …");
    load.stopProducing();
    awaitNodes();
    load.awaitReceived(READ_PATIENCE);
    load.close();
    return load.stats();
  }
}
