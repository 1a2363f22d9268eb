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
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures all rivals in one run and writes a table, JSON, and a page with charts. */
@Command(
    name = "bench",
    description = {
      "Measures what a purgatory costs, with all rivals in the same run, and prints the results.",
      "Also writes them as JSON and as a page with charts. A quick run takes about five minutes."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      BenchBrokerCommand.class,
      BenchChartCommand.class,
      BenchCompareCommand.class,
      BenchFeaturesCommand.class,
      BenchGuardCommand.class,
      BenchPublishCommand.class
    })
final class BenchCommand implements Callable<Integer> {
  @Option(
      names = "--full",
      description = "Measures everything that is published, which takes about 35 minutes.")
  private boolean full;

  @Mixin private BenchSelection selection = new BenchSelection();

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    return run(options(), selection.isDryRun(), output, spec);
  }

  /** Runs a benchmark and writes its results, or only shows what it would measure. */
  static int run(Options options, boolean isDryRun, BenchOutput output, CommandSpec spec)
      throws IOException, InterruptedException {
    TextTable plan = Arguments.checked(spec, () -> Bench.plan(options));
    if (isDryRun) {
      spec.commandLine().getOut().print(ResultTables.of(List.of(plan)));
      spec.commandLine().getOut().flush();
      return 0;
    }
    output.check(spec);
    output.write(measure(options), spec);
    return 0;
  }

  private Options options() {
    return new Options(
        full ? "full" : "quick",
        selection.only(),
        selection.contenders(),
        selection.seed(),
        Home.current().directory());
  }

  /** Runs a benchmark and shows its progress on standard error. */
  static Results measure(Options options) throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup();
        BenchProgress progress = BenchProgress.begin(Terminal.isStandardError())) {
      progress.note("expected time: " + BenchProgress.time(Bench.expected(options)));
      return cleanup.add(new BenchRun()).run(options, progress);
    }
  }
}
