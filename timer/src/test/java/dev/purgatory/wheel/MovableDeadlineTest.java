package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class MovableDeadlineTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final WheelTimer wheels = WheelsView.wheels(timer);
  private final List<Long> fired = new ArrayList<>();

  /** An entry whose deadline is movable from the beginning. */
  private static final class Handed extends TimerEntry {
    private final MovableDeadline movable;

    Handed(WheelTimer timer, Runnable callback, long deadline) {
      super(deadline);
      movable = new MovableDeadline(timer, callback, this);
    }

    @Override
    public void onTimeout() {
      movable.onDue(this);
    }
  }

  private static MovableDeadline start(WheelTimer timer, Runnable callback, long deadline) {
    Handed entry = new Handed(timer, callback, deadline);
    timer.schedule(entry, timer.now());
    return entry.movable;
  }

  private MovableDeadline startAt(long millis) {
    return start(wheels, () -> fired.add(timer.now() / MILLI), millis * MILLI);
  }

  private int advanceTo(long millis) {
    ticker.advance(millis * MILLI - timer.now());
    return timer.advance();
  }

  @Test
  void start_neverMoved_firesAtItsDeadline() {
    MovableDeadline wait = startAt(10);
    assertThat(wait.isPending()).isTrue();
    assertThat(wait.deadline()).isEqualTo(10 * MILLI);
    assertThat(advanceTo(9)).isZero();
    assertThat(advanceTo(10)).isEqualTo(1);
    assertThat(fired).containsExactly(10L);
    assertThat(wait.isPending()).isFalse();
    assertThat(wait.deadline()).isEqualTo(10 * MILLI);
    assertThat(wait.cancel()).isFalse();
    assertThat(wait.moveTo(20 * MILLI)).isFalse();
    assertThat(advanceTo(30)).isZero();
    assertThat(timer.size()).isZero();
  }

  @Test
  void moveTo_later_firesOnceAtTheNewDeadlineWithoutASecondEntry() {
    MovableDeadline wait = startAt(10);
    assertThat(wait.moveTo(20 * MILLI)).isTrue();
    assertThat(wait.moveTo(30 * MILLI)).isTrue();
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(1);
    assertThat(advanceTo(29)).isZero();
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(1);
    assertThat(timer.size()).isEqualTo(1);
    assertThat(advanceTo(30)).isEqualTo(1);
    assertThat(advanceTo(100)).isZero();
    assertThat(fired).containsExactly(30L);
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }

  @Test
  void moveTo_earlier_firesOnceAtTheNewDeadline() {
    MovableDeadline wait = startAt(30);
    assertThat(wait.moveTo(20 * MILLI)).isTrue();
    assertThat(wait.moveTo(10 * MILLI)).isTrue();
    assertThat(timer.size()).isEqualTo(1);
    assertThat(advanceTo(9)).isZero();
    assertThat(advanceTo(10)).isEqualTo(1);
    assertThat(advanceTo(100)).isZero();
    assertThat(fired).containsExactly(10L);
    assertThat(timer.size()).isZero();
  }

  @Test
  void moveTo_laterThanEarlierThan_reusesTheEntryThatIsDueBefore() {
    MovableDeadline wait = startAt(10);
    assertThat(wait.moveTo(1_000 * MILLI)).isTrue();
    assertThat(wait.moveTo(15 * MILLI)).isTrue();
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(1);
    assertThat(advanceTo(14)).isZero();
    assertThat(advanceTo(15)).isEqualTo(1);
  }

  @Test
  void moveTo_past_firesInTheNextAdvance() {
    MovableDeadline wait = startAt(10);
    assertThat(wait.moveTo(Long.MIN_VALUE)).isTrue();
    assertThat(timer.advance()).isEqualTo(1);
    assertThat(fired).containsExactly(0L);
  }

  @Test
  void cancel_afterMoves_neverFires() {
    for (long millis : new long[] {5, 50}) {
      MovableDeadline wait = startAt(10);
      assertThat(wait.moveTo(millis * MILLI)).isTrue();
      assertThat(wait.cancel()).isTrue();
      assertThat(wait.cancel()).isFalse();
      assertThat(wait.moveTo(1)).isFalse();
      assertThat(wait.isPending()).isFalse();
      assertThat(wait.deadline()).isEqualTo(millis * MILLI);
    }
    assertThat(timer.size()).isZero();
    assertThat(advanceTo(100)).isZero();
    assertThat(fired).isEmpty();
  }

  @Test
  void onDue_callbackMovesAndCancelsItself_isTooLate() {
    List<Boolean> results = new ArrayList<>();
    MovableDeadline[] self = new MovableDeadline[1];
    self[0] =
        start(
            wheels,
            () -> {
              results.add(self[0].moveTo(100 * MILLI));
              results.add(self[0].cancel());
              results.add(self[0].isPending());
            },
            MILLI);
    assertThat(advanceTo(200)).isEqualTo(1);
    assertThat(results).containsExactly(false, false, false);
    assertThat(timer.size()).isZero();
  }

  @Test
  void moveTo_timerIsClosed_neverFires() {
    MovableDeadline wait = startAt(10);
    timer.close();
    assertThat(wait.moveTo(5 * MILLI)).isTrue();
    assertThat(wait.moveTo(50 * MILLI)).isTrue();
    assertThat(advanceTo(100)).isZero();
    assertThat(fired).isEmpty();
    assertThat(wait.isPending()).isTrue();
    assertThat(wait.cancel()).isTrue();
  }

  @Test
  void moveTo_aMillionTimes_keepsFewEntries() {
    MovableDeadline wait = startAt(10_000);
    int most = 0;
    for (int i = 0; i < 1_000_000; i++) {
      assertThat(wait.moveTo((10_000 + (i % 2 == 0 ? -i % 5_000 : i)) * MILLI)).isTrue();
      most = Math.max(most, TimerInternals.of(timer).wheels().retained());
    }
    assertThat(most).isLessThan(3_000);
    assertThat(timer.size()).isEqualTo(1);
  }

  /** Whatever a move or cancel returns holds: the callback runs once, and not before a deadline. */
  @Test
  void moveTo_racesWithFiringAndCancelling_eachResultHolds() throws InterruptedException {
    Threads.repeat(
        2_000,
        round -> {
          AtomicInteger runs = new AtomicInteger();
          long[] firedAt = {-1};
          Timer timer = Timer.builder().ticker(ticker).build();
          long now = timer.now();
          MovableDeadline wait =
              start(
                  WheelsView.wheels(timer),
                  () -> {
                    firedAt[0] = timer.now();
                    runs.incrementAndGet();
                  },
                  now + MILLI);
          long wanted = now + (round % 3 == 0 ? 0 : 2 + round % 3) * MILLI;
          boolean[] moved = new boolean[1];
          boolean[] cancelled = new boolean[1];
          ticker.advance(MILLI);
          Threads.race(
              timer::advance,
              () -> moved[0] = wait.moveTo(wanted),
              () -> cancelled[0] = round % 2 == 0 && wait.cancel());
          ticker.advance(Duration.ofMillis(10));
          int unused = timer.advance();
          assertThat(runs.get() + (cancelled[0] ? 1 : 0)).isEqualTo(1);
          if (moved[0] && !cancelled[0]) {
            assertThat(firedAt[0]).isGreaterThanOrEqualTo(wanted);
          }
          assertThat(timer.size()).isZero();
        });
  }

  @Test
  void moveTo_earlierWithoutMemory_leavesTheDeadlineAsItWas() {
    OutOfMemoryError failure = new OutOfMemoryError("expected");
    AtomicBoolean fails = new AtomicBoolean();
    LongSupplier clock =
        () -> {
          if (fails.get()) {
            throw failure;
          }
          return ticker.nanos();
        };
    WheelTimer failing = new WheelTimer(clock, MILLI, 64, 1, e -> {}, null, 0);
    MovableDeadline wait = start(failing, () -> fired.add(failing.now() / MILLI), 30 * MILLI);
    fails.set(true);
    assertThatThrownBy(() -> wait.moveTo(10 * MILLI)).isSameAs(failure);
    fails.set(false);
    assertThat(wait.deadline()).isEqualTo(30 * MILLI);
    ticker.advance(15 * MILLI);
    assertThat(failing.advance()).isZero();
    assertThat(wait.moveTo(20 * MILLI)).isTrue();
    ticker.advance(5 * MILLI);
    assertThat(failing.advance()).isEqualTo(1);
    assertThat(fired).containsExactly(20L);
    assertThat(failing.size()).isZero();
  }
}
