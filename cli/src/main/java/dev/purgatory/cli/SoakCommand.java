package dev.purgatory.cli;

import dev.purgatory.cli.load.LoadStats;
import dev.purgatory.cli.soak.SoakPlan;
import dev.purgatory.cli.soak.SoakResult;
import dev.purgatory.cli.soak.SoakRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A cluster whose nodes are disturbed at random, and clients that check what it has promised. */
@Command(
    name = "soak",
    description = {
      "Runs three Kafka nodes with the drop-in under load, and kills, pauses and cuts off one after"
          + " the other at random.",
      "Ends with exit code 1 when an acknowledged message was lost, or one came twice."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class SoakCommand implements Callable<Integer> {
  private static final int MAX_MINUTES = 7 * 24 * 60;
  private static final int MAX_CONSUMERS = 1000;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long the load lasts. Default: 10.")
  private int minutes = 10;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description = "How many consumers wait for messages. Default: 40.")
  private int consumers = 40;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Decides what befalls which node when. Default: another one each time.")
  private @Nullable Long seed;

  @Option(names = "--stock", description = "Runs Kafka as released, for comparison.")
  private boolean stock;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  SoakCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Options.checkRange(spec, "--minutes", minutes, 1, MAX_MINUTES);
    Options.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    Home home = Home.current();
    long chosen = seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed;
    String classPath = stock ? home.stockClassPath() : home.dropInClassPath();
    Duration length = Duration.ofMinutes(minutes);
    SoakPlan plan = new SoakPlan(classPath, !stock, length, consumers, chosen);
    System.err.println("Seed " + chosen);
    SoakResult result = SoakRun.run(plan, System.err, Terminal.isStandardError());
    print(chosen, result);
    return result.isClean() ? 0 : 1;
  }

  private void print(long chosen, SoakResult result) {
    LoadStats clients = result.clients();
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%d minutes, seed %d; nodes were %s%n", minutes, chosen, result.disturbances());
    out.printf(
        "%,d sent, %,d acknowledged, %,d read; %,d lost, %,d twice; %,d given up by clients%n",
        clients.sent(),
        clients.acknowledged(),
        clients.received(),
        clients.lost(),
        clients.duplicates(),
        clients.errors());
    out.flush();
  }
}
