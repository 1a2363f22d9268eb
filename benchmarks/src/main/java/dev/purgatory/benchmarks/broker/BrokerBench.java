package dev.purgatory.benchmarks.broker;

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

/** The benchmark of real brokers. */
public final class BrokerBench {
  private final BrokerOptions options;
  private final Progress progress;

  private int failures;

  /**
   * The outcome of a run.
   *
   * @param rows the measured values
   * @param failures the number of measurements that failed
   */
  public record Outcome(List<Row> rows, int failures) {}

  /**
   * Creates a benchmark.
   *
   * @param options what to run
   * @param progress receives the progress of the run
   */
  public BrokerBench(BrokerOptions options, Progress progress) {
    this.options = options;
    this.progress = progress;
  }

  /**
   * Describes a run without starting it: the number of clusters and the expected time.
   *
   * @throws IllegalArgumentException if there is nothing to run; the message is one line
   */
  public static String plan(BrokerOptions options) {
    List<BrokerTurn> turns = BrokerTurns.of(options);
    Duration expected = Turns.expected(turns);
    return String.format(
        Locale.ROOT,
        "%d clusters, expected: %d min %d s",
        turns.size(),
        expected.toMinutes(),
        expected.toSecondsPart());
  }

  /**
   * Runs the benchmark. A broker that fails does not end the run: its failure is reported as a note
   * and as a row, and its log is kept. No other files and no processes are left behind.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public Outcome run() throws InterruptedException {
    List<Row> rows = Turns.take(BrokerTurns.of(options), progress, this::run);
    return new Outcome(rows, failures);
  }

  private List<Sample> run(BrokerTurn turn) throws InterruptedException {
    try {
      return measure(turn);
    } catch (NodeFailure e) {
      if (Cleanup.isProcessEnding()) {
        throw e;
      }
      failures++;
      progress.note(turn.title() + ": " + e.getMessage());
      return List.of(new Sample(Map.of(), Row.FAILURE, "runs", false, 1));
    }
  }

  private List<Sample> measure(BrokerTurn turn) throws InterruptedException {
    try (Cleanup cleanup = new Cleanup()) {
      TemporaryFolder folder = cleanup.add(new TemporaryFolder("purgatory-bench-"));
      try {
        return measure(cleanup.add(new TestCluster(turn, folder.path())), measurement(turn));
      } catch (NodeFailure e) {
        folder.keepFor(e);
        throw e;
      }
    }
  }

  /** Converts errors of the clients to failures of the broker, which is the likely cause. */
  private static List<Sample> measure(TestCluster cluster, BrokerMeasurement measurement)
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

  private BrokerMeasurement measurement(BrokerTurn turn) {
    boolean holds = turn.broker().holds();
    return switch (turn.load()) {
      case POLLS -> new PollsMeasurement(options.consumers(), options.time(), holds);
      case HELD -> new HeldMeasurement(options.held(), options.time(), holds);
      case WRITES -> new WritesMeasurement(options.time());
      case RETAINED -> RetainedMeasurement.usual();
    };
  }
}
