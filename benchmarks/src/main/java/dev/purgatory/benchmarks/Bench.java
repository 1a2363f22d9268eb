package dev.purgatory.benchmarks;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.run.Environments;
import dev.purgatory.benchmarks.run.Fork;
import dev.purgatory.benchmarks.run.Plan;
import dev.purgatory.benchmarks.run.Runner;
import java.io.IOException;

/** The benchmark. */
public final class Bench {
  private Bench() {}

  /**
   * Runs it.
   *
   * @param options what is to be run
   * @param progress is told how far it has come
   * @return what was measured; a JVM that fails is told of there and does not end the run
   * @throws IllegalArgumentException if the options name something that does not exist; the message
   *     is one line and says what does
   * @throws IOException if a JVM cannot be started
   * @throws InterruptedException if the thread is interrupted; the JVM that runs is ended
   */
  public static Results run(Options options, Progress progress)
      throws IOException, InterruptedException {
    Plan plan = Plan.of(options);
    return new Results(
        Environments.of(options), new Runner(new Fork(options.home()), progress).run(plan));
  }

  /**
   * Checks options, without running anything.
   *
   * @throws IllegalArgumentException as {@link #run} does
   */
  public static void check(Options options) {
    Plan.of(options);
  }
}
