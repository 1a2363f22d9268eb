package dev.purgatory.checker.programs;

import dev.purgatory.Purgatory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** close(Duration) while a task blocks on the purgatory's own timer. */
final class BlockedTask {
  private BlockedTask() {}

  public static void main(String[] args) throws InterruptedException {
    Purgatory<String> purgatory = Purgatory.builder("closed", String.class).build();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    purgatory
        .timer()
        .schedule(
            () -> {
              begun.countDown();
              try {
                released.await();
              } catch (InterruptedException e) {
                interrupted.set(true);
              }
            },
            Duration.ofMillis(1));
    begun.await();
    var unused = purgatory.<String>untilCompleted().forever().hold("key");
    int sleeps = Wait.sleepsDuring(100, () -> purgatory.close(Duration.ofMillis(100)));
    released.countDown();
    System.out.println("in time: " + (sleeps < 20) + ", interrupted: " + interrupted);
  }
}
