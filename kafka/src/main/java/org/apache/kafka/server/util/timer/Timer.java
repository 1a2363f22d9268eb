package org.apache.kafka.server.util.timer;

/** Runs tasks after their delays, while somebody advances its clock. */
@SuppressWarnings("try") // Kafka's signature of close()
public interface Timer extends AutoCloseable {

  /**
   * Adds a task, to be run when its delay has passed from now on.
   *
   * @param timerTask the task
   */
  void add(TimerTask timerTask);

  /**
   * Waits until something is due, and hands it over to be run.
   *
   * @param timeoutMs how long to wait at most, in milliseconds
   * @return whether something was due
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  boolean advanceClock(long timeoutMs) throws InterruptedException;

  /**
   * Returns the number of tasks that wait.
   *
   * @return 0 or more
   */
  int size();
}
