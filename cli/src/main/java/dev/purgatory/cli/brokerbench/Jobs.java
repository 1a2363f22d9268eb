package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.run.Turns;
import java.util.List;

/** Makes the jobs of a run. */
final class Jobs {
  private Jobs() {}

  /**
   * All jobs, in their order.
   *
   * @throws IllegalArgumentException if there are none
   */
  static List<Job> of(Settings settings) {
    List<Turns.Group<Job>> loads =
        settings.loads().stream().map(load -> of(load, settings)).toList();
    List<Job> jobs = Turns.inRounds(loads, settings.seed());
    if (jobs.isEmpty()) {
      throw new IllegalArgumentException("nothing to run: writes have no floor");
    }
    return jobs;
  }

  private static Turns.Group<Job> of(BrokerLoad load, Settings settings) {
    return new Turns.Group<>(
        settings.contenders().stream()
            .filter(contender -> contender.holds() || load.hasFloor())
            .map(contender -> new Job(load, contender, settings.time()))
            .toList(),
        rounds(load, settings.rounds()));
  }

  /** Most time goes where processor time is compared. */
  private static int rounds(BrokerLoad load, int rounds) {
    return load == BrokerLoad.POLLS ? rounds : Math.max(1, rounds - 1);
  }
}
