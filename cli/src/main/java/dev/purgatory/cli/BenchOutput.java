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
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options for the output of a benchmark: a table, JSON, and a page with charts. */
final class BenchOutput {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  private final String name = "bench-" + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "The file for the results. Default: bench-<date>.json.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "The file for the page. Default: bench-<date>.html.")
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
   * Checks that the results can be written. Call this before a long run.
   *
   * @param spec the command
   * @throws picocli.CommandLine.ParameterException if they cannot
   */
  void check(CommandSpec spec) {
    for (Path file : List.of(jsonFile(), htmlFile())) {
      Arguments.checked(spec, () -> OutputFiles.check(file, overwrite));
    }
    if (jsonFile().toAbsolutePath().normalize().equals(htmlFile().toAbsolutePath().normalize())) {
      throw Arguments.wrong(spec, "--json and --html are the same file: " + jsonFile());
    }
  }

  /**
   * Prints the tables and writes both files.
   *
   * @param results the measured values
   * @param spec the command
   * @throws IOException if a file cannot be written
   */
  void write(Results results, CommandSpec spec) throws IOException {
    Report report = Report.of(results);
    PrintWriter out = spec.commandLine().getOut();
    out.print(ResultTables.of(report.tables()));
    out.println();
    out.flush();
    ResultsJson.write(results, jsonFile());
    out.println("Results: " + jsonFile());
    out.flush();
    report.writeHtml(htmlFile());
    out.println("Charts:  " + htmlFile());
    out.flush();
  }
}
