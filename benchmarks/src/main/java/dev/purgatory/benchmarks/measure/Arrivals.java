package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.workload.Mix;
import dev.purgatory.benchmarks.workload.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What arrives, how fast, and for how long.
 *
 * @param mix how long requests take
 * @param timeout how long they may take
 * @param rate how many arrive in a second, or {@link #UNLIMITED}
 * @param threads how many hold them, each an equal part
 */
record Arrivals(Mix mix, Duration timeout, String rate, int threads) {
  static final String UNLIMITED = "max";

  private static final long SEED = 20150401;
  private static final Duration SEEDS_TIMEOUT = Duration.ofMillis(Schedule.TIMEOUT_MILLIS);

  /** As fast as they are taken, from some threads. */
  static Arrivals unlimited(int threads) {
    return new Arrivals(Mix.LOW, SEEDS_TIMEOUT, UNLIMITED, threads);
  }

  boolean isUnlimited() {
    return rate.equals(UNLIMITED);
  }

  /** Runs for the length, or until the number of requests is reached that the settings name. */
  EnqueueRun run(Function<Endings, Contender> opening, Settings settings)
      throws InterruptedException {
    return run(opening, settings, settings.millis("length"));
  }

  private EnqueueRun run(Function<Endings, Contender> opening, Settings settings, Duration length)
      throws InterruptedException {
    EnqueueRun run = new EnqueueRun(schedules(settings.number("requests"), length));
    run.measure(opening, length);
    return run;
  }

  /** As fast as it goes, and at a pace, until the compilers have nothing more to do. */
  static void warmUp(Function<Endings, Contender> opening, Settings settings)
      throws InterruptedException {
    for (String rate : List.of(UNLIMITED, "50000", UNLIMITED)) {
      new Arrivals(Mix.LOW, SEEDS_TIMEOUT, rate, 1)
          .run(opening, settings, settings.millis("warm-up"));
    }
    Compilers.awaitIdle();
  }

  private List<Schedule> schedules(int requests, Duration length) {
    double perSecond = isUnlimited() ? Double.POSITIVE_INFINITY : Double.parseDouble(rate);
    int each = (int) Math.min(requests, perSecond * length.toMillis() / 1000) / threads;
    return IntStream.range(0, threads)
        .mapToObj(i -> Schedule.draw(mix, timeout.toMillis(), perSecond / threads, each, SEED + i))
        .toList();
  }
}
