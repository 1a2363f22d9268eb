package dev.purgatory.cli.brokerbench;

import java.time.Duration;
import java.util.List;

/**
 * What to run.
 *
 * @param loads in their order
 * @param contenders whom to measure
 * @param rounds how often long polls are measured, on fresh brokers each time; other loads once
 *     less, but once at least
 * @param time how long each measurement takes, after warming up for as long or longer
 * @param consumers how many connections poll at a time
 * @param held how many requests are held at a time
 * @param seed decides the order of the contenders
 */
public record Settings(
    List<BrokerLoad> loads,
    List<Contender> contenders,
    int rounds,
    Duration time,
    int consumers,
    int held,
    long seed) {

  /** Copies the lists. */
  public Settings {
    loads = List.copyOf(loads);
    contenders = List.copyOf(contenders);
  }
}
