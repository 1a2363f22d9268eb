package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Payload;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Has a contender hold the requests of a schedule. The loop is open: a request arrives at its time
 * whatever became of those before it. When the contender takes longer than the schedule gives it,
 * the requests that are behind are neither skipped nor given another time, but held one after the
 * other without a pause, and how far behind they are is recorded.
 *
 * <p>A request that takes less than the timeout is completed when that time is over, from the
 * moment at which it was to be held.
 */
public final class Generator {
  private static final long LONGEST_LAG = TimeUnit.MINUTES.toNanos(10);

  private final Contender contender;
  private final Completions completions;
  private final Pace pace;

  /** Creates a generator for one run. */
  public Generator(Contender contender) {
    this(contender, new RingCompletions(), Pace.real());
  }

  Generator(Contender contender, Completions completions, Pace pace) {
    this.contender = contender;
    this.completions = completions;
    this.pace = pace;
  }

  /**
   * Runs a schedule, and waits for the last completion, but not for the last timeout.
   *
   * @param limit after which no further requests are held
   */
  public Load run(Schedule schedule, Duration limit) throws InterruptedException {
    completions.start();
    Load load = holdAll(schedule, limit.toNanos());
    completions.finish();
    return load;
  }

  private Load holdAll(Schedule schedule, long limit) {
    Histogram lag = new Histogram(LONGEST_LAG, 2);
    long start = pace.now();
    long arrival = start;
    int request = 0;
    int toComplete = 0;
    for (; request < schedule.requests(); request++) {
      arrival += schedule.gapNanos(request);
      long now = pace.awaitTime(arrival);
      if (now - start > limit) {
        break;
      }
      lag.recordValue(Math.min(now - arrival, LONGEST_LAG));
      toComplete += hold(schedule, request, now) ? 1 : 0;
    }
    return new Load(request, toComplete, Duration.ofNanos(pace.now() - start), lag);
  }

  /** Returns whether the request is to be completed, and not to time out. */
  private boolean hold(Schedule schedule, int request, long now) {
    long timeoutMillis = schedule.timeoutMillis();
    byte[] payload = Payload.of(request, now + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
    Held held = contender.hold(payload, schedule.keys(request), timeoutMillis);
    if (schedule.timesOut(request)) {
      return false;
    }
    completions.add(held, now + schedule.latencyNanos(request));
    return true;
  }
}
