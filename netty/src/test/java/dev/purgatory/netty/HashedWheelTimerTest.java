package dev.purgatory.netty;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Shows that the contract is Netty's own. */
class HashedWheelTimerTest extends TimerContract {

  @Override
  Timer create(
      ThreadFactory threads,
      long tick,
      TimeUnit unit,
      int wheel,
      long maxPending,
      Executor taskExecutor) {
    return new HashedWheelTimer(threads, tick, unit, wheel, true, maxPending, taskExecutor);
  }

  @Override
  Timer createDefault() {
    return new HashedWheelTimer();
  }

  @Override
  long pendingTimeouts(Timer timer) {
    return ((HashedWheelTimer) timer).pendingTimeouts();
  }

  @Override
  void start(Timer timer) {
    ((HashedWheelTimer) timer).start();
  }
}
