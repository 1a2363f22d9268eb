package dev.purgatory.benchmarks.contender;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Timeouts on Netty's hashed wheel. By default, the tick is 1 ms, as for the other contenders
 * (Netty's default is 100 ms), and the wheel has Netty's default of 512 buckets.
 */
record NettyTimeouts(HashedWheelTimer timer) implements Timeouts {

  NettyTimeouts() {
    this(
        new HashedWheelTimer(
            new DefaultThreadFactory("bench-timeouts", true), 1, TimeUnit.MILLISECONDS));
  }

  @Override
  public Runnable start(Runnable task, long millis) {
    Timeout timeout = timer.newTimeout(fired -> task.run(), millis, TimeUnit.MILLISECONDS);
    return timeout::cancel;
  }

  @Override
  public void close() {
    timer.stop();
  }
}
