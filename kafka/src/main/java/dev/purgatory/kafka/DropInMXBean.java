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
   * Returns whether {@code ./purgatory qualify} ran with exactly this release of Kafka. If not, the
   * broker has also logged a warning.
   *
   * @return false for a release without a row, or an unknown one
   */
  boolean isTested();

  /**
   * Returns the releases of Kafka with a row.
   *
   * @return versions, separated by spaces
   */
  String getTestedKafkaVersions();

  /**
   * Returns the row of the broker's release: date, commit, and counts, as in {@code qualified.csv}.
   *
   * @return {@code null} as text if there is none
   */
  String getQualification();
}
