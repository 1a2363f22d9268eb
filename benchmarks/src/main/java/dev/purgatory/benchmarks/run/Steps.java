package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.measure.Measurements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Creates the steps of each measurement, with the settings and JVM flags that it needs. */
final class Steps {
  /** The default collector of the JVM. */
  static final String G1 = "G1";

  /** Long enough to compile the code, and too short to run out of memory. */
  private static final int WARM_UP_MILLIS = 500;

  /** The heap of Kafka's redesign proposal. */
  private static final String SMALL_HEAP = "200m";

  private static final List<String> G1_FLAG = List.of("-XX:+UseG1GC");

  private Steps() {}

  /**
   * Creates a step of a workload.
   *
   * @param measurement the workload
   * @param cases the mix, timeout and rate of each case; the highest rate comes last, since a
   *     contender may not survive it
   * @param length the duration of each rate
   * @param maxRateLength the duration of the highest rate
   */
  static Step load(
      Measurements measurement, String cases, Duration length, Duration maxRateLength) {
    return load(measurement, cases, length, maxRateLength, G1, G1_FLAG);
  }

  /** Creates a step of a workload with a given collector. */
  static Step load(
      Measurements measurement,
      String cases,
      Duration length,
      Duration maxRateLength,
      String collector,
      List<String> flags) {
    int all = cases.split(",", -1).length;
    int unlimited = cases.split(":max", -1).length - 1;
    // Each case has a lead-in of half a second. The JVM and the warm-up take 3.5 seconds.
    Duration expected =
        Duration.ofMillis(3500 + 700L * all)
            .plus(length.multipliedBy(all - unlimited))
            .plus(maxRateLength.multipliedBy(unlimited));
    return new Step(
        measurement,
        measurement.entrants(),
        lengths(length, maxRateLength, "cases=" + cases),
        smallHeap(flags),
        Map.of("gc", collector),
        1,
        expected,
        Job.THIS_JDK);
  }

  static Step threads(String threads, Duration length, int seconds) {
    List<String> settings = lengths(length, length, "threads=" + threads);
    return step(Measurements.THREADS, settings, smallHeap(G1_FLAG), seconds);
  }

  static Step wheels(String wheels, Duration length, int seconds) {
    List<String> settings =
        lengths(length, length, "wheels=" + wheels, "pending=100000", "patience=3000");
    return step(Measurements.WHEELS, settings, smallHeap(G1_FLAG), seconds);
  }

  private static List<String> lengths(Duration length, Duration maxRateLength, String... more) {
    List<String> settings = new ArrayList<>(List.of(more));
    settings.add("length=" + length.toMillis());
    settings.add("max-length=" + maxRateLength.toMillis());
    settings.add("warm-up=" + WARM_UP_MILLIS);
    return settings;
  }

  static Step memory(String keys, int entries, String heap, int seconds) {
    List<String> settings = List.of("keys=" + keys, "entries=" + entries);
    return step(Measurements.MEMORY, settings, exactly(heap), seconds);
  }

  static Step lateness(String pending, int patience, String heap, int seconds) {
    List<String> settings = List.of("pending=" + pending, "patience=" + patience);
    return step(Measurements.LATENESS, settings, heap(heap), seconds);
  }

  static Step manyKeys(String keys, int rounds, int warmUp, int seconds) {
    List<String> settings = List.of("keys=" + keys, "rounds=" + rounds, "warm-up=" + warmUp);
    return step(Measurements.MANY_KEYS, settings, heap("1g"), seconds);
  }

  static Step wakeUp(int waiters, int rounds, int warmUp, int seconds) {
    List<String> settings = List.of("waiters=" + waiters, "rounds=" + rounds, "warm-up=" + warmUp);
    return step(Measurements.WAKE_UP, settings, heap("1g"), seconds);
  }

  static Step idle(int millis, int seconds) {
    return step(Measurements.IDLE, List.of("length=" + millis), exactly("256m"), seconds);
  }

  static Step timer(String pending, String threads, int millis, String heap, int seconds) {
    return timer(Measurements.TIMER, pending, threads, millis, heap, seconds);
  }

  static Step timerThreads(String pending, String threads, int millis, int seconds) {
    return timer(Measurements.TIMER_THREADS, pending, threads, millis, "4g", seconds);
  }

  private static Step timer(
      Measurements measurement,
      String pending,
      String threads,
      int millis,
      String heap,
      int seconds) {
    List<String> settings =
        List.of(
            "pending=" + pending, "threads=" + threads, "length=" + millis, "warm-up=" + millis);
    return step(measurement, settings, heap(heap), seconds);
  }

  static Step pacedTimer(int pending, int millis, int seconds) {
    List<String> settings =
        List.of("pending=" + pending, "rate=1000", "paced=" + millis, "warm-up=200");
    return step(Measurements.PACED_TIMER, settings, heap("2g"), seconds);
  }

  static Step farCancel(int pending, int millis, int seconds) {
    List<String> settings = List.of("pending=" + pending, "warm-up=300", "length=" + millis);
    return step(Measurements.FAR_CANCEL, settings, heap("2g"), seconds);
  }

  static Step timerBurst(int timeouts, int rounds, int warmUp, int seconds) {
    List<String> settings =
        List.of("burst=" + timeouts, "rounds=" + rounds, "warm-up-rounds=" + warmUp);
    return step(Measurements.TIMER_BURST, settings, heap("2g"), seconds);
  }

  /** Uses the flags that JMH gives its own forks. */
  static Step micro(int iterations, int millis, int seconds) {
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
        measurement.entrants(),
        settings,
        flags,
        Map.of(),
        1,
        Duration.ofSeconds(seconds),
        Job.THIS_JDK);
  }

  private static List<String> smallHeap(List<String> collector) {
    List<String> flags = new ArrayList<>(heap(SMALL_HEAP));
    flags.addAll(collector);
    return flags;
  }

  static List<String> heap(String size) {
    return List.of("-Xms" + size, "-Xmx" + size);
  }

  /** Returns flags that make heap sizes exact and keep the JVM from starting threads. */
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
