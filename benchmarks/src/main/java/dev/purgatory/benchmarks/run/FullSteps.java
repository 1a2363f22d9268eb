package dev.purgatory.benchmarks.run;

import static dev.purgatory.benchmarks.contender.Contenders.MAP_STPE;
import static dev.purgatory.benchmarks.contender.Group.ALTERNATIVE;
import static dev.purgatory.benchmarks.contender.Group.MAIN;
import static dev.purgatory.benchmarks.contender.Group.RARE;
import static dev.purgatory.benchmarks.measure.Measurements.ENQUEUE;
import static dev.purgatory.benchmarks.measure.Measurements.EVENTS;
import static dev.purgatory.benchmarks.measure.Measurements.SAME_KEYS;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.timer.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The steps of full runs, whose results are published, and of the guard, which compares with them.
 * The headline figures have {@value #HEADLINE} JVMs for each main contender, other figures fewer.
 */
final class FullSteps {
  private static final int HEADLINE = 7;
  private static final int FEW = 3;
  private static final int FEWEST = 2;

  private static final Duration LENGTH = Duration.ofSeconds(2);
  private static final Duration MAX_RATE_LENGTH = Duration.ofSeconds(3);

  /** 400,000 requests per second in both mixes, and the highest rate. */
  private static final String HEADLINE_CASES =
      "low:200:400000,high:200:400000,low:200:max,high:200:max";

  private static final String EVENT_CASES = "low:200:100000,low:200:max";

  /** Further rates for the completion lag. */
  private static final String OTHER_RATES = "low:200:100000,low:200:200000,low:200:800000";

  /** The old design keeps up with the first two rates only. */
  private static final String OLD_DESIGN_CASES = "low:200:50000,low:200:100000,low:200:max";

  private static final String FEW_CASES = "low:200:100000,low:200:max";

  /** Kafka's own wheel, and badly chosen ones. */
  private static final String WHEELS = "1 ms x 20,1 ms x 2,100 ms x 20,1 s x 20,1 us x 4";

  private static final int JDK_OF_GENERATIONAL_ZGC = 21;
  private static final int JDK_OF_ONLY_GENERATIONAL_ZGC = 24;

  private static final Set<Entrant> NOT_IN_MEMORY =
      Set.of(Contenders.MAP_FJP, Contenders.WEAK_LISTS);

  private FullSteps() {}

  /** Returns the steps whose results are published. */
  static List<Step> all() {
    List<Step> steps = new ArrayList<>();
    addLoads(steps);
    addLateness(steps);
    addTimers(steps);
    addCalls(steps);
    steps.add(
        Steps.memory("1,3,100", 200_000, "4g", 6)
            .of(each -> !NOT_IN_MEMORY.contains(each))
            .times(FEWEST));
    steps.add(Steps.manyKeys("1000", 2000, 80_000, 11).of(FullSteps::isMainOrMap).times(FEW));
    steps.add(Steps.wakeUp(10_000, 100, 300, 8).of(FullSteps::isMainOrMap).times(FEW));
    steps.add(Steps.idle(3000, 5).of(FullSteps::isMainOrMap).times(FEWEST));
    return steps;
  }

  private static boolean isMainOrMap(Entrant entrant) {
    return MAIN.contains(entrant) || entrant == MAP_STPE;
  }

  private static boolean isMainButFloor(Entrant entrant) {
    return MAIN.contains(entrant) && !entrant.title().equals(Contenders.FLOOR.title());
  }

  private static void addLoads(List<Step> steps) {
    Step headline = Steps.load(ENQUEUE, HEADLINE_CASES, LENGTH, MAX_RATE_LENGTH);
    steps.add(headline.of(MAIN::contains).times(HEADLINE));
    steps.add(headline.of(ALTERNATIVE::contains).times(FEWEST));
    Step events = Steps.load(EVENTS, EVENT_CASES, LENGTH, MAX_RATE_LENGTH);
    steps.add(events.of(MAIN::contains).times(HEADLINE));
    steps.add(events.of(MAP_STPE::equals).times(FEWEST));
    steps.add(
        Steps.load(ENQUEUE, OTHER_RATES, LENGTH, MAX_RATE_LENGTH)
            .of(FullSteps::isMainOrMap)
            .times(FEW));
    steps.add(
        Steps.load(ENQUEUE, OLD_DESIGN_CASES, LENGTH, LENGTH).of(RARE::contains).times(FEWEST));
    steps.add(
        Steps.load(SAME_KEYS, FEW_CASES, LENGTH, MAX_RATE_LENGTH).of(MAIN::contains).times(FEW));
  }

  private static void addLateness(List<Step> steps) {
    Step lateness = Steps.lateness("10000,100000,300000", 5000, "4g", 11);
    steps.add(lateness.of(MAIN::contains).times(HEADLINE));
    steps.add(lateness.of(ALTERNATIVE::contains).times(FEWEST));
  }

  private static void addTimers(List<Step> steps) {
    Step timers = Steps.timer("10000,1000000", "1,2", 400, "4g", 6);
    steps.add(timers.of(MAIN::contains).times(FEW));
    steps.add(timers.of(each -> !MAIN.contains(each)).times(FEWEST));
  }

  private static void addCalls(List<Step> steps) {
    Step micro = Steps.micro(3, 200, 8);
    steps.add(micro.of(MAIN::contains).times(HEADLINE));
    steps.add(micro.of(ALTERNATIVE::contains).times(FEWEST));
  }

  /** Returns these steps, and those that are only run by name. */
  static List<Step> byName() {
    List<Step> steps = new ArrayList<>(all());
    List<String> threads = threads();
    String counts = String.join(",", threads);
    steps.add(Steps.threads(counts, LENGTH, 4 * threads.size()).times(FEW));
    steps.add(Steps.timerThreads("10000", counts, 500, 2 * threads.size()).times(FEW));
    steps.add(Steps.wheels(WHEELS, LENGTH, 24).times(FEW));
    steps.add(Steps.pacedTimer(10_000, 2000, 5).times(FEW));
    steps.add(Steps.farCancel(10_000, 1500, 4).times(FEW));
    steps.add(Steps.timerBurst(100_000, 5, 8, 12).times(FEW));
    otherCollectors()
        .forEach(
            (name, flags) ->
                steps.add(
                    Steps.load(ENQUEUE, FEW_CASES, LENGTH, MAX_RATE_LENGTH, name, flags)
                        .times(FEW)));
    return steps;
  }

  /** Returns 1, 2, 4 and so on, up to the number of processors; 4 at least. */
  private static List<String> threads() {
    int most = Math.max(4, Runtime.getRuntime().availableProcessors());
    return IntStream.iterate(1, count -> count <= most, count -> 2 * count)
        .mapToObj(Integer::toString)
        .toList();
  }

  /** Returns the steps of the guard, with the same settings as in a full run. */
  static List<Step> guard() {
    return Stream.concat(requests(), FeatureSteps.guard().stream()).toList();
  }

  private static Stream<Step> requests() {
    return Stream.of(
        Steps.load(ENQUEUE, "low:200:400000,high:200:400000,low:200:max", LENGTH, MAX_RATE_LENGTH)
            .of(MAIN::contains)
            .times(FEW),
        Steps.memory("1,3", 200_000, "4g", 4).of(MAIN::contains).times(FEWEST),
        Steps.manyKeys("1000", 2000, 80_000, 9).of(FullSteps::isMainButFloor).times(FEW),
        Steps.timer("10000,1000000", "1", 400, "4g", 4)
            .of(
                each ->
                    isMainButFloor(each)
                        || each == Timers.STPE
                        || each == Timers.PURGATORY_EXECUTOR)
            .times(FEW),
        Steps.micro(3, 200, 8).of(FullSteps::isMainButFloor).times(FEW));
  }

  /** Excludes ParNew and CMS, which Kafka's redesign proposal measured: JDK 14 removed them. */
  private static SortedMap<String, List<String>> otherCollectors() {
    int jdk = Runtime.version().feature();
    List<String> parallel = List.of("-XX:+UseParallelGC");
    if (jdk < JDK_OF_GENERATIONAL_ZGC) {
      return new TreeMap<>(Map.of("Parallel", parallel));
    }
    List<String> zgc =
        jdk < JDK_OF_ONLY_GENERATIONAL_ZGC
            ? List.of("-XX:+UseZGC", "-XX:+ZGenerational")
            : List.of("-XX:+UseZGC");
    return new TreeMap<>(Map.of("Parallel", parallel, "ZGC", zgc));
  }
}
