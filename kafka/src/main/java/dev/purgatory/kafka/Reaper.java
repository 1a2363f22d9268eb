package dev.purgatory.kafka;

import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.jspecify.annotations.Nullable;

/**
 * Advances the clock of a timer. With a {@link CoreTimer} it sleeps until something is due, else it
 * looks five times a second.
 */
public final class Reaper extends ShutdownableThread {
  private static final long POLL_MS = 200;

  private final Timer timer;
  private final dev.purgatory.timer.@Nullable Timer coreTimer;
  private final boolean sleepsUntilDue;

  /**
   * Creates the thread; it is to be started.
   *
   * @param name the name of the thread
   * @param timer whose clock it advances
   */
  public Reaper(String name, Timer timer) {
    this(name, timer, null);
  }

  /**
   * Creates the thread; it is to be started.
   *
   * @param name the name of the thread
   * @param timer whose clock it advances
   * @param coreTimer whose clock it advances too if the timer is not a {@link CoreTimer}
   */
  public Reaper(String name, Timer timer, dev.purgatory.timer.@Nullable Timer coreTimer) {
    super(name, /* isInterruptible= */ timer instanceof CoreTimer);
    this.timer = timer;
    this.sleepsUntilDue = timer instanceof CoreTimer;
    this.coreTimer = sleepsUntilDue ? null : coreTimer;
  }

  /** Neither an interrupt nor an error ends the thread; only {@link #initiateShutdown} does. */
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
   * Ends the thread and waits for that.
   *
   * @throws InterruptedException if the caller is interrupted while it waits
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
