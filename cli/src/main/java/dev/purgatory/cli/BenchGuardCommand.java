package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.guard.Guard;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.bench.ResultTables;
import dev.purgatory.cli.bench.ResultsFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Whether something got worse since results were published. */
@Command(
    name = "guard",
    description = {
      "Measures some figures of this build, divides each by that of Kafka's classes in the same"
          + " run, and compares these ratios with the published ones. Exit code 1 when one got worse"
          + " by more than the noise of both.",
      "Takes about five minutes. Use a machine that does nothing else."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchGuardCommand implements Callable<Integer> {
  private static final int MOST_SEED = 1_000_000;
  private static final String PUBLISHED = "benchmarks/results/full.json";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Measures nothing, and compares the results in this file.")
  private @Nullable Path json;

  @Option(
      names = "--against",
      paramLabel = "FILE",
      description = "What it is compared with. Default: " + PUBLISHED + ".")
  private @Nullable Path against;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where the numbers of the run go, as JSON. Default: nowhere.")
  private @Nullable Path out;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Decides the order of the contenders. Default: a random one; it is recorded.")
  private long seed = new SplittableRandom().nextInt(MOST_SEED);

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchGuardCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Guard guard;
    try {
      guard = guard();
    } catch (IllegalArgumentException e) {
      throw Arguments.wrong(spec, String.valueOf(e.getMessage()));
    }
    PrintWriter print = spec.commandLine().getOut();
    print.print(ResultTables.of(List.of(guard.table())));
    print.println();
    guard.remarks().forEach(print::println);
    print.flush();
    return guard.isWorse() ? 1 : 0;
  }

  /** Checks all that is given before a long run. */
  private Guard guard() throws IOException, InterruptedException {
    if (json != null && out != null) {
      throw new IllegalArgumentException("--json measures nothing that could go to --out");
    }
    if (out != null) {
      OutputFiles.check(out, false);
    }
    Path home = Home.current().directory();
    Results published = ResultsFile.read(against == null ? home.resolve(PUBLISHED) : against);
    Guard.compare(published, published); // Refuses what there is nothing to compare with.
    return Guard.compare(published, json == null ? measure() : ResultsFile.read(json));
  }

  private Results measure() throws IOException, InterruptedException {
    Results results =
        BenchCommand.measure(
            new Options("guard", Set.of(), Set.of(), seed, Home.current().directory()));
    if (out != null) {
      ResultsJson.write(results, out);
    }
    return results;
  }
}
