package dev.purgatory.benchmarks.measure;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Measures single calls with JMH: the time that one operation takes in the calling thread, and what
 * the whole JVM allocates for it. The work of background threads is included in the allocation, but
 * in the time only if it interferes.
 *
 * <p>Operations that leave nothing to clean up are measured first, while background threads are
 * idle.
 */
final class MicroMeasurement implements Measurement {
  private static final int SEVERAL_KEYS = 3;

  @Override
  public void measure(String contender, Settings settings, Output out) throws RunnerException {
    Jmh jmh = new Jmh(contender, settings);
    report(out, "check without waiters, time", jmh.run("checkWithoutWaiters", 1, 1));
    report(out, "check with a waiter, time", jmh.run("checkWithAWaiter", 1, 1));
    for (int keys : settings.numbers("keys")) {
      RunResult result = jmh.run("holdAndComplete", keys, 1);
      Output output = out.with("keys", keys);
      output.lowerIsBetter("hold and complete, time", "ns", Jmh.nanos(result));
      output.lowerIsBetter("hold and complete, allocation", "bytes", Jmh.bytes(result));
    }
    report(out, "hold and check, time", jmh.run("holdAndCheck", 1, 1));
    for (int threads : settings.numbers("threads")) {
      RunResult result = jmh.run("holdAndComplete", SEVERAL_KEYS, threads);
      Output output = out.with("threads", threads);
      report(output, "hold and complete on the same keys, time", result);
    }
  }

  private static void report(Output out, String metric, RunResult result) {
    out.lowerIsBetter(metric, "ns", Jmh.nanos(result));
  }
}
