package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Contender;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Generators on threads of their own, all of them into one contender. Each has a thread that
 * completes what it has had held, so that none waits for the completions of another.
 */
public final class Generators {
  private Generators() {}

  /**
   * Runs schedules at once, and waits for the last completion, but not for the last timeout.
   *
   * @param schedules one for each generator, one at least
   * @param limit after which no further requests are held
   * @return what all of them have done together
   */
  public static Load run(Contender contender, List<Schedule> schedules, Duration limit)
      throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(schedules.size());
    try {
      List<Callable<Load>> runs =
          schedules.stream().map(each -> generator(contender, each, limit)).toList();
      return threads.invokeAll(runs).stream()
          .map(Generators::done)
          .reduce(Load::plus)
          .orElseThrow();
    } finally {
      threads.shutdownNow();
    }
  }

  private static Callable<Load> generator(Contender contender, Schedule schedule, Duration limit) {
    Generator generator = new Generator(contender);
    return () -> generator.run(schedule, limit);
  }

  private static Load done(Future<Load> run) {
    try {
      return run.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a generator failed", e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError("it has ended", e);
    }
  }
}
