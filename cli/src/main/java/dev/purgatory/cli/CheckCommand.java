package dev.purgatory.cli;

import dev.purgatory.checker.Checker;
import dev.purgatory.checker.Failure;
import dev.purgatory.checker.Fault;
import dev.purgatory.cli.check.CheckProgress;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs random programs with faults and checks the promises of the library. */
@Command(
    name = "check",
    description = {
      "Runs random programs with faults against the library and checks that its promises hold.",
      "A program that fails is reduced and printed, with a command that repeats it."
    })
final class CheckCommand implements Callable<Integer> {
  private static final Logger LIBRARY = Logger.getLogger("dev.purgatory");

  /** The number of times that a race is repeated, since the seed does not determine its outcome. */
  private static final int RACE_REPEATS = 1_000;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "The number of programs on one thread, in virtual time.")
  private int seeds = 100_000;

  @Option(
      names = "--races",
      paramLabel = "N",
      showDefaultValue = Visibility.ALWAYS,
      description = "The number of programs on three threads.")
  private int races = 2_000;

  @Option(
      names = "--from",
      paramLabel = "SEED",
      showDefaultValue = Visibility.ALWAYS,
      description = "The first seed.")
  private long from = 0;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      description = "Runs only the program of this seed, on one thread.")
  private @Nullable Long seed;

  @Option(
      names = "--race",
      paramLabel = "SEED",
      description = "Runs only the program of this seed, on three threads, repeatedly.")
  private @Nullable Long race;

  @Option(
      names = "--fault",
      split = ",",
      paramLabel = "NAME=RATE",
      description =
          "Sets the rate of a fault, from 0 to 1. If a name is unknown, lists the valid names.")
  private Map<String, Double> rates = new LinkedHashMap<>();

  @Option(names = "--no-faults", description = "Runs without faults.")
  private boolean withoutFaults;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    Arguments.checkRange(spec, "--seeds", seeds, 0, Integer.MAX_VALUE);
    Arguments.checkRange(spec, "--races", races, 0, Integer.MAX_VALUE);
    if (seed != null && race != null) {
      throw Arguments.wrong(spec, "choose either --seed or --race");
    }
    Checker checker = new Checker(faults());
    LIBRARY.setLevel(Level.OFF); // It logs exceptions of listeners, which are injected.
    long start = System.nanoTime();
    Optional<Failure> failure = run(checker);
    double seconds = (System.nanoTime() - start) / 1e9;
    failure.ifPresentOrElse(this::report, () -> reportSuccess(checker, seconds));
    return failure.isPresent() ? 1 : 0;
  }

  private Map<Fault, Double> faults() {
    Map<Fault, Double> faults = withoutFaults ? Fault.none() : Fault.usual();
    rates.forEach((name, rate) -> faults.put(fault(name), checked(name, rate)));
    return new EnumMap<>(faults);
  }

  private Fault fault(String name) {
    for (Fault fault : Fault.values()) {
      if (fault.title().equals(name)) {
        return fault;
      }
    }
    throw Arguments.wrong(spec, "unknown fault '" + name + "'; valid names: " + Fault.titles());
  }

  private double checked(String name, double rate) {
    if (!(rate >= 0 && rate <= 1)) {
      throw Arguments.wrong(spec, "--fault " + name + " must be from 0 to 1, not " + rate);
    }
    return rate;
  }

  private Optional<Failure> run(Checker checker) {
    if (seed != null) {
      return checker.simulate(seed);
    }
    if (race != null) {
      return checker.raceAgain(race, RACE_REPEATS);
    }
    try (CheckProgress progress = new CheckProgress((long) seeds + races)) {
      Optional<Failure> failure = checker.simulate(from, seeds, progress);
      return failure.isPresent() ? failure : checker.race(from, races, progress);
    }
  }

  private void report(Failure failure) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(failure.finding().getMessage());
    out.println("  Violated: " + failure.finding().invariant().meaning());
    out.println(failure.listing());
    String again = failure.threaded() ? "--race " : "--seed ";
    out.println("Repeat: ./purgatory check " + again + failure.seed() + options());
    out.flush();
  }

  /** Returns the options that affect the program in addition to the seed. */
  private String options() {
    StringBuilder options = new StringBuilder(withoutFaults ? " --no-faults" : "");
    rates.forEach((name, rate) -> options.append(" --fault ").append(name + "=" + rate));
    return options.toString();
  }

  private void reportSuccess(Checker checker, double seconds) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%,d programs on one thread and %,d on three, from seed %d: no findings.%n"
            + "%,d steps, %,d callbacks, %,d reactions of callbacks, in %.0f s.%n",
        seed != null ? 1 : race != null ? 0 : seeds,
        race != null ? RACE_REPEATS : seed != null ? 0 : races,
        seed != null ? seed : race != null ? race : from,
        checker.steps(),
        checker.callbacks(),
        checker.reactions(),
        seconds);
    out.flush();
  }
}
