package dev.purgatory.benchmarks.contender;

import java.time.Duration;
import java.util.function.Function;

/**
 * How a contender is started, and how it differs from the others.
 *
 * @param start starts the contender with its defaults
 * @param earliness how early a request may time out, by the contender's own rules
 * @param oldestJdk the first JDK that has what the contender needs
 * @param needsDropIn whether the drop-in must come first on the class path
 */
record Traits(
    Function<Endings, Contender> start, Duration earliness, int oldestJdk, boolean needsDropIn) {

  /** Returns the traits of a contender that is never early and runs on any JDK. */
  static Traits of(Function<Endings, Contender> start) {
    return new Traits(start, Duration.ZERO, Identity.ANY_JDK, false);
  }

  /** Returns these traits for a contender whose requests may time out early. */
  Traits earlyBy(Duration atMost) {
    return new Traits(start, atMost, oldestJdk, needsDropIn);
  }

  /** Returns these traits for a contender that needs a newer JDK. */
  Traits sinceJdk(int oldest) {
    return new Traits(start, earliness, oldest, needsDropIn);
  }

  /** Returns these traits for a contender that runs on the drop-in. */
  Traits onDropIn() {
    return new Traits(start, earliness, oldestJdk, true);
  }
}
