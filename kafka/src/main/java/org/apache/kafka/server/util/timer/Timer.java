package org.apache.kafka.server.util.timer;

/** Runs tasks after a delay, as long as a thread advances its clock. */
@SuppressWarnings("try") // Kafka's signature of close()
public interface Timer extends AutoCloseable {

  /**
   * Schedules a task to run after its delay.
   *
   * @param timerTask the task
   */
  void add(TimerTask timerTask);

  /**
   * Waits until tasks are due and submits them for execution.
   *
   * @param timeoutMs the longest time to wait, in milliseconds
   * @return whether a task was due
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  boolean advanceClock(long timeoutMs) throws InterruptedException;

  /**
   * Returns the number of tasks that are waiting.
   *
   * @return 0 or more
   */
  int size();
}
