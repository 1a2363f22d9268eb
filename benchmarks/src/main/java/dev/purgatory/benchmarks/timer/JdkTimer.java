package dev.purgatory.benchmarks.timer;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

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
  public void schedule(long nanos, Runnable task) {
    TimerTask wrapped =
        new TimerTask() {
          @Override
          public void run() {
            task.run();
          }
        };
    timer.schedule(wrapped, wholeMillis(nanos));
  }

  /** Rounds up, so that no timeout is early. */
  static long wholeMillis(long nanos) {
    return Math.max(0, Math.floorDiv(nanos - 1, TimeUnit.MILLISECONDS.toNanos(1)) + 1);
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
