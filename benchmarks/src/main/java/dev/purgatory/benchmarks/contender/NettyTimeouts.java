package dev.purgatory.benchmarks.contender;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;

/** Timeouts on Netty's hashed wheel. */
record NettyTimeouts(HashedWheelTimer timer) implements Timeouts {

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
