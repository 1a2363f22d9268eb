package dev.purgatory.cli;

import dev.purgatory.benchmarks.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares single features of the library with what people use instead. */
@Command(
    name = "features",
    description = {
      "Compares thresholds, replies, timeouts on stages, sessions and scopes with what people use"
          + " instead, and prints the results. Also writes them as JSON and as a page with charts.",
      "Measurements: thresholds, replies, limits, sessions, scopes.",
      "Takes about ten minutes. Use an otherwise idle machine."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BenchFeaturesCommand implements Callable<Integer> {
  @Option(
      names = "--quick",
      description = "Measures less, in one JVM each, which takes about a minute.")
  private boolean quick;

  @Option(
      names = "--other-jdk",
      paramLabel = "HOME",
      description = "Measures limits on this JDK as well: the JDK's own timeouts differ.")
  private @Nullable Path otherJdk;

  @Mixin private BenchSelection selection = new BenchSelection();

  @Mixin private BenchOutput output = new BenchOutput();

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  BenchFeaturesCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    return BenchCommand.run(options(), selection.isDryRun(), output, spec);
  }

  private Options options() {
    if (otherJdk != null && !Files.isExecutable(otherJdk.resolve("bin/java"))) {
      throw Arguments.wrong(spec, "no JDK in " + otherJdk);
    }
    return new Options(
        quick ? "quick features" : "features",
        selection.only(),
        selection.contenders(),
        selection.seed(),
        Home.current().directory(),
        Optional.ofNullable(otherJdk));
  }
}
