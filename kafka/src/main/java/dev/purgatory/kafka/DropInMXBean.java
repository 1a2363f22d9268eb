package dev.purgatory.kafka;

/** Says that the drop-in is in use. */
public interface DropInMXBean {

  /**
   * Returns the version of the drop-in.
   *
   * @return for example {@code 0.1.0}
   */
  String getVersion();

  /**
   * Returns the version of Kafka that it runs in.
   *
   * @return for example {@code 4.3.1}
   */
  String getKafkaVersion();
}
