package dev.purgatory.executor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.timer.Timer;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever ends a thread or a task, the next delayed task runs. */
@Timeout(120)
class ThreadsThatDieTest {
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final Timer shared = Timer.builder().start("clock");

  @AfterEach
  void close() {
    shared.close();
  }

  private Thread keep(Thread thread) {
    threads.add(thread);
    return thread;
  }

  private static void assertNextRuns(WheelScheduledExecutor executor) throws Exception {
    assertThat(executor.schedule(() -> "next", 5, MILLISECONDS).get(30, SECONDS)).isEqualTo("next");
    assertThat(executor.submit(() -> "next").get(30, SECONDS)).isEqualTo("next");
  }

  private static void stop(WheelScheduledExecutor executor) throws InterruptedException {
    executor.shutdownNow();
    assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
  }

  /** Its first threads throw before they run what they were made for. */
  private ThreadFactory throwingAtFirst(int first) {
    AtomicInteger made = new AtomicInteger();
    return task -> {
      boolean throwing = made.getAndIncrement() < first;
      Runnable run =
          () -> {
            if (throwing) {
              throw new ExpectedError();
            }
            task.run();
          };
      Thread thread = keep(new Thread(run));
      thread.setUncaughtExceptionHandler((where, error) -> {});
      return thread;
    };
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "2, 2", "2, 5"})
  void threadThatThrowsBeforeItRuns_isReplaced(int most, int throwing) throws Exception {
    WheelScheduledExecutor executor = new WheelScheduledExecutor(most, throwingAtFirst(throwing));
    ScheduledFuture<String> before = executor.schedule(() -> "before", 1, MILLISECONDS);
    for (int i = 0; i < throwing; i++) {
      threads.get(threads.size() - 1).join();
      var unused = executor.schedule(() -> {}, 1, MILLISECONDS);
    }
    assertNextRuns(executor);
    assertThat(before.get(30, SECONDS)).isEqualTo("before");
    stop(executor);
  }

  @Test
  void relayThatThrowsBeforeItRuns_isReplaced() throws Exception {
    WheelScheduledExecutor executor =
        WheelScheduledExecutor.builder()
            .executor(Runnable::run)
            .threadFactory(throwingAtFirst(1))
            .build();
    ScheduledFuture<String> before = executor.schedule(() -> "before", 1, MILLISECONDS);
    threads.get(0).join();
    assertNextRuns(executor);
    assertThat(before.get(30, SECONDS)).isEqualTo("before");
    stop(executor);
  }

  @Test
  void threadThatCannotBeStarted_isReplaced() throws Exception {
    ThreadFactory factory =
        task ->
            keep(
                new Thread(task) {
                  @Override
                  public synchronized void start() {
                    if (threads.size() == 1) {
                      throw new OutOfMemoryError("expected: no native thread");
                    }
                    super.start();
                  }
                });
    WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
    assertThatThrownBy(() -> executor.schedule(() -> {}, 1, MILLISECONDS))
        .isInstanceOf(OutOfMemoryError.class);
    assertNextRuns(executor);
    stop(executor);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void taskThatThrowsAnError_endsNothingElse(int most) throws Exception {
    WheelScheduledExecutor executor = new WheelScheduledExecutor(most, Thread::new);
    AtomicInteger beats = new AtomicInteger();
    var unused = executor.scheduleAtFixedRate(beats::incrementAndGet, 1, 1, MILLISECONDS);
    for (Error error : List.of(new OutOfMemoryError("expected"), new ExpectedError())) {
      Callable<String> throwing =
          () -> {
            throw error;
          };
      assertThatThrownBy(() -> executor.schedule(throwing, 1, MILLISECONDS).get(30, SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCause(error);
      assertNextRuns(executor);
      int before = beats.get();
      while (beats.get() == before) { // until the test times out
        Thread.sleep(1);
      }
    }
    stop(executor);
  }

  @Test
  void handlerThatThrowsAnError_endsNothingElse() throws Exception {
    ThreadFactory factory =
        task -> {
          Thread thread = keep(new Thread(task));
          thread.setUncaughtExceptionHandler(
              (where, error) -> {
                throw new OutOfMemoryError("expected");
              });
          return thread;
        };
    WheelScheduledExecutor executor = new WheelScheduledExecutor(1, factory);
    executor.execute(
        () -> {
          throw new ExpectedError();
        });
    assertNextRuns(executor);
    assertThat(threads).hasSize(1);
    stop(executor);
  }

  @Test
  void factoryThatThrowsAnError_rejectsOnlyWithoutThreads() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    ThreadFactory factory =
        task -> {
          if (failures.getAndDecrement() > 0) {
            throw new OutOfMemoryError("expected");
          }
          return keep(new Thread(task));
        };
    WheelScheduledExecutor executor = new WheelScheduledExecutor(2, factory);
    assertNextRuns(executor);
    failures.set(1);
    assertNextRuns(executor);
    stop(executor);
  }

  @Test
  void executorThatThrowsAnError_losesNoPeriodicTask() throws Exception {
    AtomicInteger failures = new AtomicInteger(2);
    Executor other =
        task -> {
          if (failures.getAndDecrement() > 0) {
            throw new OutOfMemoryError("expected");
          }
          task.run();
        };
    WheelScheduledExecutor executor =
        WheelScheduledExecutor.builder().timer(shared).executor(other).build();
    AtomicInteger beats = new AtomicInteger();
    var unused = executor.scheduleAtFixedRate(beats::incrementAndGet, 1, 1, MILLISECONDS);
    while (beats.get() == 0) { // until the test times out
      Thread.sleep(1);
    }
    assertThat(executor.refused()).isEqualTo(2);
    assertNextRuns(executor);
    stop(executor);
  }

  /** Later JDKs cannot stop threads. */
  @SuppressWarnings({"deprecation", "removal"})
  @Test
  @EnabledForJreRange(max = JRE.JAVA_19)
  void idleThreadThatIsStopped_goesOn() throws Exception {
    WheelScheduledExecutor executor = new WheelScheduledExecutor(1, task -> keep(new Thread(task)));
    for (int i = 0; i < 3; i++) {
      assertNextRuns(executor);
      while (threads.get(0).getState() != Thread.State.TIMED_WAITING) {
        Thread.sleep(1);
      }
      threads.get(0).stop();
    }
    assertNextRuns(executor);
    stop(executor);
  }

  /** See {@link ScarceMemory}. */
  @ParameterizedTest
  @CsvSource({"one, 0", "two, 0", "two, 2000", "relay, 2000"})
  void memoryThatEndsNowAndThen_losesNoTask(String kind, String warmUpMillis) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx24m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path")
                    + File.pathSeparator
                    + System.getProperty("jdk.module.path", ""),
                ScarceMemory.class.getName(),
                kind,
                warmUpMillis)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).describedAs(output).isZero();
  }

  private static final class ExpectedError extends Error {
    private static final long serialVersionUID = 1;

    ExpectedError() {
      super("expected");
    }
  }
}
