package dev.purgatory.benchmarks.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GuardTest {
  private static final Figure RATE = figure("rate");
  private static final Figure CPU = figure("CPU per request");
  private static final Figure BYTES = figure("heap per pending operation");

  private static Figure figure(String metric) {
    return Figure.ALL.stream()
        .filter(each -> each.metric().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  private static Row row(Figure figure, String contender, double... values) {
    return new Row(
        figure.bench(),
        contender,
        figure.params(),
        figure.metric(),
        "unit",
        figure.metric().equals("rate"),
        Arrays.stream(values).boxed().toList());
  }

  private static Results results(Row... rows) {
    return results("cpu", "25", rows);
  }

  private static Results results(String cpu, String jdk, Row... rows) {
    Environment environment =
        new Environment("2026-01-02", "0123", "./purgatory bench", "full", jdk, "os", cpu, 2, 0);
    return new Results(environment, List.of(rows));
  }

  /** Returns the verdict on the core's only figure. */
  private static String verdict(Results published, Results today) {
    return line(published, today).get(Guard.COLUMNS.indexOf("verdict"));
  }

  private static List<String> line(Results published, Results today) {
    return Guard.compare(published, today).table().rows().stream()
        .filter(cells -> cells.get(1).equals("purgatory") && !cells.get(2).equals("–"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void comparesRatiosToKafka() {
    Results published = results(row(RATE, "kafka", 100), row(RATE, "purgatory", 200));
    Results slowMachine = results(row(RATE, "kafka", 10), row(RATE, "purgatory", 20));

    assertThat(line(published, slowMachine))
        .containsExactly(
            "enqueue: rate, low mix, rate max",
            "purgatory",
            "2.00 ×",
            "2.00 ×",
            "+0 %",
            "10 %",
            "within the noise");
    assertThat(Guard.compare(published, slowMachine).isWorse()).isFalse();
  }

  @Test
  void lowerRateIsWorse() {
    Results published = results(row(RATE, "kafka", 100), row(RATE, "purgatory", 200));

    assertThat(verdict(published, results(row(RATE, "kafka", 100), row(RATE, "purgatory", 170))))
        .isEqualTo("worse");
    assertThat(verdict(published, results(row(RATE, "kafka", 100), row(RATE, "purgatory", 185))))
        .isEqualTo("within the noise");
    assertThat(verdict(published, results(row(RATE, "kafka", 100), row(RATE, "purgatory", 230))))
        .isEqualTo("better");
  }

  @Test
  void subtractsTheFloor() {
    Results published = cpu(1.0, 2.0, 3.0);

    assertThat(line(published, cpu(1.0, 2.5, 3.0))).contains("0.50 ×", "0.75 ×", "+50 %", "worse");
    assertThat(line(published, cpu(5.0, 6.0, 7.0))).contains("0.50 ×", "within the noise");
    assertThat(verdict(published, cpu(1.0, 1.5, 3.0))).isEqualTo("better");
  }

  private static Results cpu(double floor, double purgatory, double kafka) {
    return results(
        row(CPU, "floor", floor), row(CPU, "purgatory", purgatory), row(CPU, "kafka", kafka));
  }

  @Test
  void cannotCompareWithoutAFloor() {
    Results today =
        results(
            row(CPU, "purgatory", 9),
            row(CPU, "kafka", 3),
            row(RATE, "purgatory", 9),
            row(RATE, "kafka", 3));

    assertThat(verdict(cpu(1, 2, 3), today)).isEqualTo("not measured");
  }

  @Test
  void spreadOfTheRatiosIsNoise() {
    Results published =
        results(row(RATE, "kafka", 100, 100, 100), row(RATE, "purgatory", 170, 200, 230));
    Results today =
        results(row(RATE, "kafka", 80, 100, 120), row(RATE, "purgatory", 128, 160, 240));

    // Ratios of 1.7 to 2.3 and of 1.6 to 2: spreads of 30 % and 25 %, whose squares add up to 39 %.
    assertThat(line(published, today)).contains("-20 %", "39 %", "within the noise");
    assertThat(line(today, published)).contains("+25 %", "39 %", "within the noise");
  }

  @Test
  void bytesHaveLittleNoise() {
    Results published = bytes(100);

    assertThat(verdict(published, bytes(101))).isEqualTo("within the noise");
    assertThat(verdict(published, bytes(103))).isEqualTo("worse");
  }

  private static Results bytes(double purgatory) {
    return results(
        row(BYTES, "floor", 0), row(BYTES, "purgatory", purgatory), row(BYTES, "kafka", 200));
  }

  @Test
  void missingContenderIsNotWorse() {
    Results published =
        results(
            row(RATE, "kafka", 100),
            row(RATE, "purgatory", 200),
            row(RATE, "purgatory-kafka", 150));
    Guard guard =
        Guard.compare(published, results(row(RATE, "kafka", 100), row(RATE, "purgatory", 200)));

    assertThat(guard.table().rows().get(1)).contains("purgatory-kafka", "1.50 ×", "not measured");
    assertThat(guard.isWorse()).isFalse();
  }

  @Test
  void rejectsResultsWithoutCommonFigures() {
    Results all = results(row(RATE, "kafka", 100), row(RATE, "purgatory", 200));
    Results withoutKafka = results(row(RATE, "purgatory", 200));

    assertThatThrownBy(() -> Guard.compare(all, withoutKafka))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no kafka");
    assertThatThrownBy(() -> Guard.compare(results(), all))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("published");
  }

  @Test
  void failedJvmIsWorseUnlessItFailedBefore() {
    Row failure =
        new Row(
            RATE.bench(), "purgatory", Map.of(), "failed: no memory", "JVMs", false, List.of(1.0));
    List<Row> rows = List.of(row(RATE, "kafka", 100), row(RATE, "purgatory", 200));
    List<Row> failing = new ArrayList<>(rows);
    failing.add(failure);
    Results sound = results(rows.toArray(Row[]::new));
    Results failed = results(failing.toArray(Row[]::new));

    assertThat(verdict(sound, failed)).isEqualTo("failed");
    assertThat(Guard.compare(sound, failed).isWorse()).isTrue();
    assertThat(verdict(failed, failed)).isEqualTo("within the noise");
  }

  @Test
  void lastRemarkListsWhatGotWorse() {
    Results published = results(row(RATE, "kafka", 100), row(RATE, "purgatory", 200));
    Results worse = results(row(RATE, "kafka", 100), row(RATE, "purgatory", 100));

    assertThat(Guard.compare(published, published).remarks())
        .hasSize(2)
        .endsWith("Nothing got worse.");
    assertThat(Guard.compare(published, worse).remarks())
        .endsWith("Worse: enqueue: rate, low mix, rate max (purgatory).");
  }

  @Test
  void remarksOnADifferentMachineAndJdk() {
    Row[] rows = {row(RATE, "kafka", 100), row(RATE, "purgatory", 200)};

    assertThat(Guard.compare(results(rows), results("other", "17", rows)).remarks())
        .contains(
            "Different machine, which also affects ratios: other with 2 cores instead of cpu with 2"
                + " cores.",
            "Different JDK, which also affects ratios: 17 instead of 25.");
  }

  @Test
  void featuresAreComparedWithWhatPeopleUseInstead() {
    Figure reply =
        Figure.ALL.stream()
            .filter(each -> each.bench().equals("replies"))
            .findFirst()
            .orElseThrow();
    Results published = results(row(reply, "map+netty", 100), row(reply, "purgatory", 150));
    Results today = results(row(reply, "map+netty", 50), row(reply, "purgatory", 100));

    assertThat(line(published, today))
        .containsExactly(
            "replies: reply, time, to map+netty",
            "purgatory",
            "1.50 ×",
            "2.00 ×",
            "+33 %",
            "10 %",
            "worse");
  }

  @Test
  void publishedResultsContainAllFigures() throws Exception {
    Results full = ResultsJson.read(Path.of("results", "full.json"));
    Results features = ResultsJson.read(Path.of("results", "features.json"));
    Results adapters = ResultsJson.read(Path.of("results", "adapters.json"));
    Set<String> measured = Set.of("17", "25");
    for (Figure figure : Figure.ALL) {
      if (!measured.contains(figure.params().getOrDefault("jdk", "25"))) {
        continue;
      }
      for (String contender : figure.contenders()) {
        assertThat(Stream.of(full, features, adapters))
            .as(figure.title())
            .anyMatch(run -> figure.ratio(run, contender).isPresent());
      }
    }
  }
}
