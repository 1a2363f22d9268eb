package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import dev.purgatory.benchmarks.workload.Mix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a quick run and a full run consist of. */
final class Steps {
  private static final int JDK_OF_GENERATIONAL_ZGC = 21;
  private static final int JDK_OF_NOTHING_BUT = 24;

  private static final String DEFAULT_COLLECTOR = "G1";

  /** For some runs' worth of compiled code, and too short to run out of memory. */
  private static final int WARM_UP_MILLIS = 300;

  /** Arrivals in a second, the highest last: a contender may not survive them. */
  private static final List<String> FULL_RATES =
      List.of(
          "10000", "20000", "40000", "60000", "80000", "100000", "200000", "400000", "800000",
          "max");

  private static final List<String> FEW_RATES = List.of("100000", "max");

  /** The seeds' heap. */
  private static final String SEEDS_HEAP = "200m";

  private Steps() {}

  static List<Step> quick() {
    return List.of(
        enqueue("low:max,low:100000,high:max", 300, List.of("-XX:+UseG1GC"), "G1", 5),
        memory("1,3,100", 20_000, "1g", 3),
        lateness("100000", 1000, "1g", 3),
        manyKeys("1000", 200, 2),
        wakeUp(10_000, 10, 1),
        idle(1000, 2),
        timer("10000,1000000", 200, "2g", 2));
  }

  /** What a quick run has no time for, unless it is asked for by name. */
  static List<Step> quickByName() {
    return List.of(micro(2, 250, 7));
  }

  /** All rates with the collector that a JVM has by default, the two that tell most with others. */
  static List<Step> full() {
    List<Step> steps = new ArrayList<>();
    for (Mix mix : Mix.values()) {
      collectors()
          .forEach(
              (name, flags) ->
                  steps.add(
                      name.equals(DEFAULT_COLLECTOR)
                          ? enqueue(cases(mix, FULL_RATES), 10_000, flags, name, 90)
                          : enqueue(cases(mix, FEW_RATES), 10_000, flags, name, 25)));
    }
    steps.add(memory("1,3,100,1000", 300_000, "4g", 15));
    steps.add(lateness("10000,100000,200000,1000000", 5000, "4g", 40));
    steps.add(manyKeys("1000,5000", 1000, 10));
    steps.add(wakeUp(10_000, 50, 3));
    steps.add(idle(10_000, 11));
    steps.add(timer("10000,100000,1000000,10000000", 3000, "8g", 30));
    steps.add(micro(3, 500, 17));
    return steps;
  }

  /** ParNew and CMS, which the seeds had, ended with JDK 14. */
  private static SortedMap<String, List<String>> collectors() {
    int jdk = Runtime.version().feature();
    List<String> g1 = List.of("-XX:+UseG1GC");
    List<String> parallel = List.of("-XX:+UseParallelGC");
    if (jdk < JDK_OF_GENERATIONAL_ZGC) {
      return new TreeMap<>(Map.of("G1", g1, "Parallel", parallel));
    }
    List<String> zgc =
        jdk < JDK_OF_NOTHING_BUT
            ? List.of("-XX:+UseZGC", "-XX:+ZGenerational")
            : List.of("-XX:+UseZGC");
    return new TreeMap<>(Map.of("G1", g1, "Parallel", parallel, "ZGC", zgc));
  }

  private static String cases(Mix mix, List<String> rates) {
    return rates.stream().map(rate -> mix.title() + ":" + rate).collect(Collectors.joining(","));
  }

  private static Step enqueue(
      String cases, int millis, List<String> collector, String name, int seconds) {
    List<String> settings =
        List.of(
            "cases=" + cases, "requests=1000000", "length=" + millis, "warm-up=" + WARM_UP_MILLIS);
    List<String> flags = new ArrayList<>(heap(SEEDS_HEAP));
    flags.addAll(collector);
    Map<String, String> params = Map.of("gc", name);
    return new Step(Measurements.ENQUEUE, settings, flags, params, Duration.ofSeconds(seconds));
  }

  private static Step memory(String keys, int entries, String heap, int seconds) {
    List<String> settings = List.of("keys=" + keys, "entries=" + entries);
    return step(Measurements.MEMORY, settings, exactly(heap), seconds);
  }

  private static Step lateness(String pending, int patience, String heap, int seconds) {
    List<String> settings = List.of("pending=" + pending, "patience=" + patience);
    return step(Measurements.LATENESS, settings, heap(heap), seconds);
  }

  private static Step manyKeys(String keys, int rounds, int seconds) {
    List<String> settings = List.of("keys=" + keys, "rounds=" + rounds);
    return step(Measurements.MANY_KEYS, settings, heap("1g"), seconds);
  }

  private static Step wakeUp(int waiters, int rounds, int seconds) {
    List<String> settings = List.of("waiters=" + waiters, "rounds=" + rounds);
    return step(Measurements.WAKE_UP, settings, heap("1g"), seconds);
  }

  private static Step idle(int millis, int seconds) {
    return step(Measurements.IDLE, List.of("length=" + millis), exactly("256m"), seconds);
  }

  private static Step timer(String pending, int millis, String heap, int seconds) {
    List<String> settings = List.of("pending=" + pending, "length=" + millis, "warm-up=" + millis);
    return step(Measurements.TIMER, settings, heap(heap), seconds);
  }

  /** With the flags that JMH gives the JVMs that it starts itself. */
  private static Step micro(int iterations, int millis, int seconds) {
    List<String> settings =
        List.of(
            "keys=1,3", "threads=2", "warm-ups=2", "iterations=" + iterations, "length=" + millis);
    List<String> flags = new ArrayList<>(heap("1g"));
    flags.add("-XX:CompileCommand=quiet");
    flags.add("-XX:CompileCommand=dontinline,*.*_avgt_jmhStub");
    return step(Measurements.MICRO, settings, flags, seconds);
  }

  private static Step step(
      Measurements measurement, List<String> settings, List<String> flags, int seconds) {
    return new Step(measurement, settings, flags, Map.of(), Duration.ofSeconds(seconds));
  }

  private static List<String> heap(String size) {
    return List.of("-Xms" + size, "-Xmx" + size);
  }

  /** The JVM that moves the least by itself: every byte is counted, and no thread comes up. */
  private static List<String> exactly(String size) {
    List<String> flags = new ArrayList<>(heap(size));
    flags.add("-XX:+UseSerialGC");
    flags.add("-XX:MarkSweepAlwaysCompactCount=1");
    flags.add("-XX:-ResizeTLAB");
    flags.add("-XX:TLABSize=16k");
    flags.add("-XX:-UseDynamicNumberOfCompilerThreads");
    return flags;
  }
}
