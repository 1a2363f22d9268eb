package dev.purgatory.benchmarks.measure;

import dev.purgatory.benchmarks.timer.BareTimer;
import dev.purgatory.benchmarks.timer.Timers;

/**
 * Measures timeouts of a bare timer that one thread adds and another cancels, as when a response
 * arrives on another thread than the one that sent the request. Others are pending; none expires.
 */
final class FarCancelMeasurement implements Measurement {
  @Override
  public void measure(String timer, Settings settings, Output out) throws Exception {
    int pending = settings.number("pending");
    try (BareTimer started = Timers.named(timer).start()) {
      Replacing unused = new Replacing(started, pending);
      try (HandOver handOver = new HandOver(started)) {
        Cost.warmUp(handOver, settings);
        Cost.of(handOver, settings.millis("length"))
            .report(out.with("pending", pending), "add here, cancel there");
      }
    }
  }
}
