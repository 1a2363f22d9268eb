package dev.purgatory.kafka;

import dev.purgatory.base.LastResort;
import dev.purgatory.timer.Timeout;
import java.time.Duration;
import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * A thread that advances the clock of a timer. On a {@link SystemTimer} it sleeps until a task is
 * due, and runs it; on any other timer it polls five times per second.
 */
public final class Reaper extends ShutdownableThread {
  private static final LastResort NOT_ADVANCED =
      LastResort.handler("The clock could not be advanced");

  private static final long POLL_MS = 200;
  private static final long END_TIMEOUT_MS = 5000;

  private final Timer timer;
  private final dev.purgatory.timer.@Nullable Timer coreTimer;

  /**
   * Creates the thread without starting it.
   *
   * @param name the name of the thread
   * @param timer the timer whose clock the thread advances
   * @param coreTimer a second timer whose clock the thread advances, used only if the first one is
   *     not a {@link SystemTimer}; null if there is none
   */
  public Reaper(String name, Timer timer, dev.purgatory.timer.@Nullable Timer coreTimer) {
    super(name, /* isInterruptible= */ false); // a task may read files, which an interrupt closes
    this.timer = timer;
    this.coreTimer = coreTimer;
  }

  /** Survives interrupts and errors: only {@link #initiateShutdown} ends the thread. */
  @Override
  public void doWork() {
    try {
      if (timer instanceof SystemTimer ours) {
        ours.runDue();
        return;
      }
      timer.advanceClock(POLL_MS);
      if (coreTimer != null) {
        coreTimer.advance();
      }
    } catch (InterruptedException e) {
      log.debug("Interrupted", e);
    } catch (Throwable e) {
      try {
        log.error("The clock could not be advanced", e);
      } catch (Throwable ignored) { // else the thread would end
        NOT_ADVANCED.accept(e);
      }
    }
  }

  /**
   * Ends the thread. Waits five seconds at most for a task that it runs, and then interrupts it, as
   * Kafka's timer does. Does not wait if such a task calls this.
   *
   * @throws InterruptedException if the caller is interrupted while waiting
   */
  public void end() throws InterruptedException {
    initiateShutdown();
    if (timer instanceof SystemTimer ours) {
      Timeout wakeUp = ours.coreTimer().schedule(() -> {}, Duration.ofNanos(0));
      awaitEnd();
      wakeUp.cancel();
    } else {
      awaitEnd(); // it polls
    }
  }

  private void awaitEnd() throws InterruptedException {
    if (Thread.currentThread() == this) {
      return;
    }
    join(END_TIMEOUT_MS);
    if (isAlive()) {
      interrupt();
    } else {
      awaitShutdown();
    }
  }
}
