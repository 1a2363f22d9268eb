package dev.purgatory.cluster.load;

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
 * A large number of consumers of one broker, each with a connection and at most one fetch in
 * flight. They all run on the caller's thread, which costs far less than the same number of Kafka's
 * consumers.
 */
public final class FetchClient implements AutoCloseable {
  /** Less than the broker's backlog, beyond which connecting is retried after a second. */
  private static final int CONNECTS_AT_A_TIME = 25;

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long POLL_MILLIS = 100;

  private final Metrics metrics = new Metrics();
  private final Selector selector;
  private final InetSocketAddress broker;
  private final Map<String, FetchConnection> connections = new LinkedHashMap<>();

  private int connected;

  /** Receives responses. */
  public interface Listener {
    /**
     * Called for each response.
     *
     * @param connection the connection, which may fetch again
     * @param nanos the time when the response arrived, by {@link System#nanoTime}
     */
    void answered(FetchConnection connection, long nanos);
  }

  /**
   * Creates a client without connections.
   *
   * @param broker the address of the broker
   */
  public FetchClient(InetSocketAddress broker) {
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
   * Opens connections. Each reads consecutive partitions, and each connection begins one partition
   * after the previous one.
   *
   * @param count the number of connections
   * @param topic the topic to read
   * @param partitions the number of partitions that each connection reads
   * @throws IOException if the broker does not accept all connections within half a minute
   */
  public void connect(int count, Topic topic, int partitions) throws IOException {
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

  /** Returns the connections in the order in which they were opened. */
  public List<FetchConnection> connections() {
    return new ArrayList<>(connections.values());
  }

  /**
   * Creates a fetch request, which the next {@link #poll} sends.
   *
   * @param connection a connection without a fetch in flight
   * @param maxWait how long the broker may hold the request
   */
  public void fetch(FetchConnection connection, Duration maxWait) {
    selector.send(connection.request(maxWait));
  }

  /**
   * Fetches once on each connection and waits for all responses.
   *
   * @throws IOException if a response is missing after half a minute, or a connection is lost
   */
  public void fetchOnce(Duration maxWait) throws IOException {
    connections.values().forEach(connection -> fetch(connection, maxWait));
    awaitAnswers((connection, nanos) -> {});
  }

  /**
   * Waits for one response on each connection.
   *
   * @throws IOException if a response is missing after half a minute, or a connection is lost
   */
  public void awaitAnswers(Listener listener) throws IOException {
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
   * Sends pending requests and reads available responses.
   *
   * @param millis the longest time to wait if there is nothing to do, in milliseconds
   * @param listener receives each response
   * @throws IOException if a connection is lost or a response is an error
   */
  public void poll(long millis, Listener listener) throws IOException {
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
