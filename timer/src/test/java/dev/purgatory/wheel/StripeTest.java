package dev.purgatory.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The stripes of a timer, and what they tell the clock. */
class StripeTest {
  private static final int MANY = 64;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer =
      TimerView.stripes(Timer.builder().wheelSize(4), 1).ticker(ticker).build();
  private final WheelTimer wheels = WheelsView.wheels(timer);
  private final List<Long> fired = new ArrayList<>();

  private Timeout schedule(long millis) {
    return timer.schedule(() -> fired.add(millis), Duration.ofMillis(millis));
  }

  private void advance(long millis) {
    ticker.advance(Duration.ofMillis(millis));
    int unused = timer.advance();
  }

  /**
   * A bucket whose entries are out of order is sorted or split ahead of time: so the clock visits
   * it before they are due.
   */
  @Test
  void entriesAreOutOfOrder_theClockVisitsItAheadOfTime() {
    for (int i = 0; i < MANY; i++) {
      Timeout unused = schedule(1_001 - i % 2);
    }
    assertThat(wheels.nextDue()).isLessThan(MILLISECONDS.toNanos(1_000));
    advance(999);
    assertThat(fired).isEmpty();
    advance(1);
    assertThat(fired).hasSize(MANY / 2);
    advance(1);
    assertThat(fired).hasSize(MANY);
  }

  @Test
  void entriesAreInOrder_theClockVisitsItForTheFirst() {
    for (int i = 0; i <= MANY; i++) {
      Timeout unused = schedule(1_000 + i / 2);
    }
    assertThat(wheels.nextDue()).isEqualTo(MILLISECONDS.toNanos(1_000));
  }

  @Test
  void walkOfTheTimer_visitsEachEntryOnce() {
    schedule(5);
    schedule(10);
    List<TimerEntry> seen = new ArrayList<>();
    wheels.forEach(seen::add);
    assertThat(seen).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void reconfigure_theTickIsLonger_newEntriesMove() {
    Timeout unused = schedule(100);
    timer.reconfigure(Duration.ofSeconds(1), 4);
    assertThat(wheels.retained()).isEqualTo(1);
    advance(999);
    assertThat(fired).isEmpty();
    advance(1);
    assertThat(fired).containsExactly(100L);
  }

  @Test
  void purge_newEntriesThatHaveEnded_areRemoved() {
    List<Timeout> timeouts = IntStream.range(0, 10).mapToObj(i -> schedule(100 + i)).toList();
    timeouts.subList(0, 9).forEach(Timeout::cancel);
    assertThat(wheels.retained()).isEqualTo(10);
    wheels.purge();
    assertThat(wheels.retained()).isEqualTo(1);
    assertThat(wheels.nextDue()).isLessThanOrEqualTo(MILLISECONDS.toNanos(109));
  }
}
