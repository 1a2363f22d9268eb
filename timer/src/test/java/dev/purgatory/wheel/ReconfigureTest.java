package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@link Timer#reconfigure}. */
class ReconfigureTest {
  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();

  private static final class Entry extends TimerEntry {
    Entry(long deadline) {
      super(deadline);
      assertThat(begin()).isTrue();
    }

    @Override
    public void onTimeout() {}
  }

  @Test
  void reconfigure_shorterTick_tasksAreMorePunctual() {
    Timer coarse = Timer.builder().ticker(ticker).tick(Duration.ofSeconds(1)).build();
    List<Long> fired = new ArrayList<>();
    coarse.schedule(() -> fired.add(coarse.now()), Duration.ofMillis(1_500));
    coarse.reconfigure(Duration.ofMillis(1), 64);
    coarse.schedule(() -> fired.add(coarse.now()), Duration.ofMillis(1_700));
    for (int i = 0; i < 2_000; i++) {
      ticker.advance(Duration.ofMillis(1));
      coarse.advance();
    }
    assertThat(fired).containsExactly(1_500_000_000L, 1_700_000_000L);
  }

  @Test
  void reconfigure_longerTick_tasksAreNeverEarly() {
    List<Long> fired = new ArrayList<>();
    timer.schedule(() -> fired.add(timer.now()), Duration.ofMillis(1_500));
    timer.reconfigure(Duration.ofSeconds(1), 64);
    timer.schedule(() -> fired.add(timer.now()), Duration.ofMillis(1_700));
    ticker.advance(Duration.ofMillis(1_999));
    assertThat(timer.advance()).isZero();
    ticker.advance(Duration.ofMillis(1));
    assertThat(timer.advance()).isEqualTo(2);
    assertThat(fired).containsExactly(2_000_000_000L, 2_000_000_000L);
  }

  @Test
  void reconfigure_cancelledTasks_areDropped() {
    List<Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      timeouts.add(timer.schedule(() -> {}, Duration.ofSeconds(i)));
    }
    timeouts.subList(0, 600).forEach(Timeout::cancel);
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(900);
    timer.reconfigure(Duration.ofMillis(5), 32);
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(300);
    assertThat(timer.size()).isEqualTo(300);
    ticker.advance(Duration.ofMinutes(15));
    assertThat(timer.advance()).isEqualTo(300);
  }

  @Test
  @SuppressWarnings("NullAway") // callers without null analysis
  void reconfigure_badInput_throwsAndChangesNothing() {
    timer.schedule(() -> {}, Duration.ofMillis(1));
    assertThatThrownBy(() -> timer.reconfigure(Duration.ZERO, 64))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tick");
    assertThatThrownBy(() -> timer.reconfigure(Duration.ofMillis(1), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("wheel size 1");
    assertThatThrownBy(() -> timer.reconfigure(null, 64)).isInstanceOf(NullPointerException.class);
    assertThat(WheelsView.wheels(timer).stripes)
        .allMatch(stripe -> stripe.wheels.tickNanos == TimeUnit.MILLISECONDS.toNanos(1));
    timer.close();
    assertThatThrownBy(() -> timer.reconfigure(Duration.ofMillis(1), 64))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  /** Random programs against the promise: never early, less than a tick late, in order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void reconfigure_randomPrograms_nothingIsLostEarlyOrOutOfOrder(int seed) {
    Random random = new Random(seed);
    Timer timer = TimerView.stripes(Timer.builder(), 1).ticker(ticker).wheelSize(4).build();
    List<Timeout> pending = new ArrayList<>();
    List<Long> fired = new ArrayList<>();
    int scheduled = 0;
    long longestTick = 1_000_000;
    for (int i = 0; i < 3_000; i++) {
      switch (random.nextInt(5)) {
        case 0, 1, 2 -> {
          long deadline = timer.now() + (random.nextLong() >>> (28 + random.nextInt(20)));
          pending.add(timer.scheduleAt(() -> fired.add(deadline), deadline));
          scheduled++;
        }
        case 3 -> {
          if (!pending.isEmpty() && pending.remove(random.nextInt(pending.size())).cancel()) {
            scheduled--;
          }
        }
        default -> {
          if (random.nextInt(4) == 0) {
            long tick = 1L << random.nextInt(30);
            timer.reconfigure(Duration.ofNanos(tick), 2 + random.nextInt(100));
            longestTick = Math.max(longestTick, tick);
          } else {
            fired.clear();
            ticker.advance(random.nextLong() >>> (30 + random.nextInt(20)));
            int count = timer.advance();
            assertThat(fired).hasSize(count).isSorted();
            assertThat(fired).allMatch(deadline -> deadline <= timer.now());
            scheduled -= count;
            long late = timer.now() - longestTick;
            pending.removeIf(timeout -> !timeout.isPending());
            assertThat(pending).allMatch(timeout -> timeout.deadline() > late);
          }
        }
      }
      assertThat(timer.size()).isEqualTo(scheduled);
    }
    assertThat(pending).isNotEmpty();
    ticker.advance(Duration.ofDays(100));
    assertThat(timer.advance()).isEqualTo(scheduled);
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }

  /** What others see while entries move. */
  @ParameterizedTest
  @ValueSource(longs = {1, 10, 1_000})
  void takeDue_entriesAreMoving_takesFromBoth(long nextTick) {
    Stripe stripe = new Stripe(100, 4);
    Random random = new Random(nextTick);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      entries.add(new Entry(1 + random.nextInt(40_000)));
    }
    entries.subList(0, 1_000).forEach(entry -> insert(stripe, entry));
    stripe.exchange(nextTick, 8);
    entries.subList(1_000, 2_000).forEach(entry -> insert(stripe, entry));
    assertThat(stripe.size()).isEqualTo(2_000);
    List<TimerEntry> fired = new ArrayList<>();
    for (long now = 0; now <= 40_000; now += 10_000) {
      fired.addAll(takeDue(stripe, now));
      long time = now;
      assertThat(fired).allMatch(entry -> entry.due() <= time);
      assertThat(fired).hasSize((int) entries.stream().filter(e -> e.due() <= time).count());
      assertThat(stripe.size()).isEqualTo(2_000 - fired.size());
      boolean unused = stripe.moveSome();
    }
    assertThat(fired).isSortedAccordingTo(Comparator.comparingLong(TimerEntry::due));
    assertThat(stripe.nextDue()).isEqualTo(TimingWheels.NEVER);
  }

  private static void insert(Stripe stripe, Entry entry) {
    stripe.lock();
    try {
      boolean unused = stripe.insert(entry, 0);
    } finally {
      stripe.unlock();
    }
  }

  private static List<TimerEntry> takeDue(Stripe stripe, long now) {
    List<TimerEntry> due = new ArrayList<>();
    stripe.takeDue(now, due);
    due.sort(TimerEntry.IN_ORDER);
    return due.stream().filter(TimerEntry::end).toList();
  }

  @Test
  void moveSome_manyEntries_movesABoundedNumberPerCall() {
    Stripe stripe = new Stripe(1, 64);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Entry entry = new Entry(50_000 + i % 64);
      entries.add(entry);
      insert(stripe, entry);
    }
    entries.subList(0, 5_000).forEach(Entry::end);
    stripe.exchange(2, 64);
    int calls = 0;
    int before = stripe.wheels.size();
    assertThat(before).isZero();
    while (stripe.moveSome()) {
      int after = stripe.wheels.size();
      assertThat(after - before).isBetween(0, Stripe.BATCH);
      before = after;
      calls++;
    }
    assertThat(calls).isBetween(5_000 / Stripe.BATCH, 2 * 10_000 / Stripe.BATCH);
    assertThat(stripe.size()).isEqualTo(5_000);
  }

  @Test
  void sweepAndSplit_entriesAreMoving_reachTheFormerWheels() {
    Stripe stripe = new Stripe(1, 4);
    int count = 1_000;
    for (int i = 0; i < count; i++) {
      insert(stripe, new Entry(1_030 + i % 2)); // out of order, and too many to sort
    }
    Entry cancelled = new Entry(2_000);
    insert(stripe, cancelled);
    assertThat(cancelled.end()).isTrue();
    stripe.exchange(1_000_000, 4);
    stripe.sweepAll();
    assertThat(stripe.size()).isEqualTo(count);
    while (!stripe.isSplitting()) {
      assertThat(takeDue(stripe, stripe.nextDue())).isEmpty();
    }
    while (stripe.isSplitting()) {
      stripe.splitAhead();
    }
    assertThat(stripe.nextDue()).isLessThanOrEqualTo(1_030);
  }

  @Test
  void reconfigure_clockSleeps_isWokenForAnEarlierTick() throws InterruptedException {
    CountDownLatch fired = new CountDownLatch(1);
    try (Timer real = Timer.builder().tick(Duration.ofHours(1)).start("reconfigured-clock")) {
      real.schedule(fired::countDown, Duration.ofMillis(1));
      Threads.until(
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .filter(thread -> thread.getName().equals("reconfigured-clock"))
                  .anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
      real.reconfigure(Duration.ofMillis(1), 64);
      Threads.await(fired);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void reconfigure_racesWithAllOthers_eachTaskFiresOrIsCancelledOnce(int stripes)
      throws InterruptedException {
    Timer timer =
        TimerView.stripes(Timer.builder(), stripes)
            .ticker(ticker)
            .tick(Duration.ofNanos(10))
            .build();
    AtomicInteger scheduled = new AtomicInteger();
    AtomicInteger fired = new AtomicInteger();
    AtomicInteger early = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    AtomicInteger busy = new AtomicInteger(2);
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < 2; thread++) {
      Random random = new Random(thread);
      tasks.add(
          () -> {
            List<Timeout> timeouts = new ArrayList<>();
            for (int i = 0; i < 60_000; i++) {
              long deadline = timer.now() + random.nextInt(5_000);
              Runnable task =
                  () -> {
                    fired.incrementAndGet();
                    early.addAndGet(timer.now() < deadline ? 1 : 0);
                  };
              timeouts.add(timer.scheduleAt(task, deadline));
              scheduled.incrementAndGet();
              int some = random.nextInt(timeouts.size());
              cancelled.addAndGet(timeouts.get(some).cancel() ? 1 : 0);
            }
            busy.decrementAndGet();
          });
    }
    tasks.add(() -> runWhile(busy, timer::advance));
    for (int thread = 0; thread < 2; thread++) {
      Random random = new Random(thread);
      tasks.add(
          () ->
              runWhile(
                  busy,
                  () -> {
                    long tick = 1L + random.nextInt(200);
                    timer.reconfigure(Duration.ofNanos(tick), 2 + random.nextInt(64));
                    WheelsView.wheels(timer).buckets(0);
                  }));
    }
    Threads.race(tasks);
    ticker.advance(Duration.ofSeconds(1));
    timer.advance();
    assertThat(early).hasValue(0);
    assertThat(fired.get() + cancelled.get()).isEqualTo(scheduled.get());
    assertThat(timer.size()).isZero();
    TimerInternals.of(timer).wheels().purge();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }

  private void runWhile(AtomicInteger busy, Runnable action) {
    while (busy.get() > 0) {
      ticker.advance(5);
      action.run();
    }
  }
}
