package dev.purgatory.benchmarks.timer;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.TimeUnit;

/** Netty's hashed wheel, with a tick of 1 ms and its default of 512 buckets. */
final class NettyTimer implements BareTimer {
  private static final TimerTask NOTHING = timeout -> {};

  private final HashedWheelTimer timer = new HashedWheelTimer(1, TimeUnit.MILLISECONDS);

  @Override
  public Object add(long millis) {
    return timer.newTimeout(NOTHING, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void cancel(Object added) {
    ((Timeout) added).cancel();
  }

  @Override
  public void close() {
    timer.stop();
  }
}
