package dev.purgatory.cluster.probe;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.Ports;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Follows a node through restarts: attaches to each new process as soon as that is possible, and
 * disconnects from one that has ended. Safe for use by several threads.
 */
public final class NodeWatch implements AutoCloseable {
  private static final long PAUSE_MILLIS = 200;

  private final KafkaNode node;
  private final Incarnations counts = new Incarnations();

  private @Nullable NodeProbe probe;

  /**
   * Creates a watch.
   *
   * @param node the node, which need not run yet
   */
  public NodeWatch(KafkaNode node) {
    this.node = node;
  }

  /** Takes a sample, if there is a process to attach to. */
  synchronized void look() {
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

  /** Returns the probe of the running process; empty while there is none to attach to. */
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

  /**
   * Waits until the node serves clients.
   *
   * @param deadline when to give up, by {@link System#nanoTime}
   * @throws NodeFailure if the process ends or the deadline passes; the message names its log
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void awaitRunning(long deadline) throws InterruptedException {
    while (!isRunning()) {
      if (!node.isAlive() || System.nanoTime() - deadline > 0) {
        throw new NodeFailure(
            "node " + node.config().id() + " did not come up", node.config().log());
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

  /**
   * Returns a line that says what the node runs.
   *
   * @param dropInWanted whether it must run the drop-in; otherwise it must not
   * @throws NodeFailure if it does not run what it must
   */
  public synchronized String identify(boolean dropInWanted) {
    String name = "node " + node.config().id();
    try {
      Optional<String> dropIn =
          probe().orElseThrow(() -> new NodeFailure(name + " is gone")).dropIn();
      if (dropIn.isPresent() != dropInWanted) {
        throw new NodeFailure(name + (dropInWanted ? " does not run" : " runs") + " the drop-in");
      }
      return name + ": " + dropIn.orElse("Kafka as released") + ", process " + node.pid();
    } catch (IOException e) {
      throw new NodeFailure(name + " cannot be asked what it runs: " + e.getMessage(), e);
    }
  }

  /**
   * See {@link NodeProbe#retained}.
   *
   * @throws IOException if the node cannot be reached
   */
  synchronized long retained() throws IOException {
    return probe()
        .orElseThrow(() -> new IOException("node " + node.config().id() + " is gone"))
        .retained();
  }

  @Override
  public synchronized void close() {
    if (probe != null) {
      probe.close();
      probe = null;
    }
  }
}
