package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.run.Turns;
import java.util.List;

/** What is run. */
final class Jobs {
  private Jobs() {}

  /**
   * All jobs, in their order.
   *
   * @throws IllegalArgumentException if there are none
   */
  static List<Job> of(Settings settings) {
    List<List<Job>> loads = settings.loads().stream().map(load -> of(load, settings)).toList();
    List<Job> jobs = Turns.inRounds(loads, settings.rounds());
    if (jobs.isEmpty()) {
      throw new IllegalArgumentException("nothing to run: writes have no floor");
    }
    return jobs;
  }

  private static List<Job> of(BrokerLoad load, Settings settings) {
    return settings.contenders().stream()
        .filter(contender -> contender.holds() || load.hasFloor())
        .map(contender -> new Job(load, contender, settings.time()))
        .toList();
  }
}
