package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.jvm.Compilers;
import java.time.Duration;

/** Measures how late requests time out while many are pending. */
final class LatenessMeasurement implements Measurement {
  /** The number of requests in each round of the warm-up. */
  private static final int WARM_UP = 50_000;

  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    Duration patience = settings.millis("patience");
    Compilers.repeatUntilQuiet(() -> new LatenessRun(WARM_UP).measure(named::open, patience));
    for (int pending : settings.numbers("pending")) {
      LatenessRun run = new LatenessRun(pending);
      run.measure(named::open, patience);
      run.report(out.with("pending", pending));
    }
  }
}
