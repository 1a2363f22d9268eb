package dev.purgatory.kafka.versus;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * Counts operations that are still held although their event was reported. Each event comes at the
 * worst moment: another thread reports it while the purgatory checks the operation, just after the
 * operation has found that its event has not happened.
 */
final class WakeUpProbe {
  static final int OPERATIONS = 3000;

  /** An addition checks an operation before and after it watches it; a third check needs a call. */
  private static final int CHECKS = 3;

  private static final long POLL_NS = 1000;
  private static final long HOUR_MS = 3_600_000;
  private static final List<HeldRequest.Key> KEYS =
      List.of(new HeldRequest.Key("a"), new HeldRequest.Key("b"));

  private final DelayedOperationPurgatory<HeldRequest> purgatory =
      new DelayedOperationPurgatory<>("wake-ups", 0);

  private WakeUpProbe() {}

  /** Returns the number of lost wake-ups. */
  static long lost() throws Exception {
    return new WakeUpProbe().measure();
  }

  private long measure() throws Exception {
    long lost = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      Surprised operation = new Surprised(i % CHECKS + 1);
      purgatory.tryCompleteElseWatch(operation, KEYS);
      if (operation.surprise == CHECKS) {
        purgatory.checkAndComplete(KEYS.get(0));
      }
      operation.event.join();
      lost += operation.isCompleted() ? 0 : 1;
    }
    purgatory.shutdown();
    return lost;
  }

  private final class Surprised extends HeldRequest {
    final int surprise;
    final Thread event = new Thread(this::report, "event");
    private int checks;

    /** Creates an operation whose event comes during the given check. */
    Surprised(int surprise) {
      super(HOUR_MS);
      this.surprise = surprise;
    }

    private void report() {
      answerable();
      purgatory.checkAndComplete(KEYS.get(1));
    }

    @Override
    public boolean tryComplete() {
      boolean completed = super.tryComplete();
      if (++checks == surprise) {
        event.start();
        while (event.isAlive() && event.getState() != Thread.State.WAITING) { // for the lock
          LockSupport.parkNanos(POLL_NS);
        }
      }
      return completed;
    }
  }
}
