package dev.purgatory.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.Eventually;
import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.workload.Schedule.Terms;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GeneratorsTest {
  private static final int THREADS = 4;
  private static final int EACH = 5000;

  @Test
  void eachGeneratorHoldsItsRequestsOnItsOwnThread() throws InterruptedException {
    Recorder recorder = new Recorder();

    Load load = run(recorder, schedules(Double.POSITIVE_INFINITY));

    assertThat(load.requests()).isEqualTo(THREADS * EACH);
    assertThat(load.lagNanos().getTotalCount()).isEqualTo(THREADS * EACH);
    assertThat(recorder.threads).hasSize(THREADS);
    int completed = 0;
    for (int i = 0; i < EACH; i++) {
      assertThat(recorder.held.get(i)).isEqualTo(THREADS);
      completed += recorder.completed.get(i);
    }
    assertThat(completed).isEqualTo(load.toComplete());
  }

  @Test
  void rateIsTheSumOfAllGenerators() throws InterruptedException {
    Load load = run(new Recorder(), schedules(10_000));

    assertThat(load.length()).isGreaterThan(Duration.ofMillis(400));
    assertThat(load.rate()).isEqualTo(THREADS * EACH * 1e9 / load.length().toNanos());
  }

  @Test
  void losesNothingInRealTime() throws InterruptedException {
    Ledger ledger = new Ledger();
    try (Contender contender = Contenders.PURGATORY.open(ledger)) {
      Load load = run(contender, schedules(Double.POSITIVE_INFINITY));
      Eventually.await(
          () ->
              ledger.ended() >= load.requests()
                  && ledger.timedOut() >= load.requests() - load.toComplete());

      assertThat(ledger.ended()).isEqualTo(load.requests()).isEqualTo(THREADS * EACH);
    }
  }

  @Test
  void reportsAFailingContender() {
    Contender failing =
        new Recorder() {
          @Override
          public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
            throw new IllegalStateException("full");
          }
        };

    assertThatThrownBy(() -> run(failing, schedules(10_000)))
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("full");
  }

  @Test
  void latencyIsAtMostHalfASecond() {
    Schedule schedule = Schedule.draw(new Terms(Mix.HIGH, 30_000, 1e5, 100), EACH, 1);

    assertThat(IntStream.range(0, EACH)).noneMatch(schedule::timesOut);
    assertThat(IntStream.range(0, EACH))
        .allMatch(i -> schedule.latencyNanos(i) <= Duration.ofMillis(500).toNanos());
  }

  @Test
  void countsHeldRequestsDuringTheRun() throws InterruptedException {
    Generators generators =
        Generators.start(new Recorder(), Trigger.REQUEST, schedules(Double.POSITIVE_INFINITY));
    long meanwhile = generators.held();
    Load load = generators.await();

    assertThat(meanwhile).isBetween(0L, (long) THREADS * EACH);
    assertThat(generators.held()).isEqualTo(load.requests());
    assertThat(generators.completionLagNanos().getTotalCount()).isPositive();
    assertThat(generators.completionLagNanos().getTotalCount()).isZero();
  }

  @Test
  void stopEndsAllGenerators() throws InterruptedException {
    List<Schedule> endless = schedules(10_000).stream().map(Schedule::repeated).toList();
    Generators generators = Generators.start(new Recorder(), Trigger.REQUEST, endless);
    Eventually.await(() -> generators.held() > 0);
    generators.stop();

    assertThat(generators.await().requests()).isEqualTo((int) generators.held());
  }

  private static Load run(Contender contender, List<Schedule> schedules)
      throws InterruptedException {
    return Generators.start(contender, Trigger.REQUEST, schedules).await();
  }

  private static List<Schedule> schedules(double rate) {
    return IntStream.range(0, THREADS)
        .mapToObj(seed -> Schedule.draw(Terms.of(Mix.LOW, rate), EACH, seed))
        .toList();
  }

  private static class Recorder implements Contender {
    private final AtomicIntegerArray held = new AtomicIntegerArray(EACH);
    private final AtomicIntegerArray completed = new AtomicIntegerArray(EACH);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @Override
    public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
      int request = (int) Payload.number(payload);
      held.incrementAndGet(request);
      threads.add(Thread.currentThread());
      return () -> completed.incrementAndGet(request) > 0;
    }

    @Override
    public int check(Key key) {
      return 0;
    }

    @Override
    public long watched() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
