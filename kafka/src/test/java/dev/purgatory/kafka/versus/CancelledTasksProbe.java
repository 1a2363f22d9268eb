package dev.purgatory.kafka.versus;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Measures how much memory a timer retains for cancelled tasks, long before they are due. Kafka's
 * group coordinator, share groups and remote fetches use timers in this way, without a purgatory.
 */
final class CancelledTasksProbe {
  static final int TASKS = 20_000;
  static final int BYTES_PER_TASK = 10_000;

  private CancelledTasksProbe() {}

  /**
   * Adds all tasks, cancels them, and collects garbage.
   *
   * @return what the timer retains
   */
  static Retained measure() throws Exception {
    Timer timer = new SystemTimerReaper("reaper", new SystemTimer("cancelled"));
    try {
      long before = GarbageCollection.usedBytes();
      List<WeakReference<Task>> tasks =
          Stream.generate(() -> addAndForget(timer)).limit(TASKS).toList();
      cancelAll(tasks);
      return new Retained(
          GarbageCollection.countReachable(tasks),
          GarbageCollection.usedBytes() - before,
          timer.size());
    } finally {
      timer.close();
    }
  }

  private static WeakReference<Task> addAndForget(Timer timer) {
    Task task = new Task();
    timer.add(task);
    return new WeakReference<>(task);
  }

  private static void cancelAll(List<WeakReference<Task>> tasks) {
    for (WeakReference<Task> reference : tasks) {
      Task task = reference.get();
      if (task == null) {
        throw new IllegalStateException("the timer has lost a pending task");
      }
      task.cancel();
    }
  }

  /** The tasks that are still reachable, the growth of the heap, and the timer's own count. */
  record Retained(long reachable, long bytes, long size) {}

  private static final class Task extends TimerTask {
    @SuppressWarnings("unused") // only occupies memory
    private final byte[] request = new byte[BYTES_PER_TASK];

    Task() {
      super(TimeUnit.MINUTES.toMillis(1));
    }

    @Override
    public void run() {}
  }
}
