package dev.purgatory.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Generates the figures of a page. The parts between {@code <!-- name -->} and {@code <!-- end -->}
 * are generated; the rest of the page remains unchanged. The same results give the same text.
 */
final class Page {
  private static final Pattern PART =
      Pattern.compile("<!-- ([a-z0-9-]+) -->\\n.*?<!-- end -->", Pattern.DOTALL);

  private static final double MICROS = 1e3;
  private static final double MILLIS = 1e6;
  private static final double MILLION = 1e6;
  private static final double MIB = 1 << 20;

  private static final String RETAINED = "retained";
  private static final String LIBRARY = "purgatory";
  private static final String DROP_IN = "purgatory-kafka";
  private static final String REPLIES = "replies";
  private static final String CPU = "CPU per request";
  private static final String NETTY = "map+netty";
  private static final Map<String, String> ANY = Map.of();

  private static final List<Line> AGAINST_KAFKA =
      List.of(
          kafka("requests per second, one thread (million)", "enqueue", "rate", load("low", "max"))
              .in(MILLION),
          new Line(
              "requests per second, sixteen threads (million)",
              "scaling",
              DROP_IN,
              Contest.KAFKA,
              "threads",
              "rate",
              Map.of("threads", "16"),
              MILLION),
          kafka("processor time at 400,000/s, low mix (µs)", "enqueue", CPU, load("low", "400000")),
          kafka(
              "processor time at 400,000/s, high mix (µs)", "enqueue", CPU, load("high", "400000")),
          kafka(
              "processor time on the event path, 100,000/s (µs)",
              "events",
              CPU,
              load("low", "100000")),
          kafka(
              "lateness of timeouts, 100,000 pending, p99 (ms)",
              "lateness",
              "late, p99",
              Map.of("pending", "100000")),
          kafka(
              "heap of a request on three keys (bytes)",
              "memory",
              "heap per pending operation",
              Map.of("keys", "3")),
          kafka("wake-ups per second of seven idle purgatories", "idle", "wake-ups", ANY));

  private static final List<Line> AGAINST_CODE_BY_HAND =
      List.of(
          feature("await and complete a reply (ns)", REPLIES, "reply, time", NETTY),
          feature("the same, processor time (ns)", REPLIES, "reply, CPU", NETTY),
          feature("processor time of a reply at 1,000/s (µs)", REPLIES, "paced reply, CPU", NETTY),
          feature("the same (µs)", REPLIES, "paced reply, CPU", "map+stpe"),
          new Line(
              "timeout on a stage (ns)",
              "features",
              LIBRARY,
              "orTimeout",
              "limits",
              "limit, time",
              Map.of(Line.JDK, "25"),
              1),
          feature(
                  "advance a threshold, ten new waiters (µs)",
                  "thresholds",
                  "advance and new waiters, time",
                  "skip list+netty")
              .in(MICROS),
          feature("touch a session (ns)", "sessions", "touch, time", "map+sweep"),
          new Line(
              "bare timer: cancel one of 10,000, add one (ns)",
              "adapters",
              LIBRARY,
              "netty",
              "timer",
              "cancel and add",
              Map.of("pending", "10000", "threads", "1"),
              1));

  private static final List<Line> LOSSES =
      List.of(
          kafka(
              "Completing a request on 1,000 keys, p99 (µs)",
              "many-keys",
              "completing, p99",
              Map.of("keys", "1000")),
          kafka("Checking a key with one waiter (ns)", "micro", "check with a waiter, time", ANY),
          new Line(
              "Processor time on the event path at 100,000/s, against a map written by hand (µs)",
              "full",
              LIBRARY,
              "map+stpe",
              "events",
              CPU,
              load("low", "100000"),
              1),
          feature("Heap of a session (bytes)", "sessions", "heap per session", "map+sweep"),
          adapter(
              "A timeout cancelled on another thread (ns)",
              "timer-cancel",
              "add here, cancel there, time"),
          adapter(
              "Lateness of a timeout beside 100,000 that are due together (ms)",
              "timer-burst",
              "burst, lateness of another"));

  private static final List<Line> IN_THE_BROKER =
      List.of(
          broker("processor time of a poll that expires (µs)", "polls", CPU).in(MICROS),
          broker("lateness of such a poll, p50 (ms)", "polls", "late, p50").in(MILLIS),
          new Line(
              "heap after 48 polls by 40 consumers of 1,000 partitions (MiB)",
              RETAINED,
              DROP_IN,
              Contest.KAFKA,
              "broker-retained",
              "heap after a collection",
              Map.of("step", "24"),
              MIB),
          broker("answer to the last of 2,000 polls after a write (ms)", "held", "wake-up, last")
              .in(MILLIS),
          broker("processor time of a write with acks=all (ms)", "writes", CPU).in(MILLIS),
          broker("latency of such a write, p99 (ms)", "writes", "latency, p99").in(MILLIS));

  private static final List<String> COUNTS =
      List.of(
          "run",
          "against Kafka's classes",
          "better",
          "no difference",
          "uncertain",
          "worse",
          "against the best rival",
          "better",
          "no difference",
          "uncertain",
          "worse");

  private static final Map<String, Function<Runs, String>> PARTS =
      Map.of(
          "runs", Page::runs,
          "against-kafka", runs -> Line.table(AGAINST_KAFKA, runs),
          "against-code-by-hand", runs -> Line.table(AGAINST_CODE_BY_HAND, runs),
          "losses", runs -> LOSSES.stream().map(line -> line.item(runs)).collect(joining()),
          "in-the-broker", runs -> Line.table(IN_THE_BROKER, runs),
          "all-numbers", Page::counts);

  private Page() {}

  private static Line kafka(String what, String bench, String metric, Map<String, String> params) {
    return new Line(what, "full", DROP_IN, Contest.KAFKA, bench, metric, params, 1);
  }

  private static Line feature(String what, String bench, String metric, String rival) {
    return new Line(what, "features", LIBRARY, rival, bench, metric, ANY, 1);
  }

  private static Line adapter(String what, String bench, String metric) {
    return new Line(what, "adapters", "purgatory-netty", "netty", bench, metric, ANY, 1);
  }

  private static Line broker(String what, String load, String metric) {
    return new Line(what, "broker", DROP_IN, Contest.KAFKA, "broker-" + load, metric, ANY, 1);
  }

  private static Map<String, String> load(String mix, String rate) {
    return Map.of("mix", mix, "timeout", "200 ms", "rate", rate, "gc", "G1");
  }

  /**
   * Generates the parts of a page.
   *
   * @throws IllegalArgumentException if the page contains an unknown marker
   */
  static String fill(String page, Runs runs) {
    return PART.matcher(page)
        .replaceAll(part -> Matcher.quoteReplacement(part(part.group(1), runs)));
  }

  private static String part(String name, Runs runs) {
    Function<Runs, String> content = PARTS.get(name);
    if (content == null) {
      throw new IllegalArgumentException(
          "unknown part '" + name + "'; valid names: " + String.join(", ", PARTS.keySet()));
    }
    return "<!-- " + name + " -->\n" + content.apply(runs) + "<!-- end -->";
  }

  /** Returns when, where and from which commit each run was made. */
  private static String runs(Runs runs) {
    return new Table(
            "",
            List.of("run", "date", "commit", "JDK", "processor", "memory"),
            runs.byName().entrySet().stream()
                .map(each -> facts(each.getKey(), each.getValue().results().environment()))
                .toList())
        .markdown();
  }

  private static List<String> facts(String name, Environment environment) {
    return List.of(
        "[" + name + "](../benchmarks/results/" + name + ".json)",
        day(environment),
        "`" + commit(environment) + "`",
        environment.jdk(),
        environment.cores() + " × " + environment.cpu(),
        (environment.memoryBytes() >> 30) + " GiB");
  }

  static String day(Environment environment) {
    return environment.date().replaceFirst("T.*", "");
  }

  static String commit(Environment environment) {
    String dirty = environment.commit().endsWith("-dirty") ? "-dirty" : "";
    return environment.commit().substring(0, Math.min(8, environment.commit().length())) + dirty;
  }

  /** Returns how many of our numbers are better, not different, uncertain and worse. */
  private static String counts(Runs runs) {
    List<List<String>> rows = new ArrayList<>();
    List<Contest.End> allToKafka = new ArrayList<>();
    List<Contest.End> allToTheBest = new ArrayList<>();
    runs.byName()
        .forEach(
            (run, contest) -> {
              if (run.equals(RETAINED)) {
                return; // the values of its steps are one curve
              }
              List<Contest.End> toKafka = ends(contest, row -> contest.against(row, Contest.KAFKA));
              List<Contest.End> toTheBest = ends(contest, contest::againstTheBest);
              allToKafka.addAll(toKafka);
              allToTheBest.addAll(toTheBest);
              rows.add(counts(run, toKafka, toTheBest));
            });
    rows.add(counts("**all**", allToKafka, allToTheBest));
    return new Table("", COUNTS, rows).markdown();
  }

  private static List<Contest.End> ends(
      Contest contest, Function<Row, Optional<Contest.Comparison>> compare) {
    return contest.ours().stream()
        .flatMap(row -> compare.apply(row).stream())
        .map(Contest.Comparison::end)
        .toList();
  }

  private static List<String> counts(
      String run, List<Contest.End> toKafka, List<Contest.End> toTheBest) {
    return Stream.of(Stream.of(run), counts(toKafka), counts(toTheBest))
        .flatMap(cells -> cells)
        .toList();
  }

  private static Stream<String> counts(List<Contest.End> ends) {
    return Stream.concat(
        Stream.of(Integer.toString(ends.size())),
        Stream.of(Contest.End.values())
            .map(end -> Integer.toString(Collections.frequency(ends, end))));
  }
}
