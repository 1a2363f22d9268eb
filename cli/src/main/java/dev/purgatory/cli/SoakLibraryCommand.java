package dev.purgatory.cli;

import dev.purgatory.benchmarks.report.Report;
import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.benchmarks.soak.LibrarySoak;
import dev.purgatory.benchmarks.soak.LibrarySoakPlan;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.text.TimedProgress;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs bursts and steady load on the library itself. */
@Command(
    name = "library",
    description = {
      "Runs bursts and steady load on the library, without Kafka. Samples the heap, threads, retained"
          + " entries, and the lateness of timeouts.",
      "Exits with code 1 if one of these values grows: if its maximum in the last third of the run"
          + " exceeds 1.5 times the maximum in the first third plus a constant."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class SoakLibraryCommand implements Callable<Integer> {
  @Mixin private MinutesOption minutes = new MinutesOption();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "The file for the samples. Default: library-soak.json.")
  private Path json = Path.of("library-soak.json");

  @Option(
      names = "--charts",
      paramLabel = "DIR",
      description = "The folder for the charts. Default: library-soak.")
  private Path charts = Path.of("library-soak");

  @Option(names = "--overwrite", description = "Replaces the file and the charts if they exist.")
  private boolean overwrite;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  SoakLibraryCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    int length = minutes.checked(spec);
    Arguments.checked(spec, this::checkOutput);
    LibrarySoakPlan plan = LibrarySoakPlan.usual(Duration.ofMinutes(length));
    LibrarySoak.Outcome outcome;
    try (TimedProgress progress =
        new TimedProgress(Terminal.isStandardError(), "soak", plan.length())) {
      outcome =
          LibrarySoak.run(
              plan, (time, count) -> progress.advanced(time, "%,d operations".formatted(count)));
    }
    write(length, outcome);
    return judge(outcome);
  }

  private Path checkOutput() {
    OutputFiles.check(json, overwrite);
    OutputFiles.checkFolder(charts, overwrite);
    return json;
  }

  private void write(int length, LibrarySoak.Outcome outcome)
      throws IOException, InterruptedException {
    String command = "./purgatory soak library --minutes " + length;
    Environment environment = Environments.of("soak", command, Home.current().directory());
    Results results = new Results(environment, outcome.rows());
    ResultsJson.write(results, json);
    int count = Report.of(results).writeCharts(charts).size();
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%,d operations in %s%n", outcome.operations(), MinutesOption.text(length));
    out.println("Samples: " + json);
    out.println(count + " charts: " + charts);
    out.flush();
  }

  private int judge(LibrarySoak.Outcome outcome) {
    PrintWriter err = spec.commandLine().getErr();
    outcome.growth().forEach(line -> err.println(spec.qualifiedName() + ": " + line));
    err.flush();
    return outcome.growth().isEmpty() ? 0 : 1;
  }
}
