package dev.purgatory.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.measure.Measurements;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final Duration PER_JVM = Duration.ofSeconds(30);

  @Test
  void eachRoundMeasuresEachContenderOnce() {
    List<String> names =
        plan(true, Set.of("memory"), Set.of("floor", "kafka", "purgatory")).jobs().stream()
            .map(Job::contender)
            .toList();

    assertThat(names.subList(0, 3)).containsExactlyInAnyOrder("floor", "kafka", "purgatory");
    assertThat(names.subList(3, 6)).containsExactlyInAnyOrder("floor", "kafka", "purgatory");
    assertThat(names).hasSize(6);
  }

  @Test
  void runsStayWithinTheirTimeLimits() {
    assertThat(plan(false, Set.of(), Set.of()).expected()).isLessThan(Duration.ofMinutes(7));
    assertThat(plan(true, Set.of(), Set.of()).expected()).isLessThan(Duration.ofMinutes(70));
  }

  @Test
  void headlinesHaveSevenJvmsForEachMainContender() {
    for (String measurement : List.of("enqueue", "events", "lateness", "micro")) {
      List<Job> jobs = ofKafka(measurement);

      assertThat(jobs.stream().collect(Collectors.groupingBy(Job::settings)).values())
          .anySatisfy(same -> assertThat(same).hasSize(7));
    }
  }

  /** Returns the jobs of a measurement of Kafka in a full run. */
  private static List<Job> ofKafka(String measurement) {
    return plan(true, Set.of(), Set.of("kafka")).jobs().stream()
        .filter(job -> job.bench().equals(measurement))
        .toList();
  }

  @Test
  void planShowsNumberOfJvmsAndExpectedTime() {
    Options options = new Options(true, Set.of(), Set.of(), 1, Path.of(""));
    Plan plan = Plan.of(options);
    List<String> last = Bench.plan(options).rows().get(Measurements.values().length);

    assertThat(last).contains("all", Integer.toString(plan.jobs().size()));
    assertThat(last.get(2)).startsWith(plan.expected().toMinutes() + " min");
    assertThat(plan.jobs())
        .allSatisfy(job -> assertThat(job.expected()).isLessThanOrEqualTo(PER_JVM));
  }

  @Test
  void seedDeterminesTheOrder() {
    assertThat(contenders(1)).isEqualTo(contenders(1)).isNotEqualTo(contenders(2));
    assertThat(contenders(1)).containsExactlyInAnyOrderElementsOf(contenders(2));
  }

  private static List<String> contenders(long seed) {
    Options options = new Options(true, Set.of("enqueue"), Set.of(), seed, Path.of(""));
    return Plan.of(options).jobs().stream().map(Job::contender).toList();
  }

  @Test
  void eachKindOfRunHasAllMeasurements() {
    for (boolean isFull : List.of(true, false)) {
      assertThat(plan(isFull, Set.of(), Set.of()).jobs().stream().map(Job::measurement))
          .contains(Measurements.values());
    }
  }

  @Test
  void workloadsHaveTheHeapOfTheProposal() {
    assertThat(plan(true, Set.of("enqueue"), Set.of("kafka")).jobs())
        .allSatisfy(
            job -> {
              assertThat(job.jvmFlags()).contains("-Xmx200m");
              assertThat(job.params()).containsEntry("gc", "G1");
            });
  }

  @Test
  void rejectsUnknownNamesInOneLine() {
    assertThatThrownBy(() -> plan(false, Set.of("speed"), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "unknown measurement 'speed'; valid names: enqueue, steady, young, events, same-keys,"
                + " threads, memory, lateness, many-keys, idle, timer, timer-threads, timer-pace,"
                + " timer-cancel, timer-burst, micro, thresholds, replies, limits, sessions");
    assertThatThrownBy(() -> plan(false, Set.of(), Set.of("zookeeper")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown contender 'zookeeper'; valid names: floor, purgatory,")
        .hasMessageContaining("sorted-buckets");
    assertThatThrownBy(() -> plan(false, Set.of("memory"), Set.of("netty")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a quick run has none of these measurements for these contenders");
  }

  private static Plan plan(boolean isFull, Set<String> only, Set<String> contenders) {
    Options options = new Options(isFull, only, contenders, 1, Path.of(""));
    return Plan.of(options);
  }
}
