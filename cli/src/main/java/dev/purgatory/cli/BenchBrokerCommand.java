package dev.purgatory.cli;

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
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures real brokers under load, stock and with the drop-in. */
@Command(
    name = "broker",
    description = {
      "Measures real brokers under the same load, stock and with the drop-in, prints the results"
          + " and writes them as JSON.",
      "Measurements: polls, held, writes, and retained if selected. Contenders: kafka,"
          + " purgatory-kafka, floor, and if selected kafka-purge-100 and kafka-purge-10: stock Kafka"
          + " that purges its lists after so many requests.",
      "Takes less than 15 minutes by default. Use an otherwise idle machine."
    })
final class BenchBrokerCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 100;
  private static final int MAX_SECONDS = 600;
  private static final int CONSUMERS = 200;
  private static final int HELD = 2_000;

  @Mixin private BenchSelection selection = new BenchSelection();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "The number of rounds, each on fresh brokers, from 1 to "
              + MAX_ROUNDS
              + ". Loads other than polls have one round fewer, but at least one.")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "The duration of each measurement, from 1 to "
              + MAX_SECONDS
              + ". The warm-up takes one to three times as long.")
  private int seconds = 10;

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Arguments.checkRange(spec, "--rounds", rounds, 1, MAX_ROUNDS);
    Arguments.checkRange(spec, "--seconds", seconds, 1, MAX_SECONDS);
    BrokerOptions options = options();
    if (selection.isDryRun()) {
      spec.commandLine().getOut().println(BrokerBench.plan(options));
      return 0;
    }
    output.check(spec);
    return run(options);
  }

  private BrokerOptions options() {
    return Arguments.checked(
        spec,
        () -> {
          BrokerOptions options =
              new BrokerOptions(
                  loads(),
                  contenders(),
                  rounds,
                  Duration.ofSeconds(seconds),
                  CONSUMERS,
                  HELD,
                  selection.seed());
          BrokerBench.plan(options);
          return options;
        });
  }

  private List<BrokerLoad> loads() {
    return selection.only().isEmpty()
        ? BrokerLoad.DEFAULTS
        : selection.only().stream().map(BrokerLoad::of).toList();
  }

  private List<BrokerContender> contenders() {
    Home home = Home.current();
    String stock = home.stockClassPath();
    List<BrokerContender> usual =
        List.of(
            BrokerContender.kafka(stock),
            BrokerContender.dropIn(home.dropInClassPath()),
            BrokerContender.floor(stock));
    if (selection.contenders().isEmpty()) {
      return usual;
    }
    List<BrokerContender> all = new ArrayList<>(usual);
    all.add(BrokerContender.kafka(stock, 100));
    all.add(BrokerContender.kafka(stock, 10));
    return selection.contenders().stream().map(name -> BrokerContender.of(name, all)).toList();
  }

  private int run(BrokerOptions options) throws IOException, InterruptedException {
    Environment environment = Environments.of("broker", command(), Home.current().directory());
    BrokerBench.Outcome outcome = measure(options);
    output.write(new Results(environment, outcome.rows()), spec);
    return outcome.failures() == 0 ? 0 : 1;
  }

  private static BrokerBench.Outcome measure(BrokerOptions options) throws InterruptedException {
    try (BenchProgress progress = new BenchProgress()) {
      progress.note(BrokerBench.plan(options));
      return new BrokerBench(options, progress).run();
    }
  }

  /** Returns a command that repeats this run even if the defaults change. */
  private String command() {
    List<String> words = new ArrayList<>(List.of("./purgatory bench broker"));
    words.add("--rounds " + rounds);
    words.add("--seconds " + seconds);
    words.add("--seed " + selection.seed());
    if (!selection.only().isEmpty()) {
      words.add("--only " + String.join(",", selection.only()));
    }
    if (!selection.contenders().isEmpty()) {
      words.add("--contender " + String.join(",", selection.contenders()));
    }
    return String.join(" ", words);
  }
}
