package dev.purgatory.cli;

import dev.purgatory.cli.soak.SoakPlan;
import dev.purgatory.cli.soak.SoakResult;
import dev.purgatory.cli.soak.SoakRun;
import dev.purgatory.cluster.load.LoadStats;
import dev.purgatory.cluster.load.Reading;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
      "Ends with exit code 1 when an acknowledged message was lost, or one came twice or after a"
          + " later one."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = SoakLibraryCommand.class)
final class SoakCommand implements Callable<Integer> {
  private static final int MAX_MINUTES = 24 * 60;
  private static final int MAX_CONSUMERS = 1000;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long the load lasts, from 1 to " + MAX_MINUTES + ". Default: 10.")
  private int minutes = 10;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description =
          "How many consumers wait for messages, from 1 to " + MAX_CONSUMERS + ". Default: 40.")
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
  public Integer call() throws InterruptedException {
    Arguments.checkRange(spec, "--minutes", minutes, 1, MAX_MINUTES);
    Arguments.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    Home home = Home.current();
    long chosen = seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed;
    String classPath = stock ? home.stockClassPath() : home.dropInClassPath();
    Duration length = Duration.ofMinutes(minutes);
    SoakPlan plan = new SoakPlan(classPath, !stock, length, consumers, chosen);
    System.err.println("Seed " + chosen);
    SoakResult result = SoakRun.run(plan, System.err, Terminal.isStandardError());
    print(chosen, result);
    return judge(result);
  }

  private void print(long chosen, SoakResult result) {
    LoadStats clients = result.clients();
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%d minutes with seed %d%n", minutes, chosen);
    out.printf("  nodes disturbed  %s%n", counts(result.disturbances()));
    out.printf(
        "  messages         %,d sent, %,d acknowledged; clients met %,d errors%n",
        clients.sent(), clients.acknowledged(), clients.errors());
    out.printf("  read on the way  %s%n", counts(result.onTheWay()));
    out.printf("  read back        %s%n", counts(result.readBack()));
    out.flush();
  }

  private static String counts(Map<String, Integer> disturbances) {
    int sum = disturbances.values().stream().mapToInt(Integer::intValue).sum();
    return disturbances.entrySet().stream()
        .map(entry -> entry.getValue() + " " + entry.getKey())
        .collect(Collectors.joining(", ", sum + ": ", ""));
  }

  private static String counts(Reading reading) {
    return "%,d; %,d lost, %,d twice, %,d out of order"
        .formatted(reading.received(), reading.lost(), reading.twice(), reading.outOfOrder());
  }

  private int judge(SoakResult result) {
    PrintWriter err = spec.commandLine().getErr();
    result.clients().firstError().ifPresent(error -> err.println("First client error: " + error));
    result.onTheWay().findings().forEach(finding -> err.println("On the way: " + finding));
    result.readBack().findings().forEach(finding -> err.println("Read back: " + finding));
    if (!result.isClean()) {
      err.println(spec.qualifiedName() + ": " + result.verdict());
    }
    err.flush();
    return result.isClean() ? 0 : 1;
  }
}
