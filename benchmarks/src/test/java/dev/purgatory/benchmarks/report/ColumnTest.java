package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ColumnTest {
  private static final Map<String, String> PARAMS = Map.of("rate", "1000");
  private static final Column COLUMN =
      Column.of("CPU", "enqueue", "CPU per request", PARAMS).overFloor();

  private final List<Row> rows = new ArrayList<>();

  private void add(String contender, double rate, double cpu) {
    rows.add(row(contender, "rate", rate));
    rows.add(row(contender, "CPU per request", cpu));
  }

  private static Row row(String contender, String metric, double value) {
    return SampleResults.row("enqueue", contender, PARAMS, metric, "us", value);
  }

  private String cell(String contender) {
    return COLUMN.cell(new Results(SampleResults.environment(), rows), contender);
  }

  @Test
  void subtractsTheFloorFromAllOthers() {
    add("floor", 1000, 0.5);
    add("kafka", 1000, 2.5);
    add("purgatory", 999, 1.5);

    assertThat(cell("floor")).isEqualTo("0.5");
    assertThat(cell("kafka")).isEqualTo("2");
    assertThat(cell("purgatory")).isEqualTo("1, **0.50 ×** (0.5–0.5)");
  }

  @Test
  void showsThatAContenderDoesNotKeepUp() {
    add("floor", 1000, 0.5);
    add("kafka", 1000, 2.5);
    add("delay-queue", 900, 1.5);

    assertThat(cell("delay-queue")).isEqualTo("does not keep up");
  }

  @Test
  void showsADashForAContenderThatBrokeItsContract() {
    add("floor", 1000, 0.5);
    add("kafka", 1000, 2.5);
    add("delay-queue", 1000, 1.5);
    rows.add(row("delay-queue", "without an end", 4_985));
    rows.add(row("kafka", "without an end", 0));

    assertThat(cell("delay-queue")).isEqualTo(Numbers.NONE);
    assertThat(cell("kafka")).isEqualTo("2");
  }

  @Test
  void showsNoRatioToKafkaWhereItDoesNotKeepUp() {
    add("floor", 1000, 0.5);
    add("kafka", 900, 2.5);
    add("purgatory", 1000, 1.5);

    assertThat(cell("purgatory")).isEqualTo("1");
  }

  @Test
  void showsTheRatioToTheBestRival() {
    Column column = Column.of("time (ns)", "replies", "time", Map.of()).againstTheBest();
    Results results =
        new Results(
            SampleResults.environment(),
            List.of(
                SampleResults.row("replies", "purgatory", Map.of(), "time", "ns", 30, 30),
                SampleResults.row("replies", "map+stpe", Map.of(), "time", "ns", 20, 20),
                SampleResults.row("replies", "map+netty", Map.of(), "time", "ns", 10, 10),
                SampleResults.row("replies", "kafka", Map.of(), "time", "ns", 90, 90)));

    assertThat(column.cell(results, "purgatory"))
        .isEqualTo("30, **3.00 ×** (3–3) against `map+netty`");
    assertThat(column.cell(results, "map+stpe")).isEqualTo("20");
  }

  @Test
  void showsADashForMissingValues() {
    add("kafka", 1000, 2.5);

    assertThat(cell("purgatory")).isEqualTo(Numbers.NONE);
    assertThat(cell("kafka")).isEqualTo(Numbers.NONE);
  }

  @Test
  void showsADashForNegativeValues() {
    add("floor", 1000, 0.5);
    add("kafka", 1000, 2.5);
    rows.add(
        SampleResults.row(
            "enqueue", "purgatory", PARAMS, "CPU per request", "us", -1.5, 9.5, 10.5));
    add("delay-queue", 1000, 0.4);

    assertThat(cell("purgatory")).isEqualTo(Numbers.NONE);
    assertThat(cell("delay-queue")).as("below the floor").isEqualTo(Numbers.NONE);
  }

  @Test
  void showsNoRatioWithoutAValueOfKafka() {
    add("floor", 1000, 0.5);
    add("kafka", 1000, -2.5);
    add("purgatory", 1000, 1.5);

    assertThat(cell("kafka")).isEqualTo(Numbers.NONE);
    assertThat(cell("purgatory")).isEqualTo("1");
  }
}
