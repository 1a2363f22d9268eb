package dev.purgatory.cli;

import dev.purgatory.cluster.run.RollingPlan;
import dev.purgatory.cluster.run.RollingRun;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Installs the drop-in on a cluster under load, and removes it again. */
@Command(
    name = "rolling",
    description = {
      "Runs three stock Kafka nodes under load. Restarts one node after the other with the drop-in,"
          + " and then without it. Takes about three minutes.",
      "Exits with code 1 if an acknowledged message is lost, or if a message is received twice or"
          + " out of order."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    showDefaultValues = true)
final class SoakRollingCommand implements Callable<Integer> {
  private static final int MAX_CONSUMERS = 1000;
  private static final int MAX_SECONDS = 3600;

  @Option(
      names = "--pause",
      paramLabel = "SECONDS",
      description = "The time between two restarts in seconds, from 1 to " + MAX_SECONDS + ".")
  private int pause = 10;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description =
          "The number of consumers that wait for messages, from 1 to " + MAX_CONSUMERS + ".")
  private int consumers = 40;

  @Option(
      names = "--stock",
      description = "Restarts all nodes without the drop-in, for comparison.")
  private boolean stockOnly;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  SoakRollingCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws InterruptedException {
    Arguments.checkRange(spec, "--pause", pause, 1, MAX_SECONDS);
    Arguments.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    Home home = Home.current();
    RollingPlan plan =
        new RollingPlan(
            home.stockClassPath(),
            home.dropInClassPath(),
            !stockOnly,
            Duration.ofSeconds(pause),
            consumers);
    return SoakReport.print(
        spec, "Rolling restarts of three nodes", RollingRun.run(plan, System.err::println));
  }
}
