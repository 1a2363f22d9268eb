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
 * What a timer keeps of cancelled tasks, long before their time is up. Kafka's group coordinator,
 * share groups and remote fetches use timers in this way, without a purgatory.
 */
final class CancelledTasksProbe {
  static final int TASKS = 20_000;
  static final int BYTES_PER_TASK = 10_000;

  private CancelledTasksProbe() {}

  /**
   * Adds all tasks, cancels them, and collects garbage.
   *
   * @return what the timer keeps
   */
  static Kept measure() throws Exception {
    Timer timer = new SystemTimerReaper("reaper", new SystemTimer("cancelled"));
    try {
      long before = Collection.usedBytes();
      List<WeakReference<Task>> tasks =
          Stream.generate(() -> addAndForget(timer)).limit(TASKS).toList();
      cancelAll(tasks);
      return new Kept(
          Collection.countReachable(tasks), Collection.usedBytes() - before, timer.size());
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
        throw new IllegalStateException("the timer has lost a task that waits");
      }
      task.cancel();
    }
  }

  /** The tasks that are still reachable, the growth of the heap, and the timer's own count. */
  record Kept(long reachable, long bytes, long size) {}

  private static final class Task extends TimerTask {
    @SuppressWarnings("unused") // It only takes memory.
    private final byte[] request = new byte[BYTES_PER_TASK];

    Task() {
      super(TimeUnit.MINUTES.toMillis(1));
    }

    @Override
    public void run() {}
  }
}
