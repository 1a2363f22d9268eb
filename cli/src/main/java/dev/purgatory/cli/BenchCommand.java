package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.report.TextTable;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.run.Bench;
import dev.purgatory.cli.bench.BenchProgress;
import dev.purgatory.cli.bench.BenchRun;
import dev.purgatory.cli.bench.ResultTables;
import dev.purgatory.cluster.node.Cleanup;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Every rival in one run: a table, the numbers as JSON, and a page with charts. */
@Command(
    name = "bench",
    description = {
      "Measures what a purgatory costs, with every rival in the same run, and prints the numbers.",
      "Also writes them as JSON and as a page with charts. A quick run takes about five minutes."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      BenchBrokerCommand.class,
      BenchChartCommand.class,
      BenchGuardCommand.class,
      BenchPublishCommand.class
    })
final class BenchCommand implements Callable<Integer> {
  private static final int MOST_SEED = 1_000_000;

  @Option(
      names = "--full",
      description = "Measures everything that is published: takes about 35 minutes.")
  private boolean full;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Measures these only. A wrong name gets the list of names.")
  private Set<String> only = new LinkedHashSet<>();

  @Option(
      names = "--contender",
      split = ",",
      paramLabel = "NAME",
      description = "Measures these contenders only. A wrong name gets the list of names.")
  private Set<String> contenders = new LinkedHashSet<>();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Decides the order of the contenders. Default: a random one; it is recorded.")
  private long seed = new SplittableRandom().nextInt(MOST_SEED);

  @Option(
      names = "--dry-run",
      description = "Lists the measurements with their JVMs and expected times, and runs nothing.")
  private boolean dryRun;

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Options options = options();
    TextTable plan = plan(options);
    if (dryRun) {
      spec.commandLine().getOut().print(ResultTables.of(List.of(plan)));
      spec.commandLine().getOut().flush();
      return 0;
    }
    output.check(spec);
    output.write(measure(options), spec);
    return 0;
  }

  private Options options() {
    return new Options(full ? "full" : "quick", only, contenders, seed, Home.current().directory());
  }

  private TextTable plan(Options options) {
    try {
      return Bench.plan(options);
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, String.valueOf(e.getMessage()));
    }
  }

  /** Runs a benchmark, with its progress on standard error. */
  static Results measure(Options options) throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup();
        BenchProgress progress = BenchProgress.begin(Terminal.isStandardError())) {
      progress.note("expected: " + BenchProgress.time(Bench.expected(options)));
      return cleanup.add(new BenchRun()).run(options, progress);
    }
  }
}
