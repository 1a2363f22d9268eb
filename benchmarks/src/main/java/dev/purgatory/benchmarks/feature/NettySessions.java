package dev.purgatory.benchmarks.feature;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sessions with timeouts on Netty's wheel. */
final class NettySessions extends RescheduledSessions<Timeout> {
  private final HashedWheelTimer wheel = Daemons.wheel();

  NettySessions(Duration timeout) {
    super(timeout);
  }

  @Override
  Timeout start(Session<Timeout> session) {
    return wheel.newTimeout(session, timeoutNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  void cancel(Timeout timeout) {
    timeout.cancel();
  }

  @Override
  boolean isPending(Timeout timeout) {
    return !timeout.isExpired() && !timeout.isCancelled();
  }

  @Override
  public void close() {
    wheel.stop();
  }
}
