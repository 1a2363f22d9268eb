package dev.purgatory.cli;

import static java.util.Objects.requireNonNullElse;

import dev.purgatory.benchmarks.answers.AnswersSoakPlan;
import dev.purgatory.benchmarks.answers.Trouble;
import dev.purgatory.cluster.disturb.Disturbance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of {@code soak answers}. */
final class AnswersOptions {
  private static final int MOST = 20;
  private static final int MAX_RATE = 10_000;

  /** What happens by default, to processes and to the topic and its ids. */
  private static final String PROCESSES = "kill,pause,cut-off";

  private static final String TOPIC = "forged-ids,clocks,partitions,policy";

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** By hand, what is not answered by then never is. */
  private static final Duration SHORT_PATIENCE = Duration.ofSeconds(25);

  @Option(
      names = "--instances",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "answers: the number of instances, from 1 to " + MOST + ".")
  private int instances = 3;

  @Option(
      names = "--waiters",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "answers: the number of clients that await each id, from 1 to " + MOST + ".")
  private int waiters = 3;

  @Option(
      names = "--completers",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "answers: the number of clients that answer each id and ask whether they were the first,"
              + " from 0 to "
              + MOST
              + ".")
  private int completers = 3;

  @Option(
      names = "--offerers",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description =
          "answers: the number of clients that answer each id without asking, from 0 to "
              + MOST
              + ".")
  private int offerers;

  @Option(
      names = "--rate",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "answers: the number of new ids in a second, from 1 to " + MAX_RATE + ".")
  private int rate = 100;

  @Option(
      names = "--faults",
      paramLabel = "KINDS",
      description =
          "answers: what happens: to processes, some of kill,pause,cut-off; to the topic and its"
              + " ids, some of forged-ids,clocks,partitions,policy,damage; or none. With damage,"
              + " nodes are not killed. Default: all but damage; with --by-hand, those of"
              + " processes.")
  private @Nullable String faults;

  @Option(
      names = "--by-hand",
      description =
          "answers: runs a map of futures and a consumer of all answers, as services write it by"
              + " hand, for comparison.")
  private boolean byHand;

  /** Returns the plan, or fails if options are invalid. */
  AnswersSoakPlan plan(CommandSpec spec, Duration length, long seed) {
    Arguments.checkRange(spec, "--instances", instances, 1, MOST);
    Arguments.checkRange(spec, "--waiters", waiters, 1, MOST);
    Arguments.checkRange(spec, "--completers", completers, 0, MOST);
    Arguments.checkRange(spec, "--offerers", offerers, 0, MOST);
    if (completers + offerers == 0) {
      throw Arguments.wrong(spec, "nobody answers");
    }
    Arguments.checkRange(spec, "--rate", rate, 1, MAX_RATE);
    String chosen = requireNonNullElse(faults, byHand ? PROCESSES : PROCESSES + "," + TOPIC);
    List<String> names = chosen.equals("none") ? List.of() : List.of(chosen.split(",", -1));
    Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    List<Disturbance> kinds = new ArrayList<>();
    for (String name : names) {
      find(Disturbance.values(), name)
          .ifPresentOrElse(
              kinds::add,
              () ->
                  troubles.add(
                      find(Trouble.values(), name)
                          .orElseThrow(
                              () -> Arguments.wrong(spec, "there is no fault '" + name + "'"))));
    }
    if (byHand && !troubles.isEmpty()) {
      throw Arguments.wrong(spec, "--by-hand: only what happens to processes can be chosen");
    }
    return new AnswersSoakPlan(
        byHand ? AnswersSoakPlan.BY_HAND : AnswersSoakPlan.SHARED,
        instances,
        kinds,
        troubles,
        waiters,
        completers,
        offerers,
        rate,
        length,
        byHand ? SHORT_PATIENCE : PATIENCE,
        seed);
  }

  private static <E extends Enum<E>> Optional<E> find(E[] all, String name) {
    return Stream.of(all)
        .filter(each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(name))
        .findFirst();
  }
}
