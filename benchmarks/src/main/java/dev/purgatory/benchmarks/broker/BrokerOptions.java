package dev.purgatory.benchmarks.broker;

import java.time.Duration;
import java.util.List;

/**
 * Selects what a benchmark of real brokers measures.
 *
 * @param loads the loads, in order
 * @param contenders the contenders to measure
 * @param rounds the number of rounds in which long polls are measured, each on fresh brokers; other
 *     loads are measured in one round fewer, but at least one
 * @param time the duration of each measurement, without its warm-up, which takes at least as long
 * @param consumers the number of connections that poll concurrently
 * @param held the number of requests that are held concurrently
 * @param seed the seed of the order of contenders
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
