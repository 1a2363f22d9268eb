package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.workload.Mix;
import dev.purgatory.benchmarks.workload.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The requests that arrive in a run.
 *
 * @param mix the distribution of the time that requests take
 * @param timeout the timeout of requests
 * @param rate the number of arrivals per second, or {@link #UNLIMITED}
 * @param threads the number of threads that hold requests, in equal parts
 * @param workload which keys requests wait for, and what completes them
 */
record Arrivals(Mix mix, Duration timeout, String rate, int threads, Workload workload) {
  static final String UNLIMITED = "max";

  private static final String WARM_UP = "warm-up";

  private static final long SEED = 20150401;
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(Schedule.TIMEOUT_MILLIS);

  /** The number of requests after which a schedule repeats. */
  private static final int MAX_DRAWN = 1 << 20;

  /** The default time for requests to end after a run. Those that have not count as lost. */
  private static final int DRAIN_MILLIS = 2_000;

  /** The time from the first timeouts to the measurement. */
  private static final Duration SETTLING = Duration.ofMillis(300);

  /** Returns requests that arrive as fast as the contender accepts them. */
  static Arrivals unlimited(int threads) {
    return new Arrivals(Mix.LOW, DEFAULT_TIMEOUT, UNLIMITED, threads, Workload.PLAIN);
  }

  boolean isUnlimited() {
    return rate.equals(UNLIMITED);
  }

  /**
   * Starts a run and measures it after the first requests have timed out; at once if there was no
   * warm-up.
   */
  EnqueueRun run(Function<Endings, Contender> opening, Settings settings)
      throws InterruptedException {
    boolean isYoung = settings.number(WARM_UP) == 0;
    Duration leadIn = isYoung ? Duration.ZERO : timeout.plus(SETTLING);
    Duration length = settings.millis(isUnlimited() ? "max-length" : "length");
    return run(opening, leadIn, length, settings);
  }

  private EnqueueRun run(
      Function<Endings, Contender> opening, Duration leadIn, Duration length, Settings settings)
      throws InterruptedException {
    Duration drain = Duration.ofMillis(settings.number("drain", DRAIN_MILLIS));
    EnqueueRun run = new EnqueueRun(schedules(leadIn.plus(length)), workload.trigger(), drain);
    run.measure(opening, leadIn, length);
    return run;
  }

  /**
   * Runs at full speed and at a fixed rate until the compilers are idle; not at all if the setting
   * {@code warm-up} is 0.
   */
  static void warmUp(Workload workload, Function<Endings, Contender> opening, Settings settings)
      throws InterruptedException {
    if (settings.number(WARM_UP) == 0) {
      return;
    }
    for (String rate : List.of(UNLIMITED, "50000", UNLIMITED)) {
      new Arrivals(Mix.LOW, DEFAULT_TIMEOUT, rate, 1, workload)
          .run(opening, Duration.ZERO, settings.millis(WARM_UP), settings);
    }
    Compilers.awaitIdle();
  }

  private List<Schedule> schedules(Duration length) {
    double perSecond = isUnlimited() ? Double.POSITIVE_INFINITY : Double.parseDouble(rate);
    double needed = perSecond * length.toMillis() / 1000;
    int drawn = 1 + (int) (Math.min(MAX_DRAWN, needed) / threads);
    Schedule.Terms terms =
        new Schedule.Terms(mix, timeout.toMillis(), perSecond / threads, workload.keys());
    return IntStream.range(0, threads)
        .mapToObj(i -> Schedule.draw(terms, drawn, SEED + i).repeated())
        .toList();
  }
}
