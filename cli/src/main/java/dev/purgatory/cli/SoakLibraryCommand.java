package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.report.Report;
import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.soak.library.LibrarySoak;
import dev.purgatory.cli.soak.library.LibrarySoakPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Bursts and steady load on the library itself. */
@Command(
    name = "library",
    description = {
      "Runs bursts and steady load on the library, without Kafka, and samples heap, threads, what"
          + " the library keeps, and the lateness of timeouts.",
      "Ends with exit code 1 when one of them grows: when the maximum of the last third is above one"
          + " and a half times that of the first third plus a constant."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class SoakLibraryCommand implements Callable<Integer> {
  private static final int MAX_MINUTES = 24 * 60;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long the load lasts, from 1 to " + MAX_MINUTES + ". Default: 10.")
  private int minutes = 10;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Where the samples go. Default: library-soak.json in the current folder.")
  private Path json = Path.of("library-soak.json");

  @Option(
      names = "--charts",
      paramLabel = "DIR",
      description = "Where the charts go. Default: library-soak in the current folder.")
  private Path charts = Path.of("library-soak");

  @Option(names = "--overwrite", description = "Replaces the file if it exists.")
  private boolean overwrite;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  SoakLibraryCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Arguments.checkRange(spec, "--minutes", minutes, 1, MAX_MINUTES);
    checkOutput();
    LibrarySoakPlan plan = LibrarySoakPlan.usual(Duration.ofMinutes(minutes));
    LibrarySoak.Outcome outcome = LibrarySoak.run(plan, System.err, Terminal.isStandardError());
    write(outcome);
    return judge(outcome);
  }

  private void checkOutput() {
    try {
      OutputFiles.check(json, overwrite);
      OutputFiles.checkFolder(charts);
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, String.valueOf(e.getMessage()));
    }
  }

  private void write(LibrarySoak.Outcome outcome) throws IOException, InterruptedException {
    Results results = new Results(environment(), outcome.rows());
    ResultsJson.write(results, json);
    int count = Report.of(results).writeCharts(charts).size();
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%,d operations in %d minutes%n", outcome.operations(), minutes);
    out.println("The samples: " + json);
    out.println(count + " charts: " + charts);
    out.flush();
  }

  private Environment environment() throws InterruptedException {
    Environment machine =
        Environments.of(new Options("soak", Set.of(), Set.of(), 0, Home.current().directory()));
    return new Environment(
        machine.date(),
        machine.commit(),
        "./purgatory soak library --minutes " + minutes,
        machine.mode(),
        machine.jdk(),
        machine.os(),
        machine.cpu(),
        machine.cores(),
        machine.memoryBytes());
  }

  private int judge(LibrarySoak.Outcome outcome) {
    PrintWriter err = spec.commandLine().getErr();
    outcome.growth().forEach(line -> err.println(spec.qualifiedName() + ": " + line));
    err.flush();
    return outcome.growth().isEmpty() ? 0 : 1;
  }
}
