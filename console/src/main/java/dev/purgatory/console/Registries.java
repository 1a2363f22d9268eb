package dev.purgatory.console;

import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Throttles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Describes sessions and throttles, in two tables.
 *
 * @param sessions those of this program, by their titles
 * @param throttles those of this program, by their titles
 */
record Registries(Map<String, Sessions<?, ?>> sessions, Map<String, Throttles<?>> throttles) {

  /** What brokers of Kafka have quotas for: the types of their MBeans. */
  private static final List<String> QUOTAS =
      List.of("Produce", "Fetch", "Request", "ControllerMutation");

  Registries {
    sessions = new LinkedHashMap<>(sessions);
    throttles = new LinkedHashMap<>(throttles);
  }

  /** Returns whether there are none. */
  boolean isEmpty() {
    return sessions.isEmpty() && throttles.isEmpty();
  }

  /** Returns the rows of the tables. */
  Map<String, Object> sample() {
    List<Map<String, Object>> open = new ArrayList<>();
    sessions.forEach((title, each) -> open.add(Map.of("title", title, "open", each.size())));
    List<Map<String, Object>> quotas = new ArrayList<>();
    throttles.forEach((title, each) -> quotas.add(quota(title, each.keys(), null)));
    return Map.of("sessions", open, "throttles", quotas);
  }

  /** Returns the rows of a broker, which tells how many requests of all clients wait. */
  static Map<String, Object> ofBroker(String title, MBeanServerConnection broker)
      throws IOException {
    List<Map<String, Object>> quotas = new ArrayList<>();
    for (String each : QUOTAS) {
      try {
        Object waiting =
            broker.getAttribute(new ObjectName("kafka.server:type=" + each), "queue-size");
        quotas.add(quota(title + ": " + each, null, ((Number) waiting).longValue()));
      } catch (InstanceNotFoundException e) {
        // It is no broker, or not this kind of node.
      } catch (JMException e) {
        throw new IOException("the MBeans cannot be read: " + e.getMessage(), e);
      }
    }
    return Map.of("sessions", List.of(), "throttles", quotas);
  }

  /** Describes a quota; null stands for what is not known. */
  private static Map<String, Object> quota(
      String title, @Nullable Integer keys, @Nullable Long waiting) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("title", title);
    row.put("keys", keys);
    row.put("waiting", waiting);
    return row;
  }
}
