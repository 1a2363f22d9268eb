package dev.purgatory.benchmarks.timer;

import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.server.util.timer.TimerTask;

/** Whatever timer the class path has under Kafka's names, with the thread that drives its clock. */
final class KafkaTimer implements BareTimer {
  private final Timer timer = new SystemTimerReaper("bench-reaper", new SystemTimer("bench"));

  @Override
  public Object add(long millis) {
    Task task = new Task(millis);
    timer.add(task);
    return task;
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
      throw new IllegalStateException("Kafka's timer could not be closed", e);
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
