package dev.purgatory.benchmarks.timer;

/** Keeps nothing. */
final class FloorTimer implements BareTimer {
  @Override
  public Object add(long millis) {
    return new Object();
  }

  @Override
  public void cancel(Object added) {}
}
