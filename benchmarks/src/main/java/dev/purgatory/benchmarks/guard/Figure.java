package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.results.Ratio;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A value that is compared.
 *
 * @param bench the measurement
 * @param metric the metric
 * @param params the configuration
 * @param aboveFloor whether the floor is subtracted first
 * @param minNoise the smallest relative change that counts, however close the values are
 */
record Figure(
    String bench, String metric, Map<String, String> params, boolean aboveFloor, double minNoise) {
  private static final String KAFKA = Contenders.KAFKA.title();
  private static final String FLOOR = Contenders.FLOOR.title();
  private static final double MIN_NOISE_OF_TIMES = 0.1;

  /** Small, since the number of bytes hardly varies. */
  private static final double MIN_NOISE_OF_BYTES = 0.02;

  private static final Map<String, String> SATURATED = load("low", "max");
  private static final Map<String, String> THREE_KEYS = Map.of("keys", "3");
  private static final Map<String, String> MANY_KEYS = Map.of("keys", "1000");

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
          time("timer", "cancel and add", Map.of("pending", "1000000", "threads", "1")),
          time("micro", "hold and check, time", Map.of()),
          time("micro", "check with a waiter, time", Map.of()),
          time("micro", "hold and complete, time", THREE_KEYS));

  private static Map<String, String> load(String mix, String rate) {
    return Map.of("mix", mix, "timeout", "200 ms", "rate", rate, "gc", "G1");
  }

  private static Figure cpu(Map<String, String> params) {
    return new Figure("enqueue", "CPU per request", params, true, MIN_NOISE_OF_TIMES);
  }

  private static Figure time(String bench, String metric, Map<String, String> params) {
    return new Figure(bench, metric, params, false, MIN_NOISE_OF_TIMES);
  }

  private static Figure bytes(String bench, String metric, Map<String, String> params) {
    return new Figure(bench, metric, params, true, MIN_NOISE_OF_BYTES);
  }

  /** Returns a title that identifies the figure. */
  String title() {
    String load = params.containsKey("rate") ? ", " + rateText() : "";
    return bench + ": " + metric + load + (aboveFloor ? ", above the floor" : "");
  }

  private String rateText() {
    return params.get("mix") + " mix, rate " + params.get("rate");
  }

  /** Returns whether higher values are better. */
  boolean isHigherBetter(Results results) {
    return results.rows(bench, metric, params).anyMatch(Row::higherIsBetter);
  }

  /** Returns the ratio to Kafka's classes; empty if a value is missing or not above the floor. */
  Optional<Ratio> ratio(Results results, String contender) {
    Optional<Row> row = of(results, contender);
    Optional<Row> kafka = of(results, KAFKA);
    Optional<Row> floor = aboveFloor ? of(results, FLOOR) : Optional.empty();
    if (row.isEmpty() || kafka.isEmpty() || (aboveFloor && floor.isEmpty())) {
      return Optional.empty();
    }
    return Ratio.of(row.get(), kafka.get(), floor).filter(ratio -> ratio.median() > 0);
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
