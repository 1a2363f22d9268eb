package dev.purgatory.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.workload.Schedule.Terms;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {
  private static final int REQUESTS = 200_000;
  private static final Percentage TOLERANCE = Percentage.withPercentage(2);

  @ParameterizedTest
  @CsvSource({"LOW, 20, 60, 1", "LOW, 20, 60, 2", "HIGH, 200, 400, 3", "HIGH, 200, 400, 4"})
  void latenciesHaveTheSpecifiedPercentiles(Mix mix, double p50, double p75, long seed) {
    Schedule schedule = Schedule.draw(Terms.of(mix, 1e5), REQUESTS, seed);
    double[] millis =
        IntStream.range(0, REQUESTS).mapToDouble(i -> schedule.latencyNanos(i) / 1e6).toArray();
    Arrays.sort(millis);

    assertThat(millis[REQUESTS / 2]).isCloseTo(p50, TOLERANCE);
    assertThat(millis[REQUESTS * 3 / 4]).isCloseTo(p75, TOLERANCE);
  }

  @ParameterizedTest
  @ValueSource(doubles = {10_000, 100_000, 1_000_000})
  void requestsArriveAtTheTargetRate(double rate) {
    double[] gaps = gaps(Schedule.draw(Terms.of(Mix.LOW, rate), REQUESTS, 5));

    assertThat(1e9 / Arrays.stream(gaps).average().orElseThrow()).isCloseTo(rate, TOLERANCE);
  }

  @Test
  void gapsAreExponential() {
    double[] gaps = gaps(Schedule.draw(Terms.of(Mix.LOW, 1e5), REQUESTS, 6));
    double mean = Arrays.stream(gaps).average().orElseThrow();
    double variance = Arrays.stream(gaps).map(gap -> (gap - mean) * (gap - mean)).sum() / REQUESTS;

    assertThat(Math.sqrt(variance)).isCloseTo(mean, TOLERANCE);
    assertThat(Arrays.stream(gaps).filter(gap -> gap > mean).count() / (double) REQUESTS)
        .isCloseTo(Math.exp(-1), within(0.01));
  }

  @Test
  void allRequestsArriveAtOnceWithoutATarget() {
    assertThat(gaps(Schedule.draw(Terms.of(Mix.LOW, Double.POSITIVE_INFINITY), 1000, 7)))
        .containsOnly(0);
  }

  @Test
  void eachRequestHasThreeRandomKeys() {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 1e5), REQUESTS, 8);
    int threes = 0;
    int[] uses = new int[Schedule.KEYS];
    Set<Integer> combinations = new HashSet<>();
    for (int i = 0; i < REQUESTS; i++) {
      List<Key> keys = schedule.keys(i);
      threes += new HashSet<>(keys).size() == 3 ? 1 : 0;
      keys.forEach(key -> uses[key.number()]++);
      combinations.add(numberOf(keys));
    }

    assertThat(threes).isEqualTo(REQUESTS);
    assertThat(combinations.size()).isGreaterThan(REQUESTS / 2);
    for (int use : uses) {
      assertThat((double) use)
          .isCloseTo(REQUESTS * 3.0 / Schedule.KEYS, Percentage.withPercentage(10));
    }
  }

  @Test
  void allRequestsShareKeysIfThereAreThree() {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 1e5).withKeys(3), 1000, 11);

    assertThat(IntStream.range(0, 1000).mapToObj(i -> Set.copyOf(schedule.keys(i))).distinct())
        .containsExactly(Set.of(new Key(0), new Key(1), new Key(2)));
  }

  @Test
  void repeatedScheduleStartsOver() {
    Schedule once = Schedule.draw(Terms.of(Mix.LOW, 1e5).withKeys(10_000), 1000, 12);
    Schedule repeated = once.repeated();

    assertThat(repeated.requests()).isEqualTo(Integer.MAX_VALUE);
    for (int i : new int[] {0, 999}) {
      assertThat(repeated.gapNanos(5000 + i)).isEqualTo(once.gapNanos(i));
      assertThat(repeated.latencyNanos(5000 + i)).isEqualTo(once.latencyNanos(i));
      assertThat(repeated.keys(5000 + i)).isEqualTo(once.keys(i));
    }
  }

  @Test
  void seedDeterminesTheSchedule() {
    assertThat(print(Schedule.draw(Terms.of(Mix.HIGH, 1e4), 1000, 9)))
        .isEqualTo(print(Schedule.draw(Terms.of(Mix.HIGH, 1e4), 1000, 9)))
        .isNotEqualTo(print(Schedule.draw(Terms.of(Mix.HIGH, 1e4), 1000, 10)));
  }

  /** Combines the sorted keys into one number. */
  private static int numberOf(List<Key> keys) {
    return keys.stream().mapToInt(Key::number).sorted().reduce(0, (n, key) -> 100 * n + key);
  }

  private static double[] gaps(Schedule schedule) {
    return IntStream.range(0, schedule.requests()).mapToDouble(schedule::gapNanos).toArray();
  }

  private static List<String> print(Schedule schedule) {
    return IntStream.range(0, schedule.requests())
        .mapToObj(
            i -> schedule.gapNanos(i) + " " + schedule.latencyNanos(i) + " " + schedule.keys(i))
        .toList();
  }
}
