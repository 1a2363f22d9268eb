package dev.purgatory.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.benchmarks.Eventually;
import dev.purgatory.benchmarks.contender.Contender;
import dev.purgatory.benchmarks.contender.Contenders;
import dev.purgatory.benchmarks.contender.Held;
import dev.purgatory.benchmarks.contender.Key;
import dev.purgatory.benchmarks.contender.Payload;
import dev.purgatory.benchmarks.workload.Schedule.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class GeneratorTest {
  private static final int REQUESTS = 20_000;

  private final VirtualPace pace = new VirtualPace();
  private final Recorder recorder = new Recorder();

  @Test
  void holdsEachRequestAtItsScheduledTime() throws InterruptedException {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 10_000), REQUESTS, 1);

    Load load = generator().run(schedule);

    assertThat(load.requests()).isEqualTo(REQUESTS);
    assertThat(load.lagNanos().getMaxValue()).isZero();
    long arrival = 0;
    for (int i = 0; i < REQUESTS; i++) {
      arrival += schedule.gapNanos(i);
      assertThat(recorder.heldAt.get(i)).isEqualTo(arrival);
    }
  }

  @Test
  void lateRequestsAreNeitherSkippedNorRescheduled() throws InterruptedException {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 10_000), REQUESTS, 2);
    long stall = TimeUnit.MILLISECONDS.toNanos(500);
    recorder.callAt(1000, () -> pace.now += stall);

    Load load = generator().run(schedule);

    assertThat(load.requests()).isEqualTo(REQUESTS);
    // About 5,000 requests arrived during the stall; the lag of each is shorter than the previous.
    assertThat(load.lagNanos().getCountBetweenValues(stall / 100, stall)).isBetween(4500L, 5500L);
    assertThat(load.lagNanos().getValueAtPercentile(85) / 1e6).isBetween(150.0, 250.0);
    long end = 0;
    for (int i = 0; i < REQUESTS; i++) {
      end += schedule.gapNanos(i);
    }
    assertThat(load.length()).isEqualTo(Duration.ofNanos(end));
  }

  @Test
  void completesRequestsAfterTheirLatency() throws InterruptedException {
    Schedule schedule = Schedule.draw(Terms.of(Mix.HIGH, 10_000), REQUESTS, 3);

    Load load = generator().run(schedule);

    int completions = 0;
    for (int i = 0; i < REQUESTS; i++) {
      if (!schedule.timesOut(i)) {
        assertThat(recorder.completeAt.get(completions++))
            .isEqualTo(recorder.heldAt.get(i) + schedule.latencyNanos(i));
      }
    }
    assertThat(recorder.completeAt).hasSize(completions);
    assertThat(load.toComplete())
        .isEqualTo(completions)
        .isBetween(REQUESTS * 48 / 100, REQUESTS * 52 / 100);
  }

  @Test
  void waitsForCompletionsOnlyIfAllArriveAtOnce() throws InterruptedException {
    generator().run(Schedule.draw(Terms.of(Mix.LOW, 10_000), 1000, 8));
    assertThat(recorder.waits).isZero();

    recorder.heldAt.clear();
    generator().run(Schedule.draw(Terms.of(Mix.LOW, Double.POSITIVE_INFINITY), 1000, 8));
    assertThat(recorder.waits).isGreaterThan(10);
  }

  @Test
  void stopsOnRequest() throws InterruptedException {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 10_000), REQUESTS, 4);
    Generator generator = generator();
    recorder.callAt(10_000, generator::stop);

    Load load = generator.run(schedule);

    assertThat(load.requests()).isEqualTo(10_000).isEqualTo(recorder.heldAt.size());
    assertThat(load.rate()).isBetween(9_500.0, 10_500.0);
  }

  @Test
  void losesNothingInRealTime() throws InterruptedException {
    Ledger ledger = new Ledger();
    Schedule schedule = Schedule.draw(Terms.of(Mix.HIGH, 20_000), 10_000, 5);
    try (Contender contender = Contenders.PURGATORY.open(ledger)) {
      Load load = new Generator(contender, Trigger.REQUEST).run(schedule);

      assertThat(load.rate()).isLessThan(21_000);
      awaitEnded(ledger, load);
      assertThat(ledger.ended()).isEqualTo(10_000);
    }
  }

  @Test
  void eventChecksTheFirstKey() throws InterruptedException {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 50_000).withKeys(10_000), 5_000, 6);
    Ledger ledger = new Ledger();
    AtomicInteger checks = new AtomicInteger();
    try (Contender contender = counting(Contenders.PURGATORY.open(ledger), checks)) {
      Load load = new Generator(contender, Trigger.EVENT).run(schedule);
      awaitEnded(ledger, load);

      assertThat(checks).hasValue(load.toComplete());
      assertThat(ledger.ended()).isEqualTo(5_000);
    }
  }

  private static void awaitEnded(Ledger ledger, Load load) throws InterruptedException {
    Eventually.await(
        () ->
            ledger.ended() >= load.requests()
                && ledger.timedOut() >= load.requests() - load.toComplete());
  }

  @Test
  void eventCompletesTheRequestDirectlyOnTheFloor() throws InterruptedException {
    Schedule schedule = Schedule.draw(Terms.of(Mix.LOW, 50_000), 5_000, 7);
    Ledger ledger = new Ledger();
    try (Contender floor = Contenders.FLOOR.open(ledger)) {
      Load load = new Generator(floor, Trigger.EVENT).run(schedule);

      assertThat(ledger.ended()).isEqualTo(load.toComplete());
    }
  }

  private static Contender counting(Contender contender, AtomicInteger checks) {
    return new Contender() {
      @Override
      public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
        return contender.hold(payload, keys, timeoutMillis);
      }

      @Override
      public int check(Key key) {
        checks.incrementAndGet();
        return contender.check(key);
      }

      @Override
      public long watched() {
        return contender.watched();
      }

      @Override
      public void close() {
        contender.close();
      }
    };
  }

  private Generator generator() {
    return new Generator(recorder, Trigger.REQUEST, recorder, pace);
  }

  /** A clock that advances only when someone waits. */
  private static final class VirtualPace implements Pace {
    private long now;

    @Override
    public long now() {
      return now;
    }

    @Override
    public long awaitTime(long time) {
      now = Math.max(now, time);
      return now;
    }
  }

  private final class Recorder implements Contender, Completions {
    private final List<Long> heldAt = new ArrayList<>();
    private final List<Long> completeAt = new ArrayList<>();
    private int actionRequest = -1;
    private Runnable action = () -> {};
    private int waits;

    void callAt(int request, Runnable newAction) {
      actionRequest = request;
      action = newAction;
    }

    @Override
    public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
      assertThat(Payload.number(payload)).isEqualTo(heldAt.size());
      heldAt.add(pace.now);
      if (heldAt.size() == actionRequest) {
        action.run();
      }
      return () -> true;
    }

    @Override
    public void add(Held held, long time) {
      completeAt.add(time);
    }

    @Override
    public void awaitCaughtUp() {
      waits++;
    }

    @Override
    public Histogram lagNanos() {
      return new Histogram(2);
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
    public void start() {}

    @Override
    public void finish() {}

    @Override
    public void close() {}
  }
}
