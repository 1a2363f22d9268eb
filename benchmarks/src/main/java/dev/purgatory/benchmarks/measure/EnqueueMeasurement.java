package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.workload.Mix;
import java.time.Duration;

/**
 * The seeds' benchmark: requests arrive at target rates, and as fast as they are taken. A case is a
 * mix, a timeout in milliseconds and a rate, with colons between.
 */
final class EnqueueMeasurement implements Measurement {
  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    Arrivals.warmUp(named::open, settings);
    for (String each : settings.texts("cases")) {
      Arrivals arrivals = arrivals(each.split(":", 3));
      Output told =
          out.with("mix", arrivals.mix().title())
              .with("timeout", text(arrivals.timeout()))
              .with("rate", arrivals.rate());
      told.begin();
      EnqueueRun run = arrivals.run(named::open, settings);
      run.tellCost(told);
      run.tellCollections(told);
      run.tellTimeouts(told);
      if (!arrivals.isUnlimited()) {
        run.tellLag(told);
      }
    }
  }

  private static Arrivals arrivals(String[] parts) {
    Duration timeout = Duration.ofMillis(Long.parseLong(parts[1]));
    return new Arrivals(Mix.named(parts[0]), timeout, parts[2], 1);
  }

  private static String text(Duration time) {
    return time.toMillisPart() == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
