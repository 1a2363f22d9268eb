package dev.purgatory.benchmarks.broker;

import dev.purgatory.benchmarks.run.Turn;
import java.time.Duration;

/**
 * One load on a fresh cluster of one contender.
 *
 * @param load the load
 * @param broker the contender
 * @param time the time of the measurement, without its warm-up, which takes at least as long
 */
record BrokerTurn(BrokerLoad load, BrokerContender broker, Duration time) implements Turn {
  /** The time to start the cluster and to stop it. */
  private static final Duration AROUND = Duration.ofSeconds(9);

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
      case POLLS -> AROUND.plus(time.multipliedBy(broker.holds() ? 6 : 4));
      case WRITES -> AROUND.plus(time.multipliedBy(2));
      case HELD -> AROUND.plus(HEAP).plus(broker.holds() ? time.multipliedBy(2) : Duration.ZERO);
    };
  }
}
