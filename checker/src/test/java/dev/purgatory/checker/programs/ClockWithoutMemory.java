package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.time.Duration;

/** Memory runs out while the clock's thread handles its first failure: do timeouts go on? */
final class ClockWithoutMemory {
  private static final int ROUNDS = 8;

  private ClockWithoutMemory() {}

  /** The argument {@code cold} lets a task run before, so that only the failure is cold. */
  public static void main(String[] args) throws InterruptedException {
    Timer timer = Timer.builder().start("clock");
    Purgatory<Integer> purgatory = Purgatory.builder("full", Integer.class).timer(timer).build();
    if (args[0].equals("cold")) {
      timer.schedule(() -> {}, Duration.ofMillis(100));
      Thread.sleep(200);
    }
    boolean unused = hold(purgatory, 300).cancel(false);
    for (int i = 0; i < ROUNDS; i++) {
      try {
        HeldFuture<String> future = hold(purgatory, 30);
        Memory.fillWithBlocks();
        Memory.fill();
        Thread.sleep(60); // the timeout is due
        unused = future.cancel(false);
      } catch (OutOfMemoryError e) {
        // expected
      }
      Memory.free();
    }
    System.gc();
    HeldFuture<String> later = hold(purgatory, 100);
    boolean ends = Wait.until(() -> later.outcome() == Outcome.TIMED_OUT);
    System.out.println("times out afterwards: " + ends);
  }

  private static HeldFuture<String> hold(Purgatory<Integer> purgatory, long millis) {
    return purgatory.<String>untilCompleted().orTimeout(Duration.ofMillis(millis)).hold(1);
  }
}
