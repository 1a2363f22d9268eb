package dev.purgatory.checker;

import dev.purgatory.checker.BulkProgram.BulkSettings;
import dev.purgatory.checker.BulkStep.Ending;
import dev.purgatory.checker.BulkStep.Link;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Generates {@link BulkProgram}s. */
final class BulkGenerator {
  private static final int MIN_STEPS = 3;
  private static final int MAX_STEPS = 9;
  private static final int MAX_THREADS = 4;
  private static final int MAX_PURGATORIES = 50;
  private static final int MANY_PURGATORIES_EVERY = 8;
  private static final int REST_EVERY = 32;

  private static final long[] TICKS = {1_000_000, 1_000_000, 7_000_001, 100_000_000};
  private static final int[] WHEEL_SIZES = {20, 64, 64, 512};
  private static final int[] STRIPES = {1, 2, 8, 16};
  private static final long[] TIMEOUTS = {
    Duration.ofSeconds(1).toNanos(),
    Duration.ofSeconds(30).toNanos(),
    Duration.ofHours(1).toNanos(),
    Duration.ofHours(24).toNanos()
  };
  private static final long[] PASSES = {
    Duration.ofMillis(10).toNanos(),
    Duration.ofSeconds(2).toNanos(),
    Duration.ofMinutes(1).toNanos(),
    Duration.ofHours(2).toNanos()
  };

  private final SplittableRandom random;
  private final boolean concurrent;
  private final BulkSettings settings;

  /**
   * Creates a generator.
   *
   * @param seed determines the program
   * @param concurrent whether several threads may run at the same time
   */
  BulkGenerator(long seed, boolean concurrent) {
    random = new SplittableRandom(seed);
    this.concurrent = concurrent;
    boolean many = random.nextInt(MANY_PURGATORIES_EVERY) == 0;
    settings =
        new BulkSettings(
            pick(TICKS),
            pick(WHEEL_SIZES),
            pick(STRIPES),
            many ? 2 + random.nextInt(MAX_PURGATORIES - 1) : 1 + random.nextInt(3),
            random.nextBoolean());
  }

  /** Generates a program. */
  BulkProgram program() {
    List<BulkStep> steps = new ArrayList<>();
    for (int i = MIN_STEPS + random.nextInt(MAX_STEPS - MIN_STEPS + 1); i > 0; i--) {
      steps.add(step());
    }
    if (random.nextInt(REST_EVERY) == 0) {
      steps.add(new BulkStep.Rest());
    }
    return new BulkProgram(settings, steps);
  }

  private BulkStep step() {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6 -> burst();
      case 7, 8, 9 -> new BulkStep.TimerBurst(count(), pick(TIMEOUTS), strikes(3), threads());
      case 10 -> new BulkStep.FixedRate(settings.tickNanos(), 300 + random.nextInt(1_500));
      case 11, 12 -> new BulkStep.Chain(300 + random.nextInt(1_500), pick(Link.values()));
      case 13, 14 -> new BulkStep.TouchAll();
      case 15 -> new BulkStep.EndAll(ending());
      case 16 -> new BulkStep.Quiet();
      default -> new BulkStep.Pass(pick(PASSES), 1 + random.nextInt(3));
    };
  }

  private BulkStep burst() {
    return new BulkStep.Burst(
        random.nextInt(settings.purgatories()),
        count(),
        random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0,
        1 + random.nextInt(3),
        pick(TIMEOUTS),
        random.nextInt(6) == 0 ? Ending.NONE : ending(),
        random.nextBoolean(),
        threads());
  }

  /** Frequent small bursts may leave something behind, too. */
  private int count() {
    return strikes(3) ? 2_500 + random.nextInt(4_000) : 100 + random.nextInt(900);
  }

  private Ending ending() {
    Ending[] endings = {Ending.SIGNAL, Ending.COMPLETE, Ending.CANCEL, Ending.CANCEL_FOR_KEY};
    return pick(endings);
  }

  private int threads() {
    if (random.nextBoolean()) {
      return 0;
    }
    return concurrent ? 1 + random.nextInt(MAX_THREADS) : 1;
  }

  /** Returns false in one of {@code n} cases. */
  private boolean strikes(int n) {
    return random.nextInt(n) > 0;
  }

  private <T> T pick(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private int pick(int[] values) {
    return values[random.nextInt(values.length)];
  }

  private long pick(long[] values) {
    return values[random.nextInt(values.length)];
  }
}
