package dev.purgatory.checker.programs;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Without memory, time limits that were moved reach their first deadline, and other requests are
 * evaluated periodically.
 */
final class MovedWithoutMemory {
  private static final int FUTURES = 200;

  private MovedWithoutMemory() {}

  public static void main(String[] args) throws InterruptedException {
    Purgatory<Integer> purgatory = Purgatory.builder("full", Integer.class).build();
    List<HeldFuture<?>> futures = new ArrayList<>();
    AtomicBoolean ready = new AtomicBoolean();
    for (int i = 0; i < FUTURES; i++) {
      Duration first = Duration.ofMillis(200 + 3L * i);
      HeldFuture<String> future = purgatory.<String>untilCompleted().orTimeout(first).hold(i);
      boolean unused = future.reschedule(Duration.ofSeconds(1).plusMillis(7919L * i % 4000));
      futures.add(future);
      Duration period = Duration.ofMillis(5 + i % 50);
      futures.add(purgatory.untilTrue(ready::get).recheckEvery(period).forever().hold(i));
    }
    Memory.fillFor(2);
    ready.set(true);
    boolean done = Wait.until(() -> futures.stream().allMatch(HeldFuture::isDone));
    System.out.println("all done: " + done);
  }
}
