package dev.purgatory.benchmarks.broker;

import java.time.Duration;
import java.util.List;

/**
 * What a benchmark of real brokers runs.
 *
 * @param loads the loads, in order
 * @param contenders the contenders to measure
 * @param rounds how often long polls are measured, each time on fresh brokers; other loads are
 *     measured once less, but at least once
 * @param time the time of each measurement, without its warm-up, which takes at least as long
 * @param consumers the number of connections that poll at the same time
 * @param held the number of requests held at the same time
 * @param seed decides the order of the contenders
 */
public record BrokerOptions(
    List<BrokerLoad> loads,
    List<BrokerContender> contenders,
    int rounds,
    Duration time,
    int consumers,
    int held,
    long seed) {

  /** Copies the lists. */
  public BrokerOptions {
    loads = List.copyOf(loads);
    contenders = List.copyOf(contenders);
  }
}
