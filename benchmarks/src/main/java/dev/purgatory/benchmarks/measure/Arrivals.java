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
 * What arrives, and how fast.
 *
 * @param mix how long requests take
 * @param timeout how long they may take
 * @param rate how many arrive in a second, or {@link #UNLIMITED}
 * @param threads how many hold them, each an equal part
 * @param workload which keys they wait for, and what completes them
 */
record Arrivals(Mix mix, Duration timeout, String rate, int threads, Workload workload) {
  static final String UNLIMITED = "max";

  private static final long SEED = 20150401;
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(Schedule.TIMEOUT_MILLIS);

  /** What is drawn of a schedule before it begins again. */
  private static final int MOST_DRAWN = 1 << 20;

  /** From the first timeouts to the measurement. */
  private static final Duration SETTLING = Duration.ofMillis(300);

  /** As fast as the contender takes them, from some threads. */
  static Arrivals unlimited(int threads) {
    return new Arrivals(Mix.LOW, DEFAULT_TIMEOUT, UNLIMITED, threads, Workload.PLAIN);
  }

  boolean isUnlimited() {
    return rate.equals(UNLIMITED);
  }

  /** Runs, and measures for as long as the settings say, once the first requests have timed out. */
  EnqueueRun run(Function<Endings, Contender> opening, Settings settings)
      throws InterruptedException {
    Duration length = settings.millis(isUnlimited() ? "max-length" : "length");
    return run(opening, timeout.plus(SETTLING), length);
  }

  private EnqueueRun run(Function<Endings, Contender> opening, Duration leadIn, Duration length)
      throws InterruptedException {
    EnqueueRun run = new EnqueueRun(schedules(leadIn.plus(length)), workload.trigger());
    run.measure(opening, leadIn, length);
    return run;
  }

  /** At full speed and at a pace, until the compilers have nothing more to do. */
  static void warmUp(Workload workload, Function<Endings, Contender> opening, Settings settings)
      throws InterruptedException {
    for (String rate : List.of(UNLIMITED, "50000", UNLIMITED)) {
      new Arrivals(Mix.LOW, DEFAULT_TIMEOUT, rate, 1, workload)
          .run(opening, Duration.ZERO, settings.millis("warm-up"));
    }
    Compilers.awaitIdle();
  }

  private List<Schedule> schedules(Duration length) {
    double perSecond = isUnlimited() ? Double.POSITIVE_INFINITY : Double.parseDouble(rate);
    double needed = perSecond * length.toMillis() / 1000;
    int drawn = 1 + (int) (Math.min(MOST_DRAWN, needed) / threads);
    Schedule.Terms terms =
        new Schedule.Terms(mix, timeout.toMillis(), perSecond / threads, workload.keys());
    return IntStream.range(0, threads)
        .mapToObj(i -> Schedule.draw(terms, drawn, SEED + i).repeated())
        .toList();
  }
}
