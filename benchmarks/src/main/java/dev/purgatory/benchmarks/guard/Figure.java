package dev.purgatory.benchmarks.guard;

import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.Row;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A number that is compared.
 *
 * @param bench the measurement
 * @param metric what is measured
 * @param params in which configuration
 * @param aboveFloor whether the floor is subtracted first
 * @param leastNoise the smallest change that counts, however close the values are: 0.1 is a tenth
 */
record Figure(
    String bench,
    String metric,
    Map<String, String> params,
    boolean aboveFloor,
    double leastNoise) {
  private static final double LEAST_OF_TIMES = 0.1;

  /** Bytes are counted, and hardly vary. */
  private static final double LEAST_OF_BYTES = 0.02;

  private static final Map<String, String> SATURATED = load("low", "max");
  private static final Map<String, String> THREE_KEYS = Map.of("keys", "3");
  private static final Map<String, String> MANY_KEYS = Map.of("keys", "1000");

  /** All, in the order in which they are told. */
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
    return new Figure("enqueue", "CPU per request", params, true, LEAST_OF_TIMES);
  }

  private static Figure time(String bench, String metric, Map<String, String> params) {
    return new Figure(bench, metric, params, false, LEAST_OF_TIMES);
  }

  private static Figure bytes(String bench, String metric, Map<String, String> params) {
    return new Figure(bench, metric, params, true, LEAST_OF_BYTES);
  }

  /** For people. */
  String title() {
    String load = params.containsKey("rate") ? ", " + rateText() : "";
    return bench + ": " + metric + load + (aboveFloor ? ", above the floor" : "");
  }

  private String rateText() {
    return params.get("mix") + " mix, rate " + params.get("rate");
  }

  /** What a contender has reached. */
  Optional<Row> of(Results results, String contender) {
    return results.rows().stream()
        .filter(row -> row.bench().equals(bench) && row.contender().equals(contender))
        .filter(row -> row.metric().equals(metric) && row.params().equals(params))
        .findFirst();
  }

  /** Whether a JVM failed that was to measure a contender. */
  boolean hasFailed(Results results, String contender) {
    return results.rows().stream()
        .filter(row -> row.bench().equals(bench) && row.contender().equals(contender))
        .anyMatch(Row::failed);
  }
}
