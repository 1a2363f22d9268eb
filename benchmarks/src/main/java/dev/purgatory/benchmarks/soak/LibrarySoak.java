package dev.purgatory.benchmarks.soak;

import dev.purgatory.benchmarks.results.Row;
import dev.purgatory.benchmarks.soak.Traffic.Ending;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A soak of the library itself. It repeats three phases: bursts from short-lived threads on keys
 * that are not reused, a pause in which nothing is pending, and steady load. Meanwhile, it samples
 * the heap, threads, retained entries, and the lateness of timeouts.
 */
public final class LibrarySoak {

  /** One second after nothing is pending, the library should retain almost nothing. */
  private static final Duration PAUSE = Duration.ofMillis(1_500);

  private static final int COLLECTIONS = 2;
  private static final double P99 = 99;

  private final LibrarySoakPlan plan;
  private final Samples samples = new Samples();
  private final Traffic traffic;

  private LibrarySoak(LibrarySoakPlan plan, Traffic traffic) {
    this.plan = plan;
    this.traffic = traffic;
  }

  /**
   * The outcome of a soak.
   *
   * @param operations the number of operations
   * @param rows all samples
   * @param growth one line for each metric that grows
   */
  public record Outcome(long operations, List<Row> rows, List<String> growth) {

    /** Copies the lists. */
    public Outcome {
      rows = List.copyOf(rows);
      growth = List.copyOf(growth);
    }
  }

  /** Receives the progress of a soak. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Called at the start and after each repetition of the phases.
     *
     * @param elapsed the time since the start, at most the length of the plan
     * @param operations the number of operations so far
     */
    void advanced(Duration elapsed, long operations);
  }

  /**
   * Runs a soak on the current thread.
   *
   * @param plan the settings
   * @param progress receives the progress
   * @throws InterruptedException if the thread is interrupted
   */
  public static Outcome run(LibrarySoakPlan plan, Progress progress) throws InterruptedException {
    ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
    try (Traffic traffic = new Traffic()) {
      LibrarySoak soak = new LibrarySoak(plan, traffic);
      long nanos = plan.sampling().toNanos();
      var unused = sampler.scheduleAtFixedRate(soak::sample, nanos, nanos, TimeUnit.NANOSECONDS);
      soak.runCycles(progress);
      return new Outcome(traffic.operations(), soak.samples.rows(), Flatness.growth(soak.samples));
    } finally {
      sampler.shutdownNow();
    }
  }

  private void runCycles(Progress progress) throws InterruptedException {
    progress.advanced(Duration.ZERO, 0);
    long start = System.nanoTime();
    for (long elapsed = 0; elapsed < plan.length().toNanos(); ) {
      bursts();
      pause();
      traffic.steady(plan.phase());
      samples.add(Metric.STEADY_HEAP, heapAfterCollection());
      elapsed = System.nanoTime() - start;
      progress.advanced(
          Duration.ofNanos(Math.min(elapsed, plan.length().toNanos())), traffic.operations());
    }
  }

  private void bursts() throws InterruptedException {
    long end = System.nanoTime() + plan.phase().toNanos();
    Ending[] endings = Ending.values();
    for (int i = 0; i < endings.length || System.nanoTime() - end < 0; i++) {
      traffic.burst(plan.burst(), endings[i % endings.length]);
    }
  }

  private void pause() throws InterruptedException {
    traffic.awaitNothingPending();
    samples.add(Metric.IDLE_ENTRIES, awaitRetained());
    samples.add(Metric.IDLE_HEAP, heapAfterCollection());
  }

  /** Pauses until the library releases no more entries, and returns how many it retains. */
  private long awaitRetained() throws InterruptedException {
    long before = Long.MAX_VALUE;
    for (long now = traffic.retained(); now < before; now = traffic.retained()) {
      before = now;
      Thread.sleep(PAUSE.toMillis());
    }
    return traffic.retained();
  }

  private void sample() {
    samples.add(Metric.ENTRIES_IN_TIMER, traffic.entriesInTimer());
    samples.add(Metric.ENTRIES_ON_LISTS, traffic.entriesOnLists());
    samples.add(Metric.PENDING, traffic.pending());
    samples.add(Metric.THREADS, ManagementFactory.getThreadMXBean().getThreadCount());
    Histogram lateness = traffic.latenessSinceLastCall();
    if (lateness.getTotalCount() > 0) {
      samples.add(Metric.LATENESS, lateness.getValueAtPercentile(P99));
    }
  }

  private static long heapAfterCollection() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
