package dev.purgatory.cli.brokerbench;

import java.time.Duration;
import java.util.List;

/**
 * What is to be run.
 *
 * @param loads in their order
 * @param contenders in the order of the first round
 * @param rounds how often each load is put on each contender, on fresh brokers each time
 * @param time how long each measurement takes, after warming up for as long or longer
 * @param consumers how many connections poll at a time
 * @param held how many requests are held at a time
 */
public record Settings(
    List<BrokerLoad> loads,
    List<Contender> contenders,
    int rounds,
    Duration time,
    int consumers,
    int held) {

  /** Copies the lists. */
  public Settings {
    loads = List.copyOf(loads);
    contenders = List.copyOf(contenders);
  }
}
