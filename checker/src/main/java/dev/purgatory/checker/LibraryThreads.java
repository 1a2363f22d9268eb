package dev.purgatory.checker;

import dev.purgatory.threads.Helpers;
import java.util.Objects;
import java.util.stream.Stream;

/** Finds the threads of timers and purgatories. */
final class LibraryThreads {
  /** The name of the threads that run the clock of a {@link LiveRun}. */
  static final String CLOCK = "live-clock";

  private LibraryThreads() {}

  /** Returns whether this thread belongs to the library. */
  static boolean isCurrent() {
    return Helpers.isHelper() || Thread.currentThread().getName().equals(CLOCK);
  }

  /** Returns the number of live threads whose names contain a text. */
  static long count(String part) {
    return all().filter(thread -> thread.getName().contains(part)).count();
  }

  private static Stream<Thread> all() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    while (root.getParent() != null) {
      root = root.getParent();
    }
    for (int size = root.activeCount() + 16; ; size *= 2) {
      Thread[] threads = new Thread[size];
      if (root.enumerate(threads) < size) {
        return Stream.of(threads).filter(Objects::nonNull);
      }
    }
  }
}
