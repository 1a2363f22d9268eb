package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time limits are moved, and reach their first deadline while there is no memory. */
final class MovedWithoutMemory {
  private static final int FUTURES = 200;

  private MovedWithoutMemory() {}

  public static void main(String[] args) throws InterruptedException {
    Purgatory<Integer> purgatory = Purgatory.builder("full", Integer.class).build();
    List<HeldFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < FUTURES; i++) {
      Duration first = Duration.ofMillis(200 + 3L * i);
      HeldFuture<String> future = purgatory.<String>untilCompleted().orTimeout(first).hold(i);
      boolean unused = future.reschedule(Duration.ofSeconds(1).plusMillis(7919L * i % 4000));
      futures.add(future);
    }
    Memory.fillFor(1);
    boolean done = Wait.until(() -> futures.stream().allMatch(HeldFuture::isDone));
    System.out.println("all done: " + done);
  }
}
