package dev.purgatory.kafka;

/** Shows that the drop-in is active. */
public interface DropInMXBean {

  /**
   * Returns the version of the drop-in.
   *
   * @return for example {@code 0.1.0}
   */
  String getVersion();

  /**
   * Returns the version of the Kafka broker.
   *
   * @return for example {@code 4.3.1}
   */
  String getKafkaVersion();
}
