package dev.purgatory.kafka;

import dev.purgatory.timer.Timer;
import java.util.concurrent.Executor;

/** A timer of Kafka's that is one of the core. It executes what is due. */
public interface CoreTimer extends Executor {

  /**
   * Returns the timer of the core.
   *
   * @return the timer itself
   */
  Timer coreTimer();
}
