package dev.purgatory.benchmarks.run;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Entrant;
import dev.purgatory.benchmarks.measure.Measurements;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The steps that compare the library's features with what people use instead. Each JVM measures one
 * contender at one task.
 */
final class FeatureSteps {
  /** The expected time of each burst, in milliseconds: to schedule it, to await and to end it. */
  private static final int BURST_MILLIS = 900;

  private static final int WARM_UP_BURST_MILLIS = 700;

  private final int forks;
  private final int warmUpMillis;
  private final int millis;
  private final int pacedMillis;
  private final int bursts;
  private final int warmUpBursts;

  private FeatureSteps(
      int forks, int warmUpMillis, int millis, int pacedMillis, int bursts, int warmUpBursts) {
    this.forks = forks;
    this.warmUpMillis = warmUpMillis;
    this.millis = millis;
    this.pacedMillis = pacedMillis;
    this.bursts = bursts;
    this.warmUpBursts = warmUpBursts;
  }

  /** Returns the steps whose results are published, which take about ten minutes. */
  static List<Step> all(Optional<Path> otherJdk) {
    FeatureSteps steps = new FeatureSteps(4, 500, 1500, 2000, 3, 8);
    return steps.of(
        otherJdk,
        step(Measurements.SESSIONS, 2, 13, "4g", "sessions=1000000", "length=4000", "warm-up=1000"),
        step(
            Measurements.SCOPES,
            2,
            12,
            "4g",
            "members=10000",
            "among=10000,1000000",
            "length=1500",
            "warm-up=500"));
  }

  /** Returns smaller steps, which take some seconds each. */
  static List<Step> quick(Optional<Path> otherJdk) {
    FeatureSteps steps = new FeatureSteps(1, 200, 300, 300, 1, 1);
    return steps.of(
        otherJdk,
        step(Measurements.SESSIONS, 1, 4, "2g", "sessions=100000", "length=1000", "warm-up=200"),
        step(
            Measurements.SCOPES,
            1,
            3,
            "2g",
            "members=1000",
            "among=1000,100000",
            "length=300",
            "warm-up=200"));
  }

  /** Returns the steps of the guard: each feature, and the rival that it is compared with. */
  static List<Step> guard() {
    FeatureSteps steps = new FeatureSteps(2, 500, 1500, 200, 1, 1);
    return Stream.of(
            steps.numbers().of(each -> isOneOf(each, "skip list+netty")),
            steps.replies().of(each -> isOneOf(each, "map+netty")),
            steps.stageTimeouts().of(each -> isOneOf(each, "orTimeout")))
        .toList();
  }

  private static boolean isOneOf(Entrant entrant, String rival) {
    return entrant.title().equals(rival) || entrant.title().equals(Contenders.PURGATORY.title());
  }

  private Step numbers() {
    return timed(Measurements.NUMBERS, "waiters=10000", "satisfied=10");
  }

  private Step stageTimeouts() {
    return paced(timed(Measurements.STAGE_TIMEOUTS, "entries=100000", "pending=1000"));
  }

  private Step replies() {
    return burst(
        paced(
            timed(
                Measurements.REPLIES,
                "entries=100000",
                "awaited=1000",
                "lost=100000",
                "one-lost-in=100")));
  }

  private List<Step> of(Optional<Path> otherJdk, Step sessions, Step scopes) {
    Step stageTimeouts = stageTimeouts();
    Stream<Step> small = Stream.of(numbers(), replies(), stageTimeouts);
    return Stream.of(small, otherJdk.map(stageTimeouts::on).stream(), Stream.of(sessions, scopes))
        .flatMap(steps -> steps)
        .toList();
  }

  private Step timed(Measurements measurement, String... settings) {
    int expected = (3 * warmUpMillis + millis) / 1000 + 2;
    Step step = step(measurement, forks, expected, "2g", settings);
    return step.with("warm-up=" + warmUpMillis).with("length=" + millis);
  }

  /** Measures requests at a low rate as well. */
  private Step paced(Step step) {
    return step.with("rate=1000").with("paced=" + pacedMillis).andMillis(300 + pacedMillis);
  }

  /** Measures timeouts that are due together as well. */
  private Step burst(Step step) {
    int all = warmUpBursts * WARM_UP_BURST_MILLIS + bursts * BURST_MILLIS;
    return step.with("burst=100000")
        .with("rounds=" + bursts)
        .with("warm-up-rounds=" + warmUpBursts)
        .andMillis(all);
  }

  private static Step step(
      Measurements measurement, int forks, int seconds, String heap, String... settings) {
    return new Step(
        measurement,
        measurement.entrants(),
        List.of(settings),
        Steps.heap(heap),
        Map.of(),
        forks,
        Duration.ofSeconds(seconds),
        Job.THIS_JDK);
  }
}
