package dev.purgatory;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Evaluates a request periodically, for a condition that changes without a signal. */
final class Recheck extends Attachment implements Runnable {

  /*
   * `run` writes `next` and then reads `ended`; `end` writes `ended` and then reads `next`. So at least one
   * of them cancels the last timeout.
   */

  private final Registration registration;
  private final Timer timer;
  private final Callbacks callbacks;
  private final long periodNanos;
  private volatile @Nullable Timeout next;
  private volatile boolean ended;

  /** The next run is due. An executor may run a task twice. */
  private final AtomicBoolean due = new AtomicBoolean();

  Recheck(Registration registration, Timer timer, Callbacks callbacks, long periodNanos) {
    this.registration = registration;
    this.timer = timer;
    this.callbacks = callbacks;
    this.periodNanos = periodNanos;
  }

  void begin() {
    schedule();
    registration.attach(this);
  }

  private void schedule() {
    next = timer.schedule(this::due, periodNanos, TimeUnit.NANOSECONDS);
    if (ended) {
      end();
    }
  }

  /** Called by the timer. */
  private void due() {
    due.set(true);
    callbacks.runSoon(registration, this);
  }

  @Override
  public void run() {
    if (!due.compareAndSet(true, false)) {
      return;
    }
    boolean unused = registration.wasHeld() && registration.evaluate();
    if (!ended) {
      schedule();
    }
  }

  @Override
  void end() {
    ended = true;
    Timeout last = next;
    if (last != null) {
      boolean unused = last.cancel();
    }
  }
}
