package dev.purgatory;

/**
 * A purgatory as JMX shows it: see {@link PurgatoryBuilder#mxBean}. Counts are since the purgatory
 * was built, and of a busy purgatory from slightly different moments.
 *
 * <p>{@link #getRetained} and {@link #getOldestMillis} visit every entry of the purgatory, together
 * at most once per second. All other attributes cost a few steps.
 */
public interface PurgatoryMXBean {

  /**
   * Returns the name of the purgatory.
   *
   * @return the name that the builder was given
   */
  String getName();

  /**
   * Returns how many requests are held: see {@link Purgatory#pending}.
   *
   * @return 0 or more
   */
  long getPending();

  /**
   * Returns how many requests have ended and wait for an executor: see {@link
   * Inspection#unanswered}.
   *
   * @return 0 or more
   */
  long getUnanswered();

  /**
   * Returns the total size of the watch lists: one entry for each request and key, including ended
   * requests that were not yet removed.
   *
   * @return 0 or more
   */
  long getWatched();

  /**
   * Returns how many keys have a watch list: see {@link Inspection#keys}.
   *
   * @return 0 or more
   */
  int getKeys();

  /**
   * Returns how many entries of the watch lists are those of ended requests.
   *
   * @return 0 or more; up to a second old
   */
  long getRetained();

  /**
   * Returns how long the oldest request has been held.
   *
   * @return milliseconds; 0 if none is held; up to a second old
   */
  long getOldestMillis();

  /**
   * Returns when the clock of the purgatory's {@link dev.purgatory.timer.Timer} has to wake up
   * next, for any purgatory that uses it.
   *
   * @return milliseconds from now, 0 if it is overdue; -1 if nothing is scheduled
   */
  long getNextDueMillis();

  /**
   * Returns the 99th percentile of the time between the deadline of a request and its timeout.
   *
   * @return milliseconds, at most 25 % above the exact value; 0 if no request has timed out
   */
  double getLatenessMsP99();

  /**
   * Returns how many requests were held.
   *
   * @return a count
   */
  long getHeld();

  /**
   * Returns how many requests ended at once, without being held, with any outcome.
   *
   * @return a count
   */
  long getAnsweredAtOnce();

  /**
   * Returns how many held requests ended with {@link Outcome#COMPLETED}.
   *
   * @return a count
   */
  long getCompleted();

  /**
   * Returns how many held requests ended with {@link Outcome#TIMED_OUT}.
   *
   * @return a count
   */
  long getTimedOut();

  /**
   * Returns how many held requests ended with {@link Outcome#CANCELLED}.
   *
   * @return a count
   */
  long getCancelled();

  /**
   * Returns how many held requests ended with {@link Outcome#FAILED}.
   *
   * @return a count
   */
  long getFailed();

  /**
   * Returns how many held requests ended with {@link Outcome#CLOSED}.
   *
   * @return a count
   */
  long getClosed();

  /**
   * Returns how many requests the purgatory refused.
   *
   * @return a count
   */
  long getRefused();

  /**
   * Returns how many times the user's code threw: see {@link PurgatoryListener#onError}.
   *
   * @return a count
   */
  long getErrors();
}
