package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Endings;
import dev.purgatory.benchmarks.contender.Wheel;
import java.util.function.Function;

/** Measures the rate and the lateness of contenders with badly chosen timing wheels. */
final class WheelsMeasurement implements Measurement {
  @Override
  public void measure(String contender, Settings settings, Output out) throws Exception {
    Contenders named = Contenders.named(contender);
    Arrivals.warmUp(Workload.PLAIN, named::open, settings);
    for (String each : settings.texts("wheels")) {
      Wheel wheel = Wheel.parse(each);
      if (named.supports(wheel)) {
        measure(endings -> named.open(endings, wheel), settings, out.with("wheel", each));
      }
    }
  }

  private static void measure(Function<Endings, Contender> opening, Settings settings, Output out)
      throws InterruptedException {
    out.begin();
    Arrivals.unlimited(1).run(opening, settings).reportCost(out);
    int pending = settings.number("pending");
    LatenessRun lateness = new LatenessRun(pending);
    lateness.measure(opening, settings.millis("patience"));
    lateness.report(out.with("pending", pending));
  }
}
