package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContestTest {
  private static final Map<String, String> LOAD = Map.of("rate", "1000");

  private static Row timer(String contender, double... nanos) {
    return row("timer", contender, Map.of(), "cancel and add", "ns", nanos);
  }

  /** Returns how the first of these rows compares with that of Kafka. */
  private static Optional<Contest.End> toKafka(Row... rows) {
    return new Contest(SampleResults.of(rows))
        .against(rows[0], Contest.KAFKA)
        .map(Contest.Comparison::end);
  }

  /** Returns the best rival of the first of these rows. */
  private static Optional<String> best(Row... rows) {
    return new Contest(SampleResults.of(rows))
        .againstTheBest(rows[0])
        .map(comparison -> comparison.rival().contender());
  }

  @Test
  void ratioIsThatOfEachRound() {
    Row kafka = timer("kafka", 10, 20, 30);

    assertThat(toKafka(timer("purgatory", 5, 10, 15), kafka)).contains(Contest.End.BETTER);
    assertThat(toKafka(timer("purgatory", 11, 30, 60), kafka)).contains(Contest.End.WORSE);
    assertThat(toKafka(timer("purgatory", 9, 20, 31), kafka)).contains(Contest.End.NO_DIFFERENCE);
    assertThat(toKafka(timer("purgatory", 9, 40, 90), kafka)).contains(Contest.End.UNCERTAIN);
  }

  @Test
  void uncertainRatio_isPrintedWithItsMedian() {
    Row ours = timer("purgatory", 9, 40, 90);
    Contest contest = new Contest(SampleResults.of(ours, timer("kafka", 10, 20, 30)));

    assertThat(contest.against(ours, "kafka").orElseThrow().text())
        .isEqualTo("uncertain: 2.00 × (0.9–3)");
  }

  @Test
  void higherRateIsBetter() {
    Row kafka = rate("kafka", 100);

    assertThat(toKafka(rate("purgatory", 200), kafka)).contains(Contest.End.BETTER);
    assertThat(toKafka(rate("purgatory", 50), kafka)).contains(Contest.End.WORSE);
  }

  private static Row rate(String contender, double value) {
    return new Row("enqueue", contender, Map.of(), "rate", "1/s", true, List.of(value));
  }

  @Test
  void rivalNextToNothing_isBetterWithoutARatio() {
    assertThat(toKafka(bytes("purgatory", 3.3), bytes("kafka", 0.0001)))
        .contains(Contest.End.WORSE);
    assertThat(toKafka(bytes("purgatory", 0), bytes("kafka", 0)))
        .contains(Contest.End.NO_DIFFERENCE);
    assertThat(toKafka(bytes("purgatory", 0), bytes("kafka", 9))).contains(Contest.End.BETTER);
  }

  private static Row bytes(String contender, double value) {
    return row("sessions", contender, Map.of(), "touch", "bytes", value);
  }

  @Test
  void floorIsSubtractedFromTheCostOfARequest() {
    Row ours = cpu("purgatory", 1.5);
    Contest contest = new Contest(SampleResults.of(ours, cpu("kafka", 2.5), cpu("floor", 0.5)));

    assertThat(contest.value(ours)).isEqualTo(1);
    assertThat(contest.against(ours, "kafka").orElseThrow().text()).isEqualTo("**0.50 ×**");
  }

  private static Row cpu(String contender, double micros) {
    return row("enqueue", contender, Map.of(), "CPU per request", "us", micros);
  }

  @Test
  void bestRival_isNeitherOursNorTheFloor() {
    assertThat(
            best(
                timer("purgatory", 10),
                timer("purgatory-kafka", 1),
                timer("floor", 1),
                timer("netty", 5),
                timer("stpe", 2)))
        .contains("stpe");
  }

  @Test
  void adapterIsComparedWithWhatItReplaces() {
    List<Row> rivals = List.of(timer("netty", 5), timer("stpe", 20), timer("fjp", 10));

    assertThat(best(timer("purgatory-netty", 30), rivals.get(1), rivals.get(0))).contains("netty");
    assertThat(best(timer("purgatory-executor", 30), rivals.get(0), rivals.get(1), rivals.get(2)))
        .contains("fjp");
  }

  @Test
  void loadsAreNotCompared() {
    assertThat(
            toKafka(
                row("enqueue", "purgatory", Map.of(), "timed out", "%", 9),
                row("enqueue", "kafka", Map.of(), "timed out", "%", 1)))
        .isEmpty();
  }

  @Test
  void contenderThatLosesRequests_isNoRival() {
    assertThat(best(lag("purgatory", 20), lag("delay-queue", 10), lost(0))).isPresent();
    assertThat(best(lag("purgatory", 20), lag("delay-queue", 10), lost(5))).isEmpty();
  }

  @Test
  void contenderThatDoesNotKeepUp_isNoRival() {
    assertThat(best(lag("purgatory", 20), lag("delay-queue", 10), reached(1000))).isPresent();
    assertThat(best(lag("purgatory", 20), lag("delay-queue", 10), reached(900))).isEmpty();
  }

  private static Row lag(String contender, double millis) {
    return row("enqueue", contender, LOAD, "lag", "ms", millis);
  }

  private static Row lost(double requests) {
    return row("enqueue", "delay-queue", LOAD, "without an end", "requests", requests);
  }

  private static Row reached(double rate) {
    return row("enqueue", "delay-queue", LOAD, "rate", "requests/s", rate);
  }

  @Test
  void negativeValue_isNotCompared() {
    assertThat(toKafka(timer("purgatory", -1, 2, 3), timer("kafka", 1, 1, 1))).isEmpty();
  }
}
