package dev.purgatory.cli;

import dev.purgatory.benchmarks.report.Report;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.bench.ResultTables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Where the results of a benchmark go: a table, the numbers as JSON, and a page with charts. */
final class BenchOutput {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  private final String name = "bench-" + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);

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

  private Path jsonFile() {
    return json == null ? Path.of(name + ".json") : json;
  }

  private Path htmlFile() {
    return html == null ? Path.of(name + ".html") : html;
  }

  /**
   * Checks before a long run that its results can be written.
   *
   * @param spec the command
   * @throws picocli.CommandLine.ParameterException when they cannot
   */
  void check(CommandSpec spec) {
    try {
      OutputFiles.check(jsonFile(), overwrite);
      OutputFiles.check(htmlFile(), overwrite);
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, String.valueOf(e.getMessage()));
    }
    if (jsonFile().toAbsolutePath().normalize().equals(htmlFile().toAbsolutePath().normalize())) {
      throw Arguments.wrong(spec, "--json and --html name the same file: " + jsonFile());
    }
  }

  /**
   * Writes both files and prints the tables.
   *
   * @param results what was measured
   * @param spec the command
   * @throws IOException when a file cannot be written
   */
  void write(Results results, CommandSpec spec) throws IOException {
    ResultsJson.write(results, jsonFile());
    Report report = Report.of(results);
    PrintWriter out = spec.commandLine().getOut();
    out.print(ResultTables.of(report.tables()));
    out.println();
    out.println("The numbers: " + jsonFile());
    out.flush();
    report.writeHtml(htmlFile());
    out.println("The charts:  " + htmlFile());
    out.flush();
  }
}
