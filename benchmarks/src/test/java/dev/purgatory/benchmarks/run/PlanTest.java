package dev.purgatory.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.measure.Measurements;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final Duration PER_JVM = Duration.ofSeconds(30);

  @Test
  void eachRoundMeasuresEachContenderOnce() {
    List<String> names =
        plan("quick", Set.of("memory"), Set.of("floor", "kafka", "purgatory")).jobs().stream()
            .map(Job::contender)
            .toList();

    assertThat(names.subList(0, 3)).containsExactlyInAnyOrder("floor", "kafka", "purgatory");
    assertThat(names.subList(3, 6)).containsExactlyInAnyOrder("floor", "kafka", "purgatory");
    assertThat(names).hasSize(6);
  }

  @Test
  void runsStayWithinTheirTimeLimits() {
    assertThat(expected("quick")).isLessThan(Duration.ofMinutes(5));
    assertThat(expected("full")).isLessThan(Duration.ofMinutes(40));
    assertThat(expected("guard")).isLessThan(Duration.ofMinutes(8));
    assertThat(expected("features")).isLessThan(Duration.ofMinutes(11));
    assertThat(expected("quick features")).isLessThan(Duration.ofSeconds(90));
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
    return plan("full", Set.of(), Set.of("kafka")).jobs().stream()
        .filter(job -> job.bench().equals(measurement))
        .toList();
  }

  @Test
  void planShowsNumberOfJvmsAndExpectedTime() {
    Options options = new Options("full", Set.of(), Set.of(), 1, Path.of(""));
    Plan plan = Plan.of(options);
    List<String> last = Bench.plan(options).rows().get(plan.byMeasurement().size());

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
    Options options = new Options("full", Set.of("enqueue"), Set.of(), seed, Path.of(""));
    return Plan.of(options).jobs().stream().map(Job::contender).toList();
  }

  private static Duration expected(String mode) {
    return plan(mode, Set.of(), Set.of()).expected();
  }

  @Test
  void wheelsAreMeasuredOnlyForContendersWithWheels() {
    assertThat(plan("full", Set.of("wheels"), Set.of()).jobs().stream().map(Job::contender))
        .containsOnly("purgatory", "purgatory-kafka", "kafka", "map+netty");
  }

  @Test
  void singleCallsAreInFullRunsAndInQuickRunsByName() {
    assertThat(measured(plan("quick", Set.of(), Set.of()))).doesNotContain(Measurements.MICRO);
    assertThat(measured(plan("full", Set.of(), Set.of()))).contains(Measurements.MICRO);
    assertThat(measured(plan("quick", Set.of("micro"), Set.of()))).containsOnly(Measurements.MICRO);
  }

  private static List<Measurements> measured(Plan plan) {
    return plan.jobs().stream().map(Job::measurement).toList();
  }

  @Test
  void otherCollectorsAreMeasuredByName() {
    List<Job> named = plan("full", Set.of("enqueue"), Set.of("kafka")).jobs();
    List<Job> all = ofKafka("enqueue");

    assertThat(named.stream().map(job -> job.params().get("gc"))).contains("G1", "Parallel");
    assertThat(all.stream().map(job -> job.params().get("gc"))).containsOnly("G1");
    assertThat(named).allSatisfy(job -> assertThat(job.jvmFlags()).contains("-Xmx200m"));
  }

  @Test
  void stageTimeoutsAreMeasuredOnTheOtherJdkAsWell() {
    Path other = Path.of("/other");
    Options options =
        new Options("features", Set.of(), Set.of("purgatory"), 1, Path.of(""), Optional.of(other));
    List<Job> jobs = Plan.of(options).jobs();

    assertThat(jobs.stream().filter(job -> job.jdk().equals(other)).map(Job::measurement))
        .hasSizeGreaterThan(1)
        .containsOnly(Measurements.STAGE_TIMEOUTS);
    assertThat(jobs.stream().filter(job -> job.jdk().equals(Job.THIS_JDK)).map(Job::measurement))
        .contains(Measurements.STAGE_TIMEOUTS, Measurements.REPLIES);
  }

  @Test
  void featuresAreInNoOtherRun() {
    for (String mode : List.of("quick", "full")) {
      assertThat(measured(plan(mode, Set.of(), Set.of())))
          .doesNotContain(Measurements.NUMBERS, Measurements.REPLIES, Measurements.STAGE_TIMEOUTS);
    }
    assertThat(measured(plan("features", Set.of(), Set.of())))
        .containsOnly(
            Measurements.NUMBERS,
            Measurements.REPLIES,
            Measurements.STAGE_TIMEOUTS,
            Measurements.SESSIONS,
            Measurements.SCOPES);
  }

  @Test
  void otherCostsOfTimersAreMeasuredByName() {
    Set<String> names = Set.of("timer-pace", "timer-cancel", "timer-burst");
    Set<String> adapters = Set.of("purgatory-netty", "netty");

    assertThat(plan("full", Set.of(), Set.of()).byMeasurement()).doesNotContainKeys("timer-pace");
    assertThat(plan("full", names, adapters).byMeasurement())
        .containsOnlyKeys(names)
        .allSatisfy((name, jobs) -> assertThat(jobs).hasSize(6));
    assertThat(plan("full", names, Set.of("floor")).byMeasurement())
        .containsOnlyKeys("timer-pace", "timer-cancel");
  }

  @Test
  void rejectsUnknownNamesInOneLine() {
    assertThatThrownBy(() -> plan("fast", Set.of(), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "unknown mode 'fast'; valid names: quick, full, guard, features, quick features");
    assertThatThrownBy(() -> plan("quick", Set.of("speed"), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "unknown benchmark 'speed'; valid names: enqueue, events, same-keys, threads, wheels, memory,"
                + " lateness, many-keys, wake-up, idle, timer, timer-threads, timer-pace, timer-cancel, timer-burst,"
                + " micro, thresholds, replies, limits, sessions, scopes");
    assertThatThrownBy(() -> plan("quick", Set.of(), Set.of("zookeeper")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown contender 'zookeeper'; valid names: floor, purgatory,")
        .hasMessageContaining("java.util.Timer");
    assertThatThrownBy(() -> plan("quick", Set.of("memory"), Set.of("netty")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a quick run has none of these benchmarks for these contenders");
  }

  private static Plan plan(String mode, Set<String> only, Set<String> contenders) {
    Options options = new Options(mode, only, contenders, 1, Path.of(""));
    return Plan.of(options);
  }
}
