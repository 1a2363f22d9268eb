package dev.purgatory.kafka;

/** Shows that the drop-in is active. */
public interface DropInMXBean {

  /**
   * Returns the version of the drop-in.
   *
   * @return for example {@code 0.1.0-SNAPSHOT}
   */
  String getVersion();

  /**
   * Returns the version of the Kafka broker.
   *
   * @return for example {@code 4.3.1}
   */
  String getKafkaVersion();

  /**
   * Returns whether the drop-in was tested with the broker's version of Kafka, or with another
   * patch of the same minor version. If not, the broker has also logged a warning.
   *
   * @return false for a version that is newer than those tested, or unknown
   */
  boolean isTested();

  /**
   * Returns the versions of Kafka with which the drop-in was tested.
   *
   * @return versions, separated by spaces
   */
  String getTestedKafkaVersions();
}
