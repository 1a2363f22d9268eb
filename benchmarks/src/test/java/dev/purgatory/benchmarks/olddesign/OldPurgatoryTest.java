package dev.purgatory.benchmarks.olddesign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OldPurgatoryTest {
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final int THRESHOLD = 20;

  private final OldPurgatory<String> purgatory = new OldPurgatory<>(THRESHOLD);

  @AfterEach
  void close() {
    purgatory.close();
  }

  @Test
  void answersImmediatelyIfPossible() {
    Request request = new Request(LONG_MILLIS);
    request.answerable = true;

    assertThat(purgatory.checkAndMaybeWatch(request, List.of("a", "b"))).isTrue();

    assertThat(request.satisfied).hasValue(1);
    assertThat(purgatory.watched()).isZero();
    assertThat(purgatory.delayed()).isZero();
  }

  @Test
  void satisfiedRequestRemainsUntilItIsEncountered() {
    Request request = new Request(LONG_MILLIS);
    assertThat(purgatory.checkAndMaybeWatch(request, List.of("a", "b"))).isFalse();
    request.answerable = true;

    assertThat(purgatory.update("a")).isEqualTo(1);
    assertThat(purgatory.watched()).isEqualTo(1);
    assertThat(purgatory.delayed()).isEqualTo(1);

    assertThat(purgatory.update("b")).isZero();
    assertThat(purgatory.watched()).isZero();
    assertThat(purgatory.delayed()).isEqualTo(1);
    assertThat(request.satisfied).hasValue(1);
  }

  @Test
  void reaperPurgesLongLists() throws InterruptedException {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < THRESHOLD; i++) {
      Request request = new Request(LONG_MILLIS);
      purgatory.checkAndMaybeWatch(request, List.of("a"));
      requests.add(request);
    }
    requests.forEach(Request::satisfy);

    Eventually.await(() -> purgatory.watched() == 0 && purgatory.delayed() == 0);
  }

  @Test
  void reaperDoesNotPurgeShortLists() throws InterruptedException {
    Request request = new Request(LONG_MILLIS);
    purgatory.checkAndMaybeWatch(request, List.of("a"));
    request.satisfy();
    Thread.sleep(500);

    assertThat(purgatory.watched()).isEqualTo(1);
    assertThat(purgatory.delayed()).isEqualTo(1);
  }

  @Test
  void unsatisfiedRequestExpires() throws InterruptedException {
    Request request = new Request(20);
    purgatory.checkAndMaybeWatch(request, List.of("a"));

    Eventually.await(() -> request.expired.get() == 1);
    assertThat(request.satisfy()).isFalse();
    assertThat(request.satisfied).hasValue(0);
  }

  private static final class Request extends OldRequest {
    private volatile boolean answerable;
    private final AtomicInteger satisfied = new AtomicInteger();
    private final AtomicInteger expired = new AtomicInteger();

    Request(long timeoutMillis) {
      super(timeoutMillis);
    }

    @Override
    protected boolean checkSatisfied() {
      return answerable;
    }

    @Override
    protected void onSatisfied() {
      satisfied.incrementAndGet();
    }

    @Override
    protected void onExpired() {
      expired.incrementAndGet();
    }
  }
}
