package dev.purgatory.cli;

import dev.purgatory.benchmarks.report.Publication;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Updates the published page and its charts. */
@Command(
    name = "publish",
    description = {
      "Generates the charts below docs/charts and the tables of docs/benchmarks.md from the results"
          + " in benchmarks/results. Measures nothing."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchPublishCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchPublishCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() {
    Publication publication = new Publication(Home.current().directory());
    try {
      for (Path chart : publication.write()) {
        spec.commandLine().getOut().println(chart);
      }
    } catch (IOException | IllegalArgumentException e) {
      throw Arguments.wrong(spec, "cannot publish: " + e.getMessage());
    }
    spec.commandLine().getOut().println(publication.page());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
