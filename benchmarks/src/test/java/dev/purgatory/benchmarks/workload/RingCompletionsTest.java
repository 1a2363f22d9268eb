package dev.purgatory.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class RingCompletionsTest {
  private static final int REQUESTS = 30_000;

  @Test
  void completesEachRequestOnceAndNeverEarly() throws InterruptedException {
    AtomicLongArray early = new AtomicLongArray(REQUESTS);
    AtomicInteger completed = new AtomicInteger();
    SplittableRandom random = new SplittableRandom(1);
    RingCompletions completions = new RingCompletions();
    completions.start();
    for (int i = 0; i < REQUESTS; i++) {
      int request = i;
      long due = System.nanoTime() + random.nextLong(TimeUnit.MILLISECONDS.toNanos(200));
      completions.add(
          () -> {
            early.addAndGet(request, Math.max(0, due - System.nanoTime()));
            return completed.incrementAndGet() > 0;
          },
          due);
    }
    completions.finish();

    assertThat(completed).hasValue(REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(early.get(i)).isZero();
    }
  }

  @Test
  void completesOverdueRequests() throws InterruptedException {
    AtomicInteger completed = new AtomicInteger();
    RingCompletions completions = new RingCompletions();
    completions.start();
    Thread.sleep(20);

    completions.add(() -> completed.incrementAndGet() > 0, System.nanoTime() - 10_000_000);
    completions.finish();

    assertThat(completed).hasValue(1);
    assertThat(completions.lagNanos().getMinValue()).isGreaterThanOrEqualTo(9_000_000);
  }

  @Test
  void callerWaitsWhileCompletionsAreFarBehind() throws InterruptedException {
    AtomicInteger completed = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    RingCompletions completions = new RingCompletions();
    completions.start();
    completions.add(
        () -> {
          begun.countDown();
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
          return completed.incrementAndGet() > 0;
        },
        System.nanoTime());
    begun.await();
    Thread.sleep(100);
    completions.awaitCaughtUp();

    assertThat(completed).hasValue(1);
    completions.finish();
  }

  @Test
  void slowCompletionDelaysTheCallerAndLosesNothing() throws InterruptedException {
    AtomicInteger completed = new AtomicInteger();
    RingCompletions completions = new RingCompletions();
    completions.start();
    completions.add(
        () -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1200));
          return completed.incrementAndGet() > 0;
        },
        System.nanoTime());
    Thread.sleep(1000);
    for (int i = 0; i < 100; i++) {
      completions.add(() -> completed.incrementAndGet() > 0, System.nanoTime() + 190_000_000);
    }
    completions.finish();

    assertThat(completed).hasValue(101);
  }
}
