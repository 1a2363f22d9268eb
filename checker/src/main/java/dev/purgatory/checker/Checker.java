package dev.purgatory.checker;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs random programs against a purgatory and checks every {@link Invariant}. A seed determines a
 * program.
 */
public final class Checker {
  private static final int MOST_STEPS = 40;
  private static final int MOST_STEPS_OF_RACES = 120;
  private static final int TWICE_EVERY = 64;

  /** One in so many seeds yields a {@link BulkProgram}, as these take longer. */
  private static final int BULK_EVERY = 16;

  private final Map<Fault, Double> faults;
  private final Tally tally = new Tally();

  /** Receives the progress of a run. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Called often, on several threads.
     *
     * @param seeds the number of seeds done since the last call
     */
    void done(long seeds);
  }

  /**
   * Creates a checker.
   *
   * @param faults the rate of each fault, from 0 to 1; 0 for faults that are missing
   */
  public Checker(Map<Fault, Double> faults) {
    this.faults = Map.copyOf(faults);
  }

  /** Returns the number of steps done so far. */
  public long steps() {
    return tally.steps();
  }

  /** Returns the number of callbacks called so far. */
  public long callbacks() {
    return tally.callbacks();
  }

  /** Returns the number of reactions of callbacks so far. */
  public long reactions() {
    return tally.reactions();
  }

  /**
   * Runs each program on one thread, in virtual time. Uses all cores.
   *
   * @param first the first seed
   * @param count the number of seeds
   * @return the first failure found, if any
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
    return simulateOperations(seed)
        .or(() -> seed % 2 == 0 ? simulateRequests(seed) : simulateSmall(seed));
  }

  private Optional<Failure> simulateOperations(long seed) {
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

  private Optional<Failure> simulateRequests(long seed) {
    RequestProgram program = new RequestGenerator(seed, faults).program();
    return finding(() -> new RequestRun(program, tally).run())
        .map(
            finding -> {
              RequestProgram small = shrunk(program, finding, p -> new RequestRun(p, tally).run());
              Finding last = finding(() -> new RequestRun(small, tally).run()).orElse(finding);
              return new Failure(seed, false, last, small.listing());
            });
  }

  private Optional<Failure> simulateSmall(long seed) {
    SmallProgram program = SmallProgram.of(seed);
    return finding(() -> program.run(tally))
        .map(
            finding -> {
              SmallProgram small = shrunk(program, finding, p -> p.run(tally));
              Finding last = finding(() -> small.run(tally)).orElse(finding);
              return new Failure(seed, false, last, small.listing());
            });
  }

  private void simulate(Program program, boolean twice) {
    long trace = new Simulation(program, tally).run();
    if (twice && new Simulation(program, tally).run() != trace) {
      throw new Finding(Invariant.DETERMINISM, "the second run has another trace");
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
    } catch (RuntimeException | Error e) {
      return Optional.of(finding(e));
    } finally {
      boolean unused = Thread.interrupted(); // a program may end before it clears the interrupt
    }
  }

  private static Finding finding(Throwable e) {
    return e instanceof Finding finding
        ? finding
        : new Finding(Invariant.RETURN_VALUES, "unexpected: " + e, e);
  }

  /**
   * Runs each program on three threads, every second one on virtual threads if the JDK has them.
   *
   * @param first the first seed
   * @param count the number of seeds
   * @return the first failure found, if any
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

  /** Runs the program of one seed on three threads, until it fails or so many times. */
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
    } catch (RuntimeException | Error e) {
      return Optional.of(new Failure(seed, true, finding(e), program.listing()));
    }
  }
}
