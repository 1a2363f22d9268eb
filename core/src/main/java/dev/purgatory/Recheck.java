package dev.purgatory;

import dev.purgatory.timer.Timeout;
import dev.purgatory.wheel.Retry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Evaluates a request periodically, for a condition that changes without a signal. */
final class Recheck extends Attachment implements Runnable {

  /*
   * A run schedules the next one when it has evaluated the request, a period later. Between the moment when
   * it is due and its beginning it belongs to an executor, which may drop it. So a second timeout is
   * scheduled first, which hands the run over again, and which the run replaces when it begins.
   *
   * `next` is replaced in one step, and the thread that replaces a timeout cancels it: however often a run
   * was handed over, at most one timeout is left.
   *
   * A thread that schedules writes `next` and then reads `ended`; `end` writes `ended` and then reads
   * `next`. So at least one of them cancels the last timeout.
   *
   * Without memory to schedule a run, the clock tries again: see Retry.
   */

  /** When to hand over again, if an executor has not begun the run. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Registration registration;
  private final Core<?> core;
  private final long periodNanos;
  private final AtomicReference<@Nullable Timeout> next = new AtomicReference<>();
  private volatile boolean ended;

  private final Retry retry;

  /** The next run is due. An executor may run a task twice. */
  private final AtomicBoolean due = new AtomicBoolean();

  /**
   * The term of a request that is evaluated periodically.
   *
   * @param periodNanos the period, positive
   */
  record Every(long periodNanos) implements Term {
    @Override
    public @Nullable Term merged(Term later) {
      return later instanceof Every ? later : null;
    }

    @Override
    public void begin(Registration registration, Core<?> core) {
      try {
        Recheck recheck = new Recheck(registration, core, periodNanos);
        recheck.schedule(periodNanos);
        registration.attach(recheck);
      } catch (IllegalStateException e) {
        if (!core.isClosed()) { // else Core#hold ends the request
          throw core.timer().isClosed() ? core.closedException() : e;
        }
      }
    }
  }

  private Recheck(Registration registration, Core<?> core, long periodNanos) {
    this.registration = registration;
    this.core = core;
    this.periodNanos = periodNanos;
    this.retry = Retry.of(core.wheels(), () -> scheduleUnlessClosed(periodNanos));
  }

  private void schedule(long nanos) {
    cancel(next.getAndSet(core.timer().schedule(this::due, Duration.ofNanos(nanos))));
    if (ended) {
      end();
    }
  }

  private static void cancel(@Nullable Timeout timeout) {
    if (timeout != null) {
      timeout.cancel();
    }
  }

  /** Called by the timer. */
  private void due() {
    due.set(true);
    try {
      scheduleUnlessClosed(Math.max(periodNanos, LOST_NANOS));
    } finally {
      core.answers().recheckSoon(registration, this);
    }
  }

  @Override
  public void run() {
    if (!due.compareAndSet(true, false)) {
      return;
    }
    if (registration.wasHeld()) {
      registration.evaluate(null);
    }
    scheduleUnlessClosed(periodNanos);
  }

  private void scheduleUnlessClosed(long nanos) {
    try {
      if (!ended) {
        schedule(nanos);
      }
    } catch (OutOfMemoryError e) {
      retry.later();
    } catch (IllegalStateException e) {
      if (!core.timer().isClosed()) {
        throw e;
      }
      // Nothing is evaluated periodically any more. The purgatory may be closing with its timer.
    }
  }

  @Override
  void end() {
    ended = true;
    cancel(next.get());
  }
}
