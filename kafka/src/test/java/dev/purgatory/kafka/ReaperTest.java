package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads and the order of the tasks of a timer whose clock a reaper advances. */
@Timeout(60)
class ReaperTest {
  private static final String EXECUTOR = SystemTimer.SYSTEM_TIMER_THREAD_PREFIX + "test";

  private final SystemTimer timer = new SystemTimer("test");
  private final Reaper reaper = new Reaper("reaper", timer, null);

  /** The names of tasks, in the order in which they end, with the threads that ran them. */
  private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  @BeforeEach
  void start() {
    reaper.start();
  }

  @AfterEach
  void end() throws Exception {
    released.countDown();
    reaper.end();
    timer.close();
  }

  @Test
  void runsATaskThatIsDue() throws Exception {
    add(1, "due", () -> {});

    assertThat(ends.take()).isEqualTo("due on reaper");
    assertThat(timer.size()).isZero();
  }

  @Test
  void goesOnAfterATaskThatThrows() throws Exception {
    add(
        1,
        "throws",
        () -> {
          throw new AssertionError("expected by the test");
        });
    add(5, "next", () -> {});

    assertThat(ends.take()).isEqualTo("next on reaper");
  }

  /** As on Kafka's executor. A thread that is interrupted closes the files that it reads. */
  @Test
  void interruptOfATaskEndsWithIt() throws Exception {
    add(1, "interrupts", () -> Thread.currentThread().interrupt());
    add(
        1,
        "next",
        () -> {
          if (Thread.currentThread().isInterrupted()) {
            ends.add("interrupted");
          }
        });

    assertThat(ends.take()).isEqualTo("interrupts on reaper");
    assertThat(ends.take()).isEqualTo("next on reaper");
  }

  /** As on Kafka's executor, which has one thread. */
  @Test
  void tasksRunOneAfterAnotherInTheirOrder() throws Exception {
    add(0, "handed over", this::block);
    begun.await();
    add(1, "due", () -> {});
    awaitEmptyWheels();
    TimeUnit.MILLISECONDS.sleep(20);
    add(0, "last", () -> {});

    assertThat(ends).isEmpty();
    released.countDown();
    assertThat(ends.take()).isEqualTo("handed over on " + EXECUTOR);
    assertThat(ends.take()).isEqualTo("due on " + EXECUTOR);
    assertThat(ends.take()).isEqualTo("last on " + EXECUTOR);
  }

  @Test
  void taskWithoutDelayWaitsForTheOneThatTheReaperRuns() throws Exception {
    add(1, "due", this::block);
    begun.await();
    add(0, "handed over", () -> {});
    TimeUnit.MILLISECONDS.sleep(20);

    assertThat(ends).isEmpty();
    released.countDown();
    assertThat(ends.take()).isEqualTo("due on reaper");
    assertThat(ends.take()).isEqualTo("handed over on " + EXECUTOR);
  }

  @Test
  void taskThatAnotherOneAddsRunsAfterIt() throws Exception {
    add(1, "first", () -> add(0, "second", () -> {}));

    assertThat(ends.take()).isEqualTo("first on reaper");
    assertThat(ends.take()).isEqualTo("second on " + EXECUTOR);
  }

  /** An interrupt would close the files that the task may be reading. */
  @Test
  void endWaitsForTheTaskWithoutInterruptingIt() throws Exception {
    add(
        1,
        "sleeps",
        () -> {
          begun.countDown();
          TimeUnit.MILLISECONDS.sleep(100);
        });
    begun.await();

    reaper.end();

    assertThat(reaper.isShutdownComplete()).isTrue();
    assertThat(ends.take()).isEqualTo("sleeps on reaper");
  }

  @Test
  void aTaskMayEndTheReaper() throws Exception {
    add(1, "ends", reaper::end);

    assertThat(ends.take()).isEqualTo("ends on reaper");
    reaper.join();
  }

  @Test
  void noTaskRunsAfterTheTimerWasClosed() throws Exception {
    timer.close();
    add(1, "late", () -> {});

    awaitEmptyWheels();
    reaper.end();
    assertThat(timer.size()).isZero();
    assertThat(ends).isEmpty();
  }

  private void awaitEmptyWheels() throws InterruptedException {
    while (timer.size() > 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private void block() throws InterruptedException {
    begun.countDown();
    released.await();
  }

  private interface Body {
    void run() throws Exception;
  }

  private void add(long delayMs, String name, Body body) {
    timer.add(
        new TimerTask(delayMs) {
          @Override
          public void run() {
            try {
              body.run();
            } catch (Exception e) {
              throw new AssertionError(e);
            }
            ends.add(name + " on " + Thread.currentThread().getName());
          }
        });
  }
}
