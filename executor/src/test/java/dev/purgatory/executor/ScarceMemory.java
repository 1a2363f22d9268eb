package dev.purgatory.executor;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Uses an executor while the heap is full again and again, and checks it when memory is free: each
 * accepted task has run, and each periodic one runs on. Prints how many calls found no memory.
 */
final class ScarceMemory {
  private static final int PERIODIC = 40;
  private static final int ROUNDS = 6;

  private static volatile Object @Nullable [] ballast;

  private final WheelScheduledExecutor executor;
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong ran = new AtomicLong();
  private final AtomicLong lacking = new AtomicLong();
  private final AtomicLong[] runs = new AtomicLong[PERIODIC];
  private final List<ScheduledFuture<?>> periodic = new ArrayList<>();
  private volatile boolean ends;

  private ScarceMemory(WheelScheduledExecutor executor) {
    this.executor = executor;
    for (int i = 0; i < PERIODIC; i++) {
      AtomicLong count = new AtomicLong();
      runs[i] = count;
      periodic.add(executor.scheduleAtFixedRate(count::incrementAndGet, 5, 5, MILLISECONDS));
    }
  }

  /** The arguments are the kind of executor, and how many milliseconds it may warm up. */
  public static void main(String[] args) throws Exception {
    WheelScheduledExecutor.Builder builder = WheelScheduledExecutor.builder();
    switch (args[0]) {
      case "one" -> builder.threads(1);
      case "two" -> builder.threads(2);
      default -> builder.executor(Runnable::run);
    }
    ScarceMemory test = new ScarceMemory(builder.build());
    Thread submitter = new Thread(test::submit);
    submitter.start();
    Thread.sleep(Long.parseLong(args[1]));
    for (int i = 0; i < ROUNDS; i++) {
      fill();
      Thread.sleep(200);
      ballast = null;
      Thread.sleep(50);
    }
    test.ends = true;
    submitter.join();
    test.verify();
    System.out.println(test.lacking);
    System.exit(0);
  }

  private static void fill() {
    for (int length = 1 << 16; length > 8; ) {
      try {
        ballast = new Object[] {ballast, new byte[length]};
      } catch (OutOfMemoryError e) {
        length /= 2;
      }
    }
  }

  private void submit() {
    Runnable task = ran::incrementAndGet;
    for (int i = 0; !ends; i++) {
      try {
        if (i % 2 == 0) {
          executor.execute(task);
        } else {
          var unused = executor.schedule(task, i % 20, MILLISECONDS);
        }
        accepted.incrementAndGet();
        Thread.sleep(1);
      } catch (OutOfMemoryError e) {
        lacking.incrementAndGet();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void verify() throws InterruptedException {
    CountDownLatch next = new CountDownLatch(2);
    executor.execute(next::countDown);
    var unused = executor.schedule(next::countDown, 10, MILLISECONDS);
    require(next.await(20, SECONDS), next.getCount() + " of two new tasks do not run");
    for (int i = 0; i < PERIODIC; i++) {
      ScheduledFuture<?> future = periodic.get(i);
      require(!future.isDone(), "a periodic task has ended: " + future);
      long before = runs[i].get();
      for (int tries = 0; runs[i].get() == before; tries++) {
        require(tries < 2000, "a periodic task does not run: " + future);
        Thread.sleep(10);
      }
    }
    for (int tries = 0; ran.get() < accepted.get(); tries++) {
      require(tries < 2000, ran + " of " + accepted + " accepted tasks have run");
      Thread.sleep(10);
    }
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      System.out.println(otherwise);
      System.exit(1);
    }
  }
}
