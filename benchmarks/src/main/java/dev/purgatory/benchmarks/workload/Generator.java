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
 * Sends the requests of a schedule to a contender. This is an open loop: each request arrives at
 * its scheduled time, regardless of the previous ones. If the contender falls behind the schedule,
 * late requests are neither skipped nor rescheduled, but held one after the other without a pause,
 * and their lag is recorded.
 *
 * <p>If all requests arrive at once, the loop is closed instead: no request is held while
 * completions are far behind. Otherwise, requests that should be completed would time out, and the
 * rate would be that of timeouts.
 *
 * <p>A request whose latency is shorter than the timeout is completed after that latency, counted
 * from its actual arrival.
 */
public final class Generator {
  private static final long MAX_LAG = TimeUnit.MINUTES.toNanos(10);

  /** The number of requests that are held at a time if the loop is closed. */
  private static final int BURST = 64;

  private final Contender contender;
  private final Trigger trigger;
  private final Completions completions;
  private final Pace pace;
  private final AtomicInteger held = new AtomicInteger();
  private volatile boolean stopped;

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

  /** Returns the number of requests held so far. May be called by any thread. */
  int held() {
    return held.get();
  }

  /** Returns the lag of the completions since the last call: see {@link Completions#lagNanos}. */
  Histogram completionLagNanos() {
    return completions.lagNanos();
  }

  /** Tells the generator not to send any more requests. May be called by any thread. */
  void stop() {
    stopped = true;
  }

  /**
   * Runs a schedule until its end or {@link #stop}. Waits for the last completion, but not for the
   * last timeout.
   */
  public Load run(Schedule schedule) throws InterruptedException {
    completions.start();
    Load load = holdAll(schedule);
    completions.finish();
    return load;
  }

  private Load holdAll(Schedule schedule) {
    Histogram lag = new Histogram(MAX_LAG, 2);
    long start = pace.now();
    long arrival = start;
    int request = 0;
    int toComplete = 0;
    for (; request < schedule.requests() && !stopped; request++) {
      arrival += schedule.gapNanos(request);
      if (schedule.isUnlimited() && request % BURST == 0) {
        completions.awaitCaughtUp();
      }
      long now = pace.awaitTime(arrival);
      lag.recordValue(Math.min(now - arrival, MAX_LAG));
      toComplete += hold(schedule, request, now) ? 1 : 0;
      held.lazySet(request + 1);
    }
    return new Load(request, toComplete, Duration.ofNanos(pace.now() - start), lag);
  }

  /** Holds a request and returns whether it should be completed before its timeout. */
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
