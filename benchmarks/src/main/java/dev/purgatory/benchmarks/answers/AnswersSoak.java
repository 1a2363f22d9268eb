package dev.purgatory.benchmarks.answers;

import dev.purgatory.benchmarks.answers.AnswerLedger.Violation;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.cluster.disturb.Disturbance;
import dev.purgatory.cluster.disturb.DisturbanceSchedule;
import dev.purgatory.cluster.disturb.Disturbed;
import dev.purgatory.cluster.disturb.Gate;
import dev.purgatory.cluster.disturb.GatedCluster;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.JvmProcess;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.NodeSetup;
import dev.purgatory.cluster.node.Ports;
import dev.purgatory.cluster.node.TemporaryFolder;
import dev.purgatory.cluster.probe.NodeWatch;
import dev.purgatory.cluster.run.Progress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * A soak of answers across instances. Clients ask, await and answer at instances of a service,
 * while an instance and a broker at a time are killed, paused or cut off. At the end everybody must
 * have learned the one answer of each id, and that must be its first record in the topic.
 */
public final class AnswersSoak {
  /** Three brokers and the instances must fit on a small machine. */
  private static final List<String> BROKER_OPTIONS =
      List.of("-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static final List<String> INSTANCE_OPTIONS =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static final Map<String, String> SETTINGS =
      Map.of(
          "auto.create.topics.enable", "false",
          "unclean.leader.election.enable", "false",
          "log.cleaner.dedupe.buffer.size", "4194304",
          "group.initial.rebalance.delay.ms", "0",
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          "replica.lag.time.max.ms", "3000");

  private static final int PARTITIONS = 24;

  /** How far the clocks of instances are ahead, in turn. */
  private static final List<Duration> AHEAD =
      List.of(Duration.ZERO, Duration.ofHours(-3), Duration.ofMinutes(50));

  private static final int PARTS = 6;
  private static final Duration START_PATIENCE = Duration.ofMinutes(5);
  private static final long PAUSE_MILLIS = 100;
  private static final int PAUSES_IN_A_COUNT = 10;
  private static final Duration NOTICE_PATIENCE = Duration.ofSeconds(20);
  private static final Duration ASK_PATIENCE = Duration.ofSeconds(2);

  private final AnswersSoakPlan plan;
  private final List<? extends Disturbed> brokers;
  private final List<ServiceInstance> instances;
  private final Progress progress;
  private final AnswerLedger ledger = new AnswerLedger();
  private final Questions questions;
  private final Forger forger;
  private final SoakTopic topic;
  private final Map<String, Integer> disturbances = new LinkedHashMap<>();

  /** The changes of the topic until now, one after another. */
  private CompletableFuture<Void> changes = CompletableFuture.completedFuture(null);

  private AnswersSoak(
      AnswersSoakPlan plan,
      List<? extends Disturbed> brokers,
      List<ServiceInstance> instances,
      SoakTopic topic,
      Progress progress) {
    this.plan = plan;
    this.brokers = brokers;
    this.instances = instances;
    this.topic = topic;
    this.progress = progress;
    this.forger = new Forger(instances, PARTITIONS, ledger, plan.seed());
    boolean forges = plan.troubles().contains(Trouble.FORGED_IDS);
    this.questions = new Questions(instances, plan, ledger, forges ? forger::forge : id -> {});
  }

  /**
   * The outcome of a soak.
   *
   * @param rows the figures
   * @param violations how often each way to break the promise was found; empty if it was kept
   * @param findings the first violations of each kind
   */
  public record Outcome(List<Row> rows, Map<String, Integer> violations, List<String> findings) {

    /** Copies the collections. */
    public Outcome {
      rows = List.copyOf(rows);
      findings = List.copyOf(findings);
    }
  }

  /**
   * Runs a soak over three brokers. Its processes end with it. Their logs and data are kept if the
   * promise was broken.
   *
   * @param plan the settings
   * @param brokerClassPath the class path of the brokers
   * @param progress receives the progress
   * @throws NodeFailure if a process does not start, or ends unexpectedly
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static Outcome run(AnswersSoakPlan plan, String brokerClassPath, Progress progress)
      throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      TemporaryFolder folder = cleanup.add(new TemporaryFolder("purgatory-answers-soak-"));
      NodeSetup setup = new NodeSetup(brokerClassPath, SETTINGS, BROKER_OPTIONS);
      try {
        GatedCluster cluster = startCluster(3, folder.path(), setup, cleanup);
        Outcome outcome = run(plan, cluster, folder.path(), progress);
        if (!outcome.violations().isEmpty()) {
          folder.keep();
          progress.say("Keeping the logs and data in " + folder.path());
        }
        return outcome;
      } catch (NodeFailure e) {
        folder.keepFor(e);
        throw e;
      }
    }
  }

  /** Starts brokers, and waits until they serve clients. */
  static GatedCluster startCluster(int brokers, Path folder, NodeSetup setup, Cleanup cleanup)
      throws InterruptedException {
    GatedCluster cluster = GatedCluster.of(brokers, folder, setup, cleanup);
    cluster.cluster().start();
    NodeWatch.identify(cluster.cluster().nodes(), START_PATIENCE, false);
    return cluster;
  }

  /** Runs a soak over brokers that are there. Disturbs them only if there are three. */
  static Outcome run(AnswersSoakPlan plan, GatedCluster cluster, Path folder, Progress progress)
      throws InterruptedException {
    String name = "answers-" + plan.contender();
    String bootstrap = cluster.cluster().bootstrap();
    boolean replicated = cluster.nodes().size() >= 3;
    try (Cleanup cleanup = new Cleanup()) {
      SoakTopic topic = cleanup.add(new SoakTopic(bootstrap, name, PARTITIONS, replicated ? 3 : 1));
      if (plan.troubles().contains(Trouble.DAMAGE)) {
        topic.damage(cluster.cluster().nodes());
      }
      List<ServiceInstance> instances = new ArrayList<>();
      for (int i = 1; i <= plan.instances(); i++) {
        instances.add(cleanup.add(instance(i, plan, topic, folder, cleanup)));
      }
      AnswersSoak soak =
          new AnswersSoak(
              plan, replicated ? cluster.nodes() : List.of(), instances, topic, progress);
      cleanup.add(soak.questions);
      soak.startInstances();
      return soak.measure();
    }
  }

  private static ServiceInstance instance(
      int number, AnswersSoakPlan plan, SoakTopic topic, Path folder, Cleanup cleanup) {
    String name = "instance " + number;
    int port = Ports.free(1).get(0);
    List<String> arguments = new ArrayList<>(INSTANCE_OPTIONS);
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    arguments.add(AnswerService.class.getName());
    Duration ahead =
        plan.troubles().contains(Trouble.CLOCKS)
            ? AHEAD.get((number - 1) % AHEAD.size())
            : Duration.ZERO;
    arguments.addAll(List.of(plan.contender(), topic.bootstrap(), topic.name()));
    arguments.addAll(List.of(Integer.toString(port), Long.toString(ahead.toMillis())));
    Path log = folder.resolve("%s-%d.log".formatted(plan.contender(), number));
    return new ServiceInstance(
        name, new JvmProcess(name, log), arguments, cleanup.add(new Gate(port)));
  }

  private void startInstances() throws InterruptedException {
    progress.say("Starting the instances …");
    instances.forEach(ServiceInstance::start);
    long deadline = System.nanoTime() + START_PATIENCE.toNanos();
    for (ServiceInstance instance : instances) {
      while (!serves(instance)) {
        if (!instance.isAlive() || System.nanoTime() - deadline > 0) {
          throw new NodeFailure(instance.name() + " did not start", instance.process().log());
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private static boolean serves(ServiceInstance instance) {
    return instance
        .ask("new", ASK_PATIENCE)
        .handle((reply, error) -> error == null && !reply.startsWith(AnswerService.ERROR))
        .join();
  }

  /** Something that happens at a time. */
  private record Step(Duration time, Runnable action) {}

  /**
   * Returns the begin and the end of each disturbance, of brokers and of instances, and the changes
   * of the topic. A change may wait for a broker that is cut off, so it must not hold up the
   * others.
   */
  private List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    List<Disturbance> ofBrokers = new ArrayList<>(plan.faults());
    if (plan.troubles().contains(Trouble.DAMAGE)) {
      ofBrokers.remove(Disturbance.KILL);
    }
    addSteps(plan.seed(), instances, plan.faults(), steps);
    addSteps(~plan.seed(), brokers, ofBrokers, steps);
    Duration part = plan.length().dividedBy(PARTS);
    if (plan.troubles().contains(Trouble.PARTITIONS)) {
      steps.add(change(part.multipliedBy(2), () -> topic.addPartitions(2 * PARTITIONS)));
    }
    if (plan.troubles().contains(Trouble.POLICY)) {
      steps.add(change(part.multipliedBy(3), () -> topic.setPolicy("compact,delete")));
      steps.add(change(part.multipliedBy(4), this::endPolicy));
    }
    steps.sort(Comparator.comparing(Step::time));
    return steps;
  }

  private Step change(Duration time, Runnable action) {
    return new Step(time, () -> changes = changes.thenRunAsync(action));
  }

  /** By now, no instance makes ids. */
  private void endPolicy() {
    long deadline = System.nanoTime() + NOTICE_PATIENCE.toNanos();
    for (ServiceInstance each : instances) {
      while (serves(each)) {
        if (System.nanoTime() - deadline > 0) {
          ledger.add(Violation.UNNOTICED, "of any", each.name());
          break;
        }
      }
    }
    topic.setPolicy("delete");
  }

  private void addSteps(
      long seed, List<? extends Disturbed> targets, List<Disturbance> faults, List<Step> steps) {
    if (targets.isEmpty() || faults.isEmpty()) {
      return;
    }
    for (DisturbanceSchedule.Entry entry :
        DisturbanceSchedule.of(seed, plan.length(), targets.size(), faults)) {
      Disturbed target = targets.get(entry.node());
      Disturbance disturbance = entry.disturbance();
      Duration length = entry.end().minus(entry.begin());
      steps.add(new Step(entry.begin(), () -> begin(disturbance, target, length)));
      steps.add(new Step(entry.end(), () -> disturbance.end(target)));
    }
  }

  private void begin(Disturbance disturbance, Disturbed target, Duration length) {
    if (!target.isAlive()) {
      throw new NodeFailure(target.name() + " has ended unexpectedly");
    }
    disturbance.begin(target);
    String what = disturbance.participle();
    disturbances.merge(what, 1, Integer::sum);
    progress.say("%s %s for %.1f s".formatted(target.name(), what, length.toMillis() / 1e3));
  }

  private Outcome measure() throws InterruptedException {
    long start = System.nanoTime();
    Future<?> asking = questions.begin();
    for (Step step : steps()) {
      advanceTo(step.time(), start);
      step.action().run();
    }
    advanceTo(plan.length(), start);
    asking.cancel(false);
    awaitChanges();
    progress.say("Waiting until all clients have been answered …");
    if (!questions.awaitDone(plan.patience())) {
      questions.giveUp();
    }
    countRead().join();
    return outcome(compareWithTopic());
  }

  private void awaitChanges() {
    progress.say("Waiting until the topic is as it was …");
    try {
      changes.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof NodeFailure failure ? failure : e;
    }
  }

  private void advanceTo(Duration end, long start) throws InterruptedException {
    for (int i = 0; System.nanoTime() - start < end.toNanos(); i++) {
      progress.advanced(
          Duration.ofNanos(System.nanoTime() - start),
          "%,d asked, %,d answered".formatted(questions.asked.sum(), ledger.answered()));
      if (i % PAUSES_IN_A_COUNT == 0) {
        var unused = countRead();
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    progress.advanced(
        end, "%,d asked, %,d answered".formatted(questions.asked.sum(), ledger.answered()));
  }

  /** Asks each instance how much it has read, so that little is missed when it is killed. */
  private CompletableFuture<Void> countRead() {
    return CompletableFuture.allOf(
        instances.stream().map(ServiceInstance::countRead).toArray(CompletableFuture<?>[]::new));
  }

  /** Reads the whole topic, and returns the number of records. */
  private long compareWithTopic() {
    Map<String, String> first = new HashMap<>();
    long records = topic.read((id, answer) -> first.putIfAbsent(id, answer));
    ledger.compare(first);
    return records;
  }

  private Outcome outcome(long written) {
    Histogram latency = questions.latencyMicros();
    long read = instances.stream().mapToLong(ServiceInstance::recordsRead).sum();
    Map<String, Integer> violations = new LinkedHashMap<>();
    ledger.violations().forEach((violation, count) -> violations.put(violation.toString(), count));
    List<Row> rows = new ArrayList<>();
    for (Disturbance each : Disturbance.values()) {
      String what = each.participle();
      rows.add(row("processes " + what, "processes", disturbances.getOrDefault(what, 0)));
    }
    rows.add(row("ids answered", "ids", ledger.answered()));
    rows.add(row("ids asked", "ids", questions.asked.doubleValue()));
    rows.add(row("waits", "waits", questions.waits.doubleValue()));
    rows.add(row("waits that timed out", "waits", questions.timeouts.doubleValue()));
    rows.add(row("answers that won", "answers", questions.won.doubleValue()));
    rows.add(row("answers that lost", "answers", questions.lost.doubleValue()));
    rows.add(row("answers offered", "answers", questions.offered.doubleValue()));
    rows.add(row("errors of clients", "errors", questions.errors.doubleValue()));
    rows.add(row("ids forged", "ids", forger.forged.doubleValue()));
    rows.add(row("forged ids refused", "ids", forger.refused.doubleValue()));
    rows.add(row("latency, p50", "ms", latency.getValueAtPercentile(50) / 1e3));
    rows.add(row("latency, p99", "ms", latency.getValueAtPercentile(99) / 1e3));
    rows.add(row("records written", "records", (double) written));
    rows.add(row("records read for each written", "records", (double) read / Math.max(1, written)));
    for (Violation each : Violation.values()) {
      rows.add(row(each.toString(), "times", violations.getOrDefault(each.toString(), 0)));
    }
    int all = violations.values().stream().mapToInt(Integer::intValue).sum();
    rows.add(row("violations", "violations", all));
    return new Outcome(rows, violations, ledger.findings());
  }

  private Row row(String metric, String unit, double value) {
    Map<String, String> params = new LinkedHashMap<>();
    params.put("instances", Integer.toString(plan.instances()));
    params.put("waiters", Integer.toString(plan.waiters()));
    params.put("completers", Integer.toString(plan.completers()));
    params.put("offerers", Integer.toString(plan.offerers()));
    List<Object> all = new ArrayList<>(plan.faults());
    all.addAll(new TreeSet<>(plan.troubles()));
    params.put("faults", all.isEmpty() ? "none" : all.toString());
    return new Row(
        "answers-soak", plan.contender(), params, metric, unit, unit.equals("ids"), List.of(value));
  }
}
