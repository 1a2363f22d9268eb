package dev.purgatory.timer;

/** Keeps a timer's clock going: sleeps until something is due, fires it, and so on. */
final class ClockThread implements Runnable {
  private final Timer timer;

  ClockThread(Timer timer) {
    this.timer = timer;
  }

  /** Runs until the timer is closed. Neither an interrupt nor an error ends it before. */
  @Override
  public void run() {
    while (!timer.isClosed()) {
      try {
        if (timer.awaitDue(Long.MAX_VALUE)) {
          timer.advance();
        }
      } catch (InterruptedException e) {
        // Not a way to stop this thread: the status is cleared, and the loop looks for close().
      } catch (Throwable e) {
        timer.report(e);
      }
    }
  }
}
