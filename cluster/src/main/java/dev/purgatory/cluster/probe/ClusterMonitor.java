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
 * Looks at all nodes of a cluster again and again and adds up what they count, over all lives of
 * their processes.
 */
public final class ClusterMonitor implements AutoCloseable {
  private static final long PERIOD_MILLIS = 500;

  /** Twice as long as a consumer has its fetches held by default. */
  private static final long LEAVING_MILLIS = 1_000;

  /** How many looks at the retained operations are taken; the smallest is the true one. */
  private static final int RETAINED_SAMPLES = 5;

  private static final long RETAINED_PAUSE_MILLIS = 150;

  private final List<NodeWatch> watches;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(ClusterMonitor::daemon);

  private @Nullable ScheduledFuture<?> polling;
  private volatile long mostWatched;

  /**
   * A monitor that does not look yet.
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

  /** Begins to look, twice a second. */
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
   * @throws NodeFailure when one of them ends or takes longer; the message names its log
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public void awaitRunning(Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    for (NodeWatch watch : watches) {
      watch.awaitRunning(deadline);
    }
  }

  /**
   * What each node runs, one line for people each.
   *
   * @param dropInWanted whether the nodes must run the drop-in, or must not
   * @throws NodeFailure when one runs the other
   */
  public List<String> identify(boolean dropInWanted) {
    List<String> lines = new ArrayList<>();
    for (NodeWatch watch : watches) {
      lines.add(watch.identify(dropInWanted));
    }
    return lines;
  }

  /** Lets go of all nodes until it has to look at them again. */
  public void letGo() {
    watches.forEach(NodeWatch::close);
  }

  /**
   * A node that does not lead the controllers. Killing that one costs no election on top, so that
   * runs can be compared.
   */
  public KafkaNode follower() {
    return watches.stream()
        .filter(watch -> !watch.isActiveController())
        .findFirst()
        .orElseThrow(() -> new NodeFailure("no node follows another controller"))
        .node();
  }

  /** The counts of all nodes in all their lives, as last seen. */
  public NodeSample total() {
    return watches.stream().map(NodeWatch::total).reduce(NodeSample.none(), NodeSample::plus);
  }

  /** The largest number of entries on watch lists that was seen, all nodes together. */
  public long mostWatched() {
    return mostWatched;
  }

  /**
   * Looks a last time and ends the regular looks, so that they do not disturb what follows. Before
   * it waits a moment: fetches of clients that have left are held until their time is up.
   *
   * @throws InterruptedException when the waiting thread is interrupted
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
   * Counts the operations that are answered but still reachable, all nodes together. The replicas
   * go on fetching meanwhile and one look may catch an operation between two counts, so that of a
   * few looks at each node the smallest counts.
   *
   * @throws IOException when a node is gone
   * @throws InterruptedException when the waiting thread is interrupted
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
