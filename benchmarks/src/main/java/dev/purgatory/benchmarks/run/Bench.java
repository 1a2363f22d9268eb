package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.report.TextTable;
import dev.purgatory.benchmarks.results.Results;
import java.io.IOException;
import java.time.Duration;

/** The benchmark. */
public final class Bench {
  private Bench() {}

  /**
   * Runs it.
   *
   * @param options what to run
   * @param progress hears how far it has come
   * @return what was measured; a JVM that fails is reported there and does not end the run
   * @throws IllegalArgumentException if the options name something that does not exist; the message
   *     is one line and lists what exists
   * @throws IOException if a JVM cannot be started
   * @throws InterruptedException if the thread is interrupted; the running JVM is ended
   */
  public static Results run(Options options, Progress progress)
      throws IOException, InterruptedException {
    Plan plan = Plan.of(options);
    return new Results(
        Environments.of(options), new Runner(new Fork(options.home()), progress).run(plan));
  }

  /**
   * Lists what a run would do: for each measurement its contenders, the number of JVMs and the
   * expected time. Runs nothing.
   *
   * @throws IllegalArgumentException as {@link #run} does
   */
  public static TextTable plan(Options options) {
    return PlanTable.of(Plan.of(options));
  }

  /**
   * Returns how long a run takes, about.
   *
   * @throws IllegalArgumentException as {@link #run} does
   */
  public static Duration expected(Options options) {
    return Plan.of(options).expected();
  }
}
