package dev.purgatory.benchmarks.timer;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;

/** This project's timer with the defaults of its builder. */
final class CoreTimer implements BareTimer {
  private final Timer timer = Timer.builder().start("bench-timer");

  @Override
  public Object add(long millis) {
    return timer.schedule(CoreTimer::fired, Duration.ofMillis(millis));
  }

  private static void fired() {}

  @Override
  public void schedule(long nanos, Runnable task) {
    Timeout unused = timer.schedule(task, Duration.ofNanos(nanos));
  }

  @Override
  public void cancel(Object added) {
    ((Timeout) added).cancel();
  }

  @Override
  public void close() {
    timer.close();
  }
}
