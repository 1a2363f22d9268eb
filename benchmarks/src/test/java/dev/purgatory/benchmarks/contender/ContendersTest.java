package dev.purgatory.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.workload.Ledger;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

class ContendersTest {
  @Test
  void theFloorHoldsNothing() {
    Ledger ledger = new Ledger();
    try (Contender floor = Contenders.FLOOR.open(ledger)) {
      Held held = floor.hold(Payload.of(0, 0), List.of(new Key(1)), 1);

      assertThat(floor.keepsTime()).isFalse();
      assertThat(floor.check(new Key(1))).isZero();
      assertThat(floor.watched()).isZero();
      assertThat(held.complete()).isTrue();
      assertThat(ledger.ended()).isEqualTo(1);
    }
  }

  @Test
  void theyAreFoundByTheirNames() {
    assertThat(Contenders.named("map+stpe")).isEqualTo(Contenders.MAP_STPE);
    assertThatThrownBy(() -> Contenders.named("maps"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no contender is named maps");
  }

  @Nested
  class PurgatoryTest extends ContenderContract {
    @Override
    Contenders named() {
      return Contenders.PURGATORY;
    }

    @Override
    Duration earliness() {
      return Duration.ZERO;
    }
  }

  @Nested
  class KafkaTest extends ContenderContract {
    @Override
    Contenders named() {
      return Contenders.KAFKA;
    }

    /** Kafka counts in whole milliseconds, and cuts off the rest. */
    @Override
    Duration earliness() {
      return Duration.ofMillis(1);
    }
  }

  @Nested
  class DelayQueueTest extends ContenderContract {
    @Override
    Contenders named() {
      return Contenders.DELAY_QUEUE;
    }

    @Override
    Duration earliness() {
      return Duration.ZERO;
    }
  }

  @Nested
  class MapStpeTest extends ContenderContract {
    @Override
    Contenders named() {
      return Contenders.MAP_STPE;
    }

    @Override
    Duration earliness() {
      return Duration.ZERO;
    }
  }

  @Nested
  class MapNettyTest extends ContenderContract {
    @Override
    Contenders named() {
      return Contenders.MAP_NETTY;
    }

    /** The wheel compares with its own tick, in nanoseconds cut off to milliseconds. */
    @Override
    Duration earliness() {
      return Duration.ofMillis(1);
    }
  }

  @Nested
  @EnabledForJreRange(minVersion = 25)
  class MapFjpTest extends ContenderContract {
    @Override
    Contenders named() {
      return Contenders.MAP_FJP;
    }

    @Override
    Duration earliness() {
      return Duration.ZERO;
    }
  }
}
