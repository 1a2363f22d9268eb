package dev.purgatory.benchmarks.timer;

import dev.purgatory.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.concurrent.TimeUnit;

/** A timer of Netty's API, with a tick of 1 ms. */
record NettyTimer(Timer timer) implements BareTimer {
  private static final TimerTask NOTHING = timeout -> {};

  /** Returns Netty's wheel, with its default of 512 buckets. */
  static NettyTimer hashedWheel() {
    return new NettyTimer(new HashedWheelTimer(1, TimeUnit.MILLISECONDS));
  }

  /** Returns this library's timer. */
  static NettyTimer purgatory() {
    return new NettyTimer(new WheelTimer(1, TimeUnit.MILLISECONDS));
  }

  @Override
  public Object add(long millis) {
    return timer.newTimeout(NOTHING, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    Timeout unused = timer.newTimeout(timeout -> task.run(), nanos, TimeUnit.NANOSECONDS);
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
