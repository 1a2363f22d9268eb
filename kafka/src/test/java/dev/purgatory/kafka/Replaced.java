package dev.purgatory.kafka;

import java.util.List;

/** The classes of Kafka that the drop-in replaces: the one list that the tests go by. */
final class Replaced {
  private static final String PURGATORY = "org.apache.kafka.server.purgatory.";
  private static final String TIMER = "org.apache.kafka.server.util.timer.";

  /** Binary names, nested classes of Kafka's API included. */
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
