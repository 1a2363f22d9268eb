package dev.purgatory.kafka.versus;

import java.util.List;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.timer.SystemTimer;

/** Measures how many operations a purgatory without timeouts counts as delayed. */
final class TimerlessProbe {
  private static final int PURGE_INTERVAL = 1000;

  private TimerlessProbe() {}

  /** Returns the number of delayed operations while one operation is held. */
  static int numDelayed() throws Exception {
    DelayedOperationPurgatory<HeldRequest> purgatory =
        new DelayedOperationPurgatory<>(
            "timerless",
            new SystemTimer("timerless"),
            0,
            PURGE_INTERVAL,
            /* reaperEnabled= */ false,
            /* timerEnabled= */ false);
    try {
      purgatory.tryCompleteElseWatch(new HeldRequest(1), List.of(new HeldRequest.Key("key")));
      if (purgatory.watched() != 1) {
        throw new IllegalStateException(purgatory.watched() + " watched");
      }
      return purgatory.numDelayed();
    } finally {
      purgatory.shutdown();
    }
  }
}
