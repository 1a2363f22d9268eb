package dev.purgatory.kafka;

/** Statistics of a purgatory since the broker started. */
public interface PurgatoryStatsMXBean {

  /**
   * Returns the number of operations that have been held.
   *
   * @return a count
   */
  long getHeld();

  /**
   * Returns the number of held operations that were completed by an event.
   *
   * @return a count
   */
  long getCompleted();

  /**
   * Returns the number of held operations that timed out.
   *
   * @return a count
   */
  long getExpired();

  /**
   * Returns the number of held operations that were cancelled, failed, or ended by a shutdown.
   *
   * @return a count
   */
  long getCancelled();

  /**
   * Returns the number of operations that are held now.
   *
   * @return an exact count
   */
  long getPending();

  /**
   * Returns how long the oldest operation has been held. Visits every entry of the watch lists, at
   * most once per second.
   *
   * @return milliseconds; 0 if none is held; up to a second old
   */
  long getOldestMillis();

  /**
   * Returns when the clock of the purgatory's timer has to be advanced next.
   *
   * @return milliseconds from now, 0 if it is overdue; -1 if nothing is scheduled
   */
  long getNextDueMillis();

  /**
   * Returns the size of all watch lists: one entry per operation and key, including entries of
   * operations that have ended but have not been removed yet.
   *
   * @return a count
   */
  long getWatched();

  /**
   * Returns the number of callbacks that failed.
   *
   * @return a count
   */
  long getErrors();

  /**
   * Returns the median time that operations were held. Of the completed operations, one of 16 is
   * measured, at random.
   *
   * @return milliseconds
   */
  double getHeldMsP50();

  /**
   * Returns the 99th percentile of the time that operations were held, measured as for the median.
   *
   * @return milliseconds
   */
  double getHeldMsP99();

  /**
   * Returns the median lateness of expirations.
   *
   * @return milliseconds
   */
  double getLatenessMsP50();

  /**
   * Returns the 99th percentile of the lateness of expirations.
   *
   * @return milliseconds
   */
  double getLatenessMsP99();

  /**
   * Returns the distribution of the time that operations were held, measured as for the median.
   * Each measured completion counts as 16.
   *
   * @return an HdrHistogram in microseconds, compressed and encoded in Base64
   */
  String getHeldMicrosHistogram();

  /**
   * Returns the distribution of the lateness of expirations.
   *
   * @return an HdrHistogram in microseconds, compressed and encoded in Base64
   */
  String getLatenessMicrosHistogram();
}
