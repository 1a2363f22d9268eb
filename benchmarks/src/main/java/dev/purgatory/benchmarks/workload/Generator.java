package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * Has a contender hold the requests of a schedule. The loop is open: a request arrives at its time
 * whatever became of those before it. When the contender takes longer than the schedule gives it,
 * the requests that are behind are neither skipped nor given another time, but held one after the
 * other without a pause, and how far behind they are is recorded.
 *
 * <p>Where all requests arrive at once, the loop is closed instead: no request is held while
 * completions are far behind. Otherwise requests would time out that were to be completed, and the
 * rate would be that of timeouts.
 *
 * <p>A request that takes less than the timeout is completed when that time is over, from the
 * moment at which it was to be held.
 */
public final class Generator {
  private static final long LONGEST_LAG = TimeUnit.MINUTES.toNanos(10);

  /** How many requests are held at a time where the loop is closed. */
  private static final int BURST = 64;

  private final Contender contender;
  private final Trigger trigger;
  private final Completions completions;
  private final Pace pace;
  private final AtomicInteger held = new AtomicInteger();

  /** Creates a generator for one run. */
  public Generator(Contender contender, Trigger trigger) {
    this(contender, trigger, new RingCompletions(), Pace.real());
  }

  Generator(Contender contender, Trigger trigger, Completions completions, Pace pace) {
    this.contender = contender;
    this.trigger = trigger;
    this.completions = completions;
    this.pace = pace;
  }

  /** How many requests were held so far. For any thread. */
  int held() {
    return held.get();
  }

  /** How late completions were performed since the last call, in nanoseconds. For any thread. */
  Histogram completionLagNanos() {
    return completions.lagNanos();
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
      if (schedule.isUnlimited() && request % BURST == 0) {
        completions.awaitCaughtUp();
      }
      long now = pace.awaitTime(arrival);
      if (now - start > limit) {
        break;
      }
      lag.recordValue(Math.min(now - arrival, LONGEST_LAG));
      toComplete += hold(schedule, request, now) ? 1 : 0;
      held.lazySet(request + 1);
    }
    return new Load(request, toComplete, Duration.ofNanos(pace.now() - start), lag);
  }

  /** Returns whether the request is to be completed, and not to time out. */
  private boolean hold(Schedule schedule, int request, long now) {
    long timeoutMillis = schedule.timeoutMillis();
    byte[] payload = Payload.of(request, now + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
    List<Key> keys = schedule.keys(request);
    Held handle = contender.hold(payload, keys, timeoutMillis);
    if (schedule.timesOut(request)) {
      return false;
    }
    Held completion = trigger.completionOf(handle, contender, payload, keys.get(0));
    completions.add(completion, now + schedule.latencyNanos(request));
    return true;
  }
}
