package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Daemons;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;

/** A map of futures with timeouts on Netty's wheel. */
final class NettyReplies extends MapReplies<Timeout> {
  private final HashedWheelTimer wheel;

  NettyReplies() {
    this(Daemons.wheel());
  }

  private NettyReplies(HashedWheelTimer wheel) {
    this.wheel = wheel;
  }

  @Override
  public ReplyTable another() {
    return new NettyReplies(wheel);
  }

  @Override
  Timeout start(Pending<Timeout> reply, long nanos) {
    return wheel.newTimeout(reply, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  void cancel(Timeout timeout) {
    timeout.cancel();
  }

  @Override
  public void close() {
    super.close();
    wheel.stop();
  }
}
