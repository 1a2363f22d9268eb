package dev.purgatory.checker;

import java.util.Objects;
import java.util.stream.Stream;

/** Finds the threads of purgatories by name. */
final class LibraryThreads {
  private LibraryThreads() {}

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
