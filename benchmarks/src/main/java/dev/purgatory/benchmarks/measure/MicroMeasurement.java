package dev.purgatory.benchmarks.measure;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures single calls with JMH: the time that one operation takes in the calling thread, and what
 * the whole JVM allocates for it. The work of background threads is included in the allocation, but
 * in the time only if it interferes.
 *
 * <p>JMH need not fork, since each of our JVMs measures only one contender. The JVM is started with
 * the inlining flags that JMH gives its forks. Operations that leave nothing to clean up are
 * measured first, while background threads are idle.
 */
final class MicroMeasurement implements Measurement {
  private static final int SEVERAL_KEYS = 3;
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  static {
    // Otherwise, the second of two concurrent runs on one machine fails.
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Override
  public void measure(String contender, Settings settings, Output out) throws RunnerException {
    OptionsBuilder all = new OptionsBuilder();
    TimeValue length = TimeValue.milliseconds(settings.number("length"));
    all.param("contender", contender)
        .forks(0)
        .mode(Mode.AverageTime)
        .timeUnit(TimeUnit.NANOSECONDS)
        .warmupIterations(settings.number("warm-ups"))
        .warmupTime(length)
        .measurementIterations(settings.number("iterations"))
        .measurementTime(length)
        .addProfiler(GCProfiler.class)
        .shouldFailOnError(true)
        .verbosity(VerboseMode.SILENT);
    report(out, "check without waiters, time", run(all, "checkWithoutWaiters", 1, 1));
    report(out, "check with a waiter, time", run(all, "checkWithAWaiter", 1, 1));
    for (int keys : settings.numbers("keys")) {
      RunResult result = run(all, "holdAndComplete", keys, 1);
      Output output = out.with("keys", keys);
      report(output, "hold and complete, time", result);
      double bytes = requireNonNull(result.getSecondaryResults().get(ALLOCATION)).getScore();
      output.lowerIsBetter("hold and complete, allocation", "bytes", bytes);
    }
    report(out, "hold and check, time", run(all, "holdAndCheck", 1, 1));
    for (int threads : settings.numbers("threads")) {
      RunResult result = run(all, "holdAndComplete", SEVERAL_KEYS, threads);
      report(out.with("threads", threads), "hold and complete on the same keys, time", result);
    }
  }

  private static RunResult run(OptionsBuilder all, String method, int keys, int threads)
      throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .parent(all.build())
                .include("^" + MicroBenchmarks.class.getName() + "." + method + "$")
                .param("keys", Integer.toString(keys))
                .threads(threads)
                .build())
        .runSingle();
  }

  private static void report(Output out, String metric, RunResult result) {
    out.lowerIsBetter(metric, "ns", result.getPrimaryResult().getScore());
  }
}
