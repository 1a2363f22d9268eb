package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.workload.Mix;
import java.time.Duration;

/**
 * The benchmark of Kafka's redesign proposal: requests arrive at target rates, or as fast as the
 * contender accepts them. A case consists of a mix, a timeout in milliseconds and a rate, separated
 * by colons. Without a warm-up, the first seconds of the JVM are measured.
 *
 * @param workload which keys requests wait for, and what completes them
 */
record EnqueueMeasurement(Workload workload) implements Measurement {
  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    Arrivals.warmUp(workload, named::open, settings);
    for (String each : settings.texts("cases")) {
      Arrivals arrivals = arrivals(each.split(":", 3));
      Output output =
          out.with("mix", arrivals.mix().title())
              .with("timeout", text(arrivals.timeout()))
              .with("rate", arrivals.rate());
      output.begin();
      EnqueueRun run = arrivals.run(named::open, settings);
      run.reportCost(output);
      run.reportCollections(output);
      run.reportTimeouts(output);
      run.reportLag(output);
    }
  }

  private Arrivals arrivals(String[] parts) {
    Duration timeout = Duration.ofMillis(Long.parseLong(parts[1]));
    return new Arrivals(Mix.named(parts[0]), timeout, parts[2], 1, workload);
  }

  private static String text(Duration time) {
    return time.toMillisPart() == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
