package dev.purgatory.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.QueueingExecutor;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.Retry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What other threads do in the middle of a release. */
class ThrottleTest {
  private static final Duration TICK = Duration.ofMillis(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Purgatory<String> purgatory =
      Purgatory.builder("uploads", String.class)
          .timer(timer)
          .expirationExecutor(Runnable::run)
          .build();

  private void pass(Duration time) {
    ticker.advance(time);
    timer.advance();
  }

  /** The rate changes between two looks of an alarm that is too early. */
  @Test
  void requestThatBecomesDueDuringARelease_isChargedOnce() {
    AtomicInteger looksUntilChange = new AtomicInteger(1_000);
    Rate before = new Rate(1, HOUR, 10);
    Rate after = new Rate(1, HOUR, 9);
    Throttle throttle =
        new Throttle(
            new Throttle.Environment(
                TimerInternals.of(timer).wheels(),
                new Dispatcher(TimerInternals.of(timer), Runnable::run, "test", error -> {}),
                new Retry(TimerInternals.of(timer).wheels()) {
                  @Override
                  protected void look() {}
                },
                () -> looksUntilChange.getAndDecrement() > 0 ? before : after),
            removed -> {});
    HeldFuture<Long> future = purgatory.<Long>until(() -> null).forever().hold("a");
    assertThat(throttle.tryTake(5)).isTrue();
    assertThat(throttle.join(new Waiter(future, 10))).isTrue();
    assertThat(throttle.charge(1)).isTrue(); // the alarm stays where it is
    looksUntilChange.set(1);
    pass(HOUR.multipliedBy(5));
    pass(TICK);
    assertThat(future).isCompletedWithValue(10L);
    assertThat(throttle.available()).isEqualTo(-1);
    pass(TICK);
    assertThat(throttle.available()).isEqualTo(-1);
  }

  @Test
  void timerClosedBeforeARelease_completesWhatIsDue() {
    QueueingExecutor executor = new QueueingExecutor();
    Throttles<String> throttles = new Throttles<>(purgatory, timer, Rate.per(2, HOUR), executor);
    assertThat(throttles.acquire("a", 2)).isDone();
    List<HeldFuture<Long>> due = List.of(throttles.acquire("a", 1), throttles.acquire("a", 1));
    HeldFuture<Long> next = throttles.acquire("a", 1);
    pass(HOUR);
    assertThat(executor.size()).isEqualTo(1);
    timer.close();
    executor.runAll();
    assertThat(due).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(next).isNotDone();
    assertThat(throttles.waiting("a")).isEqualTo(1);
  }
}
