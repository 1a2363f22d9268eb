package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.workload.Schedule;
import dev.purgatory.benchmarks.workload.Trigger;

/**
 * Which keys requests wait for, and what completes them.
 *
 * @param keys the number of keys; each request waits for three of them
 * @param trigger what completes a request before its timeout
 */
record Workload(int keys, Trigger trigger) {
  /** Any 3 of 100 keys; requests are completed directly. */
  static final Workload PLAIN = new Workload(Schedule.KEYS, Trigger.REQUEST);

  /** The same 3 keys for all requests, as in the benchmark of Kafka's redesign proposal. */
  static final Workload SAME_KEYS = new Workload(3, Trigger.REQUEST);

  /**
   * Any 3 of 10,000 keys; requests are completed by checks of their first key. With so many keys, a
   * check finds only a few requests, like the check of a partition in a broker.
   */
  static final Workload EVENTS = new Workload(10_000, Trigger.EVENT);
}
