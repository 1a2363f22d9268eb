package dev.purgatory.cli;

import static java.util.Objects.requireNonNull;

import dev.purgatory.benchmarks.answers.AnswersSoak;
import dev.purgatory.benchmarks.answers.AnswersSoakPlan;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.benchmarks.soak.LibrarySoak;
import dev.purgatory.benchmarks.soak.LibrarySoakPlan;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.text.TimedProgress;
import dev.purgatory.cluster.run.RollingPlan;
import dev.purgatory.cluster.run.RollingRun;
import dev.purgatory.cluster.run.SoakPlan;
import dev.purgatory.cluster.run.SoakRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Loads a cluster, the library or a service for a long time, and checks what they promise. */
@Command(
    name = "soak",
    description = {
      "Loads something for a long time, and checks what it promises. Exits with code 1 if a promise"
          + " is broken.",
      "cluster: three Kafka nodes with the drop-in. Kills, pauses or cuts off one node after the other"
          + " at random. No acknowledged message may be lost, received twice or out of order.",
      "rolling: three stock Kafka nodes, which are restarted with the drop-in and then without it, in"
          + " about three minutes. The same is checked.",
      "library: bursts and steady load without Kafka. The heap, threads, retained entries and the"
          + " lateness of timeouts may not grow: the maximum in the last third of the run may not"
          + " exceed 1.5 times the maximum in the first third plus a constant.",
      "answers: instances of a service that share answers over three Kafka nodes. Kills, pauses or cuts"
          + " off an instance and a node at a time, forges ids, sets clocks, and changes the topic."
          + " Each client must learn the answer of an id that it awaits, and no id may have two."
    })
final class SoakCommand implements Callable<Integer> {
  private static final int MAX_CONSUMERS = 1000;
  private static final int MAX_MINUTES = 24 * 60;
  private static final int MAX_SECONDS = 3600;

  private enum What {
    CLUSTER,
    ROLLING,
    LIBRARY,
    ANSWERS;

    /** Returns the options that fit, without {@link AnswersOptions}. */
    Set<String> options() {
      return switch (this) {
        case CLUSTER -> Set.of("--minutes", "--seed", "--consumers", "--stock");
        case ROLLING -> Set.of("--pause", "--consumers", "--stock");
        case LIBRARY -> Set.of("--minutes", "--json", "--overwrite");
        case ANSWERS -> Set.of("--minutes", "--seed", "--json", "--overwrite");
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(
      arity = "0..1",
      paramLabel = "WHAT",
      showDefaultValue = Visibility.ALWAYS,
      description = "One of ${COMPLETION-CANDIDATES}.")
  private What what = What.CLUSTER;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "The duration of the load in minutes, from 1 to " + MAX_MINUTES + ".")
  private int minutes = 10;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "cluster, answers: the seed of the disturbances. Default: random.")
  private @Nullable Long seed;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      description =
          "cluster, rolling: the number of consumers that wait for messages, from 1 to "
              + MAX_CONSUMERS
              + ".",
      showDefaultValue = Visibility.ALWAYS)
  private int consumers = 40;

  @Option(
      names = "--stock",
      description = "cluster, rolling: runs stock Kafka only, for comparison.")
  private boolean stock;

  @Option(
      names = "--pause",
      paramLabel = "SECONDS",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "rolling: the time between two restarts in seconds, from 1 to " + MAX_SECONDS + ".")
  private int pause = 10;

  @Mixin private AnswersOptions answers = new AnswersOptions();

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "library, answers: a file for the figures.")
  private @Nullable Path json;

  @Option(names = "--overwrite", description = "library, answers: replaces the file if it exists.")
  private boolean overwrite;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      boolean isOfAnswers =
          requireNonNull(spec.mixins().get("answers")).optionsMap().containsKey(name);
      if (isOfAnswers ? what != What.ANSWERS : !what.options().contains(name)) {
        throw Arguments.wrong(spec, "soak " + what + " has no option " + name);
      }
    }
    Arguments.checkRange(spec, "--minutes", minutes, 1, MAX_MINUTES);
    Arguments.checkRange(spec, "--consumers", consumers, 1, MAX_CONSUMERS);
    Arguments.checkRange(spec, "--pause", pause, 1, MAX_SECONDS);
    if (json != null) {
      Path file = json;
      Arguments.checked(spec, () -> OutputFiles.check(file, overwrite));
    }
    Duration length = Duration.ofMinutes(minutes);
    long chosen = seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed;
    return switch (what) {
      case CLUSTER -> cluster(length, chosen);
      case ROLLING -> rolling();
      case LIBRARY -> library(length);
      case ANSWERS -> answers(answers.plan(spec, length, chosen));
    };
  }

  private int cluster(Duration length, long chosen) throws InterruptedException {
    Home home = Home.current();
    String classPath = stock ? home.stockClassPath() : home.dropInClassPath();
    SoakPlan plan = new SoakPlan(classPath, !stock, length, consumers, chosen);
    System.err.println("Seed " + chosen);
    try (TimedProgress progress = progress(length)) {
      return SoakReport.print(spec, time() + " with seed " + chosen, SoakRun.run(plan, progress));
    }
  }

  private int rolling() throws InterruptedException {
    Home home = Home.current();
    RollingPlan plan =
        new RollingPlan(
            home.stockClassPath(),
            home.dropInClassPath(),
            !stock,
            Duration.ofSeconds(pause),
            consumers);
    return SoakReport.print(
        spec, "Rolling restarts of three nodes", RollingRun.run(plan, System.err::println));
  }

  private int library(Duration length) throws IOException, InterruptedException {
    LibrarySoak.Outcome outcome;
    try (TimedProgress progress = progress(length)) {
      outcome =
          LibrarySoak.run(
              LibrarySoakPlan.usual(length),
              (time, count) -> progress.advanced(time, "%,d operations".formatted(count)));
    }
    write("%,d operations in %s".formatted(outcome.operations(), time()), outcome.rows());
    return judge(outcome.growth());
  }

  private int answers(AnswersSoakPlan plan) throws IOException, InterruptedException {
    System.err.println("Seed " + plan.seed());
    AnswersSoak.Outcome outcome;
    try (TimedProgress progress = progress(plan.length())) {
      outcome = AnswersSoak.run(plan, Home.current().stockClassPath(), progress);
    }
    String instances = plan.instances() == 1 ? "1 instance" : plan.instances() + " instances";
    String headline =
        "%s with seed %d, %s, %s".formatted(time(), plan.seed(), instances, plan.contender());
    String figures =
        outcome.rows().stream()
            .map(row -> "%,12.1f %s (%s)".formatted(row.median(), row.metric(), row.unit()))
            .collect(Collectors.joining("\n"));
    write(headline + "\n" + figures, outcome.rows());
    outcome.findings().forEach(spec.commandLine().getErr()::println);
    return judge(
        outcome.violations().entrySet().stream()
            .map(each -> "%,d times: %s".formatted(each.getValue(), each.getKey()))
            .toList());
  }

  private void write(String text, List<Row> rows) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    text.lines().forEach(out::println);
    if (json != null) {
      String command =
          "./purgatory " + String.join(" ", spec.commandLine().getParseResult().originalArgs());
      ResultsJson.write(
          new Results(Environments.of("soak", command, Home.current().directory()), rows), json);
      out.println("Figures: " + json);
    }
    out.flush();
  }

  private int judge(List<String> violations) {
    PrintWriter err = spec.commandLine().getErr();
    violations.forEach(violation -> err.println(spec.qualifiedName() + ": " + violation));
    err.flush();
    return violations.isEmpty() ? 0 : 1;
  }

  private TimedProgress progress(Duration length) {
    return new TimedProgress("soak", length);
  }

  private String time() {
    return SoakReport.minutes(minutes);
  }
}
