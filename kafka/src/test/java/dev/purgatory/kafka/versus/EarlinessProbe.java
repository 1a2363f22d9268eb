package dev.purgatory.kafka.versus;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;

/** Measures when operations expire relative to their deadlines, on the nanosecond clock. */
final class EarlinessProbe {
  static final int OPERATIONS = 4000;

  private static final int MAX_DELAY_MS = 200;
  private static final long GAP_NS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final long SEED = 42;

  private final AtomicLong earliest = new AtomicLong(Long.MAX_VALUE);
  private final CountDownLatch pending = new CountDownLatch(OPERATIONS);

  private EarlinessProbe() {}

  /** Returns the earliest expiration, in nanoseconds after its deadline; negative if early. */
  static long earliestNanos() throws Exception {
    return new EarlinessProbe().measure();
  }

  private long measure() throws Exception {
    DelayedOperationPurgatory<Timed> purgatory = new DelayedOperationPurgatory<>("earliness", 0);
    try {
      Random random = new Random(SEED);
      for (int i = 0; i < OPERATIONS; i++) {
        Timed operation = new Timed(1 + random.nextInt(MAX_DELAY_MS));
        purgatory.tryCompleteElseWatch(operation, List.of(new HeldRequest.Key("key-" + i % 100)));
        LockSupport.parkNanos(GAP_NS); // spreads the start times over the millisecond
      }
      if (!pending.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException(pending.getCount() + " operations have not expired");
      }
      return earliest.get();
    } finally {
      purgatory.shutdown();
    }
  }

  /** Compares the time of its expiration with its deadline. */
  private final class Timed extends HeldRequest {
    private final long deadline;

    Timed(long delayMs) {
      super(delayMs);
      deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
    }

    @Override
    public void onComplete() {
      earliest.accumulateAndGet(System.nanoTime() - deadline, Math::min);
      pending.countDown();
    }
  }
}
