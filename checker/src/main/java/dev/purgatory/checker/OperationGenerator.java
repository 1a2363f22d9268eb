package dev.purgatory.checker;

import dev.purgatory.checker.Settings.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Generates programs that use one purgatory. Times near the edges of ticks and levels are more
 * frequent.
 */
final class OperationGenerator {
  private static final int KEYS = 6;
  private static final int MOST_STEPS = 40;
  private static final int MOST_STEPS_OF_RACES = 120;
  private static final long LONGEST_ADVANCE = Duration.ofDays(730).toNanos();

  private static final long[] TICKS = {1, 1_000, 1_000_000, 7_000_001, 1_000_000_000};
  private static final int[] WHEEL_SIZES = {2, 3, 20, 64, 512};
  private static final int[] STRIPES = {1, 1, 2, 8};
  private static final int[] PURGE_INTERVALS = {0, 1, 1_000, 1_000};
  private static final long[] ORIGINS = {
    0,
    -1,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    Long.MAX_VALUE - 1_000_000_000,
    (1L << 31) - 5,
    (1L << 32) - 5,
    1L << 62,
    Duration.ofDays(12).toNanos(),
    Duration.ofDays(50).toNanos()
  };
  private static final Behaviour[] GOOD = {Behaviour.INLINE, Behaviour.QUEUED};
  private static final Behaviour[] BAD = {
    Behaviour.REJECTING, Behaviour.DROPPING, Behaviour.TWICE, Behaviour.FAILING_LATE
  };

  /** Without {@code REJECTING}, as the purgatory's own thread would run beside the program's. */
  private static final Behaviour[] BAD_FOR_EXPIRATIONS = {
    Behaviour.DROPPING, Behaviour.TWICE, Behaviour.FAILING_LATE
  };

  private final Draw draw;
  private final boolean threaded;
  private final Settings settings;
  private int operations;

  /**
   * Creates a generator.
   *
   * @param threaded whether several threads perform the steps
   */
  OperationGenerator(long seed, Map<Fault, Double> faults, boolean threaded) {
    draw = new Draw(seed, faults);
    this.threaded = threaded;
    settings =
        new Settings(
            draw.from(TICKS),
            draw.from(WHEEL_SIZES),
            draw.from(STRIPES),
            draw.from(ORIGINS),
            draw.from(PURGE_INTERVALS),
            behaviour(BAD),
            behaviour(BAD_FOR_EXPIRATIONS),
            draw.strikes(Fault.LISTENER));
  }

  /** Generates a program. */
  Program<OperationRun> program() {
    operations = 2 + draw.below(12);
    List<OperationPlan> plans = Draw.list(operations, i -> operation());
    int mostSteps = threaded ? MOST_STEPS_OF_RACES : MOST_STEPS;
    return new Program<>(
        new OperationSetup(settings, plans, threaded),
        Draw.list(5 + draw.below(mostSteps - 4), i -> perhapsInterrupted(step())));
  }

  private Step<OperationRun> perhapsInterrupted(Step<OperationRun> step) {
    return draw.strikes(Fault.INTERRUPT)
        ? step("Interrupted", "action", step, OperationRun::interrupted)
        : step;
  }

  private static Step<OperationRun> step(String name, Consumer<OperationRun> body) {
    return Step.of(name + "[]", body);
  }

  private static <T> Step<OperationRun> step(
      String name, String parameter, T argument, BiConsumer<OperationRun, T> body) {
    return Step.of(
        name + "[" + parameter + "=" + argument + "]", run -> body.accept(run, argument));
  }

  private Step<OperationRun> add() {
    return step("Add", "operation", anOperation(), OperationRun::add);
  }

  private static Step<OperationRun> signal(Key key) {
    return step("Signal", "key", key, OperationRun::signal);
  }

  private Step<OperationRun> complete() {
    return step("Complete", "operation", anOperation(), OperationRun::complete);
  }

  private Step<OperationRun> cancel() {
    return step("Cancel", "operation", anOperation(), OperationRun::cancel);
  }

  private Step<OperationRun> cancelForKey() {
    return step("CancelForKey", "key", aKey(), OperationRun::cancelForKey);
  }

  private static Step<OperationRun> purge() {
    return step("Purge", OperationRun::purge);
  }

  private static Step<OperationRun> closing() {
    return step("Close", OperationRun::closePurgatory);
  }

  private static Step<OperationRun> setReady(int operation, boolean ready) {
    return Step.of(
        "SetReady[operation=" + operation + ", ready=" + ready + "]",
        run -> run.setReady(operation, ready));
  }

  private static Step<OperationRun> addBadly(int operation, OperationRun.Mistake mistake) {
    return Step.of(
        "AddBadly[operation=" + operation + ", mistake=" + mistake + "]",
        run -> run.addBadly(operation, mistake));
  }

  private Step<OperationRun> step() {
    if (draw.strikes(Fault.CLOSED_TIMER)) {
      return step("CloseTimer", OperationRun::closeTimer);
    }
    if (draw.strikes(Fault.MISUSE)) {
      return addBadly(anOperation(), draw.from(OperationRun.Mistake.values()));
    }
    return switch (draw.below(40)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 -> add();
      case 13, 14, 15, 16 -> setReady(anOperation(), !draw.oneIn(4));
      case 17, 18, 19, 20, 21, 22 -> signal(aKey());
      case 23, 24 -> complete();
      case 25, 26 -> cancel();
      case 27 -> cancelForKey();
      case 28 -> draw.oneIn(4) ? step("CancelAll", OperationRun::cancelAll) : purge();
      case 29 -> draw.oneIn(6) ? closing() : purge();
      case 30, 31, 32, 33 -> step("RunTasks", "order", draw.seed(), OperationRun::runTasks);
      default -> step("Advance", "nanos", advance(), OperationRun::advance);
    };
  }

  private OperationPlan operation() {
    List<Key> keys = Draw.list(1 + draw.below(8), i -> aKey());
    return new OperationPlan(
        timeout(),
        List.copyOf(keys),
        draw.oneIn(6),
        reaction(keys),
        reaction(keys),
        reaction(List.of()),
        reaction(List.of()));
  }

  private Reaction reaction(List<Key> forbidden) {
    List<Step<OperationRun>> actions = new ArrayList<>();
    if (draw.strikes(Fault.SLOW_CALLBACK)) {
      actions.add(step("Pass", "nanos", span(), OperationRun::pass));
    }
    while (draw.strikes(Fault.REENTRANT) && actions.size() < 4) {
      actions.add(action(forbidden));
    }
    return new Reaction(List.copyOf(actions), failure());
  }

  private Reaction.@Nullable Failure failure() {
    if (draw.strikes(Fault.EXCEPTION)) {
      return Reaction.Failure.EXCEPTION;
    }
    Reaction.Failure[] failures = Reaction.Failure.values();
    return draw.strikes(Fault.ERROR) ? failures[1 + draw.below(failures.length - 1)] : null;
  }

  /** An {@code isReady} must not signal a key of its own operation. */
  private Step<OperationRun> action(List<Key> forbidden) {
    int kind = draw.below(30);
    if (kind < 8) {
      Key key = aKey();
      return forbidden.contains(key) ? purge() : signal(key);
    }
    return switch (kind) {
      case 8, 9, 10, 11, 12, 13 -> add();
      case 14, 15, 16, 17 -> complete();
      case 18, 19, 20 -> cancel();
      case 21, 22 -> cancelForKey();
      case 23 -> draw.oneIn(4) ? closing() : purge();
      default -> setReady(anOperation(), true);
    };
  }

  private int anOperation() {
    return draw.below(operations);
  }

  private Key aKey() {
    int number = draw.below(KEYS);
    if (!draw.strikes(Fault.BAD_KEY)) {
      return new Key(number, Key.Kind.PLAIN);
    }
    Key.Kind[] kinds = Key.Kind.values();
    return new Key(number, kinds[1 + draw.below(kinds.length - 1)]);
  }

  private long timeout() {
    if (draw.strikes(Fault.EXTREME_TIMEOUT)) {
      long[] extremes = {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE / 2, 1L << 62, 0};
      return draw.from(extremes);
    }
    return span();
  }

  private long advance() {
    if (draw.strikes(Fault.CLOCK)) {
      return switch (draw.below(4)) {
        case 0 -> Duration.ofDays(365).toNanos();
        case 1 -> OperationRun.LATEST - LONGEST_ADVANCE;
        case 2 -> -Math.min(span(), Duration.ofHours(1).toNanos());
        default -> 0;
      };
    }
    return Math.min(span() - draw.below(2), LONGEST_ADVANCE);
  }

  /** Returns a time near the edge of a tick or a level, or any other. */
  private long span() {
    long edge = settings.tickNanos();
    for (int i = draw.below(4); i > 0 && edge < Long.MAX_VALUE / 1_000_000; i--) {
      edge *= settings.wheelSize();
    }
    return switch (draw.below(8)) {
      case 0 -> 1;
      case 1 -> Math.max(1, edge - 1);
      case 2 -> edge;
      case 3 -> edge + 1;
      case 4 -> edge * 2;
      default -> 1 + (long) (draw.fraction() * edge);
    };
  }

  private Behaviour behaviour(Behaviour[] bad) {
    return draw.from(draw.strikes(Fault.EXECUTOR) ? bad : GOOD);
  }
}
