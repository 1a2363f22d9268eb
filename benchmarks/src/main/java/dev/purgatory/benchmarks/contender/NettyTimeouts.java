package dev.purgatory.benchmarks.contender;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** Keeps timeouts by Netty's hashed wheel, with a tick of 1 ms and its default of 512 buckets. */
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
