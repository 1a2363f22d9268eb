package dev.purgatory.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks the soak of answers on docs/evidence/reliability.md, and the short ones on
 * docs/use/answers-across-instances.md.
 */
class SoakResultsTest {
  private static final Path DOCS = Path.of("../docs/evidence");
  private static final String TWO_ANSWERS = "clients were told different answers";
  private static final String TWO_WINNERS = "more than one client was told that its answer won";
  private static final String NEVER_LEARNED =
      "a client awaited the id until the end and did not learn the answer";

  private static String page() throws Exception {
    return Files.readString(DOCS.resolve("reliability.md"));
  }

  private static String brief(double value) {
    return value >= 1000 ? Numbers.text(value) : Numbers.brief(value);
  }

  @Test
  void soakOfAnswers_matchesItsFigures() throws Exception {
    Results soak = answers("soak");
    assertThat(page())
        .contains("of " + run(soak).replace("`)", "`, [raw figures]"))
        .contains(
            "| `--seed 42` | 10 | %s, %s, %s | %s | %s, %s | %s | %s |"
                .formatted(
                    figure(soak, "processes killed"),
                    figure(soak, "processes paused"),
                    figure(soak, "processes cut off"),
                    figure(soak, "ids answered"),
                    figure(soak, "waits"),
                    figure(soak, "waits that timed out"),
                    figure(soak, "errors of clients"),
                    figure(soak, "violations")))
        .contains(brief(soak, "latency, p50") + " ms (p50)")
        .contains(brief(soak, "latency, p99") + " ms (p99)")
        .contains("read " + brief(soak, "records read for each written") + " records");
    assertThat(figure(soak, "violations")).isEqualTo("0");
    assertThat(answersPage()).contains("lost none of " + figure(soak, "ids answered"));
  }

  @ParameterizedTest
  @CsvSource({"1-instance, 1", "3-instances, 3", "10-instances, 10"})
  void costsOfAnswers_matchTheirFigures(String file, String instances) throws Exception {
    Results results = answers(file);
    assertThat(answersPage())
        .contains(
            "| %s | %s, %s | %s |"
                .formatted(
                    instances,
                    brief(results, "latency, p50"),
                    brief(results, "latency, p99"),
                    brief(results, "records read for each written")));
    assertThat(params(results))
        .containsEntry("instances", instances)
        .containsEntry("faults", "none");
    assertThat(figure(results, "violations")).isEqualTo("0");
    assertRepeatable(results);
  }

  @ParameterizedTest
  @CsvSource({
    "by-hand, none, none",
    "by-hand-kill, `kill --seed 42`, [KILL]",
    "by-hand-cut-off, `cut-off --seed 42`, [CUT_OFF]"
  })
  void answersByHand_matchTheirFigures(String file, String name, String faults) throws Exception {
    Results results = answers(file);
    assertThat(answersPage())
        .contains(
            "| %s | %s | %s |"
                .formatted(name, figure(results, "ids answered"), figure(results, NEVER_LEARNED)));
    assertThat(params(results)).containsEntry("faults", faults);
    assertRepeatable(results);
  }

  @Test
  void answersByHand_withoutFaults_matchTheirFigures() throws Exception {
    Results one = answers("by-hand");
    Results three = answers("by-hand-3-clients");
    assertThat(answersPage())
        .contains(
            "p50 %s ms, p99 %s ms"
                .formatted(brief(one, "latency, p50"), brief(one, "latency, p99")))
        .contains(
            "| %s | %s | %s | %s |"
                .formatted(
                    figure(three, "ids answered"),
                    figure(three, TWO_WINNERS),
                    figure(three, TWO_ANSWERS),
                    figure(three, NEVER_LEARNED)));
    assertThat(params(three)).containsEntry("waiters", "3").containsEntry("completers", "3");
    assertRepeatable(three);
  }

  /** The page has the command, the date and the commit. */
  private static void assertRepeatable(Results results) throws Exception {
    String command = results.environment().command().replace(" --overwrite", "");
    assertThat(answersPage()).contains(command + "\n").contains(run(results));
  }

  @Test
  void linesByHand_areAsManyAsThePageSays() throws Exception {
    String code =
        Files.readString(Path.of("src/main/java/dev/purgatory/benchmarks/answers/ByHand.java"));
    long lines =
        code.substring(code.indexOf("\nfinal class"))
            .lines()
            .filter(line -> !line.isBlank() && !line.strip().startsWith("/**"))
            .count();
    assertThat(answersPage()).contains("ByHand.java), " + lines + " lines");
  }

  private static Results answers(String file) throws Exception {
    return ResultsJson.read(DOCS.resolve("reliability/answers-" + file + ".json"));
  }

  private static String answersPage() throws Exception {
    return Files.readString(DOCS.resolve("../use/answers-across-instances.md"));
  }

  private static Map<String, String> params(Results results) {
    return results.rows().get(0).params();
  }

  private static String run(Results results) {
    String date = results.environment().date().substring(0, 10);
    return date + " (commit `" + results.environment().commit().substring(0, 7) + "`)";
  }

  private static String brief(Results results, String metric) {
    return brief(value(results, metric));
  }

  private static String figure(Results results, String metric) {
    return Numbers.text(value(results, metric));
  }

  private static double value(Results results, String metric) {
    return results.rows().stream()
        .filter(row -> row.metric().equals(metric))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row: " + metric))
        .median();
  }
}
