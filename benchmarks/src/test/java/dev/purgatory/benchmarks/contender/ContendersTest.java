package dev.purgatory.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.workload.Ledger;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
