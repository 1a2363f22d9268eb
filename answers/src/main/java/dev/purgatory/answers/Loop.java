package dev.purgatory.answers;

import dev.purgatory.base.Threads;
import java.util.function.Consumer;

/** Threads that nothing ends but themselves: no exception, no interrupt, no lack of memory. */
final class Loop {

  // After a catch, any statement may throw again, as even a literal can need memory. So the handler
  // only keeps the exception, and the reaction to it is inside the try, too.

  private static final long PAUSE_MILLIS = 100;

  private Loop() {}

  /** What a thread does again and again. */
  interface Step {
    /** Returns whether to go on. */
    boolean run() throws Exception;
  }

  /**
   * Starts a thread.
   *
   * @param step begins without an interrupt that foreign code has left
   * @param react gets what the step before has thrown, until it returns normally
   */
  static Thread start(String name, Step step, Consumer<Throwable> react) {
    Thread thread = Threads.daemon(() -> run(step, react), name);
    thread.start();
    return thread;
  }

  private static void run(Step step, Consumer<Throwable> react) {
    Throwable failure = null;
    boolean goesOn = true;
    while (goesOn) {
      try {
        Thread.interrupted();
        if (failure != null) {
          react.accept(failure);
          failure = null;
        }
        goesOn = step.run();
      } catch (Throwable e) {
        failure = e;
      }
    }
  }

  /** Waits before another try. */
  static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      // Foreign code has left it. The thread ends when its object is closed.
    }
  }

  /** Waits for the end of a thread, unless foreign code on this very thread wants to end it. */
  static void join(Thread thread, long millis) {
    if (thread != Thread.currentThread()) {
      try {
        thread.join(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
