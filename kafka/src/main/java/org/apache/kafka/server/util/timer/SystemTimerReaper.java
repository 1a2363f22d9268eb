package org.apache.kafka.server.util.timer;

import dev.purgatory.kafka.Reaper;

/** A timer with a thread that advances its clock. */
@SuppressWarnings("try") // Kafka's signature of close()
public class SystemTimerReaper implements Timer {
  private final Timer timer;
  private final Reaper reaper;

  /**
   * Creates the timer and starts its thread.
   *
   * @param reaperThreadName the name of the thread
   * @param timer the timer whose clock the thread advances; closed together with this one
   */
  public SystemTimerReaper(String reaperThreadName, Timer timer) {
    this.timer = timer;
    this.reaper = new Reaper(reaperThreadName, timer, null);
    this.reaper.start();
  }

  @Override
  public void add(TimerTask timerTask) {
    timer.add(timerTask);
  }

  @Override
  public boolean advanceClock(long timeoutMs) throws InterruptedException {
    return timer.advanceClock(timeoutMs);
  }

  @Override
  public int size() {
    return timer.size();
  }

  @Override
  public void close() throws Exception {
    reaper.end();
    timer.close();
  }

  // Used by Kafka's tests.
  boolean isShutdown() {
    return reaper.isShutdownComplete();
  }
}
