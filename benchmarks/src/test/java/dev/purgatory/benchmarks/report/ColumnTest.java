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
