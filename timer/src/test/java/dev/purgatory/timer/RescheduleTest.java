package dev.purgatory.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests {@link Timeout#reschedule}. */
class RescheduleTest {
  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final List<Long> fired = new ArrayList<>();

  private Timeout schedule(long millis) {
    return timer.schedule(() -> fired.add(millis()), Duration.ofMillis(millis));
  }

  private long millis() {
    return TimeUnit.NANOSECONDS.toMillis(timer.now());
  }

  private int advance(long millis) {
    ticker.advance(TimeUnit.MILLISECONDS.toNanos(millis));
    return timer.advance();
  }

  @Test
  void reschedule_later_runsOnceAtTheNewDeadline() {
    Timeout timeout = schedule(10);
    for (int i = 0; i < 20; i++) {
      assertThat(advance(5)).isZero();
      assertThat(timeout.reschedule(Duration.ofMillis(10))).isTrue();
      assertThat(timeout.deadline()).isEqualTo((millis() + 10) * 1_000_000);
      assertThat(timeout.isPending()).isTrue();
      assertThat(TimerInternals.of(timer).wheels().retained()).as("no second entry").isEqualTo(1);
      assertThat(timer.size()).isEqualTo(1);
    }
    assertThat(advance(9)).isZero();
    assertThat(advance(1)).isEqualTo(1);
    assertThat(fired).containsExactly(110L);
    assertThat(timeout.isPending()).isFalse();
    assertThat(timeout.reschedule(Duration.ofSeconds(1))).isFalse();
    assertThat(timeout.cancel()).isFalse();
    assertThat(timeout.deadline()).isEqualTo(110_000_000);
    assertThat(timeout).hasToString("ended timeout, deadline 110000000 ns");
    assertThat(advance(10_000)).isZero();
    assertThat(timer.size()).isZero();
  }

  @Test
  void reschedule_earlier_runsOnceAtTheNewDeadline() {
    Timeout timeout = schedule(1_000);
    assertThat(timeout.reschedule(Duration.ofMillis(5))).isTrue();
    assertThat(timer.size()).isEqualTo(1);
    assertThat(advance(4)).isZero();
    assertThat(advance(1)).isEqualTo(1);
    assertThat(advance(10_000)).isZero();
    assertThat(fired).containsExactly(5L);
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }

  @Test
  void reschedule_ranOrCancelled_returnsFalse() {
    Timeout ran = schedule(1);
    Timeout cancelled = schedule(1);
    assertThat(cancelled.cancel()).isTrue();
    assertThat(advance(1)).isEqualTo(1);
    for (Timeout timeout : List.of(ran, cancelled)) {
      assertThat(timeout.reschedule(Duration.ofMillis(1))).isFalse();
      assertThat(timeout.isPending()).isFalse();
    }
    assertThat(advance(10)).isZero();
    assertThat(fired).hasSize(1);
  }

  @Test
  void cancel_afterReschedule_neverRuns() {
    Timeout timeout = schedule(10);
    assertThat(timeout.reschedule(Duration.ofMillis(20))).isTrue();
    assertThat(timeout.cancel()).isTrue();
    assertThat(timeout.cancel()).isFalse();
    assertThat(timeout.isPending()).isFalse();
    assertThat(timeout.reschedule(Duration.ofMillis(20))).isFalse();
    assertThat(timer.size()).isZero();
    assertThat(advance(100)).isZero();
  }

  @Test
  void reschedule_byTheTaskItself_returnsFalse() {
    List<Boolean> results = new ArrayList<>();
    Timeout[] self = new Timeout[1];
    self[0] =
        timer.schedule(
            () -> results.add(self[0].reschedule(Duration.ofMillis(5))), Duration.ofMillis(1));
    assertThat(self[0].reschedule(Duration.ofMillis(2))).isTrue();
    assertThat(advance(100)).isEqualTo(1);
    assertThat(results).containsExactly(false);
  }

  @Test
  void reschedule_noDelay_isDueAtOnce() {
    assertThat(advance(10)).isZero();
    for (Timeout timeout : List.of(timer.scheduleAt(() -> fired.add(millis()), -5), schedule(5))) {
      assertThatThrownBy(() -> timeout.reschedule(Duration.ofDays(-1)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(timeout.reschedule(Duration.ofDays(0))).isTrue();
      assertThat(timeout.deadline()).isEqualTo(timer.now());
      assertThat(timer.advance()).isEqualTo(1);
    }
    assertThat(fired).containsExactly(10L, 10L);
  }

  @Test
  void reschedule_timerIsClosed_throws() {
    Timeout timeout = schedule(10);
    timer.close();
    assertThatThrownBy(() -> timeout.reschedule(Duration.ofMillis(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(timeout.cancel()).isTrue();
  }

  @Test
  void reschedule_aMillionTimesInBothDirections_keepsFewEntries() {
    Timeout timeout = schedule(10_000);
    int most = 0;
    for (int i = 0; i < 1_000_000; i++) {
      assertThat(timeout.reschedule(Duration.ofSeconds(1_000_000 - i / 2 * (i % 2)))).isTrue();
      most = Math.max(most, TimerInternals.of(timer).wheels().retained());
    }
    assertThat(most).isLessThan(3_000);
    assertThat(timer.size()).isEqualTo(1);
  }

  @Test
  void reschedule_ended_taskIsNotReachable() throws InterruptedException {
    List<Timeout> timeouts = new ArrayList<>();
    List<WeakReference<Runnable>> tasks = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Runnable task = new AtomicInteger()::incrementAndGet;
      tasks.add(new WeakReference<>(task));
      timeouts.add(timer.schedule(task, Duration.ofMillis(1)));
      assertThat(timeouts.get(i).reschedule(Duration.ofMillis(2))).isTrue();
    }
    assertThat(timeouts.get(0).cancel()).isTrue();
    assertThat(advance(2)).isLessThanOrEqualTo(1);
    assertThat(advance(2)).isLessThanOrEqualTo(1);
    Threads.until(
        () -> {
          System.gc();
          return tasks.stream().allMatch(task -> task.get() == null);
        });
    assertThat(timeouts).noneMatch(Timeout::isPending);
  }

  @Test
  void advance_jump_rescheduledTasksRunInTheOrderOfTheirDeadlines() {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int number = i;
      Timeout timeout = timer.schedule(() -> order.add(number), Duration.ofMillis(1));
      assertThat(timeout.reschedule(Duration.ofMillis(2 + i * 37 % 50))).isTrue();
    }
    ticker.advance(Duration.ofSeconds(1));
    assertThat(timer.advance()).isEqualTo(50);
    assertThat(order).hasSize(50).isSortedAccordingTo((a, b) -> a * 37 % 50 - b * 37 % 50);
  }

  /** The results that all threads got must be consistent with one order of their calls. */
  @Test
  void reschedule_racesWithFiringCancellingAndItself_eachResultHolds() throws InterruptedException {
    Threads.repeat(
        2_000,
        round -> {
          Timer timer = Timer.builder().ticker(ticker).build();
          AtomicInteger runs = new AtomicInteger();
          AtomicLong firedAt = new AtomicLong();
          Runnable task =
              () -> {
                runs.incrementAndGet();
                firedAt.set(timer.now());
              };
          long begin = timer.now();
          Timeout timeout = timer.schedule(task, Duration.ofMillis(1));
          boolean[] moved = new boolean[2];
          boolean[] cancelled = new boolean[1];
          ticker.advance(Duration.ofMillis(1));
          Threads.race(
              timer::advance,
              () -> moved[0] = timeout.reschedule(Duration.ofMillis(5)),
              () -> moved[1] = timeout.reschedule(Duration.ofMillis(3)),
              () -> cancelled[0] = round % 3 == 0 && timeout.cancel());
          ticker.advance(Duration.ofMillis(10));
          int unused = timer.advance();
          assertThat(runs.get() + (cancelled[0] ? 1 : 0)).isEqualTo(1);
          if (!cancelled[0] && (moved[0] || moved[1])) {
            assertThat(firedAt.get() - begin)
                .isGreaterThanOrEqualTo(moved[1] ? 4_000_000 : 6_000_000);
          }
          assertThat(timeout.isPending()).isFalse();
          assertThat(timer.size()).isZero();
          TimerInternals.of(timer).wheels().purge();
          assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
        });
  }

  /** Touches timeouts while the clock runs, as sessions do, and counts exactly. */
  @Test
  void reschedule_manyThreads_eachTaskRunsOnceAndNeverBeforeItsDeadline()
      throws InterruptedException {
    Timer timer = Timer.builder().ticker(ticker).stripes(4).tick(Duration.ofNanos(10)).build();
    int count = 2_000;
    AtomicInteger[] runs = new AtomicInteger[count];
    AtomicLong[] promised = new AtomicLong[count];
    AtomicInteger early = new AtomicInteger();
    Timeout[] timeouts = new Timeout[count];
    for (int i = 0; i < count; i++) {
      int number = i;
      runs[i] = new AtomicInteger();
      promised[i] = new AtomicLong();
      Runnable task =
          () -> {
            runs[number].incrementAndGet();
            early.addAndGet(timer.now() < promised[number].get() ? 1 : 0);
          };
      timeouts[i] = timer.schedule(task, Duration.ofNanos(1_000 + i));
    }
    AtomicInteger busy = new AtomicInteger(2);
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < 2; thread++) {
      int mine = thread;
      tasks.add(
          () -> {
            for (int i = 0; i < 200_000; i++) {
              int number = (i * 2 + mine) % count; // each is moved by one thread only
              long before = timer.now();
              long delay = (i * 31L) % 3_000;
              promised[number].set(Math.min(promised[number].get(), before + delay));
              if (timeouts[number].reschedule(Duration.ofNanos(delay))) {
                promised[number].set(before + delay);
              }
            }
            busy.decrementAndGet();
          });
    }
    tasks.add(
        () -> {
          while (busy.get() > 0) {
            ticker.advance(3);
            timer.advance();
          }
        });
    Threads.race(tasks);
    ticker.advance(Duration.ofSeconds(1));
    timer.advance();
    assertThat(runs).allMatch(each -> each.get() == 1);
    assertThat(timer.size()).isZero();
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }
}
