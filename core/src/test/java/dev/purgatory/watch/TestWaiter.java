package dev.purgatory.watch;

/** A waiter that waits for nothing. */
final class TestWaiter extends Waiter {
  private final Object key;

  /** Whether it has ended; it has, too, when it is cleared. */
  volatile boolean end;

  TestWaiter() {
    this("test");
  }

  TestWaiter(Object key) {
    super("test");
    this.key = key;
  }

  @Override
  protected Object key() {
    return key;
  }

  @Override
  public boolean isEnded() {
    return end || inUse() == 0;
  }

  @Override
  public void onTimeout() {}
}
