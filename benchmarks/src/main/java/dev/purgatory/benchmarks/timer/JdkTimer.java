package dev.purgatory.benchmarks.timer;

import java.util.Timer;
import java.util.TimerTask;

/** {@code java.util.Timer}. Cancelled tasks remain in its heap until they are due. */
@SuppressWarnings("JdkObsolete") // the subject of the measurement
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
