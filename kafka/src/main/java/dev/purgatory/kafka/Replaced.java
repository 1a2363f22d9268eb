package dev.purgatory.kafka;

import java.util.List;

/** Lists the Kafka classes that the drop-in replaces. */
final class Replaced {
  private static final String PURGATORY = "org.apache.kafka.server.purgatory.";
  private static final String TIMER = "org.apache.kafka.server.util.timer.";

  /** Binary names, including nested classes of Kafka's API. */
  static final List<String> CLASSES =
      List.of(
          PURGATORY + "DelayedOperation",
          PURGATORY + "DelayedOperation$Action",
          PURGATORY + "DelayedOperationPurgatory",
          TIMER + "Timer",
          TIMER + "SystemTimer",
          TIMER + "SystemTimerReaper",
          TIMER + "TimerTask",
          TIMER + "TimerTaskEntry");

  private Replaced() {}
}
