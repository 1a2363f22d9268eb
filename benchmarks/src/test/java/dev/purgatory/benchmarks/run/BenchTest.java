package dev.purgatory.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.Options;
import dev.purgatory.benchmarks.Progress;
import dev.purgatory.benchmarks.measure.Measurements;
import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Row;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchTest {
  /** The root of the checkout. Tests run in the folder of this module. */
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

  private final Recorder recorder = new Recorder();

  @Test
  void combinesValuesOfSeveralJvms() throws Exception {
    List<Row> all =
        run(timer("floor", "-Xmx64m"), timer("purgatory", "-Xmx64m"), timer("floor", "-Xmx64m"));

    assertThat(all).hasSize(4); // two metrics of each contender
    List<Row> rows = all.stream().filter(row -> row.metric().equals("cancel and add")).toList();
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0).contender()).isEqualTo("floor");
    assertThat(rows.get(0).params())
        .isEqualTo(Map.of("pending", "100", "threads", "1", "gc", "any"));
    assertThat(rows.get(0).values()).hasSize(2);
    assertThat(rows.get(1).values()).hasSize(1);
    assertThat(recorder.advances)
        .containsExactly("0/3 timer floor", "1/3 timer purgatory", "2/3 timer floor", "3/3 ");
    assertThat(recorder.notes).isEmpty();
  }

  @Test
  void reportsAFailedJvmAndContinues() throws Exception {
    List<Row> rows = run(timer("nobody", "-Xmx64m"), timer("floor", "-Xmx64m"));

    assertThat(recorder.notes).hasSize(1);
    assertThat(recorder.notes.get(0))
        .startsWith("timer nobody {}: failed with 1: ")
        .contains("unknown timer: nobody");
    assertThat(rows).hasSize(3);
    assertThat(rows.get(0).metric()).startsWith("failed");
    assertThat(rows.subList(1, 3)).allMatch(row -> row.contender().equals("floor"));
  }

  @Test
  void reportsRunningOutOfMemory() throws Exception {
    run(job("timer", "floor", List.of("pending=100000000", "threads=1"), "-Xmx16m"));

    assertThat(recorder.notes)
        .containsExactly("timer floor {pending=100000000}: ran out of memory");
  }

  @Test
  void describesTheEnvironment() throws Exception {
    Environment here =
        Environments.of(new Options(true, Set.of("idle", "timer"), Set.of("kafka"), 7, HOME));

    assertThat(here.command())
        .isEqualTo("./purgatory bench --full --only idle --only timer --contender kafka --seed 7");
    assertThat(here.mode()).isEqualTo("full");
    assertThat(here.cores()).isPositive();
    assertThat(here.memoryBytes()).isPositive();
    if (Files.exists(HOME.resolve(".git"))) {
      assertThat(here.commit()).matches("[0-9a-f]{40}(-dirty)?");
    }
  }

  private List<Row> run(Job... jobs) throws Exception {
    return new Bench(new Fork(HOME), recorder).run(new Plan(List.of(jobs)));
  }

  private static Job timer(String contender, String flag) {
    return job(
        "timer", contender, List.of("pending=100", "threads=1", "length=20", "warm-up=5"), flag);
  }

  private static Job job(String bench, String contender, List<String> settings, String flag) {
    return new Job(
        Measurements.named(bench),
        contender,
        settings,
        List.of(flag),
        Map.of("gc", "any"),
        Duration.ofSeconds(1));
  }

  private static final class Recorder implements Progress {
    private final List<String> advances = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    @Override
    public void advanced(int done, int total, String current, Duration left) {
      advances.add(done + "/" + total + " " + current);
    }

    @Override
    public void note(String text) {
      notes.add(text);
    }
  }
}
