package dev.purgatory.benchmarks.contender;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How a contender is started, and in what it differs from others.
 *
 * @param start starts it as it is by default
 * @param wheels starts it with another timing wheel; empty if it has no wheel
 * @param earliness how much before its time a request may time out, by its own rules
 * @param oldestJdk the first JDK that has what it needs
 * @param needsDropIn whether the drop-in must come first on the class path
 */
record Traits(
    Function<Endings, Contender> start,
    Optional<Wheels> wheels,
    Duration earliness,
    int oldestJdk,
    boolean needsDropIn) {
  private static final int ANY_JDK = 0;

  /** A contender without a wheel, never early, on any JDK. */
  static Traits of(Function<Endings, Contender> start) {
    return new Traits(start, Optional.empty(), Duration.ZERO, ANY_JDK, false);
  }

  /**
   * Starts a contender with a wheel.
   *
   * @param start starts it
   * @param inMillis whether the tick must be a whole number of milliseconds
   */
  record Wheels(BiFunction<Endings, Wheel, Contender> start, boolean inMillis) {
    boolean take(Wheel wheel) {
      return !inMillis || wheel.isInMillis();
    }
  }

  /** The same with wheels of any tick. */
  Traits withWheels(BiFunction<Endings, Wheel, Contender> with) {
    return with(new Wheels(with, false));
  }

  /** The same with wheels whose ticks are whole milliseconds. */
  Traits withWheelsInMillis(BiFunction<Endings, Wheel, Contender> with) {
    return with(new Wheels(with, true));
  }

  private Traits with(Wheels some) {
    return new Traits(start, Optional.of(some), earliness, oldestJdk, needsDropIn);
  }

  /** The same, but a request may time out early. */
  Traits earlyBy(Duration atMost) {
    return new Traits(start, wheels, atMost, oldestJdk, needsDropIn);
  }

  /** The same, but not on older JDKs. */
  Traits sinceJdk(int oldest) {
    return new Traits(start, wheels, earliness, oldest, needsDropIn);
  }

  /** The same on the drop-in. */
  Traits onDropIn() {
    return new Traits(start, wheels, earliness, oldestJdk, true);
  }
}
