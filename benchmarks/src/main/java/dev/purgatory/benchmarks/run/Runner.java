package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs the jobs of a plan. */
final class Runner {
  private final Fork fork;
  private final Progress progress;

  Runner(Fork fork, Progress progress) {
    this.fork = fork;
    this.progress = progress;
  }

  /**
   * Runs a plan.
   *
   * @return the measured values
   */
  List<Row> run(Plan plan) throws IOException, InterruptedException {
    return Turns.take(plan.jobs(), progress, this::run);
  }

  private List<Sample> run(Job job) throws IOException, InterruptedException {
    Fork.Outcome outcome = fork.run(job);
    outcome.notes().forEach(note -> progress.note(job.contender() + ": " + note));
    List<Sample> samples = new ArrayList<>(outcome.samples());
    if (!outcome.failure().isEmpty()) {
      progress.note(job.title() + " " + outcome.lastBegun() + ": " + outcome.failure());
      String metric = Row.FAILURE + ": " + outcome.failure();
      samples.add(new Sample(outcome.lastBegun(), metric, "JVMs", false, 1));
    }
    return samples;
  }
}
