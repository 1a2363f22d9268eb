package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.timer.Timers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value that is compared: the cost of a contender, divided by that of another one.
 *
 * @param bench the measurement
 * @param metric the metric
 * @param params the configuration
 * @param aboveFloor whether the floor is subtracted first
 * @param minNoise the smallest relative change that counts, however close the values are
 * @param base the contender by whose value the others are divided
 * @param contenders the contenders that are compared
 */
record Figure(
    String bench,
    String metric,
    Map<String, String> params,
    boolean aboveFloor,
    double minNoise,
    String base,
    List<String> contenders) {
  private static final String KAFKA = Contenders.KAFKA.title();
  private static final String CORE = Contenders.PURGATORY.title();
  private static final String FLOOR = Contenders.FLOOR.title();
  private static final double MIN_NOISE_OF_TIMES = 0.1;

  /** Small, since the number of bytes hardly varies. */
  private static final double MIN_NOISE_OF_BYTES = 0.02;

  private static final Map<String, String> SATURATED = load("low", "max");
  private static final Map<String, String> THREE_KEYS = Map.of("keys", "3");
  private static final Map<String, String> MANY_KEYS = Map.of("keys", "1000");
  private static final Map<String, String> MANY_TIMEOUTS =
      Map.of("pending", "1000000", "threads", "1");
  private static final Map<String, String> THIS_JDK =
      Map.of("jdk", Integer.toString(Runtime.version().feature()));

  /** All figures, in the order of the table. */
  static final List<Figure> ALL =
      List.of(
          time("enqueue", "rate", SATURATED),
          cpu(SATURATED),
          cpu(load("low", "400000")),
          cpu(load("high", "400000")),
          bytes("memory", "heap per pending operation", THREE_KEYS),
          bytes("memory", "allocation per operation", THREE_KEYS),
          time("many-keys", "watching, p50", MANY_KEYS),
          time("many-keys", "completing, p50", MANY_KEYS),
          time("timer", "cancel and add", MANY_TIMEOUTS),
          time("micro", "hold and check, time", Map.of()),
          time("micro", "check with a waiter, time", Map.of()),
          time("micro", "hold and complete, time", THREE_KEYS),
          time("thresholds", "advance, time", Map.of()).to("skip list+netty", CORE),
          time("replies", "reply, time", Map.of()).to("map+netty", CORE),
          time("limits", "limit, time", THIS_JDK).to("orTimeout", CORE),
          time("timer", "cancel and add", MANY_TIMEOUTS)
              .to(Timers.STPE.title(), Timers.PURGATORY_EXECUTOR.title()));

  private static Map<String, String> load(String mix, String rate) {
    return Map.of("mix", mix, "timeout", "200 ms", "rate", rate, "gc", "G1");
  }

  private static Figure cpu(Map<String, String> params) {
    return toKafka("enqueue", "CPU per request", params, true, MIN_NOISE_OF_TIMES);
  }

  private static Figure time(String bench, String metric, Map<String, String> params) {
    return toKafka(bench, metric, params, false, MIN_NOISE_OF_TIMES);
  }

  private static Figure bytes(String bench, String metric, Map<String, String> params) {
    return toKafka(bench, metric, params, true, MIN_NOISE_OF_BYTES);
  }

  private static Figure toKafka(
      String bench, String metric, Map<String, String> params, boolean aboveFloor, double noise) {
    List<String> ours = List.of(CORE, Contenders.PURGATORY_KAFKA.title());
    return new Figure(bench, metric, params, aboveFloor, noise, KAFKA, ours);
  }

  /** Returns this figure for another contender, divided by that of another one. */
  private Figure to(String rival, String contender) {
    return new Figure(bench, metric, params, aboveFloor, minNoise, rival, List.of(contender));
  }

  /** Returns a title that identifies the figure. */
  String title() {
    String load = params.containsKey("rate") ? ", " + rateText() : "";
    String rival = base.equals(KAFKA) ? "" : ", to " + base;
    return bench + ": " + metric + load + (aboveFloor ? ", above the floor" : "") + rival;
  }

  private String rateText() {
    return params.get("mix") + " mix, rate " + params.get("rate");
  }

  /** Returns whether higher values are better. */
  boolean isHigherBetter(Results results) {
    return results.rows(bench, metric, params).anyMatch(Row::higherIsBetter);
  }

  /** Returns the ratio to the base; empty if a value is missing or not above the floor. */
  Optional<Ratio> ratio(Results results, String contender) {
    Optional<Row> row = of(results, contender);
    Optional<Row> divisor = of(results, base);
    Optional<Row> floor = aboveFloor ? of(results, FLOOR) : Optional.empty();
    if (row.isEmpty() || divisor.isEmpty() || (aboveFloor && floor.isEmpty())) {
      return Optional.empty();
    }
    return Ratio.of(row.get(), divisor.get(), floor).filter(ratio -> ratio.median() > 0);
  }

  private Optional<Row> of(Results results, String contender) {
    return results.row(contender, bench, metric, params);
  }

  /** Returns whether a JVM that should measure a contender failed. */
  boolean hasFailed(Results results, String contender) {
    return results.rows().stream()
        .filter(row -> row.bench().equals(bench) && row.contender().equals(contender))
        .anyMatch(Row::failed);
  }
}
