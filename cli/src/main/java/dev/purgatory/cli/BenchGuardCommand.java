package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.guard.Guard;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.bench.ResultTables;
import dev.purgatory.cli.bench.ResultsFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Detects regressions relative to the published results. */
@Command(
    name = "guard",
    description = {
      "Measures some figures of this build, divides each by that of Kafka's classes in the same"
          + " run, or by that of what people use instead of a feature, and compares the ratios with the published ones. Exits with code 1 if a ratio got"
          + " worse by more than the noise.",
      "Takes about seven minutes. Use an otherwise idle machine."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchGuardCommand implements Callable<Integer> {
  private static final String PUBLISHED = "benchmarks/results/full.json";
  private static final String FEATURES = "benchmarks/results/features.json";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Compares the results in this file instead of measuring.")
  private @Nullable Path json;

  @Option(
      names = "--against",
      paramLabel = "FILE",
      description = "The results to compare with. Default: " + PUBLISHED + " and " + FEATURES + ".")
  private @Nullable Path against;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Writes the results of the run to this file, as JSON.")
  private @Nullable Path out;

  @Option(names = "--overwrite", description = "Replaces that file if it exists.")
  private boolean overwrite;

  @Mixin private SeedOption seed = new SeedOption();

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchGuardCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Results published = Arguments.checked(spec, this::published);
    Results today = json == null ? measure() : read(json);
    Guard guard = Arguments.checked(spec, () -> Guard.compare(published, today));
    PrintWriter print = spec.commandLine().getOut();
    print.print(ResultTables.of(List.of(guard.table())));
    print.println();
    guard.remarks().forEach(print::println);
    print.flush();
    return guard.isWorse() ? 1 : 0;
  }

  /** Checks all arguments before a long run and returns the published results. */
  private Results published() {
    if (json != null && out != null) {
      throw new IllegalArgumentException("--json measures nothing that could be written to --out");
    }
    if (out != null) {
      OutputFiles.check(out, overwrite);
    }
    Path home = Home.current().directory();
    Results published = against == null ? published(home) : ResultsFile.read(against);
    Guard.compare(published, published); // fails if there is nothing to compare with
    return published;
  }

  private static Results published(Path home) {
    Results full = ResultsFile.read(home.resolve(PUBLISHED));
    Results features = ResultsFile.read(home.resolve(FEATURES));
    List<Row> rows = Stream.of(full, features).flatMap(results -> results.rows().stream()).toList();
    return new Results(full.environment(), rows);
  }

  private Results read(Path file) {
    return Arguments.checked(spec, () -> ResultsFile.read(file));
  }

  private Results measure() throws IOException, InterruptedException {
    Results results =
        BenchCommand.measure(
            new Options("guard", Set.of(), Set.of(), seed.value(), Home.current().directory()));
    if (out != null) {
      ResultsJson.write(results, out);
    }
    return results;
  }
}
