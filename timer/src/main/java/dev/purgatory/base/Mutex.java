package dev.purgatory.base;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock whose {@link #lock} does not fail. Until JDK 24, a thread needs memory to wait for a
 * {@link ReentrantLock}: without any, this one tries again. Its holders need none to go on.
 */
public final class Mutex extends ReentrantLock {
  private static final long serialVersionUID = 1;

  static {
    try {
      // All locks of the JVM wait with this class. If a lock of the library were the first to wait,
      // without memory,
      // its initialization would fail for good.
      var unused = Class.forName("java.util.concurrent.locks.AbstractQueuedSynchronizer$Node");
    } catch (ClassNotFoundException e) {
      // This JDK waits in another way.
    }
  }

  /** Creates a lock that no thread holds. */
  public Mutex() {}

  @Override
  public void lock() {
    while (!tryLock()) {
      try {
        super.lock();
        return;
      } catch (OutOfMemoryError | LinkageError e) { // the latter if its classes found no memory
        Thread.onSpinWait();
      }
    }
  }
}
