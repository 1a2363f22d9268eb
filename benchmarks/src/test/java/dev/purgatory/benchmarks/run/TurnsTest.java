package dev.purgatory.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Sample;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.run.Turns.Group;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TurnsTest {
  private static final Map<String, String> PARAMS = Map.of("consumers", "5");
  private static final One KAFKA = new One("late", "kafka", 10);
  private static final One FLOOR = new One("late", "floor", 20);

  private final List<String> messages = new ArrayList<>();

  private final Progress progress =
      new Progress() {
        @Override
        public void advanced(int done, int total, String current, Duration left) {
          messages.add(done + "/" + total + " " + current);
        }

        @Override
        public void note(String text) {
          messages.add(text);
        }
      };

  private record One(String bench, String contender, int seconds) implements Turn {
    @Override
    public Duration expected() {
      return Duration.ofSeconds(seconds);
    }
  }

  private static Sample sample(String metric, double value) {
    return new Sample(PARAMS, metric, "ns", false, value);
  }

  @Test
  void roundsAreShuffledIndependently() {
    List<One> eight =
        IntStream.range(0, 8).mapToObj(i -> new One("late", "contender " + i, 1)).toList();
    List<One> turns = Turns.inRounds(List.of(new Group<>(eight, 2)), 1);

    assertThat(turns.subList(0, 8)).containsExactlyInAnyOrderElementsOf(eight);
    assertThat(turns.subList(8, 16)).containsExactlyInAnyOrderElementsOf(eight);
    assertThat(turns.subList(0, 8)).isNotEqualTo(turns.subList(8, 16));
    assertThat(Turns.inRounds(List.of(new Group<>(eight, 2)), 1)).isEqualTo(turns);
    assertThat(Turns.inRounds(List.of(new Group<>(eight, 2)), 2)).isNotEqualTo(turns);
  }

  @ParameterizedTest
  @CsvSource({"1, 7", "2, 7", "3, 7", "7, 7", "2, 3", "0, 3"})
  void groupsWithFewerRoundsAreSpreadEvenly(int few, int many) {
    List<One> turns =
        Turns.inRounds(
            List.of(new Group<>(List.of(KAFKA), few), new Group<>(List.of(FLOOR), many)), 1);

    assertThat(turns.stream().filter(KAFKA::equals)).hasSize(few);
    assertThat(turns.stream().filter(FLOOR::equals)).hasSize(many);
    if (few > 1) {
      assertThat(turns.lastIndexOf(KAFKA)).isGreaterThan(turns.size() / 2);
    }
  }

  @Test
  void combinesSamplesOfTheSameMetric() throws InterruptedException {
    List<Row> rows =
        Turns.take(
            List.of(KAFKA, FLOOR, KAFKA),
            progress,
            turn -> List.of(sample("p50", messages.size()), sample("p99", -messages.size())));
    assertThat(rows)
        .containsExactly(
            new Row("late", "kafka", PARAMS, "p50", "ns", false, List.of(1.0, 3.0)),
            new Row("late", "kafka", PARAMS, "p99", "ns", false, List.of(-1.0, -3.0)),
            new Row("late", "floor", PARAMS, "p50", "ns", false, List.of(2.0)),
            new Row("late", "floor", PARAMS, "p99", "ns", false, List.of(-2.0)));
    assertThat(messages)
        .containsExactly("0/3 late kafka", "1/3 late floor", "2/3 late kafka", "3/3 ");
  }

  @Test
  void exceptionEndsTheRun() {
    assertThatThrownBy(
            () ->
                Turns.take(
                    List.of(KAFKA, FLOOR),
                    progress,
                    turn -> {
                      throw new IOException(turn.title());
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("late kafka");
  }

  @Test
  void estimatesTheRemainingTime() {
    List<One> turns = List.of(KAFKA, FLOOR, FLOOR);
    assertThat(Turns.left(turns, 0, Duration.ZERO)).isEqualTo(Duration.ofSeconds(50));
    assertThat(Turns.left(turns, 1, Duration.ofSeconds(15))).isEqualTo(Duration.ofSeconds(60));
    assertThat(Turns.left(turns, 3, Duration.ofSeconds(100))).isZero();
  }
}
