package dev.purgatory.checker.programs;

import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/** Leases while the heap is full now and then: in the end each has ended, and its end is told. */
final class SessionsWithoutMemory {
  private static final int KEYS = 300;
  private static final int SECONDS = 6;
  private static final int THREADS = 2;

  private static volatile boolean stopped;

  private SessionsWithoutMemory() {}

  public static void main(String[] args) throws InterruptedException {
    AtomicIntegerArray told = new AtomicIntegerArray(KEYS);
    AtomicIntegerArray opened = new AtomicIntegerArray(KEYS);
    Timer timer = Timer.builder().errorHandler(e -> {}).start("clock");
    Sessions<Integer, String> sessions =
        new Sessions<>(timer, Duration.ofMillis(100), end -> told.incrementAndGet(end.key()));
    List<Thread> opening = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(() -> open(sessions, opened));
      opening.add(thread);
      thread.start();
    }
    Memory.fillFor(SECONDS);
    stopped = true;
    for (Thread thread : opening) {
      thread.join();
    }
    boolean free = Wait.until(() -> sessions.size() == 0);
    boolean all = Wait.until(() -> untold(told, opened) == 0);
    System.out.println("all keys free: " + free + ", all ends told: " + all);
  }

  private static void open(Sessions<Integer, String> sessions, AtomicIntegerArray opened) {
    for (int key = 0; !stopped; key = (key + 7) % KEYS) {
      try {
        @Nullable Session<Integer, String> session = sessions.tryOpen(key, "owner");
        if (session != null) {
          opened.incrementAndGet(key);
        }
      } catch (OutOfMemoryError e) {
        // not open
      }
    }
  }

  private static int untold(AtomicIntegerArray told, AtomicIntegerArray opened) {
    int untold = 0;
    for (int key = 0; key < KEYS; key++) {
      untold += told.get(key) == opened.get(key) ? 0 : 1;
    }
    return untold;
  }
}
