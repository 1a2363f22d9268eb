package dev.purgatory.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Sneaky;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.BucketContent;
import dev.purgatory.wheel.TaskEntry.Alarm;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerTest {
  private final ManualTicker ticker = new ManualTicker();
  private final List<Throwable> errors = new CopyOnWriteArrayList<>();
  private final Timer timer = builder(ticker).build();
  private final WheelTimer wheels = TimerInternals.of(timer).wheels();

  private Timer.Builder builder(Ticker ticker) {
    return Timer.builder().ticker(ticker).errorHandler(errors::add);
  }

  /** Counts how often it fires and runs an action each time. */
  private static final class Probe implements Runnable {
    private final AtomicInteger fired = new AtomicInteger();
    private final Runnable action;

    Probe() {
      this(() -> {});
    }

    Probe(Runnable action) {
      this.action = action;
    }

    @Override
    public void run() {
      fired.incrementAndGet();
      action.run();
    }

    int fired() {
      return fired.get();
    }
  }

  /** A timer entry, as other packages of the library define them. */
  private static final class Entry extends TimerEntry {
    private final AtomicInteger fired = new AtomicInteger();
    private final Runnable action;

    Entry(long deadline, Runnable action) {
      super(deadline);
      this.action = action;
    }

    @Override
    public void onTimeout() {
      fired.incrementAndGet();
      action.run();
    }

    int fired() {
      return fired.get();
    }
  }

  private Probe schedule(long millis) {
    Probe probe = new Probe();
    schedule(millis, probe);
    return probe;
  }

  private Timeout schedule(long millis, Runnable task) {
    return timer.schedule(task, Duration.ofMillis(millis));
  }

  private Timeout scheduleNothing(long millis) {
    return schedule(millis, () -> {});
  }

  private Entry entryIn(long millis) {
    return new Entry(timer.now() + TimeUnit.MILLISECONDS.toNanos(millis), () -> {});
  }

  private int advance(Duration by) {
    ticker.advance(by);
    return timer.advance();
  }

  @Test
  void advance_deadlineReached_firesOnce() {
    Probe probe = schedule(10);
    assertThat(timer.size()).isEqualTo(1);
    assertThat(advance(Duration.ofMillis(10).minusNanos(1))).isZero();
    assertThat(probe.fired()).isZero();
    assertThat(advance(Duration.ofNanos(1))).isEqualTo(1);
    assertThat(advance(Duration.ofDays(1))).isZero();
    assertThat(probe.fired()).isEqualTo(1);
    assertThat(timer.size()).isZero();
  }

  @Test
  void advance_moreThanABatch_firesAll() {
    List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      probes.add(schedule(1 + i % 100));
    }
    assertThat(advance(Duration.ofSeconds(1))).isEqualTo(10_000);
    assertThat(probes).allMatch(probe -> probe.fired() == 1);
  }

  @Test
  void schedule_isScheduledAlready_throws() {
    Entry entry = entryIn(10);
    wheels.schedule(entry, timer.now());
    assertThatThrownBy(() -> wheels.schedule(entry, timer.now()))
        .isInstanceOf(IllegalStateException.class);
    Timer other = builder(ticker).build();
    assertThatThrownBy(() -> TimerInternals.of(other).wheels().schedule(entry, other.now()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("scheduled before");
    assertThat(other.size()).isZero();
    assertThat(timer.size()).isEqualTo(1);
    assertThat(advance(Duration.ofMillis(10))).isEqualTo(1);
    assertThat(advance(Duration.ofMillis(10))).isZero();
    assertThat(entry.fired()).isEqualTo(1);
  }

  @Test
  void schedule_timerIsClosed_throws() {
    timer.close();
    Entry entry = entryIn(10);
    List<ThrowingCallable> calls =
        List.of(
            () -> schedule(10),
            () -> timer.schedule(() -> {}, Duration.ofMillis(10)),
            () -> timer.scheduleAt(() -> {}, 10),
            () -> wheels.schedule(entry, timer.now()));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
    assertThat(entry.isScheduled()).isFalse();
    assertThat(timer.size()).isZero();
  }

  @Test
  void schedule_hasFiredOrWasCancelled_throws() {
    Entry fired = entryIn(1);
    wheels.schedule(fired, timer.now());
    Entry cancelled = entryIn(1);
    wheels.schedule(cancelled, timer.now());
    assertThat(wheels.cancel(cancelled)).isTrue();
    advance(Duration.ofMillis(1));
    for (Entry entry : List.of(fired, cancelled)) {
      assertThatThrownBy(() -> wheels.schedule(entry, timer.now()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("scheduled before");
    }
    assertThat(timer.size()).isZero();
    assertThat(advance(Duration.ofMillis(1))).isZero();
  }

  @Test
  void schedule_longestDelay_neverFires() {
    advance(Duration.ofMillis(1));
    Probe probe = new Probe();
    Timeout timeout = timer.schedule(probe, Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(timeout.deadline()).isEqualTo(Long.MAX_VALUE);
    for (int years = 0; years < 250; years++) {
      advance(Duration.ofDays(365));
    }
    assertThat(probe.fired()).isZero();
    assertThat(timeout.isPending()).isTrue();
    assertThat(timeout.cancel()).isTrue();
  }

  @Test
  void schedule_duration_isConvertedToNanoseconds() {
    advance(Duration.ofMillis(3));
    long now = timer.now();
    assertThat(timer.schedule(() -> {}, Duration.ofSeconds(2, 5)).deadline())
        .isEqualTo(now + 2_000_000_005L);
    assertThat(timer.schedule(() -> {}, Duration.ZERO).deadline()).isEqualTo(now);
    assertThat(timer.schedule(() -> {}, Duration.ofSeconds(Long.MAX_VALUE)).deadline())
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void schedule_negativeDelay_isRefused() {
    for (Duration delay : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThatThrownBy(() -> timer.schedule(() -> {}, delay))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("delay " + delay + " is negative");
    }
    assertThat(timer.size()).isZero();
  }

  @Test
  void schedule_noDelay_firesInTheNextAdvance() {
    advance(Duration.ofMillis(10));
    Probe probe = new Probe();
    Timeout timeout = timer.schedule(probe, Duration.ZERO);
    assertThat(timeout.deadline()).isEqualTo(timer.now());
    assertThat(probe.fired()).isZero();
    assertThat(timeout.isPending()).isTrue();
    assertThat(timer.size()).isEqualTo(1);
    assertThat(timer.advance()).isEqualTo(1);
    assertThat(probe.fired()).isEqualTo(1);
    assertThat(timer.size()).isZero();
    assertThat(timer.advance()).isZero();
  }

  @Test
  void schedule_noDelay_canBeCancelled() {
    Probe probe = new Probe();
    assertThat(schedule(0, probe).cancel()).isTrue();
    assertThat(timer.advance()).isZero();
    assertThat(probe.fired()).isZero();
  }

  @Test
  void schedule_noDelay_firesOnTheClockThread() throws InterruptedException {
    try (Timer real = builder(Ticker.system()).start("no-delay-clock")) {
      real.schedule(() -> {}, Duration.ofHours(1));
      for (int i = 0; i < 50; i++) {
        CountDownLatch fired = new CountDownLatch(1);
        AtomicReference<String> thread = new AtomicReference<>();
        Runnable task =
            () -> {
              thread.set(Thread.currentThread().getName());
              fired.countDown();
            };
        real.scheduleAt(task, i % 2 == 0 ? 0 : real.now());
        Threads.await(fired);
        assertThat(thread).hasValue("no-delay-clock");
      }
    }
  }

  @Test
  void scheduleAt_past_firesInTheNextAdvance() {
    advance(Duration.ofSeconds(1));
    Probe past = new Probe();
    assertThat(timer.scheduleAt(past, -5).deadline()).isEqualTo(-5);
    Probe present = new Probe();
    timer.scheduleAt(present, timer.now());
    Probe future = new Probe();
    timer.scheduleAt(future, timer.now() + 1);
    assertThat(past.fired() + present.fired()).isZero();
    assertThat(timer.advance()).isEqualTo(2);
    assertThat(past.fired() + present.fired()).isEqualTo(2);
    assertThat(future.fired()).isZero();
    assertThat(advance(Duration.ofNanos(1))).as("rounded up to a tick").isZero();
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(1);
  }

  @Test
  void cancel_scheduled_neverFires() {
    Probe probe = new Probe();
    Timeout timeout = schedule(10, probe);
    assertThat(timeout.isPending()).isTrue();
    assertThat(timeout.cancel()).isTrue();
    assertThat(timeout.isPending()).isFalse();
    assertThat(timeout.cancel()).isFalse();
    assertThat(timer.size()).isZero();
    advance(Duration.ofSeconds(1));
    assertThat(probe.fired()).isZero();
    assertThat(timeout.deadline()).isEqualTo(10_000_000);
  }

  @Test
  void size_cancelRacesWithFiring_isExactAfterwards() throws InterruptedException {
    for (int i = 0; i < 500; i++) {
      Probe probe = new Probe();
      AtomicInteger cancelled = new AtomicInteger();
      AtomicReference<@Nullable Timeout> timeout = new AtomicReference<>();
      AtomicBoolean over = new AtomicBoolean();
      Threads.race(
          () -> {
            timeout.set(schedule(0, probe));
            timer.advance();
            over.set(true);
          },
          () -> {
            while (!over.get()) {
              Timeout published = timeout.get();
              cancelled.addAndGet(published != null && published.cancel() ? 1 : 0);
            }
          });
      assertThat(probe.fired() + cancelled.get()).isEqualTo(1);
      assertThat(timer.size()).isZero();
    }
  }

  @Test
  void cancel_neverScheduledOrFired_returnsFalse() {
    assertThat(wheels.cancel(entryIn(1))).isFalse();
    Timeout timeout = scheduleNothing(1);
    advance(Duration.ofMillis(1));
    assertThat(timeout.isPending()).isFalse();
    assertThat(timeout.cancel()).isFalse();
    assertThat(timer.size()).isZero();
  }

  @Test
  void purge_allWereCancelled_retainsNothing() throws InterruptedException {
    List<WeakReference<Timeout>> cancelled = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Timeout timeout = scheduleNothing(i);
      timeout.cancel();
      cancelled.add(new WeakReference<>(timeout));
    }
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
    awaitUnreachable(cancelled);
    assertThat(timer.size()).isZero();
  }

  @Test
  void purge_oneWasCancelledInEachOfManyBuckets_retainsNothing() throws InterruptedException {
    purgeAndCheck(scheduleInManyBuckets());
  }

  @Test
  void purge_fewWereCancelledInTheLastOfManyBuckets_retainsOnlyTheOthers() {
    List<Timeout> timeouts = scheduleInManyBuckets();
    int all = timeouts.size();
    timeouts.subList(40, 60).forEach(Timeout::cancel); // on the lowest level, which is swept last
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(all); // too few for a sweep
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(all - 20);
  }

  private List<Timeout> scheduleInManyBuckets() {
    List<Timeout> timeouts = new ArrayList<>();
    for (long delay = 1; delay < 1 << 30; delay *= 64) {
      for (int bucket = 1; bucket < 64; bucket++) {
        timeouts.add(scheduleNothing(bucket * delay));
      }
    }
    return timeouts;
  }

  @Test
  void purge_sweepHasStoppedInsideABucket_retainsNothing() throws InterruptedException {
    List<Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      timeouts.add(scheduleNothing(50));
    }
    for (int i = 0; i < 9_500; i++) {
      timeouts.get(i).cancel(); // a sweep begins before the last of these
    }
    int swept = 20_000 - TimerInternals.of(timer).wheels().retained();
    assertThat(swept).isBetween(1, 9_499);
    purgeAndCheck(timeouts);
  }

  private void purgeAndCheck(List<Timeout> timeouts) throws InterruptedException {
    List<WeakReference<Timeout>> cancelled = new ArrayList<>();
    timeouts.forEach(each -> cancelled.add(new WeakReference<>(each)));
    timeouts.forEach(Timeout::cancel);
    timeouts.clear();
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
    awaitUnreachable(cancelled);
  }

  private static void awaitUnreachable(List<WeakReference<Timeout>> references)
      throws InterruptedException {
    Threads.until(
        () -> {
          System.gc();
          return references.stream().allMatch(each -> each.get() == null);
        });
  }

  @Test
  void cancel_nextEntry_theOthersFire() {
    Probe far = schedule(100);
    scheduleNothing(1).cancel();
    assertThat(advance(Duration.ofMillis(99))).isZero();
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(1);
    assertThat(far.fired()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5_000_000, Long.MAX_VALUE})
  void advance_anyOriginOfTheTicker_firesOnTime(long origin) {
    ManualTicker ticker = new ManualTicker(origin);
    Timer timer = builder(ticker).build();
    assertThat(timer.now()).isZero();
    for (int i = 1; i <= 20; i++) {
      Timeout timeout = timer.schedule(() -> {}, Duration.ofMillis(1));
      assertThat(timeout.deadline()).isEqualTo(i * 1_000_000L);
      ticker.advance(Duration.ofMillis(1).minusNanos(1));
      assertThat(timer.advance()).isZero();
      ticker.advance(1);
      assertThat(timer.advance()).isEqualTo(1);
      assertThat(timer.now()).isEqualTo(i * 1_000_000L);
    }
  }

  @Test
  void advance_tickerRunsBackwards_clockStopsUntilTheTickerCatchesUp() {
    advance(Duration.ofMillis(10));
    Probe before = schedule(1);
    assertThat(advance(Duration.ofMillis(-8))).isZero();
    assertThat(timer.now()).isEqualTo(10_000_000);
    Probe after = new Probe();
    assertThat(schedule(1, after).deadline()).isEqualTo(11_000_000);
    assertThat(advance(Duration.ofMillis(8))).isZero();
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(2);
    assertThat(before.fired() + after.fired()).isEqualTo(2);
  }

  @Test
  void now_tickerRunsBackwardsAfterAnEntryFired_isNotBeforeItsDeadline() {
    ticker.advance(Duration.ofMillis(10));
    Timeout timeout = scheduleNothing(0);
    assertThat(timer.advance()).isEqualTo(1);
    ticker.advance(Duration.ofMillis(-8));
    assertThat(timer.now()).isEqualTo(timeout.deadline());
  }

  @Test
  void advance_tickerIsStopped_nothingFires() {
    Probe probe = schedule(1);
    for (int i = 0; i < 1_000; i++) {
      assertThat(timer.advance()).isZero();
    }
    assertThat(probe.fired()).isZero();
  }

  @Test
  void advance_tickerJumpsByYears_firesAllDueEntries() {
    Probe near = schedule(1);
    Probe day = schedule(TimeUnit.DAYS.toMillis(1));
    Probe century = schedule(TimeUnit.DAYS.toMillis(36_500));
    assertThat(advance(Duration.ofDays(3_650))).isEqualTo(2);
    assertThat(near.fired() + day.fired()).isEqualTo(2);
    assertThat(century.fired()).isZero();
    Probe soon = schedule(1);
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(1);
    assertThat(soon.fired()).isEqualTo(1);
  }

  @Test
  void advance_tickerPassesLongMaxValue_clockStopsThere() {
    Probe last = new Probe();
    timer.schedule(last, Duration.ofNanos(Long.MAX_VALUE - 1_000_000));
    ticker.advance(Long.MAX_VALUE);
    timer.advance();
    ticker.advance(Long.MAX_VALUE);
    timer.advance();
    assertThat(timer.now()).isEqualTo(Long.MAX_VALUE);
    assertThat(last.fired()).isEqualTo(1);
  }

  @Test
  void advance_entriesThrow_handlerIsCalledAndTheOthersFire() {
    List<Throwable> thrown =
        List.of(new IllegalStateException("1"), new OutOfMemoryError("2"), new AssertionError("3"));
    List<Probe> good = new ArrayList<>();
    for (Throwable e : thrown) {
      good.add(schedule(1));
      schedule(1, new Probe(() -> Sneaky.raise(e)));
      good.add(schedule(1));
    }
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(9);
    assertThat(errors).containsExactlyInAnyOrderElementsOf(thrown);
    assertThat(good).allMatch(probe -> probe.fired() == 1);
    Probe next = schedule(1);
    advance(Duration.ofMillis(1));
    assertThat(next.fired()).isEqualTo(1);
  }

  @Test
  void schedule_dueTaskThrows_handlerIsCalledByAdvance() {
    RuntimeException e = new IllegalStateException("expected");
    schedule(0, new Probe(() -> Sneaky.raise(e)));
    assertThat(errors).isEmpty();
    assertThat(timer.advance()).isEqualTo(1);
    assertThat(errors).containsExactly(e);
  }

  @Test
  void advance_handlerThrowsToo_theOthersFire() {
    List<Throwable> handled = new ArrayList<>();
    Timer timer =
        Timer.builder()
            .ticker(ticker)
            .errorHandler(
                e -> {
                  handled.add(e);
                  throw new IllegalStateException("the handler fails too");
                })
            .build();
    List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Probe probe = new Probe(() -> Sneaky.raise(new AssertionError("expected")));
      timer.schedule(probe, Duration.ofMillis(1));
      probes.add(probe);
    }
    ticker.advance(Duration.ofMillis(1));
    assertThat(timer.advance()).isEqualTo(3);
    assertThat(probes).allMatch(probe -> probe.fired() == 1);
    assertThat(handled).hasSize(3);
  }

  @Test
  void onTimeout_cancelsOthers_theyDoNotFire() {
    List<Timeout> timeouts = new ArrayList<>();
    List<Probe> probes = new ArrayList<>();
    AtomicInteger cancelled = new AtomicInteger();
    for (int i = 0; i < 1_000; i++) {
      Probe probe = new Probe(() -> timeouts.forEach(t -> cancelled.addAndGet(t.cancel() ? 1 : 0)));
      probes.add(probe);
      timeouts.add(schedule(1, probe));
    }
    int fired = advance(Duration.ofMillis(1));
    assertThat(fired).isEqualTo(1);
    assertThat(cancelled).hasValue(999);
    assertThat(probes.stream().mapToInt(Probe::fired).sum()).isEqualTo(fired);
    assertThat(timer.size()).isZero();
  }

  @Test
  void onTimeout_schedulesAnother_firesInALaterAdvance() {
    AtomicInteger fired = new AtomicInteger();
    scheduleRepeatedly(fired);
    for (int i = 1; i <= 10; i++) {
      assertThat(advance(Duration.ofMillis(1))).isEqualTo(1);
      assertThat(fired).hasValue(i);
    }
    assertThat(timer.size()).isEqualTo(1);
  }

  private void scheduleRepeatedly(AtomicInteger fired) {
    schedule(
        1,
        new Probe(
            () -> {
              fired.incrementAndGet();
              scheduleRepeatedly(fired);
            }));
  }

  @Test
  void onTimeout_schedulesWithoutDelay_firesInTheSameAdvance() {
    Probe now = new Probe();
    schedule(1, new Probe(() -> schedule(0, now)));
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(2);
    assertThat(now.fired()).isEqualTo(1);
  }

  @Test
  void onTimeout_advances_nothingFiresTwice() {
    List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      Probe probe = new Probe(timer::advance);
      schedule(1 + i % 3, probe);
      probes.add(probe);
    }
    advance(Duration.ofMillis(3));
    assertThat(probes).allMatch(probe -> probe.fired() == 1);
  }

  @Test
  void onTimeout_noLockIsHeld() {
    List<Threads.Running> others = new ArrayList<>();
    schedule(
        1,
        new Probe(
            () -> {
              Threads.Running other =
                  Threads.start(
                      () -> {
                        scheduleNothing(1).cancel();
                        TimerInternals.of(timer).wheels().purge();
                        timer.size();
                        timer.advance();
                      });
              others.add(other);
              joinUnchecked(other);
            }));
    advance(Duration.ofMillis(1));
    assertThat(errors).isEmpty();
    assertThat(others).hasSize(1);
  }

  private static void joinUnchecked(Threads.Running running) {
    try {
      running.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void awaitDue_entryIsDue_returnsTrueImmediately() throws InterruptedException {
    schedule(1);
    assertThat(timer.awaitDue(0)).isFalse();
    assertThat(timer.awaitDue(-1)).isFalse();
    assertThat(timer.awaitDue(Long.MIN_VALUE)).isFalse();
    ticker.advance(Duration.ofMillis(1));
    assertThat(timer.awaitDue(0)).isTrue();
    assertThat(timer.awaitDue(Long.MAX_VALUE)).isTrue();
    assertThat(timer.awaitDue(Long.MIN_VALUE)).isTrue();
  }

  @Test
  void awaitDue_nothingDueInTime_returnsFalse() throws InterruptedException {
    Timer real = builder(Ticker.system()).build();
    real.schedule(() -> {}, Duration.ofHours(1));
    long begin = System.nanoTime();
    assertThat(real.awaitDue(TimeUnit.MILLISECONDS.toNanos(2))).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
  }

  @Test
  void awaitDue_interrupted_throwsAndCanBeCalledAgain() throws InterruptedException {
    Threads.Running driver =
        Threads.start(
            () -> {
              assertThatThrownBy(() -> timer.awaitDue(Long.MAX_VALUE))
                  .isInstanceOf(InterruptedException.class);
              assertThat(timer.awaitDue(0)).isFalse();
              ticker.advance(Duration.ofMillis(1));
              assertThat(timer.awaitDue(Long.MAX_VALUE)).isTrue();
            });
    schedule(1);
    driver.awaitAsleep();
    driver.thread().interrupt();
    driver.join();
  }

  @Test
  void awaitDue_closed_returnsFalse() throws InterruptedException {
    AtomicBoolean due = new AtomicBoolean(true);
    Threads.Running driver = Threads.start(() -> due.set(timer.awaitDue(Long.MAX_VALUE)));
    driver.awaitAsleep();
    timer.close();
    driver.join();
    assertThat(due).isFalse();
    assertThat(timer.awaitDue(Long.MAX_VALUE)).isFalse();
  }

  @Test
  void awaitDue_anotherCallReturns_firstCallerIsStillWoken() throws InterruptedException {
    Timer real = builder(Ticker.system()).build();
    Probe probe = new Probe();
    Threads.Running driver =
        Threads.start(
            () -> {
              while (real.awaitDue(Long.MAX_VALUE)) {
                real.advance();
              }
            });
    driver.awaitAsleep();
    assertThat(real.awaitDue(1)).isFalse();
    real.schedule(probe, Duration.ofMillis(5));
    try {
      Threads.until(() -> probe.fired() == 1);
    } finally {
      real.close();
    }
    driver.join();
  }

  @Test
  void schedule_earlierThanAll_wakesTheClock() throws InterruptedException {
    try (Timer real = builder(Ticker.system()).start("woken-clock")) {
      real.schedule(() -> {}, Duration.ofHours(1));
      for (int i = 0; i < 50; i++) {
        CountDownLatch fired = new CountDownLatch(1);
        AtomicLong at = new AtomicLong();
        Probe probe =
            new Probe(
                () -> {
                  at.set(real.now());
                  fired.countDown();
                });
        Timeout timeout = real.schedule(probe, Duration.of(500, ChronoUnit.MICROS));
        Threads.await(fired);
        assertThat(at.get()).isGreaterThanOrEqualTo(timeout.deadline());
      }
      assertThat(real.size()).isEqualTo(1);
    }
    assertThat(errors).isEmpty();
  }

  @Test
  void schedule_laterThanAnother_doesNotWakeTheClock() {
    AtomicLong wakeUps = new AtomicLong();
    Ticker counting =
        () -> {
          if (Thread.currentThread().getName().equals("counted-clock")) {
            wakeUps.incrementAndGet();
          }
          return 0;
        };
    try (Timer frozen = builder(counting).stripes(1).start("counted-clock")) {
      frozen.schedule(() -> {}, Duration.ofHours(1));
      awaitAsleep("counted-clock");
      long begin = System.nanoTime();
      long before = wakeUps.get();
      Timeout[] timeouts = new Timeout[1_000];
      for (int i = 0; i < timeouts.length; i++) {
        timeouts[i] = frozen.schedule(() -> {}, Duration.ofHours(2));
      }
      for (Timeout timeout : timeouts) {
        assertThat(timeout.cancel()).isTrue();
      }
      frozen.schedule(() -> {}, Duration.ofMinutes(1));
      Threads.until(() -> wakeUps.get() > before);
      awaitAsleep("counted-clock");
      long mostByItself = 5 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
      assertThat(wakeUps.get() - before).as("once a second").isBetween(1L, mostByItself);
    }
  }

  /**
   * Waits until the thread is waiting. A thread that was woken seems to wait until it runs: first
   * wait until it has read the time.
   */
  private static void awaitAsleep(String threadName) {
    Threads.until(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(threadName))
                .anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
  }

  @Test
  void clockThread_isInterrupted_continues() throws InterruptedException {
    Thread[] clock = new Thread[1];
    CountDownLatch fired = new CountDownLatch(20);
    try (Timer real = builder(Ticker.system()).start(task -> clock[0] = new Thread(task))) {
      for (int i = 0; i < 20; i++) {
        real.schedule(new Probe(fired::countDown), Duration.ofMillis(i));
        clock[0].interrupt();
      }
      real.schedule(new Probe(() -> Thread.currentThread().interrupt()), Duration.ofMillis(1));
      Threads.await(fired);
    }
    assertThat(clock[0].isAlive()).isFalse();
    assertThat(errors).isEmpty();
  }

  @Test
  void clockThread_entryThrows_continues() throws InterruptedException {
    CountDownLatch fired = new CountDownLatch(1);
    try (Timer real = builder(Ticker.system()).start("throwing-clock")) {
      real.schedule(new Probe(() -> Sneaky.raise(new LinkageError())), Duration.ofMillis(1));
      Threads.until(() -> errors.size() == 1);
      real.schedule(new Probe(fired::countDown), Duration.ofMillis(1));
      Threads.await(fired);
    }
    assertThat(errors).hasSize(1);
  }

  @Test
  void clockThread_isADaemonWithTheGivenNameAndEndsWithClose() {
    Timer real = builder(Ticker.system()).start("named-clock");
    real.schedule(() -> {}, Duration.ofHours(1));
    Thread clock =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("named-clock"))
            .findAny()
            .orElseThrow();
    assertThat(clock.isDaemon()).isTrue();
    real.close();
    assertThat(clock.isAlive()).isFalse();
    real.close();
  }

  @Test
  void close_onTheClockThread_endsTheThread() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    Timer real = builder(Ticker.system()).start("closing-clock");
    Runnable close =
        () -> {
          real.close();
          closed.countDown();
        };
    real.schedule(new Probe(close), Duration.ofMillis(1));
    Threads.await(closed);
    Threads.until(() -> !Threads.isAlive("closing-clock"));
    assertThat(errors).isEmpty();
  }

  @Test
  void close_interruptedCaller_staysInterrupted() {
    Timer real = builder(Ticker.system()).start("interrupted-close-clock");
    real.schedule(() -> {}, Duration.ofHours(1));
    Thread.currentThread().interrupt();
    real.close();
    assertThat(Thread.interrupted()).isTrue();
    Threads.until(() -> !Threads.isAlive("interrupted-close-clock"));
  }

  @Test
  void close_scheduledEntries_neverFire() {
    Probe probe = schedule(1);
    timer.close();
    timer.close();
    assertThat(advance(Duration.ofSeconds(1))).isZero();
    assertThat(probe.fired()).isZero();
  }

  @Test
  void close_calledByATask_theOthersNeverFire() {
    List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      Probe probe = new Probe(timer::close);
      schedule(1, probe);
      probes.add(probe);
    }
    assertThat(advance(Duration.ofMillis(1))).isEqualTo(1);
    assertThat(probes.stream().mapToInt(Probe::fired).sum()).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("NullAway") // factories without null analysis
  void start_factoryReturnsNullOrThrows_throws() {
    assertThatThrownBy(() -> builder(ticker).start(task -> null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("thread factory");
    RuntimeException e = new UnsupportedOperationException("expected");
    assertThatThrownBy(
            () ->
                builder(ticker)
                    .start(
                        task -> {
                          throw e;
                        }))
        .isSameAs(e);
  }

  @Test
  void start_factoryReturnsARunningThread_throws() {
    assertThatThrownBy(() -> builder(ticker).start(task -> Thread.currentThread()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void schedule_sameEntryFromManyThreads_oneWins() throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      Entry entry = entryIn(1);
      AtomicInteger rejected = new AtomicInteger();
      Threads.Task schedule =
          () -> {
            try {
              wheels.schedule(entry, timer.now());
            } catch (IllegalStateException e) {
              rejected.incrementAndGet();
            }
          };
      Threads.race(schedule, schedule, schedule);
      assertThat(rejected).hasValue(2);
      assertThat(timer.size()).isEqualTo(1);
      assertThat(advance(Duration.ofMillis(1))).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  void manyThreads_eachEntryFiresOrIsCancelledOnce(int stripes) throws InterruptedException {
    Timer timer = builder(ticker).stripes(stripes).tick(Duration.ofNanos(10)).wheelSize(4).build();
    AtomicInteger fired = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    AtomicInteger scheduled = new AtomicInteger();
    AtomicInteger busy = new AtomicInteger(3);
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      int seed = thread;
      tasks.add(
          () -> {
            try {
              scheduleAndCancel(timer, new Random(seed), scheduled, fired, cancelled);
            } finally {
              busy.decrementAndGet();
            }
          });
    }
    tasks.add(
        () -> {
          while (busy.get() > 0) {
            ticker.advance(25);
            timer.advance();
          }
        });
    Threads.race(tasks);
    ticker.advance(Duration.ofSeconds(1));
    timer.advance();
    assertThat(errors).isEmpty();
    assertThat(fired.get() + cancelled.get()).isEqualTo(scheduled.get());
    assertThat(fired.get()).isPositive();
    assertThat(cancelled.get()).isPositive();
    assertThat(timer.size()).isZero();
  }

  /** Schedules tasks, tries to cancel a random one after each, and counts the cancelled ones. */
  private static void scheduleAndCancel(
      Timer timer,
      Random random,
      AtomicInteger scheduled,
      AtomicInteger fired,
      AtomicInteger cancelled) {
    List<Probe> probes = new ArrayList<>();
    List<Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Probe probe = new Probe(fired::incrementAndGet);
      probes.add(probe);
      timeouts.add(timer.schedule(probe, Duration.ofNanos(random.nextInt(2_000))));
      scheduled.incrementAndGet();
      int some = random.nextInt(probes.size());
      if (timeouts.get(some).cancel()) {
        cancelled.incrementAndGet();
        assertThat(probes.get(some).fired()).isZero();
      }
    }
    assertThat(probes).allMatch(probe -> probe.fired() <= 1);
  }

  @Test
  void manyThreads_sameEntries_eachScheduledEntryFiresOrIsCancelled() throws InterruptedException {
    Timer timer = builder(ticker).stripes(8).tick(Duration.ofNanos(10)).wheelSize(4).build();
    WheelTimer wheels = TimerInternals.of(timer).wheels();
    AtomicInteger fired = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    AtomicInteger scheduled = new AtomicInteger();
    Entry[] entries = new Entry[50_000];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = new Entry(i * 2L, fired::incrementAndGet);
    }
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      Random random = new Random(thread);
      tasks.add(
          () -> {
            for (int i = 0; i < entries.length; i++) {
              Entry entry = entries[i - random.nextInt(Math.min(i + 1, 8))];
              if (random.nextBoolean()) {
                cancelled.addAndGet(wheels.cancel(entry) ? 1 : 0);
              } else if (tryToSchedule(wheels, entry)) {
                scheduled.incrementAndGet();
              }
              if (i % 16 == 0) {
                ticker.advance(10);
                timer.advance();
              }
            }
          });
    }
    Threads.race(tasks);
    ticker.advance(Duration.ofSeconds(1));
    timer.advance();
    assertThat(errors).isEmpty();
    assertThat(fired.get()).isPositive();
    assertThat(cancelled.get()).isPositive();
    assertThat(fired.get() + cancelled.get()).isEqualTo(scheduled.get());
    assertThat(timer.size()).isZero();
  }

  private static boolean tryToSchedule(WheelTimer wheels, Entry entry) {
    try {
      wheels.schedule(entry, wheels.now());
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Test
  void cancel_racesWithFiring_oneWins() throws InterruptedException {
    for (int round = 0; round < 300; round++) {
      Probe probe = new Probe();
      Timeout timeout = schedule(1, probe);
      AtomicInteger cancelled = new AtomicInteger();
      ticker.advance(Duration.ofMillis(1));
      Threads.Task cancel = () -> cancelled.addAndGet(timeout.cancel() ? 1 : 0);
      Threads.race(cancel, timer::advance, cancel);
      timer.advance();
      assertThat(probe.fired() + cancelled.get()).isEqualTo(1);
    }
    assertThat(timer.size()).isZero();
  }

  @Test
  @SuppressWarnings("NullAway") // callers without null analysis
  void builder_badInput_throws() {
    Timer.Builder builder = Timer.builder();
    for (Duration tick :
        List.of(
            Duration.ZERO,
            Duration.ofNanos(-1),
            Duration.ofDays(-1),
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofNanos(Long.MAX_VALUE).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThatThrownBy(() -> builder.tick(tick))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tick");
    }
    for (int size : new int[] {Integer.MIN_VALUE, -1, 0, 1, 65_537, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> builder.wheelSize(size))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("wheel size " + size);
    }
    assertThatThrownBy(() -> builder.tick(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder.ticker(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder.errorHandler(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder.start((String) null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> timer.schedule(null, Duration.ofDays(1)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> timer.scheduleAt(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> timer.schedule(new Probe(), null))
        .isInstanceOf(NullPointerException.class);
    assertThat(timer.size()).isZero();
  }

  @Test
  void builder_extremeValues_areAccepted() {
    for (int size : new int[] {2, 65_536}) {
      for (Duration tick : List.of(Duration.ofNanos(1), Duration.ofNanos(Long.MAX_VALUE))) {
        ManualTicker ticker = new ManualTicker();
        Timer timer = builder(ticker).wheelSize(size).tick(tick).build();
        Probe probe = new Probe();
        timer.schedule(probe, Duration.ofDays(100));
        ticker.advance(Duration.ofDays(100).minusNanos(1));
        assertThat(timer.advance()).isZero();
        ticker.advance(Long.MAX_VALUE - Duration.ofDays(100).toNanos() + 1);
        assertThat(timer.advance()).isEqualTo(1);
      }
    }
  }

  @Test
  void wheelSize_isRoundedUpToAPowerOfTwo() {
    int[] given = {2, 3, 4, 5, 20, 64, 65, 32_769, 65_536};
    int[] rounded = {2, 4, 4, 8, 32, 64, 128, 65_536, 65_536};
    for (int i = 0; i < given.length; i++) {
      Timer built = builder(new ManualTicker()).wheelSize(given[i]).build();
      built.schedule(new Probe(), Duration.ofDays(1));
      assertThat(wheelSizes(built)).containsOnly(rounded[i]);
      Timer changed = builder(new ManualTicker()).build();
      changed.schedule(new Probe(), Duration.ofDays(1));
      changed.reconfigure(Duration.ofMillis(1), given[i]);
      assertThat(wheelSizes(changed)).containsOnly(rounded[i]);
    }
  }

  private static List<Integer> wheelSizes(Timer timer) {
    return TimerInternals.of(timer).wheels().buckets(0).stream()
        .map(BucketContent::wheelSize)
        .toList();
  }

  @Test
  void nextDue_isTheNextDeadline_roundedUpToATick() {
    assertThat(timer.nextDue()).isEqualTo(Long.MAX_VALUE);
    timer.schedule(() -> {}, Duration.ofNanos(3_000_001));
    schedule(20);
    assertThat(timer.nextDue()).isEqualTo(4_000_000);
    advance(Duration.ofMillis(4));
    assertThat(timer.nextDue()).isEqualTo(20_000_000);
    advance(Duration.ofMillis(16));
    assertThat(timer.nextDue()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void nextDue_closed_isNever() {
    schedule(10);
    timer.close();
    assertThat(timer.nextDue()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void toString_showsSizeAndNextDeadline() {
    assertThat(timer).hasToString("Timer[0 scheduled]");
    schedule(10);
    schedule(20);
    assertThat(timer).hasToString("Timer[2 scheduled, next due in PT0.01S]");
    timer.close();
    assertThat(timer.toString()).startsWith("Timer[closed, 2 scheduled");
  }

  /** Other threads of the library set and clear alarms at any time. */
  @Test
  void size_isExact_whileAlarmsComeAndGo() throws Exception {
    Timeout unused = timer.schedule(() -> {}, Duration.ofHours(1));
    AtomicBoolean stopped = new AtomicBoolean();
    Threads.Running housekeeping =
        Threads.start(
            () -> {
              while (!stopped.get()) {
                Alarm alarm = new Alarm(Duration.ofHours(2).toNanos(), () -> {});
                wheels.schedule(alarm, 0);
                wheels.cancel(alarm);
              }
            });
    for (int i = 0; i < 100_000; i++) {
      int size = timer.size();
      if (size != 1) {
        assertThat(size).as("look " + i).isOne();
      }
    }
    stopped.set(true);
    housekeeping.join();
    assertThat(TimerInternals.of(timer).wheels().retained()).isLessThan(5_000);
  }
}
