package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.jvm.Compilers;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Holds requests that all time out. Requests that have not ended at the end of the run count as
 * late as they are by then.
 */
final class LatenessRun implements Endings {
  /** The number of requests in each round of the warm-up. */
  private static final int WARM_UP = 50_000;

  private static final int MIN_MILLIS = 300;
  private static final int MIN_SPREAD_MILLIS = 500;
  private static final int TIMEOUTS_PER_SECOND = 100_000;

  private final int requests;
  private final int spreadMillis;
  private final long[] deadlines;
  private final AtomicLongArray endedAt;
  private final LongAdder ended = new LongAdder();
  private long unended;

  LatenessRun(int requests) {
    this.requests = requests;
    spreadMillis = Math.max(MIN_SPREAD_MILLIS, (int) (1000L * requests / TIMEOUTS_PER_SECOND));
    deadlines = new long[requests];
    endedAt = new AtomicLongArray(requests);
  }

  @Override
  public void ended(byte[] payload) {
    endedAt.set((int) Payload.number(payload), System.nanoTime());
    ended.increment();
  }

  @Override
  public void timedOut(byte[] payload) {}

  /** Measures how late requests time out while many are pending. */
  static void measure(String contender, Settings settings, Output out) throws InterruptedException {
    Contenders named = Contenders.named(contender);
    Duration patience = settings.millis("patience");
    Compilers.repeatUntilQuiet(() -> new LatenessRun(WARM_UP).measure(named::open, patience));
    for (int pending : settings.numbers("pending")) {
      LatenessRun run = new LatenessRun(pending);
      run.measure(named::open, patience);
      run.report(out.with("pending", pending));
    }
  }

  /** Waits until all requests have ended, but at most {@code patience} after the last deadline. */
  void measure(Function<Endings, Contender> opening, Duration patience)
      throws InterruptedException {
    SplittableRandom random = new SplittableRandom(requests);
    KeyLists keys = KeyLists.of(3);
    try (Contender contender = opening.apply(this)) {
      for (int i = 0; i < requests; i++) {
        int timeout = MIN_MILLIS + random.nextInt(spreadMillis);
        deadlines[i] = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout);
        contender.hold(Payload.of(i, deadlines[i]), keys.next(), timeout);
      }
      Duration longest = Duration.ofMillis(MIN_MILLIS + spreadMillis);
      Waiting.until(() -> ended.sum() >= requests, longest.plus(patience));
    }
  }

  void report(Output out) {
    long[] late = lateness();
    out.lowerIsBetter("late, p50", "ms", late[requests / 2] / 1e6);
    out.lowerIsBetter("late, p99", "ms", late[(int) (requests * 0.99)] / 1e6);
    out.lowerIsBetter("late, p99.9", "ms", late[(int) (requests * 0.999)] / 1e6);
    out.lowerIsBetter("late, max", "ms", late[requests - 1] / 1e6);
    out.lowerIsBetter("early, max", "ms", Math.max(0, -late[0] / 1e6));
    out.lowerIsBetter("without an end", "requests", (double) unended);
  }

  private long[] lateness() {
    long now = System.nanoTime();
    long[] late = new long[requests];
    for (int i = 0; i < requests; i++) {
      long end = endedAt.get(i);
      unended += end == 0 ? 1 : 0;
      late[i] = (end == 0 ? now : end) - deadlines[i];
    }
    Arrays.sort(late);
    return late;
  }
}
