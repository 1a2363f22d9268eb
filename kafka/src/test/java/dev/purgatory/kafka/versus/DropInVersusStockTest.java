package dev.purgatory.kafka.versus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Asserts on the drop-in only, unless the claim is a comparison. For Kafka's own classes, it only
 * checks that they were really measured. Durations are printed but not asserted on: a busy machine
 * may slow down either JVM.
 */
class DropInVersusStockTest {
  private static DropInVersusStock measured;

  @BeforeAll
  static void measureBoth() throws Exception {
    measured = DropInVersusStock.measure();
    System.out.print(measured.table());
  }

  @Test
  void eachJvmLoadedTheClassesUnderTest() {
    assertThat(measured.dropIn().origin()).startsWith(DropInVersusStock.dropInClasses());
    assertThat(measured.stock().origin()).contains("kafka-server-common").endsWith(".jar");
  }

  @Test
  @DisplayName("an event that races with an addition completes the operation")
  void noWakeUpIsLost() {
    assertThat(measured.dropIn().lostWakeUps()).isZero();
  }

  @Test
  @DisplayName("a completed operation is unreachable, even if another of its keys gets no events")
  void completedOperationsAreUnreachable() {
    assertThat(measured.dropIn().reachable()).isZero();
    assertThat(measured.stock().reachable()).isPositive();
  }

  @Test
  @DisplayName("an idle purgatory does nothing")
  void idlePurgatoriesDoNothing() {
    measured.dropIn().wakeUps().ifPresent(rate -> assertThat(rate).isLessThan(1));
    measured.stock().wakeUps().ifPresent(rate -> assertThat(rate).isPositive());
  }

  @Test
  @DisplayName("no operation expires early")
  void nothingExpiresEarly() {
    assertThat(measured.dropIn().earliestNanos()).isNotNegative();
  }

  @Test
  @DisplayName("a timer releases a cancelled task at once")
  void cancelledTasksAreReleased() {
    long payload = (long) CancelledTasksProbe.TASKS * CancelledTasksProbe.BYTES_PER_TASK;
    assertThat(measured.dropIn().cancelled().reachable()).isZero();
    assertThat(measured.dropIn().cancelled().size()).isZero();
    assertThat(measured.dropIn().cancelled().bytes()).isLessThan(payload / 100);
  }

  @Test
  @DisplayName("operations that do not expire are not counted as delayed")
  void operationsWithoutTimeoutAreNotDelayed() {
    assertThat(measured.dropIn().timerlessDelayed())
        .isZero()
        .isEqualTo(measured.stock().timerlessDelayed());
  }
}
