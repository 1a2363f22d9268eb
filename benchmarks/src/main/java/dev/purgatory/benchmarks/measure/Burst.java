package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.jvm.Compilers;
import dev.purgatory.benchmarks.jvm.NewThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;

/**
 * Timeouts that are all due at the same moment, and one that has nothing to do with them and is due
 * a millisecond later.
 */
final class Burst {
  private static final Duration WARM_UP_LEAD = Duration.ofMillis(300);

  /** The time to schedule them. */
  private static final Duration LEAD = Duration.ofMillis(500);

  private static final Duration LATER = Duration.ofMillis(1);

  /** The time to read what threads have used. */
  private static final Duration BEFORE = Duration.ofMillis(10);

  private final int entries;
  private final AtomicInteger left;
  private final CountDownLatch ended = new CountDownLatch(2);
  private final AtomicLong lastEnd = new AtomicLong();
  private final AtomicLong otherEnd = new AtomicLong();

  private Burst(int entries) {
    this.entries = entries;
    this.left = new AtomicInteger(entries);
  }

  /** Schedules timeouts. */
  @FunctionalInterface
  interface Timeouts {
    /** Schedules a timeout that calls {@code ended} on whichever thread. */
    void add(long nanos, Runnable ended);
  }

  /**
   * Measures as many timeouts as the setting {@code burst} says, as often as {@code rounds} says,
   * after {@code warm-up-rounds}: the first ones run code that is not compiled yet. Each result is
   * the median of all rounds.
   *
   * @param many schedules the timeouts that are due together
   * @param other schedules the one that has nothing to do with them
   * @param threads those of the contender are new
   */
  static void report(
      Timeouts many, Timeouts other, NewThreads threads, Settings settings, Output out)
      throws IOException, InterruptedException {
    int entries = settings.number("burst");
    for (int i = 0; i < settings.number("warm-up-rounds"); i++) {
      Result unused = new Burst(entries).run(many, other, threads, WARM_UP_LEAD);
    }
    Compilers.awaitIdle();
    List<Result> results = new ArrayList<>();
    for (int i = 0; i < settings.number("rounds"); i++) {
      results.add(new Burst(entries).run(many, other, threads, LEAD));
    }
    if (results.stream().anyMatch(Result::isHasty)) {
      out.note("burst: timeouts were due before all were scheduled");
    }
    Output output = out.with("timeouts", entries);
    output.lowerIsBetter("burst, time", "ms", median(results, Result::nanos));
    output.lowerIsBetter("burst, CPU", "ms", median(results, Result::cpuNanos));
    output.lowerIsBetter("burst, lateness of another", "ms", median(results, Result::lateNanos));
  }

  /** Returns the median in milliseconds. */
  private static double median(List<Result> results, ToDoubleFunction<Result> nanos) {
    double[] sorted = results.stream().mapToDouble(nanos).sorted().toArray();
    return sorted[sorted.length / 2] / 1e6;
  }

  /**
   * What a burst costs.
   *
   * @param nanos from the moment at which the timeouts are due until all have ended
   * @param cpuNanos the processor time of the contender's threads in that time
   * @param lateNanos how late the other timeout is
   * @param isHasty whether some were due before all were scheduled
   */
  private record Result(double nanos, double cpuNanos, double lateNanos, boolean isHasty) {}

  private Result run(Timeouts many, Timeouts other, NewThreads threads, Duration lead)
      throws IOException, InterruptedException {
    System.gc();
    long due = System.nanoTime() + lead.toNanos();
    for (int i = 0; i < entries; i++) {
      many.add(until(due), this::end);
    }
    long otherDue = due + LATER.toNanos();
    other.add(until(otherDue), this::endOther);
    boolean isHasty = until(due) == 0;
    TimeUnit.NANOSECONDS.sleep(until(due) - BEFORE.toNanos());
    NewThreads.Reading before = threads.now();
    ended.await();
    long cpu = threads.now().cpuNanosSince(before);
    return new Result(
        Math.max(0, lastEnd.get() - due), cpu, Math.max(0, otherEnd.get() - otherDue), isHasty);
  }

  private static long until(long time) {
    return Math.max(0, time - System.nanoTime());
  }

  private void end() {
    if (left.decrementAndGet() == 0) {
      lastEnd.set(System.nanoTime());
      ended.countDown();
    }
  }

  private void endOther() {
    otherEnd.set(System.nanoTime());
    ended.countDown();
  }
}
