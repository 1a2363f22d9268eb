package dev.purgatory.kafka.versus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Asserts on the drop-in alone; of Kafka's own classes only that they were really measured. */
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
}
