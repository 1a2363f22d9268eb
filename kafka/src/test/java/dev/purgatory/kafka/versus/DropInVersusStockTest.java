package dev.purgatory.kafka.versus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Asserts on the drop-in alone, unless the claim is a comparison; of Kafka's own classes only that
 * they were really measured.
 */
class DropInVersusStockTest {
  private static DropInVersusStock measured;

  @BeforeAll
  static void measureBoth() throws Exception {
    measured = DropInVersusStock.measure();
    System.out.print(measured.table());
  }

  @Test
  void eachJvmRanWhatItsColumnSays() {
    assertThat(measured.dropIn().origin()).startsWith(DropInVersusStock.dropInClasses());
    assertThat(measured.stock().origin()).contains("kafka-server-common").endsWith(".jar");
  }

  @Test
  @DisplayName("a complete operation is free, even if another of its keys stays quiet")
  void completeOperationsAreFree() {
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
  @DisplayName("a timer lets go of a cancelled task at once")
  void cancelledTasksAreFree() {
    long payload = (long) CancelledTasksProbe.TASKS * CancelledTasksProbe.BYTES_PER_TASK;
    assertThat(measured.dropIn().cancelled().reachable()).isZero();
    assertThat(measured.dropIn().cancelled().size()).isZero();
    assertThat(measured.dropIn().cancelled().bytes()).isLessThan(payload / 100);
  }

  @Test
  @DisplayName("a check takes no longer than on stock while other threads check the same key")
  void concurrentChecksTakeNoLonger() {
    assertThat(measured.dropIn().longestCheckNanos())
        .isLessThanOrEqualTo(measured.stock().longestCheckNanos());
  }

  @Test
  @DisplayName("operations that do not expire are not counted as delayed")
  void operationsWithoutTimerAreNotDelayed() {
    assertThat(measured.dropIn().timerlessDelayed())
        .isZero()
        .isEqualTo(measured.stock().timerlessDelayed());
  }
}
