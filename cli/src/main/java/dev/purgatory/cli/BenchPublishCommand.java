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
      "Generates the figures of docs/benchmarks.md, its appendix and the charts of all pages from the"
          + " results in benchmarks/results. Measures nothing."
    })
final class BenchPublishCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    Publication publication = new Publication(Home.current().directory());
    try {
      for (Path file : publication.write()) {
        spec.commandLine().getOut().println(file);
      }
    } catch (IOException | IllegalArgumentException e) {
      throw Arguments.wrong(spec, "cannot publish: " + e.getMessage());
    }
    spec.commandLine().getOut().flush();
    return 0;
  }
}
