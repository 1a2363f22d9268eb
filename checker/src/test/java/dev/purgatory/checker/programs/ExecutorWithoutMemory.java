package dev.purgatory.checker.programs;

import dev.purgatory.executor.WheelScheduledExecutor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** An executor of two threads while the heap is full now and then: it runs tasks afterwards. */
final class ExecutorWithoutMemory {
  private static final int PERIODIC = 40;
  private static final int WARM_UP_MILLIS = 3_000;
  private static final int SECONDS = 5;

  private static volatile boolean stopped;

  private ExecutorWithoutMemory() {}

  public static void main(String[] args) throws InterruptedException {
    ScheduledExecutorService executor = WheelScheduledExecutor.builder().threads(2).build();
    AtomicLongArray runs = new AtomicLongArray(PERIODIC);
    for (int i = 0; i < PERIODIC; i++) {
      int number = i;
      var unused =
          executor.scheduleAtFixedRate(
              () -> runs.incrementAndGet(number), 5, 5, TimeUnit.MILLISECONDS);
    }
    Thread using = new Thread(() -> use(executor));
    using.start();
    Thread.sleep(WARM_UP_MILLIS);
    Memory.fillFor(SECONDS);
    stopped = true;
    using.join();
    CountDownLatch executed = new CountDownLatch(1);
    CountDownLatch scheduled = new CountDownLatch(1);
    executor.execute(executed::countDown);
    var unused = executor.schedule(scheduled::countDown, 10, TimeUnit.MILLISECONDS);
    System.out.println(
        "execute() runs: "
            + executed.await(1, TimeUnit.MINUTES)
            + ", schedule() runs: "
            + scheduled.await(1, TimeUnit.MINUTES));
    System.exit(0);
  }

  private static void use(ScheduledExecutorService executor) {
    AtomicLong ran = new AtomicLong();
    for (int i = 0; !stopped; i++) {
      try {
        var unused = executor.schedule(ran::incrementAndGet, i % 20, TimeUnit.MILLISECONDS);
        executor.execute(ran::incrementAndGet);
      } catch (OutOfMemoryError e) {
        // not scheduled
      }
      boolean unused = Wait.sleep(1);
    }
  }
}
