package dev.purgatory.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Defines the tables of the published page, by the names that the page uses. */
final class PageTables {
  private static final String CPU = "CPU per request";
  private static final String COMPILERS = "CPU of compilers per request";
  private static final String RATE = "rate";
  private static final String LAG = "completion lag, p99";
  private static final double MILLION = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double KIB = 1024;

  private static final Map<String, List<Column>> ALL = new LinkedHashMap<>();

  static {
    ALL.put(
        "cpu-at-a-rate",
        List.of(
            load("low mix, 400,000/s", "enqueue", CPU, "low", "400000").overFloor(),
            load("high mix, 400,000/s", "enqueue", CPU, "high", "400000").overFloor(),
            load("event path, 100,000/s", "events", CPU, "low", "100000").overFloor(),
            load("same 3 keys, 100,000/s", "same-keys", CPU, "low", "100000").overFloor()));
    ALL.put(
        "cpu-at-the-highest-rate",
        List.of(
            load("low mix", "enqueue", CPU, "low", "max").overFloor(),
            load("high mix", "enqueue", CPU, "high", "max").overFloor(),
            load("event path", "events", CPU, "low", "max").overFloor(),
            load("same 3 keys", "same-keys", CPU, "low", "max").overFloor()));
    ALL.put(
        "floor",
        List.of(
            load("low mix, 400,000/s", "enqueue", CPU, "low", "400000"),
            load("high mix, 400,000/s", "enqueue", CPU, "high", "400000"),
            load("low mix, highest rate", "enqueue", CPU, "low", "max"),
            load("high mix, highest rate", "enqueue", CPU, "high", "max")));
    ALL.put(
        "highest-rate",
        List.of(
            load("low mix", "enqueue", RATE, "low", "max").in(MILLION),
            load("high mix", "enqueue", RATE, "high", "max").in(MILLION),
            load("event path", "events", RATE, "low", "max").in(MILLION),
            load("same 3 keys", "same-keys", RATE, "low", "max").in(MILLION)));
    ALL.put(
        "completion-lag",
        Stream.of("100000", "200000", "400000", "800000", "max")
            .map(rate -> load(rateText(rate), "enqueue", LAG, "low", rate))
            .toList());
    ALL.put(
        "collections",
        List.of(
            load("100,000/s", "enqueue", "young collections per request", "low", "100000"),
            load("400,000/s", "enqueue", "young collections per request", "low", "400000"),
            load("highest rate", "enqueue", "young collections per request", "low", "max")));
    ALL.put(
        "single-calls",
        List.of(
            Column.of("hold and check", "micro", "hold and check, time", Map.of()),
            micro("hold and complete, 1 key", Map.of("keys", "1")),
            micro("hold and complete, 3 keys", Map.of("keys", "3")),
            Column.of("check, no waiter", "micro", "check without waiters, time", Map.of()),
            Column.of("check, one waiter", "micro", "check with a waiter, time", Map.of()),
            Column.of(
                "hold and complete, 2 threads",
                "micro",
                "hold and complete on the same keys, time",
                Map.of())));
    ALL.put(
        "memory",
        List.of(
            heap("1").overFloor(),
            heap("3").overFloor(),
            heap("100").overFloor(),
            Column.of("allocated, 3 keys", "memory", "allocation per operation", Map.of())
                .overFloor(),
            Column.of(
                "still reachable (%)", "memory", "still reachable after completion", Map.of())));
    ALL.put(
        "lateness",
        List.of(
            late("p50, 100,000 pending", "late, p50", "100000"),
            late("p99, 10,000 pending", "late, p99", "10000"),
            late("p99, 100,000 pending", "late, p99", "100000"),
            late("p99, 300,000 pending", "late, p99", "300000"),
            late("earliest, 100,000 pending", "early, max", "100000")));
    ALL.put("timers", timers("cancel and add"));
    ALL.put("timers-cpu", timers("cancel and add, CPU"));
    ALL.put(
        "adapters-timers", timers("cancel and add").stream().map(Column::againstTheBest).toList());
    ALL.put(
        "many-keys",
        Stream.of("watching, p50", "watching, p99", "completing, p50", "completing, p99")
            .map(metric -> Column.of(metric, "many-keys", metric, Map.of("keys", "1000")))
            .toList());
    ALL.put(
        "wake-up",
        Stream.of("p50", "p99")
            .map(part -> Column.of(part, "wake-up", "held to wake-up, " + part, Map.of()))
            .toList());
    ALL.put("idle", List.of(Column.of("wake-ups per second", "idle", "wake-ups", Map.of())));
    ALL.put(
        "broker-polls",
        List.of(
            polls("CPU per poll (µs)", CPU).in(NANOS_PER_MICRO),
            polls("of compilers (µs)", COMPILERS).in(NANOS_PER_MICRO),
            polls("lateness, p50 (ms)", "late, p50").in(NANOS_PER_MILLI),
            polls("lateness, p99 (ms)", "late, p99").in(NANOS_PER_MILLI),
            polls("earliest (ms)", "early, most").in(NANOS_PER_MILLI)));
    ALL.put(
        "broker-shares",
        List.of(
            polls("own share of CPU (%)", "own share of CPU"),
            polls("watching (%)", "own share of CPU, watching"),
            polls("purging (%)", "own share of CPU, purging"),
            polls("timer (%)", "own share of CPU, timer"),
            polls("counting (%)", "own share of CPU, counting"),
            polls("samples per JVM", "CPU samples of all threads"),
            polls("own samples per JVM", "CPU samples of the purgatory")));
    ALL.put(
        "broker-held",
        List.of(
            held("heap per held poll (KiB)", "heap per held request").in(KIB),
            held("wake-up, p50 (ms)", "wake-up, p50").in(NANOS_PER_MILLI),
            held("wake-up, p99 (ms)", "wake-up, p99").in(NANOS_PER_MILLI)));
    ALL.put(
        "broker-writes",
        List.of(
            writes("CPU per write (ms)", CPU),
            writes("of compilers (ms)", COMPILERS),
            writes("latency, p50 (ms)", "latency, p50"),
            writes("latency, p99 (ms)", "latency, p99")));
    ALL.put(
        "scaling-requests", byThreads("threads", RATE).map(column -> column.in(MILLION)).toList());
    ALL.put("scaling-cost", byThreads("threads", CPU).map(Column::overFloor).toList());
    ALL.put("scaling-timers", byThreads("timer-threads", "cancel and add").toList());
    FeatureTables.addTo(ALL);
  }

  private PageTables() {}

  /** Returns the columns of each table. */
  static Map<String, List<Column>> all() {
    return ALL;
  }

  private static Column load(String heading, String bench, String metric, String mix, String rate) {
    Map<String, String> params = Map.of("mix", mix, "timeout", "200 ms", "rate", rate, "gc", "G1");
    return Column.of(heading, bench, metric, params);
  }

  private static String rateText(String rate) {
    return rate.equals("max") ? "highest rate" : Parameters.text(rate) + "/s";
  }

  private static Column micro(String heading, Map<String, String> params) {
    return Column.of(heading, "micro", "hold and complete, time", params);
  }

  private static Column heap(String keys) {
    String heading = keys.equals("1") ? "1 key" : keys + " keys";
    return Column.of(heading, "memory", "heap per pending operation", Map.of("keys", keys));
  }

  private static Column late(String heading, String metric, String pending) {
    return Column.of(heading, "lateness", metric, Map.of("pending", pending));
  }

  private static List<Column> timers(String metric) {
    return List.of(
        timer(metric, "10000", "1"),
        timer(metric, "1000000", "1"),
        timer(metric, "10000", "2"),
        timer(metric, "1000000", "2"));
  }

  private static Column timer(String metric, String pending, String threads) {
    String heading = Parameters.text(pending) + " pending, " + threads(threads);
    return Column.of(heading, "timer", metric, Map.of("pending", pending, "threads", threads));
  }

  private static Stream<Column> byThreads(String bench, String metric) {
    return Stream.of("1", "2", "4", "8", "16")
        .map(count -> Column.of(threads(count), bench, metric, Map.of("threads", count)));
  }

  private static String threads(String count) {
    return count.equals("1") ? "1 thread" : count + " threads";
  }

  private static Column polls(String heading, String metric) {
    return Column.of(heading, "broker-polls", metric, Map.of());
  }

  private static Column held(String heading, String metric) {
    return Column.of(heading, "broker-held", metric, Map.of());
  }

  private static Column writes(String heading, String metric) {
    return Column.of(heading, "broker-writes", metric, Map.of()).in(NANOS_PER_MILLI);
  }
}
