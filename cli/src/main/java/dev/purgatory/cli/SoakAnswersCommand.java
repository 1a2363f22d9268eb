package dev.purgatory.cli;

import static java.util.Objects.requireNonNullElse;

import dev.purgatory.benchmarks.answers.AnswersSoak;
import dev.purgatory.benchmarks.answers.AnswersSoakPlan;
import dev.purgatory.benchmarks.answers.Trouble;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.cli.bench.OutputFiles;
import dev.purgatory.cli.text.TimedProgress;
import dev.purgatory.cluster.disturb.Disturbance;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Disturbs the instances of a service that shares answers, and its brokers. */
@Command(
    name = "answers",
    description = {
      "Runs instances of a service that share answers over three Kafka nodes. Clients ask, await and"
          + " answer at any instance. Kills, pauses or cuts off an instance and a node at a time,"
          + " at random. Forges ids, sets clocks, and changes the topic.",
      "Exits with code 1 if a client did not learn the answer of an id that it awaited, or if an id"
          + " had two answers."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    showDefaultValues = true)
final class SoakAnswersCommand implements Callable<Integer> {
  private static final int MOST = 20;
  private static final int MAX_RATE = 10_000;

  /** What happens by default, to processes and to the topic and its ids. */
  private static final String PROCESSES = "kill,pause,cut-off";

  private static final String TOPIC = "forged-ids,clocks,partitions,policy";

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** By hand, what is not answered by then never is. */
  private static final Duration SHORT_PATIENCE = Duration.ofSeconds(25);

  @Mixin private MinutesOption minutes = new MinutesOption();

  @Option(
      names = "--instances",
      paramLabel = "N",
      description = "The number of instances, from 1 to " + MOST + ".")
  private int instances = 3;

  @Option(
      names = "--waiters",
      paramLabel = "N",
      description = "The number of clients that await each id, from 1 to " + MOST + ".")
  private int waiters = 3;

  @Option(
      names = "--completers",
      paramLabel = "N",
      description = "The number of clients that answer each id, from 1 to " + MOST + ".")
  private int completers = 3;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "The number of new ids in a second, from 1 to " + MAX_RATE + ".")
  private int rate = 100;

  @Option(
      names = "--faults",
      paramLabel = "KINDS",
      description =
          "What happens: to processes, some of kill,pause,cut-off; to the topic and its ids, some of"
              + " forged-ids,clocks,partitions,policy,damage; or none. With damage, nodes are not"
              + " killed. Default: all but damage; with --by-hand, those of processes.")
  private @Nullable String faults;

  @Option(
      names = "--by-hand",
      description =
          "Runs a map of futures and a consumer of all answers, as services write it by hand, for"
              + " comparison.")
  private boolean byHand;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of the disturbances. Default: random.")
  private @Nullable Long seed;

  @Option(names = "--json", paramLabel = "FILE", description = "A file for the figures.")
  private @Nullable Path json;

  @Option(names = "--overwrite", description = "Replaces the file if it exists.")
  private boolean overwrite;

  @Spec private CommandSpec spec;

  /** For picocli, which sets the fields. */
  SoakAnswersCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Duration length = Duration.ofMinutes(minutes.checked(spec));
    Arguments.checkRange(spec, "--instances", instances, 1, MOST);
    Arguments.checkRange(spec, "--waiters", waiters, 1, MOST);
    Arguments.checkRange(spec, "--completers", completers, 1, MOST);
    Arguments.checkRange(spec, "--rate", rate, 1, MAX_RATE);
    String chosen = requireNonNullElse(faults, byHand ? PROCESSES : PROCESSES + "," + TOPIC);
    List<String> names = chosen.equals("none") ? List.of() : List.of(chosen.split(",", -1));
    Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    List<Disturbance> kinds = new ArrayList<>();
    Arguments.checked(spec, () -> parse(names, kinds, troubles));
    if (byHand && !troubles.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "--by-hand: only what happens to processes can be chosen");
    }
    if (json != null) {
      Path file = json;
      Arguments.checked(spec, () -> OutputFiles.check(file, overwrite));
    }
    AnswersSoakPlan plan =
        new AnswersSoakPlan(
            byHand ? AnswersSoakPlan.BY_HAND : AnswersSoakPlan.SHARED,
            instances,
            kinds,
            troubles,
            waiters,
            completers,
            rate,
            length,
            byHand ? SHORT_PATIENCE : PATIENCE,
            seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed);
    System.err.println("Seed " + plan.seed());
    AnswersSoak.Outcome outcome;
    try (TimedProgress progress =
        new TimedProgress(Terminal.isStandardError(), "soak", plan.length())) {
      outcome = AnswersSoak.run(plan, Home.current().stockClassPath(), progress);
    }
    write(plan, outcome);
    return judge(outcome);
  }

  private static List<String> parse(
      List<String> names, List<Disturbance> kinds, Set<Trouble> troubles) {
    for (String name : names) {
      Optional<Disturbance> kind = find(Disturbance.values(), name);
      kind.ifPresentOrElse(
          kinds::add,
          () ->
              troubles.add(
                  find(Trouble.values(), name)
                      .orElseThrow(
                          () -> new IllegalArgumentException("there is no fault '" + name + "'"))));
    }
    return names;
  }

  private static <E extends Enum<E>> Optional<E> find(E[] all, String name) {
    return Stream.of(all)
        .filter(each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(name))
        .findFirst();
  }

  private void write(AnswersSoakPlan plan, AnswersSoak.Outcome outcome)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%s with seed %d, %s, %s%n",
        MinutesOption.text(plan.length().toMinutes()),
        plan.seed(),
        plan.instances() == 1 ? "1 instance" : plan.instances() + " instances",
        plan.contender());
    outcome.lines().forEach(out::println);
    if (json != null) {
      String command =
          "./purgatory " + String.join(" ", spec.commandLine().getParseResult().originalArgs());
      ResultsJson.write(
          new Results(Environments.of("soak", command, Home.current().directory()), outcome.rows()),
          json);
      out.println("Figures: " + json);
    }
    out.flush();
  }

  private int judge(AnswersSoak.Outcome outcome) {
    PrintWriter err = spec.commandLine().getErr();
    outcome.findings().forEach(err::println);
    outcome
        .violations()
        .forEach(
            (what, count) -> err.printf("%s: %,d times: %s%n", spec.qualifiedName(), count, what));
    err.flush();
    return outcome.violations().isEmpty() ? 0 : 1;
  }
}
