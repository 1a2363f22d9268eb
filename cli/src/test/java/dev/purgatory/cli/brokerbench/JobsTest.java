package dev.purgatory.cli.brokerbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobsTest {
  private static final Contender KAFKA = Contender.kafka("stock");
  private static final Contender DROP_IN = Contender.dropIn("drop-in");
  private static final Contender FLOOR = Contender.floor("stock");

  private static List<String> titles(int rounds, List<BrokerLoad> loads, Contender... contenders) {
    Settings settings =
        new Settings(loads, List.of(contenders), rounds, Duration.ofSeconds(1), 1, 1);
    return Jobs.of(settings).stream().map(Job::title).toList();
  }

  @Test
  void eachRoundBeginsWithTheNextContender() {
    assertThat(titles(3, List.of(BrokerLoad.POLLS), KAFKA, DROP_IN))
        .containsExactly(
            "broker-polls kafka",
            "broker-polls purgatory-kafka",
            "broker-polls purgatory-kafka",
            "broker-polls kafka",
            "broker-polls kafka",
            "broker-polls purgatory-kafka");
  }

  @Test
  void writesHaveNoFloor() {
    assertThat(titles(1, List.of(BrokerLoad.HELD, BrokerLoad.WRITES), KAFKA, FLOOR))
        .containsExactly("broker-held kafka", "broker-held floor", "broker-writes kafka");
    assertThatThrownBy(() -> titles(1, List.of(BrokerLoad.WRITES), FLOOR))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("floor");
  }
}
