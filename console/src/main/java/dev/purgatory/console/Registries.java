package dev.purgatory.console;

import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Throttles;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** Describes sessions and throttles of this program, in two tables. Not thread-safe. */
final class Registries {

  /** Reading visits each session and key, so the pause after it is this many times its length. */
  private static final int REST = 99;

  /** What brokers of Kafka have quotas for: the types of their MBeans. */
  private static final List<String> QUOTAS =
      List.of("Produce", "Fetch", "Request", "ControllerMutation");

  private final Map<String, Sessions<?, ?>> sessions;
  private final Map<String, Throttles<?>> throttles;
  private final boolean showsKeys;
  private @Nullable Map<String, Object> last;
  private long restUntil;

  /**
   * Creates tables.
   *
   * @param showsKeys whether the key with the longest line is named
   */
  Registries(
      Map<String, Sessions<?, ?>> sessions,
      Map<String, Throttles<?>> throttles,
      boolean showsKeys) {
    this.sessions = new LinkedHashMap<>(sessions);
    this.throttles = new LinkedHashMap<>(throttles);
    this.showsKeys = showsKeys;
  }

  /** Returns whether there are none. */
  boolean isEmpty() {
    return sessions.isEmpty() && throttles.isEmpty();
  }

  /** Returns the rows of the tables; those of before while reading rests. */
  Map<String, Object> sample(long nanos, Texts texts) {
    Map<String, Object> known = last;
    if (known != null && nanos - restUntil < 0) {
      return known;
    }
    long start = System.nanoTime();
    List<Map<String, Object>> open = new ArrayList<>();
    sessions.forEach((title, each) -> open.add(row(title, each)));
    List<Map<String, Object>> lines = new ArrayList<>();
    throttles.forEach((title, each) -> lines.add(row(title, each, texts)));
    Map<String, Object> read = Map.of("sessions", open, "throttles", lines);
    last = read;
    restUntil = nanos + REST * (System.nanoTime() - start);
    return read;
  }

  /** Returns the rows of a broker, of which only the lines of all clients together are known. */
  static Map<String, Object> ofBroker(String title, MBeanServerConnection broker)
      throws IOException {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (String each : QUOTAS) {
      try {
        Object length =
            broker.getAttribute(new ObjectName("kafka.server:type=" + each), "queue-size");
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("title", title + ": " + each);
        row.put("keys", null);
        row.put("longest", ((Number) length).longValue());
        row.put("key", "all clients together");
        lines.add(row);
      } catch (InstanceNotFoundException e) {
        // It is no broker, or not this kind of node.
      } catch (JMException e) {
        throw new IOException("the MBeans cannot be read: " + e.getMessage(), e);
      }
    }
    return Map.of("sessions", List.of(), "throttles", lines);
  }

  private static Map<String, Object> row(String title, Sessions<?, ?> sessions) {
    Duration next = sessions.nextExpiry();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("title", title);
    row.put("open", sessions.size());
    row.put("nextMillis", next == null ? null : next.toMillis());
    return row;
  }

  private Map<String, Object> row(String title, Throttles<?> throttles, Texts texts) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("title", title);
    row.put("keys", throttles.keys());
    row.put("longest", 0);
    row.put("key", null);
    throttles
        .longestLines(1)
        .forEach(
            (key, waiting) -> {
              row.put("longest", waiting);
              row.put("key", showsKeys ? texts.of(key) : null);
            });
    return row;
  }

  /** Forgets the readings. */
  void forget() {
    last = null;
  }
}
