package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.run.Turn;
import java.time.Duration;

/**
 * The measurement of one load on a fresh cluster of one contender.
 *
 * @param load the load
 * @param broker the contender
 * @param time the duration of the measurement, without its warm-up, which takes at least as long
 */
record BrokerTurn(BrokerLoad load, BrokerContender broker, Duration time) implements Turn {
  /** The time to start and stop the cluster. */
  private static final Duration START_AND_STOP = Duration.ofSeconds(9);

  /** The time to measure the heap. */
  private static final Duration HEAP = Duration.ofSeconds(5);

  @Override
  public String bench() {
    return "broker-" + load.title();
  }

  @Override
  public String contender() {
    return broker.name();
  }

  @Override
  public Duration expected() {
    return switch (load) {
      case POLLS -> START_AND_STOP.plus(time.multipliedBy(4));
      case WRITES -> START_AND_STOP.plus(time.multipliedBy(2));
      case RETAINED -> START_AND_STOP.plus(RetainedMeasurement.usual().expected());
      case HELD ->
          START_AND_STOP.plus(HEAP).plus(broker.holds() ? time.multipliedBy(2) : Duration.ZERO);
    };
  }
}
