package dev.purgatory.checker;

import dev.purgatory.checker.BulkStep.Ending;
import dev.purgatory.checker.BulkStep.Link;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Generates programs that hold many operations at a time. */
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

  private final Draw draw;
  private final boolean concurrent;
  private final BulkSettings settings;

  /**
   * Creates a generator.
   *
   * @param seed determines the program
   * @param concurrent whether several threads may run at the same time
   */
  BulkGenerator(long seed, boolean concurrent) {
    draw = new Draw(seed, Map.of());
    this.concurrent = concurrent;
    boolean many = draw.oneIn(MANY_PURGATORIES_EVERY);
    settings =
        new BulkSettings(
            draw.from(TICKS),
            draw.from(WHEEL_SIZES),
            draw.from(STRIPES),
            many ? 2 + draw.below(MAX_PURGATORIES - 1) : 1 + draw.below(3),
            draw.either());
  }

  /** Generates a program. */
  Program<BulkRun> program() {
    List<Step<BulkRun>> steps = new ArrayList<>();
    for (int i = MIN_STEPS + draw.below(MAX_STEPS - MIN_STEPS + 1); i > 0; i--) {
      steps.add(step());
    }
    if (draw.oneIn(REST_EVERY)) {
      steps.add(Step.of("Rest[]", BulkRun::rest));
    }
    return new Program<>(settings, steps);
  }

  private Step<BulkRun> step() {
    return switch (draw.below(20)) {
      case 0, 1, 2, 3, 4, 5, 6 -> burst();
      case 7, 8, 9 ->
          new BulkStep.TimerBurst(count(), draw.from(TIMEOUTS), !draw.oneIn(3), threads());
      case 10 -> new BulkStep.FixedRate(settings.tickNanos(), 300 + draw.below(1_500));
      case 11, 12 -> new BulkStep.Chain(300 + draw.below(1_500), draw.from(Link.values()));
      case 13, 14 -> Step.of("TouchAll[]", BulkRun::touchAll);
      case 15 -> endAll(ending());
      case 16 -> Step.of("Quiet[]", BulkRun::quiet);
      case 17 -> Step.of("CloseEmpty[]", BulkRun::closeEmpty);
      default -> pass(draw.from(PASSES), 1 + draw.below(3));
    };
  }

  private static Step<BulkRun> endAll(Ending ending) {
    return Step.of("EndAll[ending=" + ending + "]", run -> run.endAll(ending));
  }

  private static Step<BulkRun> pass(long nanos, int advances) {
    return Step.of(
        "Pass[nanos=" + nanos + ", advances=" + advances + "]", run -> run.pass(nanos, advances));
  }

  private Step<BulkRun> burst() {
    return new BulkStep.Burst(
        draw.below(settings.purgatories()),
        count(),
        draw.oneIn(3) ? 1 + draw.below(3) : 0,
        1 + draw.below(3),
        draw.from(TIMEOUTS),
        draw.oneIn(6) ? Ending.NONE : ending(),
        draw.either(),
        threads());
  }

  /** Frequent small bursts may leave something behind, too. */
  private int count() {
    return draw.oneIn(3) ? 100 + draw.below(900) : 2_500 + draw.below(4_000);
  }

  private Ending ending() {
    Ending[] endings = {Ending.SIGNAL, Ending.COMPLETE, Ending.CANCEL, Ending.CANCEL_FOR_KEY};
    return draw.from(endings);
  }

  private int threads() {
    if (draw.either()) {
      return 0;
    }
    return concurrent ? 1 + draw.below(MAX_THREADS) : 1;
  }
}
