package dev.purgatory.benchmarks.broker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.PlaintextChannelBuilder;
import org.apache.kafka.common.network.Selectable;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/**
 * Many consumers of one broker, with a connection each and at most one fetch on it. All of them
 * live on the thread of the caller: this costs the machine far less than as many of Kafka's
 * consumers.
 */
final class FetchClient implements AutoCloseable {
  /** Fewer than a broker lets wait to be accepted; one more would be tried again a second later. */
  private static final int CONNECTS_AT_A_TIME = 25;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long POLL_MILLIS = 100;

  private final Metrics metrics = new Metrics();
  private final Selector selector;
  private final InetSocketAddress broker;
  private final Map<String, FetchConnection> connections = new LinkedHashMap<>();

  private int connected;

  /** Gets the answers. */
  interface Listener {
    /**
     * Called for each answer.
     *
     * @param connection which may fetch again
     * @param nanos when the answer was there, by {@link System#nanoTime}
     */
    void answered(FetchConnection connection, long nanos);
  }

  /**
   * A client without connections.
   *
   * @param broker where to connect
   */
  FetchClient(InetSocketAddress broker) {
    this.broker = broker;
    PlaintextChannelBuilder channels =
        new PlaintextChannelBuilder(ListenerName.forSecurityProtocol(SecurityProtocol.PLAINTEXT));
    channels.configure(Map.of());
    this.selector =
        new Selector(
            NetworkReceive.UNLIMITED,
            Selector.NO_IDLE_TIMEOUT_MS,
            metrics,
            Time.SYSTEM,
            "bench",
            Map.of(),
            false,
            false,
            channels,
            MemoryPool.NONE,
            new LogContext());
  }

  /**
   * Opens connections. Each reads some partitions in a row, and the next begins one further.
   *
   * @param count how many connections
   * @param topic what they read
   * @param partitions how many each
   * @throws IOException when that does not work
   */
  void connect(int count, Topic topic, int partitions) throws IOException {
    for (int i = 0; i < count; i++) {
      FetchConnection connection =
          new FetchConnection(
              Integer.toString(connections.size()), topic, i % topic.partitions(), partitions);
      connections.put(connection.id(), connection);
      selector.connect(
          connection.id(),
          broker,
          Selectable.USE_DEFAULT_BUFFER_SIZE,
          Selectable.USE_DEFAULT_BUFFER_SIZE);
      if (i % CONNECTS_AT_A_TIME == 0 || i == count - 1) {
        awaitConnected();
      }
    }
  }

  private void awaitConnected() throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (connected < connections.size()) {
      check(deadline, "cannot connect");
      poll(POLL_MILLIS, (connection, nanos) -> {});
    }
  }

  /** The connections, in the order in which they were opened. */
  List<FetchConnection> connections() {
    return new ArrayList<>(connections.values());
  }

  /**
   * Fetches. The request is written by the next {@link #poll}.
   *
   * @param connection without a fetch on its way
   * @param maxWait how long the broker may hold the request
   */
  void fetch(FetchConnection connection, Duration maxWait) {
    selector.send(connection.request(maxWait));
  }

  /**
   * Fetches on all connections, and waits for all answers.
   *
   * @throws IOException when one is missing after half a minute, or the connection is lost
   */
  void fetchOnce(Duration maxWait) throws IOException {
    connections.values().forEach(connection -> fetch(connection, maxWait));
    awaitAnswers((connection, nanos) -> {});
  }

  /**
   * Waits for one answer on each connection.
   *
   * @throws IOException when one is missing after half a minute, or the connection is lost
   */
  void awaitAnswers(Listener listener) throws IOException {
    int[] left = {connections.size()};
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (left[0] > 0) {
      check(deadline, left[0] + " fetches were not answered");
      poll(
          POLL_MILLIS,
          (connection, nanos) -> {
            left[0]--;
            listener.answered(connection, nanos);
          });
    }
  }

  private static void check(long deadline, String failure) throws IOException {
    if (System.nanoTime() - deadline > 0) {
      throw new IOException(failure);
    }
  }

  /**
   * Writes what is to be written and reads what is there.
   *
   * @param millis how long to wait if there is nothing
   * @param listener gets each answer
   * @throws IOException when a connection is lost, or an answer is an error
   */
  void poll(long millis, Listener listener) throws IOException {
    selector.poll(millis);
    long now = System.nanoTime();
    connected += selector.connected().size();
    if (!selector.disconnected().isEmpty()) {
      throw new IOException("the broker closed " + selector.disconnected().size() + " connections");
    }
    for (NetworkReceive receive : selector.completedReceives()) {
      FetchConnection connection = connections.get(receive.source());
      if (connection != null) {
        connection.answer(receive.payload());
        listener.answered(connection, now);
      }
    }
  }

  @Override
  public void close() {
    selector.close();
    metrics.close();
  }
}
