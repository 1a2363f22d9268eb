package dev.purgatory.cli;

import dev.purgatory.cli.text.TimedProgress;
import dev.purgatory.cluster.run.SoakPlan;
import dev.purgatory.cluster.run.SoakRun;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Disturbs the nodes of a cluster at random while clients check its guarantees. */
@Command(
    name = "soak",
    description = {
      "Runs three Kafka nodes with the drop-in under load. Kills, pauses or cuts off one node after"
          + " the other at random.",
      "Exits with code 1 if an acknowledged message is lost, or if a message is received twice or"
          + " out of order."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {SoakAnswersCommand.class, SoakLibraryCommand.class, SoakRollingCommand.class})
final class SoakCommand implements Callable<Integer> {
  private static final int MAX_CONSUMERS = 1000;

  @Mixin private MinutesOption minutes = new MinutesOption();

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description =
          "The number of consumers that wait for messages, from 1 to " + MAX_CONSUMERS + ".",
      showDefaultValue = Visibility.ALWAYS)
  private int consumers = 40;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of the disturbances. Default: random.")
  private @Nullable Long seed;

  @Option(names = "--stock", description = "Runs stock Kafka, for comparison.")
  private boolean stock;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  SoakCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws InterruptedException {
    Duration length = Duration.ofMinutes(minutes.checked(spec));
    Arguments.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    Home home = Home.current();
    long chosen = seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed;
    String classPath = stock ? home.stockClassPath() : home.dropInClassPath();
    SoakPlan plan = new SoakPlan(classPath, !stock, length, consumers, chosen);
    System.err.println("Seed " + chosen);
    String headline =
        "%s with seed %d".formatted(MinutesOption.text(plan.length().toMinutes()), plan.seed());
    try (TimedProgress progress =
        new TimedProgress(Terminal.isStandardError(), "soak", plan.length())) {
      return SoakReport.print(spec, headline, SoakRun.run(plan, progress));
    }
  }
}
