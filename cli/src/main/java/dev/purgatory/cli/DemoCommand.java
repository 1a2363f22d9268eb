package dev.purgatory.cli;

import dev.purgatory.cli.text.TimedProgress;
import dev.purgatory.cluster.run.DemoPlan;
import dev.purgatory.cluster.run.DemoResult;
import dev.purgatory.cluster.run.DemoRun;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs three real nodes with hundreds of clients and one failure. */
@Command(
    name = "demo",
    description = {
      "Runs three Kafka nodes with the drop-in under load, kills one of them and starts it again, and"
          + " prints statistics of their purgatories.",
      "Exits with code 1 if an acknowledged message is lost."
    },
    showDefaultValues = true)
final class DemoCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 3600;
  private static final int MAX_CONSUMERS = 5000;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "The duration of the load in seconds, from 3 to " + MAX_SECONDS + ".")
  private int seconds = 15;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description =
          "The number of consumers that wait for messages, from 1 to " + MAX_CONSUMERS + ".")
  private int consumers = 200;

  @Option(
      names = "--compare",
      description = "First runs the same load on stock Kafka, for comparison.",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER)
  private boolean compare;

  @Mixin private WatchOption watch = new WatchOption();

  /** For development of this command. */
  @Option(names = "--stock", description = "Runs only stock Kafka.", hidden = true)
  private boolean stock;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    Arguments.checkRange(spec, "--seconds", seconds, 3, MAX_SECONDS);
    Arguments.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    List<DemoResult> results = new ArrayList<>();
    for (DemoPlan plan : plans(Home.current())) {
      try (TimedProgress progress = new TimedProgress("load", plan.load())) {
        results.add(
            DemoRun.run(
                plan,
                progress,
                (nodes, cleanup) -> {
                  if (plan.dropIn()) {
                    watch.serve(nodes, cleanup, progress::say);
                  }
                }));
      }
    }
    print(results);
    return results.stream().mapToInt(this::judge).max().orElseThrow();
  }

  private List<DemoPlan> plans(Home home) {
    List<DemoPlan> plans = new ArrayList<>();
    if (compare || stock) {
      plans.add(plan("stock Kafka", false, home.stockClassPath()));
    }
    if (!stock) {
      plans.add(plan("drop-in", true, home.dropInClassPath()));
    }
    return plans;
  }

  private DemoPlan plan(String name, boolean dropIn, String classPath) {
    return new DemoPlan(name, dropIn, classPath, Duration.ofSeconds(seconds), consumers);
  }

  private void print(List<DemoResult> results) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(DemoReport.of(results));
    out.flush();
  }

  private int judge(DemoResult result) {
    PrintWriter err = spec.commandLine().getErr();
    result.clients().firstError().ifPresent(error -> err.println("First client error: " + error));
    if (result.clients().lost() > 0) {
      err.println(spec.qualifiedName() + ": acknowledged messages were lost on " + result.name());
    }
    err.flush();
    return result.clients().lost() > 0 ? 1 : 0;
  }
}
