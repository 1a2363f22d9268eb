package dev.purgatory.checker;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs random programs against the purgatory, of each of which one seed fixes everything, and
 * checks every {@link Invariant}.
 */
public final class Checker {
  private static final int MOST_STEPS = 40;
  private static final int MOST_STEPS_OF_RACES = 120;
  private static final int TWICE_EVERY = 64;

  /** One of so many seeds gives a {@link BulkProgram}, as these take longer. */
  private static final int BULK_EVERY = 16;

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
    if (isBulk(seed)) {
      return bulk(seed, /* concurrent= */ false);
    }
    Program program = new Generator(seed, faults).program(MOST_STEPS);
    boolean twice = seed % TWICE_EVERY == 0;
    return finding(() -> simulate(program, twice))
        .map(
            finding -> {
              Program small = shrunk(program, finding, p -> simulate(p, twice));
              Finding last = finding(() -> simulate(small, twice)).orElse(finding);
              return new Failure(seed, false, last, small.listing());
            });
  }

  private void simulate(Program program, boolean twice) {
    long trace = new Simulation(program, tally).run();
    if (twice && new Simulation(program, tally).run() != trace) {
      throw new Finding(Invariant.DETERMINISM, "another trace the second time");
    }
  }

  private static boolean isBulk(long seed) {
    return Math.floorMod(seed, BULK_EVERY) == BULK_EVERY - 1;
  }

  private Optional<Failure> bulk(long seed, boolean concurrent) {
    BulkProgram program = new BulkGenerator(seed, concurrent).program();
    return finding(() -> new BulkRun(program, tally).run())
        .map(
            finding -> {
              BulkProgram small = shrunk(program, finding, p -> new BulkRun(p, tally).run());
              Finding last = finding(() -> new BulkRun(small, tally).run()).orElse(finding);
              return new Failure(seed, concurrent, last, small.listing());
            });
  }

  private static <P extends Shrinkable<P>> P shrunk(P program, Finding finding, Consumer<P> run) {
    return new Shrinker<P>(
            smaller ->
                finding(() -> run.accept(smaller))
                    .filter(other -> other.invariant() == finding.invariant())
                    .isPresent())
        .shrink(program);
  }

  private static Optional<Finding> finding(Runnable run) {
    try {
      run.run();
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
    if (isBulk(seed)) {
      return bulk(seed, /* concurrent= */ true);
    }
    Program program = new Generator(seed, faults).program(MOST_STEPS_OF_RACES);
    try {
      new Race(program, tally).run(crew);
      return Optional.empty();
    } catch (Finding finding) {
      return Optional.of(new Failure(seed, true, finding, program.listing()));
    }
  }
}
