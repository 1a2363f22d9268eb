package dev.purgatory.cli;

import dev.purgatory.benchmarks.report.Report;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.bench.ResultsFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Draws the charts of an earlier run. */
@Command(
    name = "chart",
    description = {
      "Draws the charts of an earlier run: an SVG file for each, and a page with all of them and"
          + " their tables. Measures nothing. Replaces existing files."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchChartCommand implements Callable<Integer> {
  private static final String PAGE = "report.html";
  private static final String JSON = ".json";

  @Parameters(
      paramLabel = "RESULTS.json",
      description = "The results, as written by ./purgatory bench.")
  private Path file = Path.of("");

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "The folder, which is created if necessary. Default: RESULTS-charts.")
  private @Nullable Path out;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchChartCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException {
    Path folder = out == null ? defaultFolder() : out;
    Report report = Report.of(Arguments.checked(spec, () -> readAndCheck(folder)));
    int charts = report.writeCharts(folder).size();
    report.writeHtml(folder.resolve(PAGE));
    PrintWriter print = spec.commandLine().getOut();
    print.println(charts + " charts, also on one page: " + folder.resolve(PAGE));
    print.flush();
    return 0;
  }

  private Results readAndCheck(Path folder) {
    Results results = ResultsFile.read(file);
    OutputFiles.checkFolder(folder, true);
    return results;
  }

  private Path defaultFolder() {
    String name = String.valueOf(file.getFileName());
    String plain = name.endsWith(JSON) ? name.substring(0, name.length() - JSON.length()) : name;
    return file.resolveSibling(plain + "-charts");
  }
}
