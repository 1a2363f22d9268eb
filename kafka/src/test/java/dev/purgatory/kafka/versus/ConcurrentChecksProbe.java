package dev.purgatory.kafka.versus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/**
 * How long a single check of a key takes while other threads check the same key, where each
 * evaluation takes a while and never completes the operation.
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

  private ConcurrentChecksProbe() {}

  /**
   * Returns the longest check of a round, in nanoseconds: the median of several rounds, so that one
   * stall of the machine does not decide.
   */
  static long longestNanos() throws Exception {
    ConcurrentChecksProbe probe = new ConcurrentChecksProbe();
    try {
      return probe.measure();
    } finally {
      probe.threads.shutdownNow();
      probe.purgatory.shutdown();
    }
  }

  private long measure() throws Exception {
    purgatory.tryCompleteElseWatch(new SlowRequest(), List.of(KEY));
    longestOfRound(); // warms up
    long[] longest = new long[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      longest[i] = longestOfRound();
    }
    return LongStream.of(longest).sorted().skip(ROUNDS / 2).findFirst().orElseThrow();
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
      purgatory.checkAndComplete(KEY);
      longest = Math.max(longest, System.nanoTime() - start);
      LockSupport.parkNanos(GAP_NANOS);
    }
    return longest;
  }

  /** It takes a while to find that it cannot be answered. */
  private static final class SlowRequest extends HeldRequest {
    SlowRequest() {
      super(TimeUnit.HOURS.toMillis(1));
    }

    @Override
    public boolean tryComplete() {
      long end = System.nanoTime() + EVALUATION_NANOS;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      return super.tryComplete();
    }
  }
}
