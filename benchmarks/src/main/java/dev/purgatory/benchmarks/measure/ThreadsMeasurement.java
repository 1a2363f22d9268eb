package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;

/**
 * Requests from several threads at once, as fast as the contender takes them, under the workload of
 * Kafka's redesign proposal.
 */
final class ThreadsMeasurement implements Measurement {
  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    Arrivals.warmUp(Workload.PLAIN, named::open, settings);
    for (int threads : settings.numbers("threads")) {
      Output told = out.with("threads", threads);
      told.begin();
      EnqueueRun run = Arrivals.unlimited(threads).run(named::open, settings);
      run.tellCost(told);
      run.tellCollections(told);
    }
  }
}
