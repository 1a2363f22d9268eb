package dev.purgatory.benchmarks.broker;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A kind of broker to measure, and whether its clients send requests that are held.
 *
 * @param name the name in options and tables
 * @param classPath the broker's class path
 * @param dropIn whether the broker must run the drop-in; otherwise it must run stock Kafka
 * @param holds whether requests are held; otherwise, this is the floor of the load
 * @param settings properties of the broker besides those of all contenders
 */
public record BrokerContender(
    String name, String classPath, boolean dropIn, boolean holds, Map<String, String> settings) {

  /** Returns stock Kafka. */
  public static BrokerContender kafka(String classPath) {
    return new BrokerContender("kafka", classPath, false, true, Map.of());
  }

  /**
   * Returns stock Kafka that purges its lists more often.
   *
   * @param requests the number of ended requests after which it purges; Kafka's default is 1,000
   */
  public static BrokerContender kafka(String classPath, int requests) {
    String interval = Integer.toString(requests);
    Map<String, String> settings =
        Map.of(
            "fetch.purgatory.purge.interval.requests", interval,
            "producer.purgatory.purge.interval.requests", interval);
    return new BrokerContender("kafka-purge-" + interval, classPath, false, true, settings);
  }

  /** Returns Kafka with the drop-in. */
  public static BrokerContender dropIn(String classPath) {
    return new BrokerContender("purgatory-kafka", classPath, true, true, Map.of());
  }

  /** Returns stock Kafka with requests that are answered immediately. */
  public static BrokerContender floor(String classPath) {
    return new BrokerContender("floor", classPath, false, false, Map.of());
  }

  /**
   * Returns the contender with a name.
   *
   * @param name the name
   * @param all the contenders to choose from
   * @throws IllegalArgumentException if no contender has this name; the message is one line with
   *     the valid names
   */
  public static BrokerContender of(String name, List<BrokerContender> all) {
    String names = all.stream().map(BrokerContender::name).collect(Collectors.joining(", "));
    return all.stream()
        .filter(contender -> contender.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown contender '" + name + "'; valid names: " + names));
  }
}
