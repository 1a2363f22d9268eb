package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.broker.BrokerBench;
import dev.purgatory.benchmarks.broker.BrokerContender;
import dev.purgatory.benchmarks.broker.BrokerLoad;
import dev.purgatory.benchmarks.broker.BrokerOptions;
import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.cli.bench.BenchProgress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Real brokers under load, as released and with the drop-in. */
@Command(
    name = "broker",
    description = {
      "Measures real brokers, as released and with the drop-in in turn, under the same load, and"
          + " prints the numbers. Also writes them as JSON and as a page with charts.",
      "Takes less than 15 minutes by default. Use a machine that does nothing else."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchBrokerCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 100;
  private static final int MAX_SECONDS = 600;
  private static final int MAX_CONSUMERS = 5_000;
  private static final int MAX_HELD = 10_000;
  private static final int MOST_SEED = 1_000_000;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Measures under these loads only: polls, held, writes.")
  private Set<String> only = new LinkedHashSet<>();

  @Option(
      names = "--contender",
      split = ",",
      paramLabel = "NAME",
      description = "Measures these contenders only: kafka, purgatory-kafka, floor.")
  private Set<String> contenders = new LinkedHashSet<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "How often long polls are measured, on fresh brokers, from 1 to "
              + MAX_ROUNDS
              + "; other loads once less, but once at least.")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "How long each measurement takes, after a warm-up as long or up to three times as long, from 1 to "
              + MAX_SECONDS
              + ".")
  private int seconds = 10;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "polls: how many consumers poll, from 1 to " + MAX_CONSUMERS + ".")
  private int consumers = 200;

  @Option(
      names = "--held",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "held: how many polls are held at a time, from 1 to " + MAX_HELD + ".")
  private int held = 2_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Decides the order of the contenders. Default: a random one; it is recorded.")
  private long seed = new SplittableRandom().nextInt(MOST_SEED);

  @Option(
      names = "--dry-run",
      description = "Lists the brokers to be started and the expected time, and runs nothing.")
  private boolean dryRun;

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchBrokerCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Arguments.checkRange(spec, "--rounds", rounds, 1, MAX_ROUNDS);
    Arguments.checkRange(spec, "--seconds", seconds, 1, MAX_SECONDS);
    Arguments.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    Arguments.checkRange(spec, "--held", held, 1, MAX_HELD);
    BrokerOptions options = options();
    if (dryRun) {
      spec.commandLine().getOut().println(BrokerBench.plan(options));
      return 0;
    }
    output.check(spec);
    return run(options);
  }

  private BrokerOptions options() {
    try {
      BrokerOptions options =
          new BrokerOptions(
              chosenLoads(),
              chosenContenders(),
              rounds,
              Duration.ofSeconds(seconds),
              consumers,
              held,
              seed);
      BrokerBench.plan(options);
      return options;
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, String.valueOf(e.getMessage()));
    }
  }

  private List<BrokerLoad> chosenLoads() {
    return only.isEmpty()
        ? List.of(BrokerLoad.values())
        : only.stream().map(BrokerLoad::of).toList();
  }

  private List<BrokerContender> chosenContenders() {
    Home home = Home.current();
    List<BrokerContender> all =
        List.of(
            BrokerContender.kafka(home.stockClassPath()),
            BrokerContender.dropIn(home.dropInClassPath()),
            BrokerContender.floor(home.stockClassPath()));
    return contenders.isEmpty()
        ? all
        : contenders.stream().map(name -> BrokerContender.of(name, all)).toList();
  }

  private int run(BrokerOptions options) throws IOException, InterruptedException {
    Environment environment = environment();
    BrokerBench.Outcome outcome = measure(options);
    output.write(new Results(environment, outcome.rows()), spec);
    return outcome.failures() == 0 ? 0 : 1;
  }

  private static BrokerBench.Outcome measure(BrokerOptions options) throws InterruptedException {
    try (BenchProgress progress = BenchProgress.begin(Terminal.isStandardError())) {
      progress.note(BrokerBench.plan(options));
      return new BrokerBench(options, progress).run();
    }
  }

  private Environment environment() throws InterruptedException {
    Environment here =
        Environments.of(
            new Options("broker", Set.of(), Set.of(), seed, Home.current().directory()));
    return new Environment(
        here.date(),
        here.commit(),
        command(),
        here.mode(),
        here.jdk(),
        here.os(),
        here.cpu(),
        here.cores(),
        here.memoryBytes());
  }

  /** What repeats this run, whatever the defaults will be. */
  private String command() {
    List<String> words = new ArrayList<>(List.of("./purgatory bench broker"));
    words.add("--rounds " + rounds);
    words.add("--seconds " + seconds);
    words.add("--consumers " + consumers);
    words.add("--held " + held);
    words.add("--seed " + seed);
    if (!only.isEmpty()) {
      words.add("--only " + String.join(",", only));
    }
    if (!contenders.isEmpty()) {
      words.add("--contender " + String.join(",", contenders));
    }
    return String.join(" ", words);
  }
}
