package dev.purgatory.benchmarks.broker;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The loads under which brokers are measured. */
public enum BrokerLoad {
  /** Consumers whose long polls of quiet partitions expire. */
  POLLS(1, true),
  /** Thousands of long polls that are completed by a single write. */
  HELD(1, true),
  /** Writes that all replicas must acknowledge. */
  WRITES(3, false),
  /** Consumers whose long polls of many quiet partitions expire until the consumers leave. */
  RETAINED(1, false);

  /** The loads that are measured unless others are selected. */
  public static final List<BrokerLoad> DEFAULTS = List.of(POLLS, HELD, WRITES);

  private final int nodes;
  private final boolean withFloor;

  BrokerLoad(int nodes, boolean withFloor) {
    this.nodes = nodes;
    this.withFloor = withFloor;
  }

  /** Returns the name in options and tables. */
  String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the number of nodes of the cluster. */
  int nodes() {
    return nodes;
  }

  /** Returns whether there is a floor: the same load without held requests. */
  boolean hasFloor() {
    return withFloor;
  }

  /**
   * Returns the load with a name.
   *
   * @throws IllegalArgumentException if no load has this name; the message is one line with the
   *     valid names
   */
  public static BrokerLoad of(String name) {
    return Arrays.stream(values())
        .filter(load -> load.title().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown load '" + name + "'; valid names: " + titles()));
  }

  private static String titles() {
    return Arrays.stream(values()).map(BrokerLoad::title).collect(Collectors.joining(", "));
  }
}
