package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a quick run, a full run and a run of the guard consist of. */
final class Steps {
  private static final int JDK_OF_GENERATIONAL_ZGC = 21;
  private static final int JDK_OF_NOTHING_BUT = 24;

  private static final String DEFAULT_COLLECTOR = "G1";
  private static final List<String> G1 = List.of("-XX:+UseG1GC");

  /** For some runs' worth of compiled code, and too short to run out of memory. */
  private static final int WARM_UP_MILLIS = 500;

  private static final int QUICK_MILLIS = 300;
  private static final int FULL_MILLIS = 2000;

  /** A mix, a timeout and a rate. The highest come last: a contender may not survive them. */
  private static final String QUICK_CASES = "low:200:max,low:200:100000,high:200:max";

  private static final String LOW_CASES =
      "low:200:10000,low:200:25000,low:200:50000,low:200:100000,low:200:200000,low:200:400000,"
          + "low:200:800000,low:200:max";
  private static final String OTHER_CASES =
      "high:200:100000,high:200:400000,low:30000:100000,high:200:max,low:30000:max";
  private static final String FEW_CASES = "low:200:100000,low:200:max";

  /** The seeds', which is Kafka's own, and such as nobody should have. */
  private static final String WHEELS = "1 ms x 20,1 ms x 2,100 ms x 20,1 s x 20,1 us x 4";

  /** The seeds' heap. */
  private static final String SEEDS_HEAP = "200m";

  /** For the time that they would take. */
  private static final Set<String> NOT_IN_QUICK =
      Set.of("weak-lists", "agrona+lock", "java.util.Timer", "one-wheel", "sorted-buckets");

  private Steps() {}

  static List<Step> quick() {
    return Stream.of(
            enqueue(QUICK_CASES, QUICK_MILLIS, G1, DEFAULT_COLLECTOR, 5),
            memory("1,3,100", 20_000, "1g", 3),
            lateness("100000", 1000, "1g", 3),
            manyKeys("1000", 500, 5_000, 2),
            wakeUp(10_000, 10, 1),
            idle(1000, 2),
            timer("10000,1000000", "1", 400, "2g", 3))
        .map(step -> step.of(contender -> !NOT_IN_QUICK.contains(contender)))
        .toList();
  }

  /** What a quick run has no time for, unless it is asked for by name. */
  static List<Step> quickByName() {
    return List.of(micro(2, 250, 7));
  }

  /** All rates with the collector that a JVM has by default, those that tell most with others. */
  static List<Step> full() {
    List<Step> steps = new ArrayList<>();
    collectors()
        .forEach(
            (name, flags) -> {
              if (name.equals(DEFAULT_COLLECTOR)) {
                steps.add(enqueue(LOW_CASES, FULL_MILLIS, flags, name, 21));
                steps.add(enqueue(OTHER_CASES, FULL_MILLIS, flags, name, 15));
              } else {
                steps.add(enqueue(FEW_CASES, FULL_MILLIS, flags, name, 8));
              }
            });
    steps.add(threads("1,2,4", FULL_MILLIS, 9));
    steps.add(wheels(WHEELS, FULL_MILLIS, 3000, 18));
    steps.add(memory("1,3,100,1000", 200_000, "4g", 7));
    steps.add(lateness("10000,100000,200000,1000000", 5000, "4g", 16));
    steps.add(manyKeys("1000,5000", 2000, 20_000, 7));
    steps.add(wakeUp(10_000, 50, 3));
    steps.add(idle(3000, 4));
    steps.add(timer("10000,1000000,10000000", "1,2", 400, "8g", 16));
    steps.add(micro(3, 250, 11));
    return steps;
  }

  /**
   * What is compared with a full run, and as it is measured there; the floor where it is taken off.
   */
  static List<Step> guard() {
    Set<String> three = Set.of("purgatory", "purgatory-kafka", "kafka");
    return List.of(
        enqueue(FEW_CASES, FULL_MILLIS, G1, DEFAULT_COLLECTOR, 8).of(orFloor(three)),
        memory("1,3", 200_000, "4g", 4).of(orFloor(three)),
        manyKeys("1000", 2000, 20_000, 5).of(three::contains),
        timer("10000,1000000", "1", 400, "4g", 4).of(three::contains),
        micro(3, 250, 11).of(three::contains));
  }

  private static Predicate<String> orFloor(Set<String> contenders) {
    return contender -> contender.equals("floor") || contenders.contains(contender);
  }

  /** ParNew and CMS, which the seeds had, ended with JDK 14. */
  private static SortedMap<String, List<String>> collectors() {
    int jdk = Runtime.version().feature();
    List<String> parallel = List.of("-XX:+UseParallelGC");
    if (jdk < JDK_OF_GENERATIONAL_ZGC) {
      return new TreeMap<>(Map.of(DEFAULT_COLLECTOR, G1, "Parallel", parallel));
    }
    List<String> zgc =
        jdk < JDK_OF_NOTHING_BUT
            ? List.of("-XX:+UseZGC", "-XX:+ZGenerational")
            : List.of("-XX:+UseZGC");
    return new TreeMap<>(Map.of(DEFAULT_COLLECTOR, G1, "Parallel", parallel, "ZGC", zgc));
  }

  private static Step enqueue(
      String cases, int millis, List<String> collector, String name, int seconds) {
    return new Step(
        Measurements.ENQUEUE,
        Measurements.ENQUEUE.contenders(),
        load(millis, "cases=" + cases),
        seedsHeap(collector),
        Map.of("gc", name),
        Duration.ofSeconds(seconds));
  }

  private static Step threads(String threads, int millis, int seconds) {
    List<String> settings = load(millis, "threads=" + threads);
    return step(Measurements.THREADS, settings, seedsHeap(G1), seconds);
  }

  private static Step wheels(String wheels, int millis, int patience, int seconds) {
    List<String> settings =
        load(millis, "wheels=" + wheels, "pending=100000", "patience=" + patience);
    return step(Measurements.WHEELS, settings, seedsHeap(G1), seconds);
  }

  /** A million requests, or as long as that, whichever is less. */
  private static List<String> load(int millis, String... more) {
    List<String> settings = new ArrayList<>(List.of(more));
    settings.add("requests=1000000");
    settings.add("length=" + millis);
    settings.add("warm-up=" + WARM_UP_MILLIS);
    return settings;
  }

  private static Step memory(String keys, int entries, String heap, int seconds) {
    List<String> settings = List.of("keys=" + keys, "entries=" + entries);
    return step(Measurements.MEMORY, settings, exactly(heap), seconds);
  }

  private static Step lateness(String pending, int patience, String heap, int seconds) {
    List<String> settings = List.of("pending=" + pending, "patience=" + patience);
    return step(Measurements.LATENESS, settings, heap(heap), seconds);
  }

  private static Step manyKeys(String keys, int rounds, int warmUp, int seconds) {
    List<String> settings = List.of("keys=" + keys, "rounds=" + rounds, "warm-up=" + warmUp);
    return step(Measurements.MANY_KEYS, settings, heap("1g"), seconds);
  }

  private static Step wakeUp(int waiters, int rounds, int seconds) {
    List<String> settings = List.of("waiters=" + waiters, "rounds=" + rounds);
    return step(Measurements.WAKE_UP, settings, heap("1g"), seconds);
  }

  private static Step idle(int millis, int seconds) {
    return step(Measurements.IDLE, List.of("length=" + millis), exactly("256m"), seconds);
  }

  private static Step timer(String pending, String threads, int millis, String heap, int seconds) {
    List<String> settings =
        List.of(
            "pending=" + pending, "threads=" + threads, "length=" + millis, "warm-up=" + millis);
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
    return new Step(
        measurement,
        measurement.contenders(),
        settings,
        flags,
        Map.of(),
        Duration.ofSeconds(seconds));
  }

  private static List<String> seedsHeap(List<String> collector) {
    List<String> flags = new ArrayList<>(heap(SEEDS_HEAP));
    flags.addAll(collector);
    return flags;
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
