package dev.purgatory.benchmarks.contender;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Keeps timeouts by Netty's hashed wheel, by default with a tick of 1 ms, as the others have, and
 * its own 512 buckets. Netty's own tick is 100 ms.
 */
record NettyTimeouts(HashedWheelTimer timer) implements Timeouts {

  NettyTimeouts() {
    this(
        new HashedWheelTimer(
            new DefaultThreadFactory("bench-timeouts", true), 1, TimeUnit.MILLISECONDS));
  }

  NettyTimeouts(Wheel wheel) {
    this(
        new HashedWheelTimer(
            new DefaultThreadFactory("bench-timeouts", true),
            wheel.tick().toMillis(),
            TimeUnit.MILLISECONDS,
            wheel.buckets()));
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
