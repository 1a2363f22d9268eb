package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LossesTest {
  private static final Path HOME = Path.of("..");

  /** Metrics that are no costs. */
  private static final List<String> LOADS =
      List.of("timed out", "requests", "expired", "without an end", "CPU samples");

  /** By unit, the difference that is too small to be listed. */
  private static final Map<String, Double> NEXT_TO_NOTHING =
      Map.of("wake-ups", 1e-2, "bytes", 1.0, "%", 0.1);

  private static Results results(Row... rows) {
    return new Results(SampleResults.environment(), List.of(rows));
  }

  private static Row timer(String contender, double... nanos) {
    return row("timer", contender, Map.of(), "cancel and add", "ns", nanos);
  }

  private static List<String> names(List<Losses.Loss> losses) {
    return losses.stream()
        .map(
            loss ->
                loss.row().contender()
                    + " "
                    + loss.rivals().stream().map(behind -> behind.rival().contender()).toList())
        .toList();
  }

  @Test
  void lossesAreWorseInEachRoundAndSorted() {
    Results results =
        results(
            row("timer", "purgatory", Map.of(), "a", "ns", 11, 12, 13),
            row("timer", "purgatory-kafka", Map.of(), "a", "ns", 20, 20, 20),
            row("timer", "kafka", Map.of(), "a", "ns", 10, 10, 10),
            row("timer", "purgatory", Map.of(), "b", "ns", 11, 9, 11),
            row("timer", "kafka", Map.of(), "b", "ns", 10, 10, 10),
            row("timer", "purgatory", Map.of(), "timed out", "%", 9),
            row("timer", "kafka", Map.of(), "timed out", "%", 1));

    assertThat(Losses.toKafka(results).stream().map(loss -> loss.row().contender()))
        .containsExactly("purgatory-kafka", "purgatory");
    assertThat(Losses.toKafka(results).stream().map(Losses.Loss::ratio)).containsExactly(2.0, 1.2);
    assertThat(Losses.toOthers(results)).isEmpty();
  }

  @Test
  void dropInAndLibrary_loseToEveryBetterRival_theBestFirst() {
    Results results =
        results(
            timer("purgatory", 10, 10),
            timer("purgatory-kafka", 20, 20),
            timer("netty", 5, 5),
            timer("stpe", 2, 2),
            timer("floor", 1, 1));

    assertThat(names(Losses.toOthers(results)))
        .containsExactly("purgatory-kafka [stpe, netty]", "purgatory [stpe, netty]");
  }

  @Test
  void adapterLosesToWhatItReplaces() {
    Results results =
        results(
            timer("purgatory-netty", 30, 30),
            timer("purgatory-executor", 40, 40),
            timer("netty", 5, 5),
            timer("stpe", 20, 20),
            timer("fjp", 10, 10));

    assertThat(names(Losses.toOthers(results)))
        .containsExactly("purgatory-netty [netty]", "purgatory-executor [fjp, stpe]");
  }

  @Test
  void rivalThatIsNextToNothing_isALossWithoutARatio() {
    Losses.Loss loss =
        Losses.toOthers(
                results(
                    row("sessions", "purgatory", Map.of(), "touch", "bytes", 3.3, 3.2),
                    row("sessions", "map+sweep", Map.of(), "touch", "bytes", 0.0001, 0)))
            .get(0);

    assertThat(loss.ratio()).isZero();
    assertThat(loss.rivals().get(0).times()).isEmpty();
  }

  @Test
  void higherRateIsNoLoss() {
    Row kafka = rate("kafka", 100);

    assertThat(Losses.toKafka(results(rate("purgatory", 200), kafka))).isEmpty();
    assertThat(Losses.toKafka(results(rate("purgatory", 50), kafka))).hasSize(1);
  }

  private static Row rate(String contender, double value) {
    return new Row("enqueue", contender, Map.of(), "rate", "1/s", true, List.of(value));
  }

  @Test
  void contenderThatLeavesRequestsWithoutAnEnd_isNoRival() {
    assertThat(Losses.toOthers(loaded("without an end", 0))).hasSize(1);
    assertThat(Losses.toOthers(loaded("without an end", 5))).isEmpty();
  }

  @Test
  void contenderThatDoesNotKeepUp_isNoRival() {
    assertThat(Losses.toOthers(loaded("rate", 1000))).hasSize(1);
    assertThat(Losses.toOthers(loaded("rate", 900))).isEmpty();
  }

  private static Results loaded(String metric, double rivals) {
    Map<String, String> load = Map.of("rate", "1000");
    return results(
        row("enqueue", "purgatory", load, "lag", "ms", 20),
        row("enqueue", "delay-queue", load, "lag", "ms", 10),
        row("enqueue", "delay-queue", load, metric, "requests", rivals));
  }

  @Test
  void scoresCountWhatIsComparedAndWhatIsWorse() {
    List<Losses.Score> scores =
        Losses.scores(
            results(
                timer("purgatory", 10, 10),
                timer("kafka", 8, 8),
                timer("netty", 5, 5),
                row("idle", "purgatory", Map.of(), "wake-ups", "1/s", 0),
                row("idle", "kafka", Map.of(), "wake-ups", "1/s", 35)));

    assertThat(scores.get(0))
        .extracting(Losses.Score::compared, Losses.Score::toKafka, Losses.Score::toAny)
        .containsExactly(1, 1, 1);
    assertThat(scores.get(0).worst().orElseThrow().ratio()).isEqualTo(2);
    assertThat(scores.get(1))
        .extracting(Losses.Score::compared, Losses.Score::toKafka, Losses.Score::toAny)
        .containsExactly(1, 0, 0);
  }

  /** Compares the smallest of our values with the largest of each rival, by code of its own. */
  @Test
  void publishedLossesAreComplete() throws Exception {
    int losses = 0;
    for (String run : Runs.NAMES) {
      losses += assertListed(run);
    }
    assertThat(losses).isPositive();
  }

  /** Returns how many values are clearly worse, each of which is on the page. */
  private static int assertListed(String run) throws Exception {
    List<Row> rows = ResultsJson.read(HOME.resolve("benchmarks/results/" + run + ".json")).rows();
    String page = Files.readString(HOME.resolve("docs/benchmarks.md"));
    String list = page.substring(page.indexOf("## All numbers that are worse"));
    int losses = 0;
    for (Row ours : rows) {
      for (Row rival : rows) {
        if (isClearlyWorse(ours, rival) && keepsUp(ours, rows) && keepsUp(rival, rows)) {
          losses++;
          assertThat(list.lines())
              .as(ours + " against " + rival)
              .anyMatch(
                  line ->
                      line.startsWith(
                              "| "
                                  + run
                                  + " | "
                                  + LossTables.what(ours)
                                  + " | `"
                                  + ours.contender()
                                  + "` |")
                          && line.contains("`" + rival.contender() + "` "));
        }
      }
    }
    return losses;
  }

  /** Returns whether a contender reached the rate that it was measured at. */
  private static boolean keepsUp(Row row, List<Row> rows) {
    String target = row.params().getOrDefault("rate", "");
    return !target.matches("[0-9]+")
        || rows.stream()
            .filter(other -> other.bench().equals(row.bench()))
            .filter(other -> other.contender().equals(row.contender()))
            .filter(other -> other.params().equals(row.params()))
            .filter(other -> other.metric().equals("rate"))
            .allMatch(rate -> rate.median() >= 0.95 * Long.parseLong(target));
  }

  private static boolean isClearlyWorse(Row ours, Row rival) {
    boolean isRival =
        ours.contender().startsWith("purgatory")
            && !rival.contender().startsWith("purgatory")
            && !List.of("floor", "delay-queue").contains(rival.contender())
            && (!ours.contender().equals("purgatory-netty") || rival.contender().equals("netty"))
            && (!ours.contender().equals("purgatory-executor")
                || List.of("stpe", "fjp").contains(rival.contender()));
    return isRival
        && ours.bench().equals(rival.bench())
        && ours.metric().equals(rival.metric())
        && ours.params().equals(rival.params())
        && LOADS.stream().noneMatch(ours.metric()::startsWith)
        && (ours.higherIsBetter()
            ? ours.max() < 0.9 * rival.min()
            : ours.min() > 1.1 * rival.max()
                && ours.min() - rival.max() > NEXT_TO_NOTHING.getOrDefault(ours.unit(), 1e-3));
  }
}
