package dev.purgatory.cli;

import dev.purgatory.benchmarks.Bench;
import dev.purgatory.benchmarks.report.Report;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.cli.bench.BenchProgress;
import dev.purgatory.cli.bench.BenchRun;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.bench.ResultTables;
import dev.purgatory.cli.node.Cleanup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
    subcommands = BenchChartCommand.class)
final class BenchCommand implements Callable<Integer> {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  @Option(names = "--full", description = "Measures everything, with more JVMs: takes hours.")
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
      names = "--json",
      paramLabel = "FILE",
      description = "Where the numbers go. Default: bench-<date>.json in the current folder.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Where the page goes. Default: bench-<date>.html in the current folder.")
  private @Nullable Path html;

  @Option(names = "--overwrite", description = "Replaces these files if they exist.")
  private boolean overwrite;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    String name = "bench-" + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);
    Path jsonFile = json == null ? Path.of(name + ".json") : json;
    Path htmlFile = html == null ? Path.of(name + ".html") : html;
    dev.purgatory.benchmarks.Options options = options();
    check(options, jsonFile, htmlFile);
    Results results = run(options);
    ResultsJson.write(results, jsonFile);
    print(results, jsonFile, htmlFile);
    return 0;
  }

  private dev.purgatory.benchmarks.Options options() {
    return new dev.purgatory.benchmarks.Options(
        full ? "full" : "quick", only, contenders, Home.current().directory());
  }

  /** All that can be known to be wrong before anything runs. */
  private void check(dev.purgatory.benchmarks.Options options, Path jsonFile, Path htmlFile) {
    try {
      Bench.check(options);
      OutputFiles.check(jsonFile, overwrite);
      OutputFiles.check(htmlFile, overwrite);
    } catch (IllegalArgumentException e) {
      throw Options.wrong(spec, String.valueOf(e.getMessage()));
    }
    if (jsonFile.toAbsolutePath().normalize().equals(htmlFile.toAbsolutePath().normalize())) {
      throw Options.wrong(spec, "--json and --html name the same file: " + jsonFile);
    }
  }

  private static Results run(dev.purgatory.benchmarks.Options options)
      throws IOException, InterruptedException {
    try (Cleanup cleanup = new Cleanup();
        BenchProgress progress = BenchProgress.begin(Terminal.isStandardError())) {
      return cleanup.add(new BenchRun()).run(options, progress);
    }
  }

  private void print(Results results, Path jsonFile, Path htmlFile) throws IOException {
    Report report = Report.of(results);
    PrintWriter out = spec.commandLine().getOut();
    out.print(ResultTables.of(report.tables()));
    out.println();
    out.println("The numbers: " + jsonFile);
    out.flush();
    report.writeHtml(htmlFile);
    out.println("The charts:  " + htmlFile);
    out.flush();
  }
}
