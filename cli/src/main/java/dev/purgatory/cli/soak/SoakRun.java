package dev.purgatory.cli.soak;

import dev.purgatory.cli.demo.Progress;
import dev.purgatory.cli.load.Load;
import dev.purgatory.cli.node.Cleanup;
import dev.purgatory.cli.node.KafkaCluster;
import dev.purgatory.cli.node.KafkaNode;
import dev.purgatory.cli.node.NodeFailure;
import dev.purgatory.cli.node.TemporaryFolder;
import dev.purgatory.cli.probe.ClusterMonitor;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * One soak: three nodes under load. One after the other is killed, paused or cut off, for a random
 * time each; at the end everything acknowledged must have been read, once.
 */
public final class SoakRun {
  private static final int NODES = 3;
  private static final Duration START_PATIENCE = Duration.ofSeconds(90);
  private static final Duration READ_PATIENCE = Duration.ofMinutes(2);
  private static final int LONGEST_CALM_MILLIS = 8_000;
  private static final int LONGEST_DISTURBANCE_MILLIS = 12_000;
  private static final int SHORTEST_MILLIS = 500;

  private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:TieredStopAtLevel=1");
  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          "unclean.leader.election.enable", "false",
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          "replica.lag.time.max.ms", "3000",
          "log.cleaner.dedupe.buffer.size", "4194304");

  private final SoakPlan plan;
  private final PrintStream out;
  private final boolean terminal;
  private final Cleanup cleanup;
  private final TemporaryFolder folder;
  private final List<GatedNode> nodes = new ArrayList<>();
  private final KafkaCluster cluster;
  private final ClusterMonitor monitor;
  private final SplittableRandom random;
  private final Map<String, Integer> disturbances = new TreeMap<>();

  private SoakRun(SoakPlan plan, PrintStream out, boolean terminal, Cleanup cleanup) {
    this.plan = plan;
    this.out = out;
    this.terminal = terminal;
    this.cleanup = cleanup;
    this.random = new SplittableRandom(plan.seed());
    this.folder = cleanup.add(new TemporaryFolder("purgatory-soak-"));
    List<Gate> gates = new ArrayList<>();
    this.cluster =
        cleanup.add(
            KafkaCluster.behindGates(
                NODES,
                folder.path(),
                plan.classPath(),
                SETTINGS,
                JVM_OPTIONS,
                target -> {
                  Gate gate = cleanup.add(new Gate(target));
                  gates.add(gate);
                  return gate.port();
                }));
    for (int i = 0; i < NODES; i++) {
      KafkaNode node = cluster.nodes().get(i);
      nodes.add(new GatedNode(node, gates.get(i), gates.get(NODES + i)));
    }
    this.monitor = cleanup.add(new ClusterMonitor(cluster.nodes()));
  }

  /**
   * Runs. No process and no folder is left behind, except for the logs of a node that did not come
   * up.
   *
   * @param plan what the run should be
   * @param out where to tell how far it has come
   * @param terminal whether that is a terminal
   * @throws NodeFailure when a node does not come up or does not run what the plan wants
   * @throws IOException when a gate cannot be opened
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public static SoakResult run(SoakPlan plan, PrintStream out, boolean terminal)
      throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      SoakRun run = new SoakRun(plan, out, terminal, cleanup);
      run.startNodes();
      return run.measure();
    }
  }

  private void startNodes() throws InterruptedException {
    out.println("Starting " + NODES + " nodes …");
    cluster.start();
    awaitNodes();
    monitor.identify(plan.dropIn()).forEach(out::println);
  }

  private void awaitNodes() throws InterruptedException {
    try {
      monitor.awaitRunning(START_PATIENCE);
    } catch (NodeFailure e) {
      folder.keepFor(e);
      throw e;
    }
  }

  private SoakResult measure() throws InterruptedException {
    Load load = cleanup.add(Load.start(cluster.bootstrap(), plan.consumers()));
    disturb(load);
    out.println("Waiting until everything acknowledged is read …");
    awaitNodes();
    load.stopProducing();
    load.awaitReceived(READ_PATIENCE);
    load.close();
    return new SoakResult(disturbances, load.stats());
  }

  private void disturb(Load load) throws InterruptedException {
    Supplier<String> message =
        () -> "%,d acknowledged, %,d read".formatted(load.acknowledged(), load.received());
    try (Progress progress = new Progress(out, terminal, "soak", plan.length())) {
      Duration now = after(Duration.ZERO, LONGEST_CALM_MILLIS);
      while (now.compareTo(plan.length()) < 0) {
        progress.advanceTo(now, message);
        GatedNode node = nodes.get(random.nextInt(NODES));
        Disturbance disturbance = Disturbance.values()[random.nextInt(Disturbance.values().length)];
        progress.say("node " + node.id() + " " + disturbance.participle());
        disturbances.merge(disturbance.participle(), 1, Integer::sum);
        disturbance.begin(node);
        now = after(now, LONGEST_DISTURBANCE_MILLIS);
        progress.advanceTo(now, message);
        disturbance.end(node);
        now = after(now, LONGEST_CALM_MILLIS);
      }
    }
  }

  private Duration after(Duration now, int mostMillis) {
    return now.plusMillis(SHORTEST_MILLIS + random.nextInt(mostMillis));
  }
}
