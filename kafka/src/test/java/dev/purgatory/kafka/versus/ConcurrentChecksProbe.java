package dev.purgatory.kafka.versus;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * Measures single checks of a key while other threads check the same key. Each evaluation takes a
 * while and never completes the operation.
 */
final class ConcurrentChecksProbe {
  static final int THREADS = 8;

  private static final int ROUNDS = 5;
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long EVALUATION_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final HeldRequest.Key KEY = new HeldRequest.Key("busy");

  private final DelayedOperationPurgatory<HeldRequest> purgatory =
      new DelayedOperationPurgatory<>("checks", 0);
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final ThreadLocal<Integer> evaluations = ThreadLocal.withInitial(() -> 0);
  private final LongAccumulator mostEvaluations = new LongAccumulator(Math::max, 0);

  private ConcurrentChecksProbe() {}

  /** Runs several rounds. */
  static Checks measure() throws Exception {
    ConcurrentChecksProbe probe = new ConcurrentChecksProbe();
    try {
      return probe.measureRounds();
    } finally {
      probe.threads.shutdownNow();
      probe.purgatory.shutdown();
    }
  }

  private Checks measureRounds() throws Exception {
    purgatory.tryCompleteElseWatch(new SlowRequest(), List.of(KEY));
    longestOfRound(); // warm-up
    long[] longest = new long[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      longest[i] = longestOfRound();
    }
    Arrays.sort(longest);
    return new Checks(longest[ROUNDS / 2], mostEvaluations.intValue());
  }

  private long longestOfRound() throws Exception {
    List<Future<Long>> checkers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      checkers.add(threads.submit(this::longestOfThread));
    }
    long longest = 0;
    for (Future<Long> checker : checkers) {
      longest = Math.max(longest, checker.get());
    }
    return longest;
  }

  private long longestOfThread() {
    long longest = 0;
    long end = System.nanoTime() + ROUND_NANOS;
    for (long start; (start = System.nanoTime()) - end < 0; ) {
      evaluations.set(0);
      purgatory.checkAndComplete(KEY);
      longest = Math.max(longest, System.nanoTime() - start);
      mostEvaluations.accumulate(evaluations.get());
      LockSupport.parkNanos(GAP_NANOS);
    }
    return longest;
  }

  /**
   * How much a check costs its caller.
   *
   * @param longestNanos the longest check of a round, in nanoseconds; the median of all rounds
   * @param mostEvaluations the largest number of evaluations within one check
   */
  record Checks(long longestNanos, int mostEvaluations) {}

  /** Takes a while to find out that it cannot be completed. */
  private final class SlowRequest extends HeldRequest {
    SlowRequest() {
      super(TimeUnit.HOURS.toMillis(1));
    }

    @Override
    public boolean tryComplete() {
      evaluations.set(evaluations.get() + 1);
      long end = System.nanoTime() + EVALUATION_NANOS;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      return super.tryComplete();
    }
  }
}
