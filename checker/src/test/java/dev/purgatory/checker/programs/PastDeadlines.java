package dev.purgatory.checker.programs;

import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Two threads, one after the other, schedule a task each for a time in the past. */
final class PastDeadlines {
  private static final int ROUNDS = 50;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private PastDeadlines() {}

  public static void main(String[] args) throws InterruptedException {
    AtomicLong clock = new AtomicLong();
    Timer timer = TimerView.stripes(Timer.builder(), 16).ticker(clock::get).build();
    int wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
      clock.addAndGet(10 * SECOND);
      int unused = timer.advance();
      long now = timer.now();
      List<Integer> fired = new ArrayList<>();
      on(
          new Thread(
              () -> {
                for (int k = 0; k < 65; k++) { // more than the stripe keeps apart
                  timer.schedule(() -> {}, Duration.ofHours(1));
                }
                timer.scheduleAt(() -> fired.add(1), now - 9 * SECOND);
              }));
      on(new Thread(() -> timer.scheduleAt(() -> fired.add(2), now - 8 * SECOND)));
      unused = timer.advance();
      wrong += fired.equals(List.of(1, 2)) ? 0 : 1;
    }
    System.out.println("rounds in the wrong order: " + wrong);
  }

  private static void on(Thread thread) throws InterruptedException {
    thread.start();
    thread.join();
  }
}
