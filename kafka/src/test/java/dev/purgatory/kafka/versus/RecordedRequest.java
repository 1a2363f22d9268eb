package dev.purgatory.kafka.versus;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the calls of its callbacks, which can be made to throw. */
final class RecordedRequest extends HeldRequest {
  static final long LONG_MS = TimeUnit.HOURS.toMillis(1);
  static final long PATIENCE_S = 20;
  static final Key A = new Key("a");
  static final Key B = new Key("b");

  volatile @Nullable RuntimeException checkFailure;
  volatile @Nullable RuntimeException completionFailure;
  volatile @Nullable RuntimeException expirationFailure;

  private final AtomicInteger completions = new AtomicInteger();
  private final AtomicInteger expirations = new AtomicInteger();
  private final CountDownLatch expired = new CountDownLatch(1);

  RecordedRequest() {
    this(LONG_MS);
  }

  RecordedRequest(long delayMs) {
    super(delayMs);
  }

  @Override
  public boolean tryComplete() {
    throwIfSet(checkFailure);
    return super.tryComplete();
  }

  @Override
  public void onComplete() {
    completions.incrementAndGet();
    throwIfSet(completionFailure);
  }

  @Override
  public void onExpiration() {
    expirations.incrementAndGet();
    expired.countDown();
    throwIfSet(expirationFailure);
  }

  private static void throwIfSet(@Nullable RuntimeException failure) {
    if (failure != null) {
      throw failure;
    }
  }

  void awaitExpired() throws InterruptedException {
    if (!expired.await(PATIENCE_S, TimeUnit.SECONDS)) {
      throw new IllegalStateException("not expired");
    }
  }

  @Override
  public String toString() {
    return "["
        + (isCompleted() ? "completed" : "not completed")
        + ", onComplete "
        + completions
        + ", onExpiration "
        + expirations
        + "]";
  }
}
