package dev.purgatory.kafka.versus;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/** Unusual uses of a timer without a purgatory. */
final class TimerUses {
  private TimerUses() {}

  static String cancelledBeforeAdded() {
    SystemTimer timer = new SystemTimer("unusual");
    Task task = new Task(RecordedRequest.LONG_MS);
    task.cancel();
    timer.add(task);
    String added = task.isCancelled() + ", " + timer.size();
    task.cancel();
    task.cancel();
    String cancelled = task.isCancelled() + ", " + timer.size();
    timer.close();
    timer.close();
    return added + ", " + cancelled;
  }

  static String twoTimers() {
    SystemTimer first = new SystemTimer("first");
    SystemTimer second = new SystemTimer("second");
    Task task = new Task(RecordedRequest.LONG_MS);
    first.add(task);
    second.add(task);
    String added = first.size() + ", " + second.size();
    task.cancel();
    first.close();
    second.close();
    return added + ", " + first.size() + ", " + second.size();
  }

  static String taskThrows() throws Exception {
    Timer timer = new SystemTimerReaper("reaper", new SystemTimer("unusual"));
    timer.add(
        new TimerTask(0) {
          @Override
          public void run() {
            throw new IllegalArgumentException();
          }
        });
    Task next = new Task(1);
    timer.add(next);
    boolean ran = next.ran.await(RecordedRequest.PATIENCE_S, TimeUnit.SECONDS);
    timer.close(); // Kafka's leaves a task of its own in the timer, now and then
    return "" + ran;
  }

  static String addedAfterClose() {
    SystemTimer timer = new SystemTimer("unusual");
    timer.close();
    timer.add(new Task(RecordedRequest.LONG_MS));
    return "" + timer.size();
  }

  static String advancedByNegativeTime() throws Exception {
    SystemTimer timer = new SystemTimer("unusual");
    timer.add(new Task(RecordedRequest.LONG_MS));
    boolean advanced = timer.advanceClock(-1) || timer.advanceClock(Long.MIN_VALUE);
    timer.close();
    return advanced + ", " + timer.size();
  }

  private static final class Task extends TimerTask {
    final CountDownLatch ran = new CountDownLatch(1);

    Task(long delayMs) {
      super(delayMs);
    }

    @Override
    public void run() {
      ran.countDown();
    }
  }
}
