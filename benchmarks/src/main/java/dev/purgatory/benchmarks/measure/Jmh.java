package dev.purgatory.benchmarks.measure;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link MicroBenchmarks} in this JVM. JMH need not fork, since each of our JVMs measures only
 * one contender. The JVM is started with the inlining flags that JMH gives its forks.
 */
final class Jmh {
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  static {
    // Otherwise, the second of two concurrent runs on one machine fails.
    System.setProperty("jmh.ignoreLock", "true");
  }

  private final String contender;
  private final Settings settings;

  Jmh(String contender, Settings settings) {
    this.contender = contender;
    this.settings = settings;
  }

  /**
   * Runs one of the benchmarks.
   *
   * @throws RunnerException if the benchmark throws
   */
  RunResult run(String method, int keys, int threads) throws RunnerException {
    TimeValue length = TimeValue.milliseconds(settings.number("length"));
    Options options =
        new OptionsBuilder()
            .include("^" + MicroBenchmarks.class.getName() + "." + method + "$")
            .param("contender", contender)
            .param("keys", Integer.toString(keys))
            .threads(threads)
            .forks(0)
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .warmupIterations(settings.number("warm-ups"))
            .warmupTime(length)
            .measurementIterations(settings.number("iterations"))
            .measurementTime(length)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    return new Runner(options).runSingle();
  }

  /** Returns the time of one operation in each thread. */
  static double nanos(RunResult result) {
    return result.getPrimaryResult().getScore();
  }

  /** Returns the number of bytes that one operation allocates. */
  static double bytes(RunResult result) {
    return requireNonNull(result.getSecondaryResults().get(ALLOCATION)).getScore();
  }
}
