package dev.purgatory.benchmarks.timer;

/** Does nothing. */
final class FloorTimer implements BareTimer {
  @Override
  public Object add(long millis) {
    return new Object();
  }

  @Override
  public void cancel(Object added) {}
}
