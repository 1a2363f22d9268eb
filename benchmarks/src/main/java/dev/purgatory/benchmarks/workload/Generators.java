package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Several generators that send requests to one contender, each on its own thread. Each has another
 * thread that completes its requests, so that no generator waits for the completions of another.
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
   * Starts a generator for each schedule.
   *
   * @param contender holds the requests
   * @param trigger completes the requests
   * @param schedules at least one schedule
   */
  public static Generators start(Contender contender, Trigger trigger, List<Schedule> schedules) {
    Generators started =
        new Generators(schedules.stream().map(each -> new Generator(contender, trigger)).toList());
    for (int i = 0; i < schedules.size(); i++) {
      Generator generator = started.generators.get(i);
      Schedule schedule = schedules.get(i);
      started.runs.add(started.threads.submit(() -> generator.run(schedule)));
    }
    started.threads.shutdown();
    return started;
  }

  /** Returns the number of requests held so far. */
  public long held() {
    return generators.stream().mapToLong(Generator::held).sum();
  }

  /** Tells the generators not to send any more requests. */
  public void stop() {
    generators.forEach(Generator::stop);
  }

  /** Returns the lag of the completions since the last call, in nanoseconds. */
  public Histogram completionLagNanos() {
    Histogram all = new Histogram(2);
    generators.forEach(generator -> all.add(generator.completionLagNanos()));
    return all;
  }

  /**
   * Waits for the last completion, but not for the last timeout.
   *
   * @return the combined load of all generators
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
