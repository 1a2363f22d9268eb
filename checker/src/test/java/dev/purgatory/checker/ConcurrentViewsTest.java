package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.purgatory.Purgatory;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What reads the insides of a purgatory must not fail if a helper thread still changes them. */
class ConcurrentViewsTest {
  private static final int LOOKS = 3_000;

  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicLong time = new AtomicLong();
  private final Timer timer =
      Timer.builder().ticker(time::get).tick(Duration.ofNanos(1)).wheelSize(2).build();
  private final Purgatory<Integer> purgatory =
      Purgatory.builder("viewed", Integer.class).timer(timer).build();
  private final TimerCheck timerCheck = new TimerCheck(timer);
  private final WatchListsCheck listsCheck = new WatchListsCheck(purgatory);

  @Test
  void views_whileThreadsChange_throwFindingsOnly() throws InterruptedException {
    Thread changes = new Thread(this::change, "changes");
    changes.start();
    try {
      assertThatCode(this::look).doesNotThrowAnyException();
    } finally {
      done.set(true);
      changes.join();
      purgatory.close();
      timer.close();
    }
  }

  private void change() {
    for (int i = 0; !done.get(); i++) {
      var request =
          purgatory.until(() -> null).orTimeout(Duration.ofNanos(1L << i % 40)).hold(i % 9);
      time.incrementAndGet();
      timer.advance();
      request.cancel(false);
    }
  }

  private void look() {
    for (int i = 0; i < LOOKS; i++) {
      ignoreFindings(timerCheck::operations);
      ignoreFindings(listsCheck::operations);
      Reachable.from(List.of(timer, purgatory), List.of());
    }
  }

  private static void ignoreFindings(Runnable check) {
    try {
      check.run();
    } catch (Finding e) {
      // The views are not consistent.
    }
  }
}
