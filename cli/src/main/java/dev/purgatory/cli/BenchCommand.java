package dev.purgatory.cli;

import dev.purgatory.benchmarks.Bench;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.cli.bench.BenchProgress;
import dev.purgatory.cli.bench.BenchRun;
import dev.purgatory.cli.node.Cleanup;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
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
      "Writes them as JSON, too, and as a page with charts. A quick run takes some minutes."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {BenchBrokerCommand.class, BenchChartCommand.class, BenchGuardCommand.class})
final class BenchCommand implements Callable<Integer> {
  @Option(
      names = "--full",
      description = "Measures everything, with more JVMs: takes about an hour.")
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

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    dev.purgatory.benchmarks.Options options = options();
    check(options);
    output.check(spec);
    output.write(measure(options), spec);
    return 0;
  }

  private dev.purgatory.benchmarks.Options options() {
    return new dev.purgatory.benchmarks.Options(
        full ? "full" : "quick", only, contenders, Home.current().directory());
  }

  private void check(dev.purgatory.benchmarks.Options options) {
    try {
      Bench.check(options);
    } catch (IllegalArgumentException e) {
      throw Options.wrong(spec, String.valueOf(e.getMessage()));
    }
  }

  /** Runs a benchmark, with its progress on standard error. */
  static Results measure(dev.purgatory.benchmarks.Options options)
      throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup();
        BenchProgress progress = BenchProgress.begin(Terminal.isStandardError())) {
      return cleanup.add(new BenchRun()).run(options, progress);
    }
  }
}
