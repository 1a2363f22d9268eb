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
  private static final int TWICE_EVERY = 64;

  /** One in so many seeds yields a program of thousands of operations, as these take longer. */
  private static final int BULK_EVERY = 16;

  /** One in so many seeds also yields a program in real time, whose waits take longer. */
  private static final int LIVE_EVERY = 32;

  private final Map<Fault, Double> faults;
  private final boolean reduces;
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
    this(faults, /* reduces= */ true);
  }

  /**
   * Creates a checker.
   *
   * @param reduces whether programs that fail are reduced, which runs them many times
   */
  Checker(Map<Fault, Double> faults, boolean reduces) {
    this.faults = Map.copyOf(faults);
    this.reduces = reduces;
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

  /** Runs the programs of one seed on one thread. */
  public Optional<Failure> simulate(long seed) {
    if (isBulk(seed)) {
      return bulk(seed, /* threaded= */ false);
    }
    return check(seed, operations(seed, false), each -> runAgain(each, seed), false, reduces)
        .or(() -> simulate(seed, features(seed), /* threaded= */ false))
        .or(() -> live(seed));
  }

  private <R extends Run> Optional<Failure> simulate(
      long seed, Program<R> program, boolean threaded) {
    return check(seed, program, each -> each.run(tally), threaded, reduces);
  }

  private void runAgain(Program<OperationRun> program, long seed) {
    long trace = program.run(tally).trace();
    if (seed % TWICE_EVERY == 0 && program.run(tally).trace() != trace) {
      throw new Finding(Invariant.DETERMINISM, "the second run has another trace");
    }
  }

  private static boolean isBulk(long seed) {
    return Math.floorMod(seed, BULK_EVERY) == BULK_EVERY - 1;
  }

  private Optional<Failure> bulk(long seed, boolean threaded) {
    return simulate(seed, new BulkGenerator(seed, threaded).program(), threaded);
  }

  /** Threads of the library take part, so a program that fails is not reduced. */
  private Optional<Failure> live(long seed) {
    return Math.floorMod(seed, LIVE_EVERY) == 1
        ? check(
            seed, LiveRun.program(new Draw(-seed, faults)), each -> each.run(tally), false, false)
        : Optional.empty();
  }

  private Program<OperationRun> operations(long seed, boolean threaded) {
    return new OperationGenerator(seed, faults, threaded).program();
  }

  /** Returns a program for the features that are built on operations. */
  private Program<?> features(long seed) {
    Draw draw = new Draw(~seed, faults); // differs from the other program of the seed
    if (seed % 2 == 0) {
      return new RequestGenerator(draw).program();
    }
    return draw.oneIn(2) ? SessionRun.program(draw) : ThrottleRun.program(draw);
  }

  /**
   * Runs each program on three threads, every second one on virtual threads if the JDK has them.
   *
   * @param first the first seed
   * @param count the number of seeds
   * @return the first failure found, if any
   */
  public Optional<Failure> race(long first, long count, Progress progress) {
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
  public Optional<Failure> raceAgain(long seed, int times) {
    try (Crew crew = Crew.ofPlatformThreads()) {
      Optional<Failure> failure = Optional.empty();
      for (int i = 0; i < times && failure.isEmpty(); i++) {
        failure = race(seed, crew);
      }
      return failure;
    }
  }

  /** The seed does not determine what threads do. So a program that fails is not reduced. */
  private Optional<Failure> race(long seed, Crew crew) {
    return isBulk(seed)
        ? bulk(seed, /* threaded= */ true)
        : check(seed, operations(seed, true), each -> each.race(crew, tally), true, false);
  }

  private static <R extends Run> Optional<Failure> check(
      long seed, Program<R> program, Consumer<Program<R>> run, boolean threaded, boolean reduces) {
    Optional<Finding> first = finding(program, run);
    if (first.isEmpty() || !reduces) {
      return first.map(finding -> new Failure(seed, threaded, finding, program.listing()));
    }
    Invariant invariant = first.get().invariant();
    Program<R> small =
        program.shrunk(
            smaller -> finding(smaller, run).filter(f -> f.invariant() == invariant).isPresent());
    Finding last = finding(small, run).or(() -> first).get();
    return Optional.of(new Failure(seed, threaded, last, small.listing()));
  }

  private static <R extends Run> Optional<Finding> finding(
      Program<R> program, Consumer<Program<R>> run) {
    Callback.markCaller();
    try {
      run.accept(program);
      return Optional.empty();
    } catch (Finding finding) {
      return Optional.of(finding);
    } catch (RuntimeException | Error e) {
      return Optional.of(new Finding(Invariant.RETURN_VALUES, "unexpected: " + e, e));
    } finally {
      Thread.interrupted(); // a program may end before it clears the interrupt
    }
  }
}
