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
}
