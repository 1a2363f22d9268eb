package dev.purgatory.benchmarks.contender;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How a contender is started, and how it differs from the others.
 *
 * @param start starts the contender with its defaults
 * @param wheels starts the contender with another timing wheel; empty if it has no wheel
 * @param earliness how early a request may time out, by the contender's own rules
 * @param oldestJdk the first JDK that has what the contender needs
 * @param needsDropIn whether the drop-in must come first on the class path
 */
record Traits(
    Function<Endings, Contender> start,
    Optional<Wheels> wheels,
    Duration earliness,
    int oldestJdk,
    boolean needsDropIn) {

  /** Returns the traits of a contender without a wheel that is never early and runs on any JDK. */
  static Traits of(Function<Endings, Contender> start) {
    return new Traits(start, Optional.empty(), Duration.ZERO, Identity.ANY_JDK, false);
  }

  /**
   * Starts a contender with a wheel.
   *
   * @param start starts the contender
   * @param inMillis whether the tick must be a whole number of milliseconds
   */
  record Wheels(BiFunction<Endings, Wheel, Contender> start, boolean inMillis) {
    boolean support(Wheel wheel) {
      return !inMillis || wheel.isInMillis();
    }
  }

  /** Returns these traits with support for wheels with any tick. */
  Traits withWheels(BiFunction<Endings, Wheel, Contender> with) {
    return with(new Wheels(with, false));
  }

  /** Returns these traits with support for wheels whose ticks are whole milliseconds. */
  Traits withWheelsInMillis(BiFunction<Endings, Wheel, Contender> with) {
    return with(new Wheels(with, true));
  }

  private Traits with(Wheels some) {
    return new Traits(start, Optional.of(some), earliness, oldestJdk, needsDropIn);
  }

  /** Returns these traits for a contender whose requests may time out early. */
  Traits earlyBy(Duration atMost) {
    return new Traits(start, wheels, atMost, oldestJdk, needsDropIn);
  }

  /** Returns these traits for a contender that needs a newer JDK. */
  Traits sinceJdk(int oldest) {
    return new Traits(start, wheels, earliness, oldest, needsDropIn);
  }

  /** Returns these traits for a contender that runs on the drop-in. */
  Traits onDropIn() {
    return new Traits(start, wheels, earliness, oldestJdk, true);
  }
}
