package dev.purgatory.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Eventually;
import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.jvm.NewThreads;
import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
class MeasurementsTest {
  /** Allows requests a minute to end, for busy machines. */
  private static final String DRAIN = "drain=60000";

  private static final int ATTEMPTS = 5;
  private static final long LATE_NANOS = 30_000_000;

  @ParameterizedTest
  @EnumSource(names = {"ENQUEUE", "EVENTS", "SAME_KEYS"})
  void measuresEachCaseAndLosesNothing(Measurements workload) throws Exception {
    Map<String, Double> values =
        measure(
            workload,
            "purgatory",
            "cases=low:200:5000,high:200:5000",
            "length=300",
            "max-length=100",
            "warm-up=50",
            DRAIN);

    assertThat(values)
        .containsEntry("{mix=low, timeout=200 ms, rate=5000} without an end", 0.0)
        .containsEntry("{mix=high, timeout=200 ms, rate=5000} without an end", 0.0)
        .containsKey("{mix=low, timeout=200 ms, rate=5000} completion lag, p99");
    assertThat(values.get("{mix=low, timeout=200 ms, rate=5000} rate")).isPositive();
    // The share of requests that take longer than the timeout. A busy machine only adds to it.
    assertThat(values.get("{mix=low, timeout=200 ms, rate=5000} timed out")).isGreaterThan(1);
    assertThat(values.get("{mix=high, timeout=200 ms, rate=5000} timed out")).isGreaterThan(30);
  }

  @Test
  void withoutAWarmUp_measuresFromTheFirstRequestOn() throws Exception {
    Map<String, Double> values =
        measure(
            Measurements.YOUNG,
            "purgatory",
            "cases=low:200:5000",
            "length=100",
            "warm-up=0",
            DRAIN);

    assertThat(values).containsEntry("{mix=low, timeout=200 ms, rate=5000} without an end", 0.0);
    assertThat(values.get("{mix=low, timeout=200 ms, rate=5000} rate")).isPositive();
  }

  @Test
  void measuresTheHighestRateAfterRequestsHaveTimedOut() throws Exception {
    Map<String, Double> values =
        measure(
            Measurements.ENQUEUE,
            "purgatory",
            "cases=low:20:max",
            "length=100",
            "max-length=200",
            "warm-up=20",
            DRAIN);

    assertThat(values.get("{mix=low, timeout=20 ms, rate=max} rate")).isPositive();
    assertThat(values.get("{mix=low, timeout=20 ms, rate=max} timed out")).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"purgatory", "floor"})
  void severalThreadsLoseNothing(String contender) throws Exception {
    Map<String, Double> values =
        measure(
            Measurements.THREADS,
            contender,
            "threads=1,3",
            "length=100",
            "max-length=100",
            "warm-up=20",
            DRAIN);

    assertThat(values)
        .containsEntry("{threads=1} without an end", 0.0)
        .containsEntry("{threads=3} without an end", 0.0);
  }

  @Test
  void latenessIsMeasuredFromTheDeadline() throws Exception {
    Map<String, Double> values =
        measure(Measurements.LATENESS, "purgatory", "pending=1000", "patience=60000");

    assertThat(values)
        .containsEntry("{pending=1000} early, max", 0.0)
        .containsEntry("{pending=1000} without an end", 0.0);
    assertThat(values.get("{pending=1000} late, p50")).isNotNegative();
  }

  @Test
  void requestsThatEndImmediatelyAreEarlyByTheirTimeout() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    LatenessRun run = new LatenessRun(1000);
    run.measure(ImmediateContender::new, Duration.ZERO);
    run.report(output(bytes));

    // Timeouts are 300 to 800 ms.
    assertThat(values(bytes).get("{} early, max")).isGreaterThan(0).isLessThanOrEqualTo(800);
  }

  /** Ends each request as soon as it is held. */
  private record ImmediateContender(Endings endings) implements Contender {
    @Override
    public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
      endings.ended(payload);
      return () -> false;
    }

    @Override
    public int check(Key key) {
      return 0;
    }

    @Override
    public long watched() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  void countsEntriesLeftOnLists() throws Exception {
    String left = "{keys=100} left on lists per completed operation";
    double core =
        lowest(left, Measurements.MANY_KEYS, "purgatory", "keys=100", "rounds=60", "warm-up=60");
    Map<String, Double> old =
        measure(Measurements.MANY_KEYS, "delay-queue", "keys=100", "rounds=5", "warm-up=5");

    assertThat(core).isLessThan(20);
    assertThat(old).containsEntry(left, 100.0);
  }

  /**
   * Returns the lowest value of several attempts: on a busy machine, threads that start or clean up
   * may not be done in time for the first one.
   */
  static double lowest(
      String metric, Measurements measurement, String contender, String... settings)
      throws Exception {
    double lowest = Double.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && lowest > 0; i++) {
      Map<String, Double> values = measure(measurement, contender, settings);
      lowest = Math.min(lowest, values.getOrDefault(metric, Double.MAX_VALUE));
    }
    return lowest;
  }

  @ParameterizedTest
  @EnumSource(Timers.class)
  void measuresEachTimer(Timers timer) throws Exception {
    if (timer.isAvailable()) {
      assertThat(
              measure(
                  Measurements.TIMER,
                  timer.title(),
                  "pending=100",
                  "threads=1,2",
                  "warm-up=5",
                  "length=20"))
          .containsKeys(
              "{pending=100, threads=1} cancel and add",
              "{pending=100, threads=1} cancel and add, CPU")
          .hasSize(timer.isThreadSafe() ? 4 : 2);
    }
  }

  @ParameterizedTest
  @EnumSource(Timers.class)
  void measuresTheOtherCostsOfEachTimer(Timers timer) throws Exception {
    for (Measurements measurement :
        List.of(Measurements.PACED_TIMER, Measurements.FAR_CANCEL, Measurements.TIMER_BURST)) {
      if (measurement.entrants().contains(timer)) {
        assertThat(
                measure(
                    measurement,
                    timer.title(),
                    "pending=100",
                    "warm-up=5",
                    "length=20",
                    "rate=1000",
                    "paced=50",
                    "burst=100",
                    "rounds=3",
                    "warm-up-rounds=1"))
            .hasSizeGreaterThanOrEqualTo(measurement == Measurements.PACED_TIMER ? 1 : 3)
            .allSatisfy((name, value) -> assertThat(value).isFinite());
      }
    }
  }

  @Test
  void anotherThreadCancelsEachTimeoutOnce() {
    Thread adder = Thread.currentThread();
    AtomicLong sum = new AtomicLong();
    AtomicBoolean hasOwnThread = new AtomicBoolean(true);
    BareTimer timer =
        new BareTimer() {
          private long added;

          @Override
          public Object add(long millis) {
            return ++added;
          }

          @Override
          public void cancel(Object added) {
            sum.addAndGet((Long) added);
            hasOwnThread.compareAndSet(true, Thread.currentThread() != adder);
          }
        };
    int added = 0;
    try (HandOver handOver = new HandOver(timer)) {
      for (int i = 0; i < 20; i++) { // more than there are arrays
        added += handOver.perform();
      }
      long all = added * (added + 1L) / 2;
      assertThatNoException().isThrownBy(() -> Eventually.await(() -> sum.get() == all));
    }
    assertThat(hasOwnThread).isTrue();
  }

  @Test
  void aBurstEndsWithItsLastTimeoutAndMakesAnotherOneLate() throws Exception {
    List<Runnable> due = new ArrayList<>();
    Settings settings = Settings.parse(List.of("burst=100", "rounds=3", "warm-up-rounds=1"));
    Burst.Timeouts other =
        (nanos, ended) -> {
          List<Runnable> all = List.copyOf(due);
          due.clear();
          CompletableFuture.delayedExecutor(nanos + LATE_NANOS, TimeUnit.NANOSECONDS)
              .execute(
                  () -> {
                    all.forEach(Runnable::run);
                    ended.run();
                  });
        };
    Burst.Timeouts many = (nanos, ended) -> due.add(ended);
    NewThreads threads = new NewThreads();
    Map<String, Double> values = reported(out -> Burst.report(many, other, threads, settings, out));

    double late = LATE_NANOS / 1e6;
    assertThat(values.get("{timeouts=100} burst, time")).isGreaterThanOrEqualTo(late);
    assertThat(values.get("{timeouts=100} burst, lateness of another"))
        .isGreaterThanOrEqualTo(late);
  }

  @ResourceLock("JMH") // it runs once at a time
  @ParameterizedTest
  @ValueSource(strings = {"floor", "purgatory", "kafka"})
  void measuresSingleCalls(String contender) throws Exception {
    Map<String, Double> values =
        measure(
            Measurements.MICRO,
            contender,
            "keys=1,3",
            "threads=2",
            "warm-ups=1",
            "iterations=1",
            "length=10");

    assertThat(values)
        .containsOnlyKeys(
            "{keys=1} hold and complete, time",
            "{keys=1} hold and complete, allocation",
            "{keys=3} hold and complete, time",
            "{keys=3} hold and complete, allocation",
            "{} hold and check, time",
            "{} check without waiters, time",
            "{} check with a waiter, time",
            "{threads=2} hold and complete on the same keys, time")
        .allSatisfy((name, value) -> assertThat(value).isFinite().isNotNegative());
  }

  @ParameterizedTest
  @MethodSource("features")
  void measuresEachContenderOfEachFeature(Measurements feature, String contender) throws Exception {
    Map<String, Double> values =
        measure(
            feature,
            contender,
            "waiters=100",
            "satisfied=10",
            "entries=1000",
            "awaited=100",
            "lost=100",
            "one-lost-in=10",
            "pending=100",
            "sessions=1000",
            "rate=1000",
            "paced=50",
            "burst=100",
            "rounds=1",
            "warm-up-rounds=1",
            "warm-up=20",
            feature == Measurements.SESSIONS ? "length=2000" : "length=20");

    assertThat(values)
        .hasSizeGreaterThanOrEqualTo(4)
        .allSatisfy((name, value) -> assertThat(value).isFinite())
        .allSatisfy(
            (name, value) ->
                // Heap and allocation sink when the threads of other tests end.
                assertThat(value >= 0 || name.contains("heap") || name.endsWith("allocation"))
                    .as(name)
                    .isTrue());
    assertThat(values.keySet())
        .anyMatch(name -> name.endsWith(", time"))
        .anyMatch(name -> name.endsWith(", CPU"))
        .anyMatch(name -> name.endsWith(", allocation"));
  }

  static Stream<Arguments> features() {
    return Stream.of(
            Measurements.NUMBERS,
            Measurements.REPLIES,
            Measurements.STAGE_TIMEOUTS,
            Measurements.SESSIONS)
        .flatMap(
            feature ->
                feature.entrants().stream().map(entrant -> Arguments.of(feature, entrant.title())));
  }

  @Test
  void rejectsUnknownNamesAndMissingSettings() {
    assertThat(Measurements.named("many-keys")).isEqualTo(Measurements.MANY_KEYS);
    assertThat(Measurements.LATENESS.entrants())
        .doesNotContain(Contenders.FLOOR)
        .contains(Contenders.KAFKA);
    assertThatThrownBy(() -> Measurements.named("speed"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> measure(Measurements.TIMER, "kafka"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("missing setting: pending");
  }

  static Map<String, Double> measure(Measurements measurement, String contender, String... settings)
      throws Exception {
    return reported(
        out -> measurement.create().measure(contender, Settings.parse(List.of(settings)), out));
  }

  /** Something that reports values. */
  @FunctionalInterface
  interface Reporting {
    void to(Output out) throws Exception;
  }

  /** Returns the reported values by their parameters and metrics. */
  static Map<String, Double> reported(Reporting reporting) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    reporting.to(output(bytes));
    return values(bytes);
  }

  private static Output output(ByteArrayOutputStream bytes) {
    return new Output(new PrintStream(bytes, true, StandardCharsets.UTF_8));
  }

  private static Map<String, Double> values(ByteArrayOutputStream bytes) {
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(Sample::isLine)
        .map(Sample::parse)
        .collect(Collectors.toMap(s -> s.params() + " " + s.metric(), Sample::value));
  }
}
