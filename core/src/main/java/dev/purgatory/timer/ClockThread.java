package dev.purgatory.timer;

/** Drives a timer's clock: sleeps until an entry is due, and fires it. */
final class ClockThread implements Runnable {
  private final Timer timer;

  ClockThread(Timer timer) {
    this.timer = timer;
  }

  /** Runs until the timer is closed. Interrupts and errors do not end it. */
  @Override
  public void run() {
    while (!timer.isClosed()) {
      try {
        if (timer.awaitDue(Long.MAX_VALUE)) {
          timer.advance();
        }
      } catch (InterruptedException e) {
        // Only close() ends this thread. The interrupt status is cleared.
      } catch (Throwable e) {
        timer.report(e);
      }
    }
  }
}
