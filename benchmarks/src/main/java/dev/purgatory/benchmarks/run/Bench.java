package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.report.Table;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Plans and runs the benchmark. */
public final class Bench {
  private final Fork fork;
  private final Progress progress;

  Bench(Fork fork, Progress progress) {
    this.fork = fork;
    this.progress = progress;
  }

  /**
   * Runs the benchmark.
   *
   * @param options what to run
   * @param progress receives the progress of the run
   * @return the results; a JVM that fails is reported there and does not end the run
   * @throws IllegalArgumentException if the options contain an unknown name; the message is one
   *     line with the valid names
   * @throws IOException if a JVM cannot be started
   * @throws InterruptedException if the thread is interrupted; the current JVM is killed
   */
  public static Results run(Options options, Progress progress)
      throws IOException, InterruptedException {
    Plan plan = Plan.of(options);
    Bench bench = new Bench(new Fork(options.home()), progress);
    return new Results(Environments.of(options), bench.run(plan));
  }

  /**
   * Describes a run without starting it: the contenders, the number of JVMs and the expected time
   * of each measurement.
   *
   * @throws IllegalArgumentException under the same conditions as {@link #run}
   */
  public static Table plan(Options options) {
    return Plan.of(options).table();
  }

  /**
   * Returns the expected time of a run.
   *
   * @throws IllegalArgumentException under the same conditions as {@link #run}
   */
  public static Duration expected(Options options) {
    return Plan.of(options).expected();
  }

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
