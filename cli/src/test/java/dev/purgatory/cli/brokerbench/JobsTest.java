package dev.purgatory.cli.brokerbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.run.Turns;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobsTest {
  private static final Contender KAFKA = Contender.kafka("stock");
  private static final Contender DROP_IN = Contender.dropIn("drop-in");
  private static final Contender FLOOR = Contender.floor("stock");

  private static List<String> titles(int rounds, List<BrokerLoad> loads, Contender... contenders) {
    Settings settings =
        new Settings(loads, List.of(contenders), rounds, Duration.ofSeconds(1), 1, 1, 1);
    return Jobs.of(settings).stream().map(Job::title).toList();
  }

  @Test
  void pollsAreMeasuredInAllRoundsAndTheRestInOneFewer() {
    List<String> titles = titles(3, List.of(BrokerLoad.POLLS, BrokerLoad.WRITES), KAFKA, DROP_IN);

    assertThat(titles.stream().filter("broker-polls kafka"::equals)).hasSize(3);
    assertThat(titles.stream().filter("broker-polls purgatory-kafka"::equals)).hasSize(3);
    assertThat(titles.stream().filter("broker-writes kafka"::equals)).hasSize(2);
    assertThat(titles).hasSize(10);
  }

  @Test
  void theDefaultTakesLessThanAQuarterOfAnHour() {
    Settings settings =
        new Settings(
            List.of(BrokerLoad.values()),
            List.of(KAFKA, DROP_IN, FLOOR),
            3,
            Duration.ofSeconds(10),
            200,
            2000,
            1);

    assertThat(Turns.expected(Jobs.of(settings))).isLessThan(Duration.ofMinutes(15));
    assertThat(BrokerBench.plan(settings)).startsWith("19 clusters, expected: ");
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
