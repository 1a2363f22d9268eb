package dev.purgatory.watch;

/** A waiter that waits for nothing. */
final class TestWaiter extends Waiter {
  TestWaiter() {
    super("test");
  }

  @Override
  public boolean isEnded() {
    return inUse() == 0;
  }

  @Override
  public void onTimeout() {}
}
