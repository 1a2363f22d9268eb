package dev.purgatory.cluster.probe;

import dev.purgatory.cluster.node.KafkaNode;
import dev.purgatory.cluster.node.NodeFailure;
import dev.purgatory.cluster.node.Ports;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Follows one node through its lives: attaches to each new process when that can be attached to,
 * and lets go of one that is gone. Safe for use by several threads.
 */
public final class NodeWatch implements AutoCloseable {
  private static final long PAUSE_MILLIS = 200;

  private final KafkaNode node;
  private final Incarnations counts = new Incarnations();

  private @Nullable NodeProbe probe;

  /**
   * Watches a node that may not be running yet.
   *
   * @param node the node
   */
  public NodeWatch(KafkaNode node) {
    this.node = node;
  }

  /** Takes one look, if there is something to look at. */
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

  /** The counts of all lives, as last seen. */
  synchronized NodeSample total() {
    return counts.total();
  }

  /** The probe of the process that runs now; empty while there is none that can be attached to. */
  private Optional<NodeProbe> probe() throws IOException {
    if (probe != null && (probe.pid() != node.pid() || !node.isAlive())) {
      close();
    }
    // A JVM that serves has long installed the signal handler that attaching relies on.
    if (probe == null && node.isAlive() && Ports.accepts(node.config().brokerPort())) {
      probe = NodeProbe.attach(node.pid());
    }
    return Optional.ofNullable(probe);
  }

  /**
   * Waits until the node serves clients.
   *
   * @param deadline when to give up, by {@link System#nanoTime}
   * @throws NodeFailure when the process ends or it is too late; the message names its log
   * @throws InterruptedException when the waiting thread is interrupted
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

  /** Whether the node leads the controllers, as far as it can be asked. */
  synchronized boolean isActiveController() {
    try {
      Optional<NodeProbe> current = probe();
      return current.isPresent() && current.get().isActiveController();
    } catch (IOException e) {
      close();
      return false;
    }
  }

  /** The watched node. */
  KafkaNode node() {
    return node;
  }

  /**
   * What the node runs, for people.
   *
   * @param dropInWanted whether it must run the drop-in, or must not
   * @throws NodeFailure when it runs the other
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
   * @throws IOException when the node is gone
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
