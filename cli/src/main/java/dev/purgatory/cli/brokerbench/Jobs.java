package dev.purgatory.cli.brokerbench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is run, one after the other: two at once would disturb each other. */
final class Jobs {
  private Jobs() {}

  /**
   * All jobs. In each round another contender is the first, so that a machine that becomes slower
   * or faster does not favour anybody.
   *
   * @throws IllegalArgumentException if there are none
   */
  static List<Job> of(Settings settings) {
    List<Job> jobs = new ArrayList<>();
    for (int round = 0; round < settings.rounds(); round++) {
      for (BrokerLoad load : settings.loads()) {
        List<Contender> contenders = contenders(settings, load);
        Collections.rotate(contenders, -round);
        contenders.forEach(contender -> jobs.add(new Job(load, contender)));
      }
    }
    if (jobs.isEmpty()) {
      throw new IllegalArgumentException("nothing to run: writes have no floor");
    }
    return jobs;
  }

  private static List<Contender> contenders(Settings settings, BrokerLoad load) {
    List<Contender> contenders = new ArrayList<>(settings.contenders());
    contenders.removeIf(contender -> !contender.holds() && !load.hasFloor());
    return contenders;
  }

  /** About how long jobs take together. */
  static Duration expected(List<Job> jobs, Duration time) {
    return jobs.stream().map(job -> job.expected(time)).reduce(Duration.ZERO, Duration::plus);
  }
}
