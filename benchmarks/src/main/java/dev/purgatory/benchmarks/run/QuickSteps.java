package dev.purgatory.benchmarks.run;

import static dev.purgatory.benchmarks.contender.Group.MAIN;
import static dev.purgatory.benchmarks.contender.Group.RARE;
import static dev.purgatory.benchmarks.measure.Measurements.ENQUEUE;
import static dev.purgatory.benchmarks.measure.Measurements.EVENTS;
import static dev.purgatory.benchmarks.measure.Measurements.SAME_KEYS;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The steps of quick runs, which take a few minutes. */
final class QuickSteps {
  private static final int FORKS = 2;
  private static final Duration LENGTH = Duration.ofMillis(500);

  private QuickSteps() {}

  static List<Step> all() {
    return Stream.of(
            Steps.load(ENQUEUE, "low:200:400000,low:200:max", LENGTH, LENGTH),
            Steps.load(EVENTS, "low:200:100000", LENGTH, LENGTH).of(MAIN::contains),
            Steps.memory("1,3,100", 20_000, "1g", 3),
            Steps.lateness("100000", 1000, "1g", 5),
            Steps.manyKeys("1000", 500, 5_000, 2).of(MAIN::contains),
            Steps.wakeUp(10_000, 10, 10, 1).of(MAIN::contains),
            Steps.timer("10000,1000000", "1", 400, "2g", 3))
        .map(step -> step.of(each -> !RARE.contains(each)).times(FORKS))
        .toList();
  }

  /** Returns these steps for all contenders, and those that are only run by name. */
  static List<Step> byName() {
    return Stream.of(
            Steps.load(ENQUEUE, "low:200:400000,low:200:max", LENGTH, LENGTH),
            Steps.load(EVENTS, "low:200:100000,low:200:max", LENGTH, LENGTH),
            Steps.load(SAME_KEYS, "low:200:100000,low:200:max", LENGTH, LENGTH),
            Steps.threads("1,2", LENGTH, 6),
            Steps.wheels("1 ms x 20,100 ms x 20", LENGTH, 12),
            Steps.memory("1,3,100", 20_000, "1g", 3),
            Steps.lateness("100000", 1000, "1g", 5),
            Steps.manyKeys("1000", 500, 5_000, 2),
            Steps.wakeUp(10_000, 10, 10, 1),
            Steps.idle(1000, 2),
            Steps.timer("10000,1000000", "1", 400, "2g", 3),
            Steps.pacedTimer(10_000, 500, 3),
            Steps.farCancel(10_000, 400, 3),
            Steps.timerBurst(100_000, 1, 1, 3),
            Steps.micro(2, 250, 7))
        .map(step -> step.times(FORKS))
        .toList();
  }
}
