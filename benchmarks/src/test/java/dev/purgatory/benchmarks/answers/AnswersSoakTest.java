package dev.purgatory.benchmarks.answers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.disturb.Disturbance;
import dev.purgatory.cluster.disturb.GatedCluster;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.NodeSetup;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Short soaks over one broker. */
@Tag("long")
class AnswersSoakTest {
  private static final String CLASS_PATH =
      Path.of("..", "cluster", "target", "lib").toAbsolutePath() + File.separator + "*";

  /** With this seed, an instance is killed in the first three seconds. */
  private static final long SEED = 165;

  @TempDir private Path folder;

  /** The second soak proves that the first one can fail. */
  @Test
  @Timeout(value = 300, unit = TimeUnit.SECONDS)
  void sharedReplies_keepThePromise_andAMapDoesNot() throws Exception {
    NodeSetup setup =
        new NodeSetup(
            CLASS_PATH,
            Map.of(
                "group.initial.rebalance.delay.ms", "0", "offsets.topic.replication.factor", "1"),
            List.of("-Xmx384m", "-XX:TieredStopAtLevel=1"));
    try (Cleanup cleanup = new Cleanup()) {
      GatedCluster cluster = AnswersSoak.startCluster(1, folder, setup, cleanup);
      List<String> lines = new ArrayList<>();
      AnswersSoak.Outcome shared =
          AnswersSoak.run(
              plan(
                  AnswersSoakPlan.SHARED,
                  List.of(Disturbance.KILL),
                  EnumSet.allOf(Trouble.class),
                  Duration.ofSeconds(9),
                  Duration.ofMinutes(1)),
              cluster,
              folder,
              lines::add);
      assertThat(shared.violations()).as("%s", shared.findings()).isEmpty();
      assertThat(lines).anyMatch(line -> line.contains(" killed for "));
      assertThat(figure(shared, "ids answered"))
          .isPositive()
          .isLessThanOrEqualTo(figure(shared, "ids asked"));
      assertThat(figure(shared, "ids forged")).isPositive();
      assertThat(figure(shared, "processes killed")).isPositive();
      assertThat(figure(shared, "processes paused")).isZero();
      assertThat(figure(shared, "waits")).isGreaterThan(figure(shared, "waits that timed out"));
      assertThat(figure(shared, "errors of clients")).isNotNegative();
      assertThat(figure(shared, "violations")).isZero();
      AnswersSoak.Outcome byHand =
          AnswersSoak.run(
              plan(
                  AnswersSoakPlan.BY_HAND,
                  List.of(),
                  Set.of(),
                  Duration.ofSeconds(1),
                  Duration.ofSeconds(8)),
              cluster,
              folder,
              lines::add);
      String twoWinners = AnswerLedger.Violation.TWO_WINNERS.toString();
      assertThat(byHand.violations()).containsKey(twoWinners);
      assertThat(figure(byHand, twoWinners))
          .isEqualTo(byHand.violations().getOrDefault(twoWinners, 0).doubleValue());
      assertThat(figure(byHand, "violations"))
          .isEqualTo(byHand.violations().values().stream().mapToInt(count -> count).sum());
      assertThat(figure(byHand, "latency, p50")).as("some learn the answer").isPositive();
    }
  }

  private static double figure(AnswersSoak.Outcome outcome, String metric) {
    return outcome.rows().stream()
        .filter(row -> row.metric().equals(metric))
        .findFirst()
        .orElseThrow()
        .median();
  }

  private static AnswersSoakPlan plan(
      String contender,
      List<Disturbance> faults,
      Set<Trouble> troubles,
      Duration length,
      Duration patience) {
    return new AnswersSoakPlan(contender, 3, faults, troubles, 2, 2, 1, 50, length, patience, SEED);
  }
}
