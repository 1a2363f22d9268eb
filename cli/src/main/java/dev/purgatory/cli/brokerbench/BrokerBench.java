package dev.purgatory.cli.brokerbench;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.cli.node.Cleanup;
import dev.purgatory.cli.node.NodeFailure;
import dev.purgatory.cli.node.TemporaryFolder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The benchmark in the real broker. */
public final class BrokerBench {
  private final Settings settings;
  private final Progress progress;
  private final RowTable table = new RowTable();

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
   * Checks settings, without running anything.
   *
   * @throws IllegalArgumentException if there is nothing to run; the message is one line
   */
  public static void check(Settings settings) {
    Jobs.of(settings);
  }

  /**
   * Runs it. No process and no folder is left behind, except for the logs of brokers with which
   * something went wrong: that is told of, has a row of its own, and does not end the run.
   *
   * @throws InterruptedException when the thread is interrupted
   */
  public Outcome run() throws InterruptedException {
    List<Job> jobs = Jobs.of(settings);
    long start = System.nanoTime();
    for (int done = 0; done < jobs.size(); done++) {
      Job job = jobs.get(done);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      progress.advanced(done, jobs.size(), job.title(), left(jobs, done, elapsed));
      run(job);
    }
    progress.advanced(jobs.size(), jobs.size(), "", Duration.ZERO);
    return new Outcome(table.rows(), failures);
  }

  /** As much longer or shorter than expected as what is done has been. */
  private Duration left(List<Job> jobs, int done, Duration elapsed) {
    long past = Jobs.expected(jobs.subList(0, done), settings.time()).toMillis();
    long next = Jobs.expected(jobs.subList(done, jobs.size()), settings.time()).toMillis();
    return Duration.ofMillis(done == 0 ? next : next * elapsed.toMillis() / past);
  }

  private void run(Job job) throws InterruptedException {
    try {
      measure(job).forEach(sample -> table.add(job, sample));
    } catch (NodeFailure e) {
      if (Cleanup.isProcessEnding()) {
        throw e;
      }
      failures++;
      progress.note(job.title() + ": " + e.getMessage());
      table.add(job, new Sample(Map.of(), "failed", "runs", false, 1));
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
    boolean holds = job.contender().holds();
    return switch (job.load()) {
      case POLLS -> new PollsMeasurement(settings.consumers(), settings.time(), holds);
      case HELD -> new HeldMeasurement(settings.held(), settings.time(), holds);
      case WRITES -> new WritesMeasurement(settings.time());
    };
  }
}
