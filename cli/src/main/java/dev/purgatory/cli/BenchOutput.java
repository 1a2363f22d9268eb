package dev.purgatory.cli;

import dev.purgatory.benchmarks.report.ResultTable;
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

/** The options for the results of a benchmark. */
final class BenchOutput {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  private final String name = "bench-" + LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "The file for the results. Default: bench-<date>.json.")
  private @Nullable Path json;

  @Option(names = "--overwrite", description = "Replaces the file if it exists.")
  private boolean overwrite;

  private Path file() {
    return json == null ? Path.of(name + ".json") : json;
  }

  /**
   * Checks that the results can be written. Call this before a long run.
   *
   * @param spec the command
   * @throws picocli.CommandLine.ParameterException if they cannot
   */
  void check(CommandSpec spec) {
    Arguments.checked(spec, () -> OutputFiles.check(file(), overwrite));
  }

  /**
   * Prints the results and writes them.
   *
   * @param results the measured values
   * @param spec the command
   * @throws IOException if the file cannot be written
   */
  void write(Results results, CommandSpec spec) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    out.println(ResultTables.of(ResultTable.of(results)));
    out.flush();
    ResultsJson.write(results, file());
    out.println("Results: " + file());
    out.flush();
  }
}
