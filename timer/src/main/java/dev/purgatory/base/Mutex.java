package dev.purgatory.base;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock whose {@link #lock} does not fail. Until JDK 24, a thread needs memory to wait for a
 * {@link ReentrantLock}: without any, this one tries again. Its holders need none to go on.
 */
public final class Mutex extends ReentrantLock {
  private static final long serialVersionUID = 1;

  static {
    // All locks of the JVM wait with one class. If a lock of the library were the first to wait,
    // without memory, the initialization of that class would fail for good. So this thread waits
    // once, for a nanosecond.
    boolean interrupted = Thread.interrupted();
    try {
      var unused = new CountDownLatch(1).await(1, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
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
