package dev.purgatory.kafka;

import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * A thread that advances the clock of a timer. On a {@link CoreTimer} it sleeps until a task is
 * due; on any other timer it polls five times per second.
 */
public final class Reaper extends ShutdownableThread {
  private static final long POLL_MS = 200;

  private final Timer timer;
  private final dev.purgatory.timer.@Nullable Timer coreTimer;
  private final boolean sleepsUntilDue;

  /**
   * Creates the thread without starting it.
   *
   * @param name the name of the thread
   * @param timer the timer whose clock the thread advances
   */
  public Reaper(String name, Timer timer) {
    this(name, timer, null);
  }

  /**
   * Creates the thread without starting it.
   *
   * @param name the name of the thread
   * @param timer the timer whose clock the thread advances
   * @param coreTimer a second timer whose clock the thread advances, used only if the first one is
   *     not a {@link CoreTimer}
   */
  public Reaper(String name, Timer timer, dev.purgatory.timer.@Nullable Timer coreTimer) {
    super(name, /* isInterruptible= */ timer instanceof CoreTimer);
    this.timer = timer;
    this.sleepsUntilDue = timer instanceof CoreTimer;
    this.coreTimer = sleepsUntilDue ? null : coreTimer;
  }

  /** Survives interrupts and errors: only {@link #initiateShutdown} ends the thread. */
  @Override
  public void doWork() {
    try {
      timer.advanceClock(sleepsUntilDue ? Long.MAX_VALUE : POLL_MS);
      if (coreTimer != null) {
        coreTimer.advance();
      }
    } catch (InterruptedException e) {
      log.debug("Interrupted", e);
    } catch (Throwable e) {
      log.error("The clock could not be advanced", e);
    }
  }

  /**
   * Ends the thread and waits until it has terminated.
   *
   * @throws InterruptedException if the caller is interrupted while waiting
   */
  public void end() throws InterruptedException {
    initiateShutdown();
    if (!sleepsUntilDue) {
      timer.add(new WakeUp());
    }
    awaitShutdown();
  }

  private static final class WakeUp extends TimerTask {
    WakeUp() {
      super(0);
    }

    @Override
    public void run() {}
  }
}
