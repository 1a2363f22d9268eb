package dev.purgatory.cli.brokerbench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowTableTest {
  private static final Map<String, String> PARAMS = Map.of("consumers", "5");

  private static Sample sample(String metric, double value) {
    return new Sample(PARAMS, metric, "ns", false, value);
  }

  @Test
  void roundsOfTheSameMakeOneRow() {
    Job kafka = new Job(BrokerLoad.POLLS, Contender.kafka("stock"));
    Job dropIn = new Job(BrokerLoad.POLLS, Contender.dropIn("drop-in"));
    RowTable table = new RowTable();
    table.add(kafka, sample("late", 1));
    table.add(dropIn, sample("late", 2));
    table.add(dropIn, sample("early", 3));
    table.add(kafka, sample("late", 4));
    assertThat(table.rows())
        .containsExactly(
            new Row("broker-polls", "kafka", PARAMS, "late", "ns", false, List.of(1.0, 4.0)),
            new Row("broker-polls", "purgatory-kafka", PARAMS, "late", "ns", false, List.of(2.0)),
            new Row("broker-polls", "purgatory-kafka", PARAMS, "early", "ns", false, List.of(3.0)));
  }
}
