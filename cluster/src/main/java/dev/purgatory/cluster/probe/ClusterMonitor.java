package dev.purgatory.cluster.probe;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Samples all nodes of a cluster periodically and adds up their counters, including those of
 * earlier processes of a node that was started again.
 */
public final class ClusterMonitor implements AutoCloseable {
  private static final long PERIOD_MILLIS = 500;

  /** Twice as long as brokers hold a consumer's fetches by default. */
  private static final long LEAVING_MILLIS = 1_000;

  /** How often retained operations are counted. The least count is taken. */
  private static final int RETAINED_SAMPLES = 5;

  private static final long RETAINED_PAUSE_MILLIS = 150;

  private final List<NodeWatch> watches;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(ClusterMonitor::daemon);

  private @Nullable ScheduledFuture<?> polling;
  private volatile long mostWatched;

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

  /** Starts to sample, twice a second. */
  public void start() {
    polling = thread.scheduleWithFixedDelay(this::look, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    watches.forEach(NodeWatch::look);
    mostWatched = Math.max(mostWatched, total().watched());
  }

  /**
   * Waits until all nodes serve clients.
   *
   * @param patience how long to wait
   * @throws NodeFailure if a node ends or takes longer; the message names its log
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void awaitRunning(Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    for (NodeWatch watch : watches) {
      watch.awaitRunning(deadline);
    }
  }

  /**
   * Returns a line for each node that says what it runs.
   *
   * @param dropInWanted whether the nodes must run the drop-in; otherwise they must not
   * @throws NodeFailure if a node does not run what it must
   */
  public List<String> identify(boolean dropInWanted) {
    List<String> lines = new ArrayList<>();
    for (NodeWatch watch : watches) {
      lines.add(watch.identify(dropInWanted));
    }
    return lines;
  }

  /** Disconnects from all nodes until the next sample. */
  public void letGo() {
    watches.forEach(NodeWatch::close);
  }

  /**
   * Returns a node that is not the active controller. Killing it causes no election of a
   * controller, which would make runs hard to compare.
   */
  public KafkaNode follower() {
    return watches.stream()
        .filter(watch -> !watch.isActiveController())
        .findFirst()
        .orElseThrow(() -> new NodeFailure("no node follows another controller"))
        .node();
  }

  /** Returns the sum of all nodes' counters, as of the last sample. */
  public NodeSample total() {
    return watches.stream().map(NodeWatch::total).reduce(NodeSample.none(), NodeSample::plus);
  }

  /** Returns the largest number of entries on watch lists in any sample of all nodes. */
  public long mostWatched() {
    return mostWatched;
  }

  /**
   * Takes a last sample and stops sampling. Waits one second before, until fetches of clients that
   * have disconnected have expired.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void finish() throws InterruptedException {
    Thread.sleep(LEAVING_MILLIS);
    stopPolling();
    thread.awaitTermination(10, TimeUnit.SECONDS);
    look();
  }

  private void stopPolling() {
    if (polling != null) {
      polling.cancel(false);
    }
    thread.shutdown();
  }

  /**
   * Counts the completed operations that are still reachable, on all nodes. The replicas continue
   * to fetch meanwhile, so a single count can be too high: the least of several is taken for each
   * node.
   *
   * @throws IOException if a node cannot be reached
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public long retained() throws IOException, InterruptedException {
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
    letGo();
  }
}
