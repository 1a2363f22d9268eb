package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Generators on threads of their own, all of them into one contender. Each has a thread that
 * completes what it has had held, so that none waits for the completions of another.
 */
public final class Generators {
  private final List<Generator> generators;
  private final ExecutorService threads;
  private final List<Future<Load>> runs = new ArrayList<>();

  private Generators(List<Generator> generators) {
    this.generators = generators;
    this.threads = Executors.newFixedThreadPool(generators.size());
  }

  /**
   * Starts schedules at once.
   *
   * @param contender holds the requests
   * @param trigger completes them
   * @param schedules one for each generator, one at least
   * @param limit after which no further requests are held
   */
  public static Generators start(
      Contender contender, Trigger trigger, List<Schedule> schedules, Duration limit) {
    Generators started =
        new Generators(schedules.stream().map(each -> new Generator(contender, trigger)).toList());
    for (int i = 0; i < schedules.size(); i++) {
      Generator generator = started.generators.get(i);
      Schedule schedule = schedules.get(i);
      started.runs.add(started.threads.submit(() -> generator.run(schedule, limit)));
    }
    started.threads.shutdown();
    return started;
  }

  /** How many requests were held so far. */
  public long held() {
    return generators.stream().mapToLong(Generator::held).sum();
  }

  /** How late completions were performed since the last call, in nanoseconds. */
  public Histogram completionLagNanos() {
    Histogram all = new Histogram(2);
    generators.forEach(generator -> all.add(generator.completionLagNanos()));
    return all;
  }

  /**
   * Waits for the last completion, but not for the last timeout.
   *
   * @return what all of them have done together
   * @throws IllegalStateException if a generator failed
   */
  public Load await() throws InterruptedException {
    Load all = Load.NONE;
    for (Future<Load> run : runs) {
      try {
        all = all.plus(run.get());
      } catch (ExecutionException e) {
        throw new IllegalStateException("a generator failed", e.getCause());
      }
    }
    return all;
  }
}
