package dev.purgatory.kafka;

import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Advances the clock of a timer. With a timer of the core it sleeps until something is due, else it
 * looks five times a second.
 */
public final class Reaper extends ShutdownableThread {
  private static final long POLL_MS = 200;

  private final Timer timer;
  private final boolean sleepsUntilDue;

  /**
   * Creates the thread; it is to be started.
   *
   * @param name the name of the thread
   * @param timer whose clock it advances
   */
  public Reaper(String name, Timer timer) {
    super(name, /* isInterruptible= */ timer instanceof CoreTimer);
    this.timer = timer;
    this.sleepsUntilDue = timer instanceof CoreTimer;
  }

  /** Neither an interrupt nor an error ends the thread; only {@link #initiateShutdown} does. */
  @Override
  public void doWork() {
    try {
      timer.advanceClock(sleepsUntilDue ? Long.MAX_VALUE : POLL_MS);
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
