package dev.purgatory.kafka;

/** What happened in a purgatory since the broker was started. */
public interface PurgatoryStatsMXBean {

  /**
   * Returns how many operations have been held.
   *
   * @return a count
   */
  long getHeld();

  /**
   * Returns how many held operations an event has completed.
   *
   * @return a count
   */
  long getCompleted();

  /**
   * Returns how many held operations time has forced to complete.
   *
   * @return a count
   */
  long getExpired();

  /**
   * Returns how many held operations were cancelled.
   *
   * @return a count
   */
  long getCancelled();

  /**
   * Returns how many operations are held now.
   *
   * @return a count, exact at every moment
   */
  long getPending();

  /**
   * Returns the size of all watch lists: one per operation and key, with what has ended and was not
   * yet removed.
   *
   * @return a count
   */
  long getWatched();

  /**
   * Returns how many callbacks have failed.
   *
   * @return a count
   */
  long getErrors();

  /**
   * Returns the median of the time that operations were held.
   *
   * @return milliseconds
   */
  double getHeldMsP50();

  /**
   * Returns the 99th percentile of the time that operations were held.
   *
   * @return milliseconds
   */
  double getHeldMsP99();

  /**
   * Returns the median of the time by which expirations came late.
   *
   * @return milliseconds
   */
  double getLatenessMsP50();

  /**
   * Returns the 99th percentile of the time by which expirations came late.
   *
   * @return milliseconds
   */
  double getLatenessMsP99();

  /**
   * Returns all times that operations were held.
   *
   * @return an HdrHistogram of microseconds, compressed and in Base64, which can be merged
   */
  String getHeldMicrosHistogram();

  /**
   * Returns all times by which expirations came late.
   *
   * @return an HdrHistogram of microseconds, compressed and in Base64, which can be merged
   */
  String getLatenessMicrosHistogram();
}
