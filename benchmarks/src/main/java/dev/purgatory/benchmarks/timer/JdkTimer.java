package dev.purgatory.benchmarks.timer;

import java.util.Timer;
import java.util.TimerTask;

/** The JDK's first timer. What is cancelled stays in its heap until its time. */
@SuppressWarnings("JdkObsolete") // To be compared with.
final class JdkTimer implements BareTimer {
  private final Timer timer = new Timer("bench-timer", true);

  @Override
  public Object add(long millis) {
    TimerTask task =
        new TimerTask() {
          @Override
          public void run() {}
        };
    timer.schedule(task, millis);
    return task;
  }

  @Override
  public void cancel(Object added) {
    ((TimerTask) added).cancel();
  }

  @Override
  public void close() {
    timer.cancel();
  }
}
