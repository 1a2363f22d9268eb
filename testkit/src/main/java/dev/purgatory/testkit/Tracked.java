package dev.purgatory.testkit;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Objects that a test expects to become unreachable. Thread-safe. */
final class Tracked {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** On a machine that stops this thread, the time may be over before the first one. */
  private static final int LEAST_COLLECTIONS = 3;

  private record Label(WeakReference<Object> object, String text) {
    boolean isReachable() {
      return !object.refersTo(null);
    }
  }

  private final long patienceNanos;
  private final List<Label> labels = new ArrayList<>();

  /**
   * Creates an empty set.
   *
   * @param patience how long the garbage collector may take, in real time
   */
  Tracked(Duration patience) {
    patienceNanos = patience.toNanos();
  }

  synchronized void add(Object object, String label) {
    labels.add(new Label(new WeakReference<>(object), label));
  }

  /** Returns the labels of the objects that stay reachable, after garbage collections. */
  List<String> reachable() {
    List<Label> left = left();
    WeakReference<Object> garbage = new WeakReference<>(new Object());
    long end = System.nanoTime() + patienceNanos;
    for (int i = 0;
        !left.isEmpty() && (i < LEAST_COLLECTIONS || System.nanoTime() - end < 0);
        i++) {
      System.gc();
      LockSupport.parkNanos(PAUSE_NANOS);
      left = left();
    }
    if (!left.isEmpty() && !garbage.refersTo(null)) {
      throw new IllegalStateException(
          "System.gc() collects nothing: is the JVM started with -XX:+DisableExplicitGC?");
    }
    return left.stream().map(Label::text).toList();
  }

  private synchronized List<Label> left() {
    labels.removeIf(label -> !label.isReachable());
    return List.copyOf(labels);
  }
}
