package dev.purgatory.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.workload.Ledger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContendersTest {
  @Test
  void floorHoldsNothing() {
    Ledger ledger = new Ledger();
    try (Contender floor = Contenders.FLOOR.open(ledger)) {
      Held held = floor.hold(Payload.of(0, 0), List.of(new Key(1)), 1);

      assertThat(floor.hasTimeouts()).isFalse();
      assertThat(floor.check(new Key(1))).isZero();
      assertThat(floor.watched()).isZero();
      assertThat(held.complete()).isTrue();
      assertThat(ledger.ended()).isEqualTo(1);
    }
  }

  @Test
  void contendersAreFoundByName() {
    assertThat(Contenders.named("map+stpe")).isEqualTo(Contenders.MAP_STPE);
    assertThatThrownBy(() -> Contenders.named("maps"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown contender: maps");
  }

  @Test
  void colorsAreDistinct() {
    assertThat(Contenders.values()).extracting(Contenders::rgb).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource({
    "1 ms x 20, 1000, 20",
    "100 ms x 2, 100000, 2",
    "1 us x 4, 1, 4",
    "1 s x 3, 1000000, 3"
  })
  void parsesWheels(String text, long tickMicros, int buckets) {
    assertThat(Wheel.parse(text))
        .isEqualTo(new Wheel(Duration.of(tickMicros, ChronoUnit.MICROS), buckets));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1 ms", "1 h x 3", "1 ms x 3 x", "one ms x 3", "1 ms * 3"})
  void rejectsOtherText(String text) {
    assertThatThrownBy(() -> Wheel.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void rejectsUnsupportedWheels() {
    Wheel microseconds = Wheel.parse("1 us x 4");

    assertThat(Contenders.PURGATORY.supports(microseconds)).isTrue();
    assertThat(Contenders.KAFKA.supports(microseconds)).isFalse();
    assertThatThrownBy(() -> Contenders.KAFKA.open(new Ledger(), microseconds))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Timeout(60)
  void weakListsReleaseEndedRequestsOnceTheyAreCollected() throws InterruptedException {
    try (Contender lists = Contenders.WEAK_LISTS.open(new Ledger())) {
      lists.hold(Payload.of(0, 0), List.of(new Key(1), new Key(2)), 3_600_000).complete();
      while (lists.watched() > 0) {
        System.gc();
        Thread.sleep(5);
      }
      assertThat(lists.check(new Key(1))).isZero();
    }
  }
}
