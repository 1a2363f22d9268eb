package dev.purgatory;

import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program with a small heap, which is full whenever a timeout is due. No handler of errors has
 * run before. Exits with 0 if a timeout that begins afterwards is still answered.
 */
final class ExhaustedMemory {
  private static final int ROUNDS = 8;

  private static @Nullable Object @Nullable [] chain;

  private ExhaustedMemory() {}

  public static void main(String[] args) {
    Timer timer = Timer.builder().start("clock");
    Purgatory<Integer> purgatory = Purgatory.builder("p", Integer.class).timer(timer).build();
    hold(purgatory, Duration.ofMillis(300)).cancel(false);
    for (int i = 0; i < ROUNDS; i++) {
      try {
        HeldFuture<String> future = hold(purgatory, Duration.ofMillis(30));
        fillFor(60); // the timeout is due meanwhile
        future.cancel(false);
      } catch (OutOfMemoryError e) {
        // This thread had no memory either.
      } finally {
        chain = null;
      }
    }
    System.exit(isAnswered(purgatory) ? 0 : 1);
  }

  /**
   * Fills the heap again and again, as the other threads free some. Blocks first: quick to collect.
   */
  private static void fillFor(int millis) {
    long start = System.nanoTime();
    for (int size = 1 << 16; size > 8; ) {
      try {
        chain = new @Nullable Object[] {chain, new byte[size]};
      } catch (OutOfMemoryError e) {
        size /= 8;
      }
    }
    while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(millis)) {
      try {
        for (; ; ) {
          chain = new @Nullable Object[] {chain};
        }
      } catch (OutOfMemoryError e) {
        // The heap is full.
      }
    }
  }

  private static HeldFuture<String> hold(Purgatory<Integer> purgatory, Duration timeout) {
    return purgatory.<String>untilCompleted().orTimeout(timeout).hold(1);
  }

  private static boolean isAnswered(Purgatory<Integer> purgatory) {
    try {
      hold(purgatory, Duration.ofMillis(1)).get(30, TimeUnit.SECONDS);
      return false;
    } catch (Exception e) {
      return e.getCause() != null; // that of an answer; the wait itself has none
    }
  }
}
