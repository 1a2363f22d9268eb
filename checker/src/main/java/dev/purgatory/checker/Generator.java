package dev.purgatory.checker;

import dev.purgatory.checker.Settings.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Generates {@link Program}s. Times near the edges of ticks and levels are more frequent. */
final class Generator {
  private static final int KEYS = 6;
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

  private final SplittableRandom random;
  private final Map<Fault, Double> faults;
  private final Settings settings;
  private int operations;

  Generator(long seed, Map<Fault, Double> faults) {
    random = new SplittableRandom(seed);
    this.faults = faults;
    settings =
        new Settings(
            TICKS[random.nextInt(TICKS.length)],
            pick(WHEEL_SIZES),
            pick(STRIPES),
            ORIGINS[random.nextInt(ORIGINS.length)],
            pick(PURGE_INTERVALS),
            behaviour(BAD),
            behaviour(BAD_FOR_EXPIRATIONS),
            strikes(Fault.LISTENER));
  }

  /**
   * Generates a program.
   *
   * @param mostSteps the greatest number of steps
   */
  Program program(int mostSteps) {
    operations = 2 + random.nextInt(12);
    List<OperationPlan> plans = new ArrayList<>();
    for (int i = 0; i < operations; i++) {
      plans.add(operation());
    }
    List<Action> steps = new ArrayList<>();
    for (int i = 5 + random.nextInt(mostSteps - 4); i > 0; i--) {
      Action step = step();
      steps.add(strikes(Fault.INTERRUPT) ? new Action.Interrupted(step) : step);
    }
    return new Program(settings, plans, steps);
  }

  private Action step() {
    if (strikes(Fault.CLOSED_TIMER)) {
      return new Action.CloseTimer();
    }
    if (strikes(Fault.MISUSE)) {
      Action.Mistake[] mistakes = Action.Mistake.values();
      return new Action.AddBadly(anOperation(), mistakes[random.nextInt(mistakes.length)]);
    }
    return switch (random.nextInt(40)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 -> new Action.Add(anOperation());
      case 13, 14, 15, 16 -> new Action.SetReady(anOperation(), random.nextInt(4) != 0);
      case 17, 18, 19, 20, 21, 22 -> new Action.Signal(aKey());
      case 23, 24 -> new Action.Complete(anOperation());
      case 25, 26 -> new Action.Cancel(anOperation());
      case 27 -> new Action.CancelForKey(aKey());
      case 28 -> random.nextInt(4) == 0 ? new Action.CancelAll() : new Action.Purge();
      case 29 -> random.nextInt(6) == 0 ? new Action.Close() : new Action.Purge();
      case 30, 31, 32, 33 -> new Action.RunTasks(random.nextLong());
      default -> new Action.Advance(advance());
    };
  }

  private OperationPlan operation() {
    List<Key> keys = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      keys.add(aKey());
    }
    return new OperationPlan(
        timeout(),
        List.copyOf(keys),
        random.nextInt(6) == 0,
        reaction(keys),
        reaction(keys),
        reaction(List.of()),
        reaction(List.of()));
  }

  private Reaction reaction(List<Key> forbidden) {
    List<Action> actions = new ArrayList<>();
    if (strikes(Fault.SLOW_CALLBACK)) {
      actions.add(new Action.Pass(span()));
    }
    while (strikes(Fault.REENTRANT) && actions.size() < 4) {
      actions.add(action(forbidden));
    }
    return new Reaction(List.copyOf(actions), failure());
  }

  private Reaction.@Nullable Failure failure() {
    if (strikes(Fault.EXCEPTION)) {
      return Reaction.Failure.EXCEPTION;
    }
    Reaction.Failure[] failures = Reaction.Failure.values();
    return strikes(Fault.ERROR) ? failures[1 + random.nextInt(failures.length - 1)] : null;
  }

  /** An {@code isReady} must not signal a key of its own operation. */
  private Action action(List<Key> forbidden) {
    int kind = random.nextInt(30);
    if (kind < 8) {
      Key key = aKey();
      return forbidden.contains(key) ? new Action.Purge() : new Action.Signal(key);
    }
    return switch (kind) {
      case 8, 9, 10, 11, 12, 13 -> new Action.Add(anOperation());
      case 14, 15, 16, 17 -> new Action.Complete(anOperation());
      case 18, 19, 20 -> new Action.Cancel(anOperation());
      case 21, 22 -> new Action.CancelForKey(aKey());
      case 23 -> random.nextInt(4) == 0 ? new Action.Close() : new Action.Purge();
      default -> new Action.SetReady(anOperation(), true);
    };
  }

  private int anOperation() {
    return random.nextInt(operations);
  }

  private Key aKey() {
    int number = random.nextInt(KEYS);
    if (!strikes(Fault.BAD_KEY)) {
      return new Key(number, Key.Kind.PLAIN);
    }
    Key.Kind[] kinds = Key.Kind.values();
    return new Key(number, kinds[1 + random.nextInt(kinds.length - 1)]);
  }

  private long timeout() {
    if (strikes(Fault.EXTREME_TIMEOUT)) {
      long[] extremes = {
        Long.MAX_VALUE,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE / 2,
        1L << 62,
        0,
        0,
        -1,
        -settings.tickNanos(),
        Long.MIN_VALUE
      };
      return extremes[random.nextInt(extremes.length)];
    }
    return span();
  }

  private long advance() {
    if (strikes(Fault.CLOCK)) {
      return switch (random.nextInt(3)) {
        case 0 -> Duration.ofDays(365).toNanos();
        case 1 -> -Math.min(span(), Duration.ofHours(1).toNanos());
        default -> 0;
      };
    }
    return Math.min(span() - random.nextInt(2), LONGEST_ADVANCE);
  }

  /** Returns a time near the edge of a tick or a level, or any other. */
  private long span() {
    long edge = settings.tickNanos();
    for (int i = random.nextInt(4); i > 0 && edge < Long.MAX_VALUE / 1_000_000; i--) {
      edge *= settings.wheelSize();
    }
    return switch (random.nextInt(8)) {
      case 0 -> 1;
      case 1 -> Math.max(1, edge - 1);
      case 2 -> edge;
      case 3 -> edge + 1;
      case 4 -> edge * 2;
      default -> 1 + (long) (random.nextDouble() * edge);
    };
  }

  private Behaviour behaviour(Behaviour[] bad) {
    Behaviour[] behaviours = strikes(Fault.EXECUTOR) ? bad : GOOD;
    return behaviours[random.nextInt(behaviours.length)];
  }

  private boolean strikes(Fault fault) {
    return random.nextDouble() < faults.getOrDefault(fault, 0.0);
  }

  private int pick(int[] values) {
    return values[random.nextInt(values.length)];
  }
}
