package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.report.Table;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.run.Bench;
import dev.purgatory.cli.bench.BenchProgress;
import dev.purgatory.cli.bench.BenchRun;
import dev.purgatory.cli.bench.ResultTables;
import dev.purgatory.cluster.node.Cleanup;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures all rivals in one run, prints the results and writes them as JSON. */
@Command(
    name = "bench",
    description = {
      "Measures what a purgatory costs, with all rivals in the same run. Prints the results and"
          + " writes them as JSON. Use an otherwise idle machine."
    },
    subcommands = {BenchBrokerCommand.class, BenchCompareCommand.class, BenchPublishCommand.class})
final class BenchCommand implements Callable<Integer> {
  @Option(
      names = "--quick",
      description = "Measures in one JVM for each contender, about seven minutes. The default.")
  private boolean quick;

  @Option(
      names = "--full",
      description = "Measures in several JVMs, as for the published results, about an hour.")
  private boolean full;

  @Mixin private BenchSelection selection = new BenchSelection();

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (quick && full) {
      throw Arguments.wrong(spec, "choose either --quick or --full");
    }
    Options options =
        new Options(
            full,
            selection.only(),
            selection.contenders(),
            selection.seed(),
            Home.current().directory());
    Table plan = Arguments.checked(spec, () -> Bench.plan(options));
    if (selection.isDryRun()) {
      spec.commandLine().getOut().print(ResultTables.of(plan));
      spec.commandLine().getOut().flush();
      return 0;
    }
    output.check(spec);
    output.write(measure(options), spec);
    return 0;
  }

  /** Runs a benchmark and shows its progress on standard error. */
  private static Results measure(Options options) throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup();
        BenchProgress progress = new BenchProgress()) {
      progress.note("expected time: " + BenchProgress.time(Bench.expected(options)));
      return cleanup.add(new BenchRun()).run(options, progress);
    }
  }
}
