package dev.purgatory.cluster.probe;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.Ports;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.management.MBeanServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * Follows a node through restarts: attaches to each new process as soon as possible and disconnects
 * from processes that have ended. Thread-safe.
 */
public final class NodeWatch implements AutoCloseable {
  private static final long PAUSE_MILLIS = 200;

  private final KafkaNode node;
  private final Incarnations counts = new Incarnations();

  private @Nullable NodeProbe probe;

  /**
   * Creates a watch.
   *
   * @param node the node, which may be started later
   */
  public NodeWatch(KafkaNode node) {
    this.node = node;
  }

  /**
   * Waits until nodes serve clients, and returns for each a line about what it runs. Leaves no
   * connections open, since these report errors when a node is killed.
   *
   * @param nodes the nodes, which have been started
   * @param patience the longest time to wait for all of them
   * @param dropInWanted whether the nodes must run the drop-in; otherwise they must run stock Kafka
   * @throws NodeFailure if a node ends, takes longer, or runs the wrong one; unless it runs the
   *     wrong one, the message refers to its log
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public static List<String> identify(
      List<KafkaNode> nodes, Duration patience, boolean dropInWanted) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    List<String> lines = new ArrayList<>();
    for (KafkaNode node : nodes) {
      try (NodeWatch watch = new NodeWatch(node)) {
        watch.awaitRunning(deadline);
        lines.add(watch.identify(dropInWanted));
      }
    }
    return lines;
  }

  /** Takes a sample if there is a process to attach to. */
  synchronized void sample() {
    try {
      Optional<NodeProbe> current = probe();
      if (current.isPresent()) {
        counts.update(current.get().pid(), current.get().sample());
      }
    } catch (IOException e) {
      close();
    }
  }

  /** Returns the counters of all processes, as of the last sample. */
  synchronized NodeSample total() {
    return counts.total();
  }

  /**
   * Returns the MBeans of the running process.
   *
   * @throws IOException if it cannot be attached to
   */
  public synchronized MBeanServerConnection mBeans() throws IOException {
    return probe().orElseThrow(() -> new IOException("it does not accept connections")).mBeans();
  }

  /** Returns the probe of the running process; empty if it cannot be attached to. */
  private Optional<NodeProbe> probe() throws IOException {
    if (probe != null && (probe.pid() != node.pid() || !node.isAlive())) {
      close();
    }
    // A JVM that accepts connections has installed the signal handler that attaching relies on.
    if (probe == null && node.isAlive() && Ports.accepts(node.config().brokerPort())) {
      probe = NodeProbe.attach(node.pid());
    }
    return Optional.ofNullable(probe);
  }

  private void awaitRunning(long deadline) throws InterruptedException {
    while (!isRunning()) {
      if (!node.isAlive() || System.nanoTime() - deadline > 0) {
        throw new NodeFailure("node " + node.config().id() + " did not start", node.config().log());
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private synchronized boolean isRunning() {
    try {
      Optional<NodeProbe> current = probe();
      return current.isPresent() && current.get().isRunning();
    } catch (IOException e) {
      close();
      return false;
    }
  }

  /** Returns whether the node is the active controller; false if it cannot be reached. */
  synchronized boolean isActiveController() {
    try {
      Optional<NodeProbe> current = probe();
      return current.isPresent() && current.get().isActiveController();
    } catch (IOException e) {
      close();
      return false;
    }
  }

  /** Returns the node. */
  KafkaNode node() {
    return node;
  }

  private synchronized String identify(boolean dropInWanted) {
    String name = "node " + node.config().id();
    try {
      Optional<String> dropIn = probe().orElseThrow(node::ended).dropIn();
      if (dropIn.isPresent() != dropInWanted) {
        throw new NodeFailure(name + (dropInWanted ? " does not run" : " runs") + " the drop-in");
      }
      return name + ": " + dropIn.orElse("stock Kafka") + ", process " + node.pid();
    } catch (IOException e) {
      String message = "cannot read the version of " + name + ": " + e.getMessage();
      throw new NodeFailure(message, node.config().log());
    }
  }

  /**
   * Counts the completed operations that are still reachable: see {@link NodeProbe#retained}.
   *
   * @throws NodeFailure if the node cannot be reached
   */
  synchronized long retained() {
    try {
      return probe().orElseThrow(node::ended).retained();
    } catch (IOException e) {
      throw node.ended();
    }
  }

  @Override
  public synchronized void close() {
    if (probe != null) {
      probe.close();
      probe = null;
    }
  }
}
