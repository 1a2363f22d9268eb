package dev.purgatory.cluster.probe;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Samples all nodes of a cluster periodically and adds up their counters, including those of
 * earlier processes of restarted nodes.
 */
public final class ClusterMonitor implements AutoCloseable {
  private static final long PERIOD_MILLIS = 500;

  /** Twice the time that brokers hold a consumer's fetches by default. */
  private static final long FETCHES_EXPIRE_MILLIS = 1_000;

  /** The number of times that retained operations are counted; the lowest count is used. */
  private static final int RETAINED_SAMPLES = 5;

  private static final long RETAINED_PAUSE_MILLIS = 150;

  private final List<NodeWatch> watches;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(ClusterMonitor::daemon);

  private @Nullable ScheduledFuture<?> polling;
  private volatile long maxWatched;

  /**
   * Creates a monitor, without starting it.
   *
   * @param nodes the nodes of one cluster
   */
  public ClusterMonitor(List<KafkaNode> nodes) {
    this.watches = nodes.stream().map(NodeWatch::new).toList();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "cluster-monitor");
    thread.setDaemon(true);
    return thread;
  }

  /** Takes a first sample, and further ones twice per second. */
  public void start() {
    sample();
    polling =
        thread.scheduleWithFixedDelay(
            this::sample, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void sample() {
    watches.forEach(NodeWatch::sample);
    maxWatched = Math.max(maxWatched, total().watched());
  }

  /**
   * Returns a node that is not the active controller. Killing it does not trigger the election of a
   * controller, which would make runs hard to compare.
   */
  public KafkaNode follower() {
    return watches.stream()
        .filter(watch -> !watch.isActiveController())
        .findFirst()
        .orElseThrow(() -> new NodeFailure("every node claims to be the active controller"))
        .node();
  }

  /** Returns the sum of all nodes' counters, as of the last sample. */
  public NodeSample total() {
    return watches.stream().map(NodeWatch::total).reduce(NodeSample.none(), NodeSample::plus);
  }

  /** Returns the largest number of entries on watch lists in any sample of all nodes. */
  public long maxWatched() {
    return maxWatched;
  }

  /**
   * Takes a last sample and stops sampling. First waits one second, until the fetches of
   * disconnected clients have expired.
   *
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public void finish() throws InterruptedException {
    Thread.sleep(FETCHES_EXPIRE_MILLIS);
    stopPolling();
    thread.awaitTermination(10, TimeUnit.SECONDS);
    sample();
  }

  private void stopPolling() {
    if (polling != null) {
      polling.cancel(false);
    }
    thread.shutdown();
  }

  /**
   * Counts the completed operations that are still reachable, on all nodes. Replicas continue to
   * fetch, so a single count can be too high. The lowest of several counts is used for each node.
   *
   * @throws NodeFailure if a node cannot be reached
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public long retained() throws InterruptedException {
    long sum = 0;
    for (NodeWatch watch : watches) {
      long least = watch.retained();
      for (int i = 1; i < RETAINED_SAMPLES && least > 0; i++) {
        Thread.sleep(RETAINED_PAUSE_MILLIS);
        least = Math.min(least, watch.retained());
      }
      sum += least;
    }
    return sum;
  }

  @Override
  public void close() {
    stopPolling();
    watches.forEach(NodeWatch::close);
  }
}
