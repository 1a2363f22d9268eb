package dev.purgatory.checker;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * Runs random programs against the purgatory, of each of which one seed fixes everything, and
 * checks every {@link Invariant}.
 */
public final class Checker {
  private static final int MOST_STEPS = 40;
  private static final int MOST_STEPS_OF_RACES = 120;
  private static final int TWICE_EVERY = 64;

  private final Map<Fault, Double> faults;
  private final Tally tally = new Tally();

  /** Is told how far a run has come. */
  @FunctionalInterface
  public interface Progress {
    /** So many seeds are done. Called often, on several threads. */
    void done(long seeds);
  }

  /**
   * Creates a checker.
   *
   * @param faults how often what goes wrong; what is not there never does
   */
  public Checker(Map<Fault, Double> faults) {
    this.faults = Map.copyOf(faults);
  }

  /** How many steps were done. */
  public long steps() {
    return tally.steps();
  }

  /** How many callbacks were called. */
  public long callbacks() {
    return tally.callbacks();
  }

  /** How many things callbacks have done or thrown. */
  public long reactions() {
    return tally.reactions();
  }

  /**
   * Runs programs on one thread each, in virtual time, on as many cores as there are.
   *
   * @param first the first seed
   * @param count how many seeds
   * @return the first failure that was met, if there is one
   */
  public Optional<Failure> simulate(long first, long count, Progress progress) {
    AtomicReference<Failure> failure = new AtomicReference<>();
    AtomicLong next = new AtomicLong();
    IntStream.range(0, Runtime.getRuntime().availableProcessors())
        .parallel()
        .forEach(
            core -> {
              for (long i; (i = next.getAndIncrement()) < count && failure.get() == null; ) {
                simulate(first + i).ifPresent(failure::set);
                progress.done(1);
              }
            });
    return Optional.ofNullable(failure.get());
  }

  /** Runs the program of one seed on one thread. */
  public Optional<Failure> simulate(long seed) {
    Program program = new Generator(seed, faults).program(MOST_STEPS);
    boolean twice = seed % TWICE_EVERY == 0;
    return finding(program, twice)
        .map(
            finding -> {
              Program small = new Shrinker(p -> failsAlike(p, twice, finding)).shrink(program);
              Finding last = finding(small, twice).orElse(finding);
              return new Failure(seed, false, last, small.listing());
            });
  }

  private boolean failsAlike(Program program, boolean twice, Finding finding) {
    return finding(program, twice)
        .filter(other -> other.invariant() == finding.invariant())
        .isPresent();
  }

  private Optional<Finding> finding(Program program, boolean twice) {
    try {
      long trace = new Simulation(program, tally).run();
      if (twice && new Simulation(program, tally).run() != trace) {
        return Optional.of(new Finding(Invariant.DETERMINISM, "another trace the second time"));
      }
      return Optional.empty();
    } catch (Finding finding) {
      return Optional.of(finding);
    } catch (RuntimeException | Error e) {
      return Optional.of(new Finding(Invariant.RETURN_VALUES, "unexpected: " + e, e));
    } finally {
      boolean unused = Thread.interrupted(); // where a program ended before it looked
    }
  }

  /**
   * Runs programs on three threads each, every second time on virtual ones where there are such.
   *
   * @param first the first seed
   * @param count how many seeds
   * @return the first failure that was met, if there is one
   */
  public Optional<Failure> race(long first, long count, Progress progress)
      throws InterruptedException {
    try (Crew platform = Crew.ofPlatformThreads();
        Crew virtual = Crew.ofVirtualThreads()) {
      for (long seed = first; seed < first + count; seed++) {
        Optional<Failure> failure = race(seed, seed % 2 == 0 ? platform : virtual);
        if (failure.isPresent()) {
          return failure;
        }
        progress.done(1);
      }
      return Optional.empty();
    }
  }

  /** Runs the program of one seed on three threads, as often as is said or until it fails. */
  public Optional<Failure> raceAgain(long seed, int times) throws InterruptedException {
    try (Crew crew = Crew.ofPlatformThreads()) {
      Optional<Failure> failure = Optional.empty();
      for (int i = 0; i < times && failure.isEmpty(); i++) {
        failure = race(seed, crew);
      }
      return failure;
    }
  }

  private Optional<Failure> race(long seed, Crew crew) throws InterruptedException {
    Program program = new Generator(seed, faults).program(MOST_STEPS_OF_RACES);
    try {
      new Race(program, tally).run(crew);
      return Optional.empty();
    } catch (Finding finding) {
      return Optional.of(new Failure(seed, true, finding, program.listing()));
    }
  }
}
