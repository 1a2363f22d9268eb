package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** cancel() while there is no memory: once there is, each future that has ended is done. */
final class CancelWithoutMemory {
  private static final int FUTURES = 12;

  private CancelWithoutMemory() {}

  public static void main(String[] args) throws InterruptedException {
    Purgatory<Integer> purgatory = Purgatory.builder("full", Integer.class).build();
    boolean unused = hold(purgatory).cancel(false);
    List<HeldFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < FUTURES; i++) {
      HeldFuture<String> future = hold(purgatory);
      futures.add(future);
      Memory.fill();
      try {
        unused = future.cancel(false);
      } catch (OutOfMemoryError e) {
        // allowed, if the future is done in the end
      }
      Memory.free();
    }
    boolean done = Wait.until(() -> futures.stream().allMatch(HeldFuture::isDone));
    System.out.println("all done: " + done);
  }

  private static HeldFuture<String> hold(Purgatory<Integer> purgatory) {
    return purgatory.<String>untilCompleted().orTimeout(Duration.ofMillis(300)).hold(1);
  }
}
