package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Covers the behavior that brokers rely on when they use Kafka's timers without a purgatory. */
class SystemTimerTest {
  private static final long LONG_MS = TimeUnit.HOURS.toMillis(1);
  private static final long PATIENCE_S = 30;

  private final SystemTimer timer = new SystemTimer("test");
  private final BlockingQueue<TimerTask> runs = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    timer.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void taskWithoutDelayRunsEvenWithoutAdvancingTheClock(long delayMs) throws Exception {
    TimerTask task = new Task(delayMs);

    timer.add(task);

    assertThat(runs.poll(PATIENCE_S, TimeUnit.SECONDS)).isSameAs(task);
    assertThat(timer.size()).isZero();
  }

  @Test
  void taskWithDelayRunsOnceTheClockIsAdvanced() throws Exception {
    TimerTask task = new Task(1);

    timer.add(task);
    assertThat(timer.size()).isOne();
    assertThat(timer.advanceClock(LONG_MS)).isTrue();

    assertThat(runs.poll(PATIENCE_S, TimeUnit.SECONDS)).isSameAs(task);
    assertThat(timer.size()).isZero();
  }

  @Test
  void taskThatCannotBeHandedOverRunsOnTheThreadOfTheClock() throws Exception {
    SystemTimer without =
        new SystemTimer("without memory") {
          @Override
          public void execute(Runnable task) {
            throw new OutOfMemoryError("expected by the test");
          }
        };
    TimerTask task = new Task(1);

    without.add(task);
    assertThat(without.advanceClock(LONG_MS)).isTrue();

    assertThat(runs).containsExactly(task);
    without.close();
  }

  @Test
  void cancelledTaskIsUnreachableAtOnce() {
    WeakReference<TimerTask> cancelled = addAndCancel();

    assertThat(timer.size()).isZero();
    for (int i = 0; i < 100 && cancelled.get() != null; i++) {
      System.gc();
    }
    assertThat(cancelled.get()).isNull();
  }

  private WeakReference<TimerTask> addAndCancel() {
    TimerTask task = new Task(LONG_MS);
    timer.add(task);
    task.cancel();
    return new WeakReference<>(task);
  }

  @Test
  void taskThatIsAddedTwiceIsScheduledOnce() {
    TimerTask task = new Task(LONG_MS);

    timer.add(task);
    timer.add(task);
    assertThat(timer.size()).isOne();
    assertThat(task.isCancelled()).isFalse();

    task.cancel();
    assertThat(timer.size()).isZero();
    assertThat(task.isCancelled()).isTrue();
  }

  /** Records each run. */
  private final class Task extends TimerTask {
    Task(long delayMs) {
      super(delayMs);
    }

    @Override
    public void run() {
      runs.add(this);
    }
  }
}
