package dev.purgatory.benchmarks.measure;

import static dev.purgatory.benchmarks.measure.MeasurementsTest.lowest;
import static dev.purgatory.benchmarks.measure.MeasurementsTest.measure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.jvm.NewThreads;
import dev.purgatory.benchmarks.jvm.ThreadWakeUps;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Measurements that other threads of the JVM would disturb. */
@ResourceLock(Resources.GLOBAL)
class QuietMeasurementsTest {
  @Test
  void measuresMemoryOfPendingAndCompletedOperations() throws Exception {
    Map<String, Double> core =
        measure(Measurements.MEMORY, "purgatory", "keys=1,3", "entries=3000");
    Map<String, Double> kafka = measure(Measurements.MEMORY, "kafka", "keys=3", "entries=3000");

    assertThat(core)
        .containsKeys("{keys=1} heap per pending operation", "{keys=3} allocation per operation")
        .containsEntry("{} still reachable after completion", 0.0);
    assertThat(kafka).containsEntry("{} still reachable after completion", 100.0);
  }

  @Test
  void idlePurgatoriesDoNotWakeUp() throws Exception {
    if (ThreadWakeUps.areKnown()) {
      assertThat(lowest("{purgatories=7} wake-ups", Measurements.IDLE, "purgatory", "length=200"))
          .isZero();
    } else {
      assertThat(measure(Measurements.IDLE, "purgatory", "length=200")).isEmpty();
    }
  }

  @Test
  void aTimerWithoutAThreadIsNotWokenForATimeout() throws Exception {
    if (ThreadWakeUps.areKnown()) {
      assertThat(
              lowest(
                  "{pending=10, rate=1000} paced cancel and add, wake-ups",
                  Measurements.PACED_TIMER,
                  "floor",
                  "pending=10",
                  "warm-up=5",
                  "rate=1000",
                  "paced=100"))
          .isLessThan(0.05);
    }
  }

  @Test
  void aThreadThatIsWokenForEachRequestIsCounted() throws Exception {
    NewThreads threads = new NewThreads();
    Semaphore requests = new Semaphore(0);
    Semaphore answers = new Semaphore(0);
    Thread woken =
        new Thread(
            () -> {
              try {
                while (true) {
                  requests.acquire();
                  answers.release();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the end
              }
            });
    woken.setDaemon(true);
    woken.start();
    Map<String, Double> values =
        MeasurementsTest.reported(
            out ->
                PacedCost.report(
                    () -> {
                      requests.release();
                      answers.acquireUninterruptibly();
                    },
                    "request",
                    threads,
                    Settings.parse(List.of("rate=500", "paced=200")),
                    out));
    woken.interrupt();

    assertThat(values.get("{rate=500} request, CPU")).isPositive();
    if (ThreadWakeUps.areKnown()) {
      assertThat(values.get("{rate=500} request, wake-ups")).isGreaterThan(0.1);
    }
  }

  @Test
  void completedStagesLeaveNothingBehind() throws Exception {
    Map<String, Double> values =
        measure(
            Measurements.STAGE_TIMEOUTS,
            "purgatory",
            "entries=100000",
            "pending=10",
            "warm-up=5",
            "length=5",
            "rate=1000",
            "paced=5");

    String jdk = "{jdk=" + Runtime.version().feature() + "} ";
    assertThat(values.get(jdk + "heap left per completed stage")).isLessThan(20);
    assertThat(values.get(jdk + "heap left per failed stage")).isLessThan(20);
    assertThat(values.get(jdk + "limit, allocation")).isBetween(50.0, 1000.0);
  }
}
