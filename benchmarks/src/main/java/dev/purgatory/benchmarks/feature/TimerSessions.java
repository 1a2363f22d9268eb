package dev.purgatory.benchmarks.feature;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sessions with timeouts on this library's timer. */
final class TimerSessions extends RescheduledSessions<Timeout> {
  private final Timer timer = Timer.builder().start("bench-timeouts");

  TimerSessions(Duration timeout) {
    super(timeout);
  }

  @Override
  Timeout start(Session<Timeout> session) {
    return timer.schedule(session, timeoutNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  void cancel(Timeout timeout) {
    timeout.cancel();
  }

  @Override
  boolean isPending(Timeout timeout) {
    return timeout.isPending();
  }

  @Override
  public void close() {
    timer.close();
  }
}
