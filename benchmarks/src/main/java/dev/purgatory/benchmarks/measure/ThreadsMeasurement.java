package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;

/**
 * The workload of Kafka's redesign proposal with requests from several threads, as fast as the
 * contender accepts them.
 */
final class ThreadsMeasurement implements Measurement {
  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    Arrivals.warmUp(Workload.PLAIN, named::open, settings);
    for (int threads : settings.numbers("threads")) {
      Output output = out.with("threads", threads);
      output.begin();
      EnqueueRun run = Arrivals.unlimited(threads).run(named::open, settings);
      run.reportCost(output);
      run.reportCollections(output);
    }
  }
}
