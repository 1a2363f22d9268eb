package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.report.TextTable;
import dev.purgatory.benchmarks.results.Results;
import java.io.IOException;
import java.time.Duration;

/** Plans and runs the benchmark. */
public final class Bench {
  private Bench() {}

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
    return new Results(
        Environments.of(options), new Runner(new Fork(options.home()), progress).run(plan));
  }

  /**
   * Describes a run without starting it: the contenders, the number of JVMs and the expected time
   * of each measurement.
   *
   * @throws IllegalArgumentException under the same conditions as {@link #run}
   */
  public static TextTable plan(Options options) {
    return PlanTable.of(Plan.of(options));
  }

  /**
   * Returns the expected time of a run.
   *
   * @throws IllegalArgumentException under the same conditions as {@link #run}
   */
  public static Duration expected(Options options) {
    return Plan.of(options).expected();
  }
}
