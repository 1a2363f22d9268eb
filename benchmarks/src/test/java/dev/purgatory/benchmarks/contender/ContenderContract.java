package dev.purgatory.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.purgatory.benchmarks.Eventually;
import dev.purgatory.benchmarks.workload.Mix;
import dev.purgatory.benchmarks.workload.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of all contenders with timeouts. */
abstract class ContenderContract {
  private static final int REQUESTS = 4000;
  private static final long LONG_MILLIS = TimeUnit.HOURS.toMillis(1);
  private static final List<Key> KEYS = List.of(new Key(1), new Key(2), new Key(3));

  private final Recorder recorder = new Recorder();
  private final Contenders named;
  private final Contender contender;

  ContenderContract(Contenders named) {
    assumeThat(named.isAvailable()).isTrue();
    this.named = named;
    this.contender = named.open(recorder);
  }

  @AfterEach
  void close() {
    contender.close();
  }

  @Test
  void eachRequestCompletesOrTimesOutOnce() throws InterruptedException {
    List<Held> requests = holdAll(20, 60);
    for (int i = 0; i < REQUESTS; i += 2) {
      if (requests.get(i).complete()) {
        recorder.completed.increment();
      }
      assertThat(requests.get(i).complete()).isFalse();
    }
    awaitAllEnded();

    assertThat(recorder.completed.sum() + recorder.timedOut.sum()).isEqualTo(REQUESTS);
    assertThat(recorder.timedOut.sum()).isGreaterThanOrEqualTo(REQUESTS / 2);
    recorder.assertNoDuplicates();
  }

  @Test
  void noRequestTimesOutEarly() throws InterruptedException {
    holdAll(20, 200);
    awaitAllEnded();

    assertThat(recorder.timedOut.sum()).isEqualTo(REQUESTS);
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(recorder.earlyNanos.get(i)).isLessThanOrEqualTo(named.earliness().toNanos());
    }
  }

  @Test
  void checkCompletesOnlyAnswerableRequests() {
    byte[] answerable = Payload.of(0, 0);
    byte[] other = Payload.of(1, 0);
    contender.hold(answerable, KEYS, LONG_MILLIS);
    Held held = contender.hold(other, KEYS, LONG_MILLIS);
    assertThat(contender.check(KEYS.get(0))).isZero();
    assertThat(contender.watched()).isEqualTo(2L * KEYS.size());

    Payload.makeAnswerable(answerable);

    assertThat(contender.check(new Key(4))).isZero();
    assertThat(contender.check(KEYS.get(1))).isEqualTo(1);
    assertThat(contender.check(KEYS.get(2))).isZero();
    assertThat(recorder.endings.get(0)).isEqualTo(1);
    assertThat(recorder.endings.get(1)).isZero();
    assertThat(held.complete()).isTrue();
  }

  @Test
  void eitherCompletionOrTimeoutWins() throws InterruptedException {
    List<Held> requests = holdAll(30, 31);
    Thread other = new Thread(() -> completeAll(requests));
    other.start();
    completeAll(requests);
    other.join();
    awaitAllEnded();

    assertThat(recorder.completed.sum() + recorder.timedOut.sum()).isEqualTo(REQUESTS);
    recorder.assertNoDuplicates();
  }

  private void completeAll(List<Held> requests) {
    for (Held request : requests) {
      if (request.complete()) {
        recorder.completed.increment();
      }
      if (recorder.completed.sum() % 100 == 0) {
        LockSupport.parkNanos(200_000);
      }
    }
  }

  private List<Held> holdAll(long minMillis, long maxMillis) {
    Schedule keys = Schedule.draw(Schedule.Terms.of(Mix.LOW, 1e5), REQUESTS, 1);
    List<Held> requests = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      long timeout = minMillis + i % (maxMillis - minMillis);
      byte[] payload = Payload.of(i, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout));
      requests.add(contender.hold(payload, keys.keys(i), timeout));
    }
    return requests;
  }

  /** Waits for all requests to end, and a little longer for requests that end twice. */
  private void awaitAllEnded() throws InterruptedException {
    Eventually.await(
        () ->
            recorder.ended.sum() >= REQUESTS
                && recorder.completed.sum() + recorder.timedOut.sum() >= REQUESTS);
    Thread.sleep(50);
    assertThat(recorder.ended.sum()).isEqualTo(REQUESTS);
  }

  private static final class Recorder implements Endings {
    private final AtomicIntegerArray endings = new AtomicIntegerArray(REQUESTS);
    private final AtomicIntegerArray timeouts = new AtomicIntegerArray(REQUESTS);
    private final AtomicLongArray earlyNanos = new AtomicLongArray(REQUESTS);
    private final LongAdder ended = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder timedOut = new LongAdder();

    @Override
    public void ended(byte[] payload) {
      endings.incrementAndGet((int) Payload.number(payload));
      ended.increment();
    }

    @Override
    public void timedOut(byte[] payload) {
      int request = (int) Payload.number(payload);
      earlyNanos.set(request, Payload.deadline(payload) - System.nanoTime());
      timeouts.incrementAndGet(request);
      timedOut.increment();
    }

    void assertNoDuplicates() {
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(endings.get(i)).isEqualTo(1);
        assertThat(timeouts.get(i)).isLessThanOrEqualTo(1);
      }
    }
  }
}
