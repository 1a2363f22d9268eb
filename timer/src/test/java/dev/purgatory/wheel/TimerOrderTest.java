package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries that are due together fire by deadline, then in the order of scheduling. */
class TimerOrderTest {
  private static final long TICK = 1_000_000;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = timer(16);
  private final List<Integer> fired = new CopyOnWriteArrayList<>();

  private Timer timer(int stripes) {
    return TimerView.stripes(Timer.builder(), stripes).ticker(ticker).build();
  }

  private void scheduleAt(long deadline, int number) {
    scheduleAt(timer, deadline, number);
  }

  private void scheduleAt(Timer timer, long deadline, int number) {
    Timeout unused = timer.scheduleAt(() -> fired.add(number), deadline);
  }

  private void advance(Duration by) {
    ticker.advance(by);
    int unused = timer.advance();
  }

  private static List<Integer> upTo(int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  @Test
  void advance_sameDeadlineFromThreadsOneAfterAnother_firesInTheOrderOfScheduling()
      throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      int number = i;
      Threads.start(() -> scheduleAt(TICK, number)).join();
    }
    advance(Duration.ofMillis(1));
    assertThat(fired).isEqualTo(upTo(50));
  }

  @Test
  void advance_deadlinesOfATickFromManyThreads_firesInTheOrderOfDeadlines()
      throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      int number = 49 - i;
      Threads.start(() -> scheduleAt(TICK + number, number)).join();
    }
    advance(Duration.ofMillis(2));
    assertThat(fired).isEqualTo(upTo(50));
  }

  /** A thread takes another stripe while its own is busy. */
  @Test
  void schedule_stripeIsBusy_orderIsKept() throws InterruptedException {
    for (int i = 0; i < 3 * WheelsView.wheels(timer).stripes.length; i++) {
      int number = i;
      Stripe busy = WheelsView.wheels(timer).stripes[i % WheelsView.wheels(timer).stripes.length];
      whileLocked(List.of(busy), () -> scheduleAt(TICK, number));
    }
    advance(Duration.ofMillis(1));
    assertThat(fired).isEqualTo(upTo(3 * WheelsView.wheels(timer).stripes.length));
  }

  private static void whileLocked(List<Stripe> stripes, Runnable action)
      throws InterruptedException {
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Threads.Running holder =
        Threads.start(
            () -> {
              stripes.forEach(Stripe::lock);
              locked.countDown();
              Threads.await(done);
              stripes.forEach(Stripe::unlock);
            });
    Threads.await(locked);
    action.run();
    done.countDown();
    holder.join();
  }

  /** The last entry is put on the lowest wheel at once, before the others are moved down to it. */
  @Test
  void advance_sameDeadlineFromDifferentWheels_firesInTheOrderOfScheduling() {
    Timer timer = timer(1);
    long deadline = Duration.ofSeconds(1).toNanos();
    scheduleAt(timer, deadline, 0);
    scheduleAt(timer, deadline, 1);
    ticker.advance(Duration.ofMillis(880));
    assertThat(timer.advance()).isZero();
    scheduleAt(timer, deadline, 2);
    ticker.advance(Duration.ofMillis(120));
    assertThat(timer.advance()).isEqualTo(3);
    assertThat(fired).isEqualTo(upTo(3));
  }

  @Test
  void advance_manyOfOneTick_firesInTheOrderOfDeadlines() {
    int count = 20_000;
    List<Integer> fired = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = count - 1 - i;
      timer.scheduleAt(() -> fired.add(number), TICK + number / 2);
    }
    ticker.advance(Duration.ofMillis(2));
    assertThat(timer.advance()).isEqualTo(count);
    List<Integer> pairs = new ArrayList<>();
    for (int i = 0; i < count; i += 2) {
      pairs.addAll(List.of(i + 1, i)); // the odd one of a pair was scheduled first
    }
    assertThat(fired).isEqualTo(pairs);
  }

  @Test
  void reconfigure_sameDeadline_orderIsKept() throws InterruptedException {
    long deadline = Duration.ofSeconds(100).toNanos();
    for (int i = 0; i < 60; i++) {
      int number = i;
      Threads.start(() -> scheduleAt(deadline, number)).join();
      if (i % 10 == 0) {
        timer.reconfigure(Duration.ofNanos(TICK + i), 2 + i);
      }
    }
    advance(Duration.ofSeconds(101));
    assertThat(fired).isEqualTo(upTo(60));
  }

  @Test
  void cancel_mostOfADeadline_theOthersKeepTheirOrder() throws InterruptedException {
    List<Timeout> cancelled = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      for (int j = 0; j < 1_000; j++) {
        cancelled.add(timer.scheduleAt(() -> {}, TICK));
      }
      Threads.start(() -> scheduleAt(TICK, number)).join();
    }
    cancelled.forEach(Timeout::cancel);
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(20);
    advance(Duration.ofMillis(1));
    assertThat(fired).isEqualTo(upTo(20));
  }

  /**
   * The clock visits the first stripe, then an entry is added there, then one is added to the last
   * stripe, then the clock visits the last one.
   */
  @Test
  void schedule_whileTheClockVisitsStripes_orderIsKept() throws InterruptedException {
    Timer timer = timer(2);
    Stripe first = WheelsView.wheels(timer).stripes[0];
    Stripe last = WheelsView.wheels(timer).stripes[1];
    whileLocked(List.of(last), () -> scheduleAt(timer, 0, 0)); // on the first
    whileLocked(List.of(first), () -> scheduleAt(timer, 0, 1)); // on the last
    last.lock();
    Threads.Running clock;
    try {
      clock = Threads.start(timer::advance);
      Threads.until(() -> first.size() == 0); // it has visited the first, and waits for the last
      Threads.start(() -> scheduleAt(timer, 0, 2)).join();
      assertThat(first.size()).isEqualTo(1);
      whileLocked(List.of(first), () -> scheduleAt(timer, 0, 3));
    } finally {
      last.unlock();
    }
    clock.join();
    assertThat(fired).isEqualTo(upTo(4));
  }

  private record Task(int number, long deadline, Timeout timeout) {}

  /** Random programs, each step on a new thread, so that all stripes are used. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void randomPrograms_entriesFireByDeadlineAndInTheOrderOfScheduling(int seed)
      throws InterruptedException {
    Random random = new Random(seed);
    List<Task> pending = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) {
      int number = i;
      switch (random.nextInt(12)) {
        case 0 -> {
          int span = random.nextInt(60);
          advance(Duration.ofMillis(random.nextInt(1 + span * span)));
          pending.removeAll(assertFired(pending));
        }
        case 1 -> {
          if (!pending.isEmpty()) {
            Task task = pending.remove(random.nextInt(pending.size()));
            assertThat(task.timeout.cancel()).isTrue();
          }
        }
        case 2 -> {
          if (random.nextInt(10) == 0) {
            timer.reconfigure(Duration.ofMillis(1 + random.nextInt(3)), 2 + random.nextInt(64));
          }
          TimerInternals.of(timer).wheels().purge();
        }
        default -> {
          long unit = random.nextBoolean() ? TICK : TICK / 3;
          long deadline = (timer.now() / unit + random.nextInt(1 << random.nextInt(12))) * unit;
          Threads.start(
                  () -> {
                    Runnable task = () -> fired.add(number);
                    pending.add(new Task(number, deadline, timer.scheduleAt(task, deadline)));
                  })
              .join();
        }
      }
    }
    advance(Duration.ofMinutes(1));
    pending.removeAll(assertFired(pending));
    assertThat(pending).isEmpty();
  }

  private List<Task> assertFired(List<Task> pending) {
    List<Task> ended = new ArrayList<>(pending);
    ended.removeIf(task -> task.timeout.isPending());
    ended.sort(Comparator.comparingLong(Task::deadline).thenComparingInt(Task::number));
    assertThat(fired).isEqualTo(ended.stream().map(Task::number).toList());
    fired.clear();
    return ended;
  }

  /** The wheels of the first stripe have passed them; those of the second one have not. */
  @Test
  void scheduleAt_pastDeadlinesInDifferentStripes_firesInTheOrderOfDeadlines()
      throws InterruptedException {
    Timer two = timer(2);
    List<Stripe> stripes = List.of(WheelsView.wheels(two).stripes);
    List<Stripe> first = stripes.subList(0, 1);
    List<Stripe> second = stripes.subList(1, 2);
    whileLocked(first, () -> scheduleAt(two, TICK, 0));
    ticker.advance(Duration.ofSeconds(10));
    for (int i = 1; i < 100; i++) {
      int number = i;
      whileLocked(i % 2 == 0 ? first : second, () -> scheduleAt(two, (1 + number) * TICK, number));
    }
    int unused = two.advance();
    assertThat(fired).isEqualTo(upTo(100));
  }
}
