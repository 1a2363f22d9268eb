package dev.purgatory.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Bench;
import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.measure.Measurements;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {
  @Test
  void contendersTakeTurnsInEachOfSeveralForks() {
    List<Job> jobs = plan("quick", Set.of("memory"), Set.of("floor", "kafka", "purgatory")).jobs();

    assertThat(jobs.stream().map(Job::contender))
        .containsExactly("floor", "purgatory", "kafka", "purgatory", "kafka", "floor");
  }

  @Test
  void aQuickRunTakesLessThanFiveMinutesAndAFullRunLessThanAnHour() {
    assertThat(expected("quick")).isLessThan(Duration.ofMinutes(5));
    assertThat(expected("full")).isLessThan(Duration.ofMinutes(60));
    assertThat(expected("guard")).isLessThan(Duration.ofMinutes(6));
  }

  private static Duration expected(String mode) {
    return plan(mode, Set.of(), Set.of()).jobs().stream()
        .map(Job::expected)
        .reduce(Duration.ZERO, Duration::plus);
  }

  @Test
  void wheelsAreForThoseThatHaveSome() {
    assertThat(plan("full", Set.of("wheels"), Set.of()).jobs().stream().map(Job::contender))
        .containsOnly("purgatory", "purgatory-kafka", "kafka", "map+netty");
  }

  @Test
  void theSmallestCostsAreInAFullRunAndInAQuickOneByName() {
    assertThat(measured(plan("quick", Set.of(), Set.of()))).doesNotContain(Measurements.MICRO);
    assertThat(measured(plan("full", Set.of(), Set.of()))).contains(Measurements.MICRO);
    assertThat(measured(plan("quick", Set.of("micro"), Set.of()))).containsOnly(Measurements.MICRO);
  }

  private static List<Measurements> measured(Plan plan) {
    return plan.jobs().stream().map(Job::measurement).toList();
  }

  @Test
  void aFullRunHasSeveralCollectorsAtTheSeedsHeap() {
    List<Job> jobs = plan("full", Set.of("enqueue"), Set.of("kafka")).jobs();

    assertThat(jobs.stream().map(job -> job.params().get("gc"))).contains("G1", "Parallel");
    assertThat(jobs).allSatisfy(job -> assertThat(job.jvmFlags()).contains("-Xmx200m"));
  }

  @Test
  void whatDoesNotExistIsRefusedInOneLine() {
    assertThatThrownBy(() -> plan("fast", Set.of(), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no mode is named 'fast'; there are quick, full, guard");
    assertThatThrownBy(() -> plan("quick", Set.of("speed"), Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no benchmark is named 'speed'; there are enqueue, threads, wheels, memory, lateness, many-keys,"
                + " wake-up, idle, timer, micro");
    assertThatThrownBy(() -> plan("quick", Set.of(), Set.of("zookeeper")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no contender is named 'zookeeper'; there are floor, purgatory,")
        .hasMessageContaining("java.util.Timer");
    assertThatThrownBy(() -> plan("quick", Set.of("memory"), Set.of("netty")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("none of these benchmarks is for any of these contenders in a quick run");
  }

  private static Plan plan(String mode, Set<String> only, Set<String> contenders) {
    Options options = new Options(mode, only, contenders, Path.of(""));
    Bench.check(options);
    return Plan.of(options);
  }
}
