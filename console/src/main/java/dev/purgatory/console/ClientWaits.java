package dev.purgatory.console;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The threads that wait for clients: until a request is read, or an answer written. Clients may
 * take as long as they like, but when too many threads wait, the one that began first gives up.
 * Thread-safe.
 */
final class ClientWaits {

  /*
   * The server of the JDK reads and writes on the threads of its executor, and has no time limit but one for all
   * servers of a JVM. To interrupt a thread that reads from a channel, or writes to it, closes the channel. A time
   * limit instead would keep others out until it is over.
   *
   * No code of users runs between `begin` and `end`, so an interrupt reaches nothing else.
   */

  private final int most;

  /** In the order in which they began; guarded by itself. */
  private final Set<Thread> waiting = new LinkedHashSet<>();

  /**
   * Creates an object without threads.
   *
   * @param most how many threads may wait
   */
  ClientWaits(int most) {
    this.most = most;
  }

  /** The current thread begins to wait for its client. */
  void begin() {
    synchronized (waiting) {
      waiting.add(Thread.currentThread());
      if (waiting.size() > most) {
        Thread first = waiting.iterator().next();
        waiting.remove(first);
        first.interrupt();
      }
    }
  }

  /** The current thread waits no longer, and nothing interrupts it from now on. */
  void end() {
    synchronized (waiting) {
      waiting.remove(Thread.currentThread());
      Thread.interrupted();
    }
  }
}
