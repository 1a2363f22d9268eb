package dev.purgatory.benchmarks.run;

import static dev.purgatory.benchmarks.contender.Group.ALTERNATIVE;
import static dev.purgatory.benchmarks.contender.Group.MAIN;
import static dev.purgatory.benchmarks.contender.Group.RARE;
import static dev.purgatory.benchmarks.measure.Measurements.ENQUEUE;
import static dev.purgatory.benchmarks.measure.Measurements.EVENTS;
import static dev.purgatory.benchmarks.measure.Measurements.FAR_CANCEL;
import static dev.purgatory.benchmarks.measure.Measurements.IDLE;
import static dev.purgatory.benchmarks.measure.Measurements.LATENESS;
import static dev.purgatory.benchmarks.measure.Measurements.MANY_KEYS;
import static dev.purgatory.benchmarks.measure.Measurements.MEMORY;
import static dev.purgatory.benchmarks.measure.Measurements.MICRO;
import static dev.purgatory.benchmarks.measure.Measurements.NUMBERS;
import static dev.purgatory.benchmarks.measure.Measurements.PACED_TIMER;
import static dev.purgatory.benchmarks.measure.Measurements.REPLIES;
import static dev.purgatory.benchmarks.measure.Measurements.SAME_KEYS;
import static dev.purgatory.benchmarks.measure.Measurements.SESSIONS;
import static dev.purgatory.benchmarks.measure.Measurements.STAGE_TIMEOUTS;
import static dev.purgatory.benchmarks.measure.Measurements.THREADS;
import static dev.purgatory.benchmarks.measure.Measurements.TIMER;
import static dev.purgatory.benchmarks.measure.Measurements.TIMER_BURST;
import static dev.purgatory.benchmarks.measure.Measurements.TIMER_THREADS;
import static java.util.stream.Collectors.joining;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The steps of a run, as a table: the measurement, the contenders, the number of JVMs for each, the
 * expected seconds of one, its flags, and its settings. A quick run has one JVM for each contender.
 */
final class Steps {
  static final String G1 = "-XX:+UseG1GC";

  /** The heap of Kafka's redesign proposal, with the JVM's default collector. */
  private static final List<String> SMALL = List.of("-Xms200m", "-Xmx200m", G1);

  /** The flags that JMH gives its own forks. */
  private static final List<String> JMH =
      heap("1g", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,*.*_avgt_jmhStub");

  /** The mix, the timeout and the rate; the highest last, since a contender may not survive it. */
  private static final String HEADLINE =
      "cases=low:200:400000,high:200:400000,low:200:max,high:200:max"
          + " length=2000 max-length=3000 warm-up=500";

  private static final String OTHER_RATES =
      "cases=low:200:100000,low:200:200000,low:200:800000"
          + " length=2000 max-length=3000 warm-up=500";

  /** The old design keeps up with the first two. */
  private static final String LOW_RATES =
      "cases=low:200:50000,low:200:100000,low:200:max length=2000 max-length=2000 warm-up=500";

  private static final String TWO_RATES =
      "cases=low:200:100000,low:200:max length=2000 max-length=3000 warm-up=500";

  private static final String QUICK_RATES =
      "cases=low:200:100000,low:200:400000,low:200:max length=500 max-length=500 warm-up=500";

  private static final String PENDING = "pending=10000,100000,300000 patience=5000";
  private static final String TIMERS = "pending=10000,1000000 threads=1,2 length=400 warm-up=400";
  private static final String CALLS = "keys=1,3 threads=2 warm-ups=2 iterations=3 length=200";
  private static final String REPLY = "entries=100000 awaited=1000 lost=100000 one-lost-in=100";

  private Steps() {}

  private static boolean all(Entrant entrant) {
    return true;
  }

  private static boolean usual(Entrant entrant) {
    return !RARE.contains(entrant);
  }

  private static boolean mainOrMap(Entrant entrant) {
    return MAIN.contains(entrant) || entrant == Contenders.MAP_STPE;
  }

  /** Returns the steps whose results are published. */
  static List<Step> full() {
    return List.of(
        new Step(ENQUEUE, MAIN::contains, 7, 17, SMALL, HEADLINE),
        new Step(ENQUEUE, ALTERNATIVE::contains, 2, 17, SMALL, HEADLINE),
        new Step(EVENTS, MAIN::contains, 7, 10, SMALL, TWO_RATES),
        new Step(EVENTS, Contenders.MAP_STPE::equals, 2, 10, SMALL, TWO_RATES),
        new Step(ENQUEUE, Steps::mainOrMap, 3, 12, SMALL, OTHER_RATES),
        new Step(ENQUEUE, RARE::contains, 2, 12, SMALL, LOW_RATES),
        new Step(SAME_KEYS, MAIN::contains, 3, 10, SMALL, TWO_RATES),
        new Step(LATENESS, MAIN::contains, 7, 11, heap("4g"), PENDING),
        new Step(LATENESS, ALTERNATIVE::contains, 2, 11, heap("4g"), PENDING),
        new Step(TIMER, MAIN::contains, 3, 6, heap("4g"), TIMERS),
        new Step(TIMER, each -> !MAIN.contains(each), 2, 6, heap("4g"), TIMERS),
        new Step(MICRO, MAIN::contains, 7, 8, JMH, CALLS),
        new Step(MICRO, ALTERNATIVE::contains, 2, 8, JMH, CALLS),
        new Step(MEMORY, Steps::all, 2, 6, exactly("4g"), "keys=1,3,100 entries=200000"),
        new Step(
            MANY_KEYS, Steps::mainOrMap, 3, 11, heap("1g"), "keys=1000 rounds=2000 warm-up=80000"),
        new Step(IDLE, Steps::mainOrMap, 2, 5, exactly("256m"), "length=3000"),
        new Step(THREADS, Steps::usual, 3, 16, SMALL, threads() + " max-length=2000 warm-up=500"),
        new Step(
            TIMER_THREADS,
            Steps::usual,
            3,
            8,
            heap("4g"),
            threads() + " pending=10000 length=500 warm-up=500"),
        new Step(
            PACED_TIMER,
            Steps::all,
            3,
            5,
            heap("2g"),
            "pending=10000 rate=1000 paced=2000 warm-up=200"),
        new Step(FAR_CANCEL, Steps::all, 3, 4, heap("2g"), "pending=10000 warm-up=300 length=1500"),
        new Step(
            TIMER_BURST, Steps::all, 3, 12, heap("2g"), "burst=100000 rounds=5 warm-up-rounds=8"),
        new Step(
            NUMBERS,
            Steps::all,
            4,
            5,
            heap("2g"),
            "waiters=10000 satisfied=10 warm-up=500 length=1500"),
        new Step(
            REPLIES,
            Steps::all,
            4,
            16,
            heap("2g"),
            REPLY
                + " warm-up=500 length=1500 rate=1000 paced=2000"
                + " burst=100000 rounds=3 warm-up-rounds=8"),
        new Step(
            STAGE_TIMEOUTS,
            Steps::all,
            4,
            7,
            heap("2g"),
            "entries=100000 pending=1000 warm-up=500 length=1500 rate=1000 paced=2000"),
        new Step(
            SESSIONS, Steps::all, 2, 13, heap("4g"), "sessions=1000000 length=4000 warm-up=1000"));
  }

  /** Returns shorter steps of the same measurements. */
  static List<Step> quick() {
    return List.of(
        new Step(ENQUEUE, Steps::usual, 1, 7, SMALL, QUICK_RATES),
        new Step(EVENTS, Steps::mainOrMap, 1, 7, SMALL, QUICK_RATES),
        new Step(SAME_KEYS, MAIN::contains, 1, 7, SMALL, QUICK_RATES),
        new Step(LATENESS, Steps::usual, 1, 5, heap("1g"), "pending=100000 patience=1000"),
        new Step(
            TIMER,
            Steps::all,
            1,
            3,
            heap("2g"),
            "pending=10000,1000000 threads=1 length=400 warm-up=400"),
        new Step(MICRO, MAIN::contains, 1, 7, JMH, CALLS),
        new Step(MEMORY, Steps::usual, 1, 3, exactly("1g"), "keys=1,3,100 entries=20000"),
        new Step(MANY_KEYS, MAIN::contains, 1, 2, heap("1g"), "keys=1000 rounds=500 warm-up=5000"),
        new Step(IDLE, Steps::mainOrMap, 1, 3, exactly("256m"), "length=1000"),
        new Step(THREADS, MAIN::contains, 1, 6, SMALL, "threads=1,2 max-length=500 warm-up=500"),
        new Step(
            TIMER_THREADS,
            MAIN::contains,
            1,
            3,
            heap("2g"),
            "threads=1,2 pending=10000 length=400 warm-up=400"),
        new Step(
            PACED_TIMER,
            Steps::usual,
            1,
            3,
            heap("2g"),
            "pending=10000 rate=1000 paced=500 warm-up=200"),
        new Step(
            FAR_CANCEL, Steps::usual, 1, 3, heap("2g"), "pending=10000 warm-up=300 length=400"),
        new Step(
            TIMER_BURST, Steps::usual, 1, 3, heap("2g"), "burst=100000 rounds=1 warm-up-rounds=1"),
        new Step(
            NUMBERS,
            Steps::all,
            1,
            3,
            heap("2g"),
            "waiters=10000 satisfied=10 warm-up=200 length=300"),
        new Step(
            REPLIES,
            Steps::all,
            1,
            5,
            heap("2g"),
            REPLY
                + " warm-up=200 length=300 rate=1000 paced=300"
                + " burst=100000 rounds=1 warm-up-rounds=1"),
        new Step(
            STAGE_TIMEOUTS,
            Steps::all,
            1,
            3,
            heap("2g"),
            "entries=100000 pending=1000 warm-up=200 length=300 rate=1000 paced=300"),
        new Step(
            SESSIONS, Steps::all, 1, 4, heap("2g"), "sessions=100000 length=1000 warm-up=200"));
  }

  /** Returns 1, 2, 4 and so on, up to the number of processors; 4 at least. */
  private static String threads() {
    int most = Math.max(4, Runtime.getRuntime().availableProcessors());
    return IntStream.iterate(1, count -> count <= most, count -> 2 * count)
        .mapToObj(Integer::toString)
        .collect(joining(",", "threads=", ""));
  }

  private static List<String> heap(String size, String... more) {
    return Stream.concat(Stream.of("-Xms" + size, "-Xmx" + size), Stream.of(more)).toList();
  }

  /** Returns flags that make heap sizes exact and keep the JVM from starting threads. */
  private static List<String> exactly(String size) {
    return heap(
        size,
        "-XX:+UseSerialGC",
        "-XX:MarkSweepAlwaysCompactCount=1",
        "-XX:-ResizeTLAB",
        "-XX:TLABSize=16k",
        "-XX:-UseDynamicNumberOfCompilerThreads");
  }
}
