package dev.purgatory.kafka;

import dev.purgatory.timer.Timer;
import java.util.concurrent.Executor;

/**
 * A Kafka timer that is backed by a timer of the core. As an executor, it runs tasks that are due.
 */
public interface CoreTimer extends Executor {

  /**
   * Returns the timer of the core.
   *
   * @return always the same timer
   */
  Timer coreTimer();

  /**
   * Returns what runs housekeeping, on the thread of the timer. Tasks that are due do not wait for
   * it.
   *
   * @return an executor that drops tasks once the timer is closed
   */
  Executor housekeeping();

  /**
   * Waits until something is due, and runs it. Tasks run on this thread, or on the timer's if
   * another one waits or runs there.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void runDue() throws InterruptedException;
}
