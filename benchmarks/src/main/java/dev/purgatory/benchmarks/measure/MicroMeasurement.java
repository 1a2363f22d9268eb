package dev.purgatory.benchmarks.measure;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;

/**
 * The smallest costs, by JMH: the time of the calling thread for one operation, and what the whole
 * JVM allocates for it. What other threads tidy up is in the allocation, and in the time only where
 * it is in the way.
 *
 * <p>What leaves nothing to be tidied up comes first, so that no thread is busy with it meanwhile.
 */
final class MicroMeasurement implements Measurement {
  private static final int SEVERAL_KEYS = 3;

  @Override
  public void measure(String contender, Settings settings, Output out) throws RunnerException {
    Jmh jmh = new Jmh(contender, settings);
    tell(out, "check without waiters, time", jmh.run("checkWithoutWaiters", 1, 1));
    tell(out, "check with a waiter, time", jmh.run("checkWithAWaiter", 1, 1));
    for (int keys : settings.numbers("keys")) {
      RunResult result = jmh.run("holdAndComplete", keys, 1);
      Output told = out.with("keys", keys);
      told.lowerIsBetter("hold and complete, time", "ns", Jmh.nanos(result));
      told.lowerIsBetter("hold and complete, allocation", "bytes", Jmh.bytes(result));
    }
    tell(out, "hold and check, time", jmh.run("holdAndCheck", 1, 1));
    for (int threads : settings.numbers("threads")) {
      RunResult result = jmh.run("holdAndComplete", SEVERAL_KEYS, threads);
      Output told = out.with("threads", threads);
      tell(told, "hold and complete on the same keys, time", result);
    }
  }

  private static void tell(Output out, String metric, RunResult result) {
    out.lowerIsBetter(metric, "ns", Jmh.nanos(result));
  }
}
