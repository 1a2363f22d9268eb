package dev.purgatory.benchmarks.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.run.Turns;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BrokerTurnsTest {
  private static final BrokerContender KAFKA = BrokerContender.kafka("stock");
  private static final BrokerContender DROP_IN = BrokerContender.dropIn("drop-in");
  private static final BrokerContender FLOOR = BrokerContender.floor("stock");

  private static List<String> titles(
      int rounds, List<BrokerLoad> loads, BrokerContender... contenders) {
    BrokerOptions options =
        new BrokerOptions(loads, List.of(contenders), rounds, Duration.ofSeconds(1), 1, 1, 1);
    return BrokerTurns.of(options).stream().map(BrokerTurn::title).toList();
  }

  @Test
  void pollsHaveAllRoundsAndOtherLoadsOneFewer() {
    List<String> titles = titles(3, List.of(BrokerLoad.POLLS, BrokerLoad.WRITES), KAFKA, DROP_IN);

    assertThat(titles.stream().filter("broker-polls kafka"::equals)).hasSize(3);
    assertThat(titles.stream().filter("broker-polls purgatory-kafka"::equals)).hasSize(3);
    assertThat(titles.stream().filter("broker-writes kafka"::equals)).hasSize(2);
    assertThat(titles).hasSize(10);
  }

  @Test
  void defaultsTakeLessThanFifteenMinutes() {
    BrokerOptions options =
        new BrokerOptions(
            BrokerLoad.DEFAULTS,
            List.of(KAFKA, DROP_IN, FLOOR),
            3,
            Duration.ofSeconds(10),
            200,
            2000,
            1);

    assertThat(Turns.expected(BrokerTurns.of(options))).isLessThan(Duration.ofMinutes(15));
    assertThat(BrokerBench.plan(options)).startsWith("19 clusters, expected: ");
  }

  @Test
  void writesHaveNoFloor() {
    assertThat(titles(1, List.of(BrokerLoad.HELD, BrokerLoad.WRITES), KAFKA, FLOOR))
        .containsExactlyInAnyOrder("broker-held kafka", "broker-held floor", "broker-writes kafka");
    assertThatThrownBy(() -> titles(1, List.of(BrokerLoad.WRITES), FLOOR))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("floor");
  }
}
