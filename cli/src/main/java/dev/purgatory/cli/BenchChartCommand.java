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

/** Charts of a run that is over. */
@Command(
    name = "chart",
    description = {
      "Draws the charts of a run from its JSON, one SVG file each, a page that holds them all, and",
      "the tables as Markdown. Runs nothing. Files of the same names are replaced."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchChartCommand implements Callable<Integer> {
  private static final String PAGE = "report.html";
  private static final String TABLES = "tables.md";
  private static final String JSON = ".json";

  @Parameters(paramLabel = "RESULTS.json", description = "What ./purgatory bench has written.")
  private Path file = Path.of("");

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where to; made if need be. Default: beside the JSON, named after it.")
  private @Nullable Path out;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchChartCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException {
    Path folder = out == null ? besideTheFile() : out;
    Report report = Report.of(checked(folder));
    int charts = report.writeCharts(folder).size();
    report.writeHtml(folder.resolve(PAGE));
    report.writeMarkdown(folder.resolve(TABLES), String.valueOf(file.getFileName()));
    PrintWriter print = spec.commandLine().getOut();
    print.println(charts + " charts, and all on one page: " + folder.resolve(PAGE));
    print.println("The tables: " + folder.resolve(TABLES));
    print.flush();
    return 0;
  }

  private Results checked(Path folder) {
    try {
      Results results = ResultsFile.read(file);
      OutputFiles.checkFolder(folder);
      return results;
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, String.valueOf(e.getMessage()));
    }
  }

  private Path besideTheFile() {
    String name = String.valueOf(file.getFileName());
    String plain = name.endsWith(JSON) ? name.substring(0, name.length() - JSON.length()) : name;
    return file.resolveSibling(plain + "-charts");
  }
}
