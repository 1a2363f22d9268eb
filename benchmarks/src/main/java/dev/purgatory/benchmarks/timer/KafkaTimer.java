package dev.purgatory.benchmarks.timer;

import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/** The timer with Kafka's class names on the class path, with the thread that drives its clock. */
final class KafkaTimer implements BareTimer {
  private final Timer timer = new SystemTimerReaper("bench-reaper", new SystemTimer("bench"));

  @Override
  public Object add(long millis) {
    Task task = new Task(millis);
    timer.add(task);
    return task;
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    timer.add(new Scheduled(task, wholeMillis(nanos)));
  }

  /** Rounds up, so that no timeout is early. */
  private static long wholeMillis(long nanos) {
    return Math.max(0, Math.floorDiv(nanos - 1, TimeUnit.MILLISECONDS.toNanos(1)) + 1);
  }

  @Override
  public void cancel(Object added) {
    ((Task) added).cancel();
  }

  @Override
  public void close() {
    try {
      timer.close();
    } catch (Exception e) {
      throw new IllegalStateException("cannot close Kafka's timer", e);
    }
  }

  private static final class Scheduled extends TimerTask {
    private final Runnable task;

    Scheduled(Runnable task, long millis) {
      super(millis);
      this.task = task;
    }

    @Override
    public void run() {
      task.run();
    }
  }

  private static final class Task extends TimerTask {
    Task(long millis) {
      super(millis);
    }

    @Override
    public void run() {}
  }
}
