package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.timer.BareTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Timeouts on a bare timer, some of which are repeatedly cancelled and replaced by others. */
final class Replacing {
  private static final int MIN_MILLIS = 60_000;
  private static final int MAX_MILLIS = 600_000;
  private static final int BATCH = 1000;

  private final BareTimer timer;
  private final Object[] added;
  private final SplittableRandom random = new SplittableRandom(1);

  /**
   * Adds timeouts.
   *
   * @param timer the timer
   * @param pending the number of timeouts
   */
  Replacing(BareTimer timer, int pending) {
    this.timer = timer;
    added = new Object[pending];
    for (int i = 0; i < pending; i++) {
      added[i] = timer.add(timeout(random));
    }
  }

  /** Returns a timeout that no measurement lives to see. */
  static long timeout(SplittableRandom random) {
    return random.nextInt(MIN_MILLIS, MAX_MILLIS);
  }

  /** Replaces one timeout on this thread. */
  void replaceOne() {
    replaceOne(random, 0, added.length);
  }

  /** Replaces some timeouts on this thread and returns their number. */
  int replaceSome() {
    for (int i = 0; i < BATCH; i++) {
      replaceOne();
    }
    return BATCH;
  }

  private void replaceOne(SplittableRandom victims, int from, int to) {
    int victim = victims.nextInt(from, to);
    timer.cancel(added[victim]);
    added[victim] = timer.add(timeout(victims));
  }

  /** Replaces timeouts on several threads for a time, and returns how many. */
  long replace(int threads, Duration length) throws InterruptedException, ExecutionException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> tasks = new ArrayList<>();
      int share = added.length / threads;
      for (int i = 0; i < threads; i++) {
        int from = i * share;
        tasks.add(() -> replace(from, from + share, length.toNanos()));
      }
      long sum = 0;
      for (Future<Long> replaced : executor.invokeAll(tasks)) {
        sum += replaced.get();
      }
      return sum;
    } finally {
      executor.shutdownNow();
    }
  }

  private long replace(int from, int to, long length) {
    SplittableRandom victims = new SplittableRandom(from);
    long end = System.nanoTime() + length;
    long replaced = 0;
    while (System.nanoTime() - end < 0) {
      for (int i = 0; i < BATCH; i++) {
        replaceOne(victims, from, to);
      }
      replaced += BATCH;
    }
    return replaced;
  }
}
