package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.run.Turns;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.TemporaryFolder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The benchmark in the real broker. */
public final class BrokerBench {
  private final Settings settings;
  private final Progress progress;

  private int failures;

  /**
   * What came of a run.
   *
   * @param rows what was measured
   * @param failures how many measurements went wrong
   */
  public record Outcome(List<Row> rows, int failures) {}

  /**
   * A benchmark that does not run yet.
   *
   * @param settings what is to be run
   * @param progress is told how far it has come
   */
  public BrokerBench(Settings settings, Progress progress) {
    this.settings = settings;
    this.progress = progress;
  }

  /**
   * Tells what a run would do: how many clusters it starts, and how long it takes, about. Runs
   * nothing.
   *
   * @throws IllegalArgumentException if there is nothing to run; the message is one line
   */
  public static String plan(Settings settings) {
    List<Job> jobs = Jobs.of(settings);
    Duration expected = Turns.expected(jobs);
    return String.format(
        Locale.ROOT,
        "%d clusters, expected: %d min %d s",
        jobs.size(),
        expected.toMinutes(),
        expected.toSecondsPart());
  }

  /**
   * Runs it. No process and no folder is left behind, except for the logs of brokers with which
   * something went wrong: that is told of, has a row of its own, and does not end the run.
   *
   * @throws InterruptedException when the thread is interrupted
   */
  public Outcome run() throws InterruptedException {
    List<Row> rows = Turns.take(Jobs.of(settings), progress, this::run);
    return new Outcome(rows, failures);
  }

  private List<Sample> run(Job job) throws InterruptedException {
    try {
      return measure(job);
    } catch (NodeFailure e) {
      if (Cleanup.isProcessEnding()) {
        throw e;
      }
      failures++;
      progress.note(job.title() + ": " + e.getMessage());
      return List.of(new Sample(Map.of(), Row.FAILURE, "runs", false, 1));
    }
  }

  private List<Sample> measure(Job job) throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      TemporaryFolder folder = cleanup.add(new TemporaryFolder("purgatory-bench-"));
      try {
        return measure(cleanup.add(new TestCluster(job, folder.path())), measurement(job));
      } catch (NodeFailure e) {
        folder.keepFor(e);
        throw e;
      }
    }
  }

  /** All that goes wrong here may have its reason in the broker. */
  private static List<Sample> measure(TestCluster cluster, Measurement measurement)
      throws InterruptedException {
    try {
      cluster.start();
      return measurement.run(cluster);
    } catch (NodeFailure e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw cluster.failure(e);
    }
  }

  private Measurement measurement(Job job) {
    boolean holds = job.broker().holds();
    return switch (job.load()) {
      case POLLS ->
          new PollsMeasurement(
              settings.consumers(),
              settings.time(),
              holds,
              note -> progress.note(job.title() + ": " + note));
      case HELD -> new HeldMeasurement(settings.held(), settings.time(), holds);
      case WRITES -> new WritesMeasurement(settings.time());
    };
  }
}
