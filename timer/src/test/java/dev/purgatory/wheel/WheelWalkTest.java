package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Tests {@link WheelTimer#forEach}. */
class WheelWalkTest {
  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = TimerView.stripes(Timer.builder(), 4).ticker(ticker).build();
  private final WheelTimer wheels = WheelsView.wheels(timer);

  private static class Entry extends TimerEntry {
    private final Runnable task;

    Entry(long deadline, Runnable task) {
      super(deadline);
      this.task = task;
    }

    @Override
    public void onTimeout() {
      task.run();
    }
  }

  private Entry schedule(long millis, Runnable task) {
    Entry entry = new Entry(timer.now() + TimeUnit.MILLISECONDS.toNanos(millis), task);
    wheels.schedule(entry, timer.now());
    return entry;
  }

  private List<TimerEntry> waiting() {
    List<TimerEntry> found = new ArrayList<>();
    wheels.forEach(found::add);
    found.removeIf(entry -> !entry.isScheduled());
    return found;
  }

  @Test
  void forEach_visitsAllLevelsAndStripesOnce() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      entries.add(schedule(1L << (i % 30), () -> {}));
    }
    entries.subList(0, 1_000).forEach(wheels::cancel);
    assertThat(waiting()).containsExactlyInAnyOrderElementsOf(entries.subList(1_000, 5_000));
    timer.reconfigure(Duration.ofMillis(7), 8);
    assertThat(waiting()).containsExactlyInAnyOrderElementsOf(entries.subList(1_000, 5_000));
  }

  @Test
  void forEach_whileEntriesMoveToOtherWheels_visitsBoth() {
    Stripe stripe = new Stripe(1, 64);
    List<Entry> entries = insert(stripe, 5_000);
    stripe.exchange(2, 64);
    entries.addAll(insert(stripe, 100));
    Set<TimerEntry> all = new HashSet<>(entries);
    for (boolean more = true; more; more = stripe.moveSome()) {
      List<TimerEntry> found = new ArrayList<>();
      stripe.forEach(found::add);
      assertThat(found).hasSameSizeAs(entries);
      assertThat(new HashSet<>(found)).isEqualTo(all);
    }
  }

  /** A copy of a bounded number of entries is made under the lock, and visited without it. */
  @Test
  void forEach_holdsTheLockForAFewSteps() {
    Stripe stripe = new Stripe(1, 64);
    List<Entry> entries = insert(stripe, 10_000);
    AtomicInteger visits = new AtomicInteger();
    stripe.forEach(
        entry -> {
          if (visits.getAndIncrement() == 0) {
            entries.forEach(Entry::end);
            CompletableFuture.runAsync(stripe::sweepAll).join();
          }
        });
    assertThat(visits.get()).isBetween(1, 2 * Stripe.BATCH);
  }

  @Test
  void forEach_entriesBecomeDueMeanwhile_visitsTheOthers() {
    Stripe stripe = new Stripe(1, 64);
    List<Entry> entries = insert(stripe, 2_000, i -> 50_000 + i / 20); // one bucket, in order
    List<TimerEntry> found = new ArrayList<>();
    stripe.forEach(
        entry -> {
          if (found.isEmpty()) {
            List<TimerEntry> fired = new ArrayList<>();
            CompletableFuture.runAsync(() -> stripe.takeDue(50_049, fired)).join();
            assertThat(fired.size()).isEqualTo(1_000);
          }
          found.add(entry);
        });
    assertThat(found).doesNotHaveDuplicates().containsAll(entries.subList(1_000, 2_000));
  }

  @Test
  void forEach_othersUseTheStripeMeanwhile_missesNone() {
    for (int seed = 0; seed < 20; seed++) {
      Interleaving others = new Interleaving(seed);
      Set<TimerEntry> found = Collections.newSetFromMap(new IdentityHashMap<>());
      others.stripe.forEach(
          entry -> {
            found.add(entry);
            others.act();
          });
      found.addAll(others.taken); // a walk of the timer finds it there
      assertThat(others.waiting).as("seed %s", seed).allMatch(found::contains);
    }
  }

  /** What others do while a walk is under way. */
  private static final class Interleaving {
    private final Random random;
    private final Stripe stripe = new Stripe(1, 4);
    private final List<Entry> waiting;
    private final List<TimerEntry> taken = new ArrayList<>();
    private final boolean reconfigures;
    private boolean exchanged;
    private long now;

    Interleaving(long seed) {
      random = new Random(seed);
      reconfigures = seed % 2 == 0;
      waiting = insertSome(20_000);
    }

    private List<Entry> insertSome(int count) {
      return insert(stripe, count, i -> now + random.nextInt(20_000));
    }

    void act() {
      switch (random.nextInt(500)) {
        case 0, 1 -> {
          now += random.nextInt(200);
          stripe.takeDue(now, taken);
        }
        case 2 -> stripe.splitAhead();
        case 3 -> stripe.sweep(1 + random.nextInt(1_000));
        case 4 -> {
          int from = random.nextInt(waiting.size());
          List<Entry> some = waiting.subList(from, Math.min(from + 50, waiting.size() - 1));
          some.forEach(Entry::end);
          some.clear();
        }
        case 5 -> {
          List<Entry> unused = insertSome(20);
        }
        case 6, 7, 8 -> {
          if (!exchanged && reconfigures) {
            stripe.exchange(1 + random.nextInt(3), 4);
          }
          exchanged = stripe.moveSome();
        }
        default -> {}
      }
    }
  }

  private static List<Entry> insert(Stripe stripe, int count) {
    return insert(stripe, count, i -> 50_000 + i % 3);
  }

  private static List<Entry> insert(Stripe stripe, int count, IntToLongFunction deadlines) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Entry entry = new Entry(deadlines.applyAsLong(i), () -> {});
      assertThat(entry.begin()).isTrue();
      entries.add(entry);
      stripe.lock();
      try {
        boolean unused = stripe.insert(entry, 0);
      } finally {
        stripe.unlock();
      }
    }
    return entries;
  }

  @Test
  void forEach_duringATask_visitsWhatIsDueAndHasNotFired() {
    List<Entry> entries = new ArrayList<>();
    List<TimerEntry> found = new ArrayList<>();
    schedule(10, () -> found.addAll(waiting()));
    for (int i = 0; i < 1_000; i++) {
      entries.add(schedule(10, () -> {}));
    }
    ticker.advance(Duration.ofMillis(10));
    assertThat(timer.advance()).isEqualTo(1_001);
    assertThat(found).containsExactlyInAnyOrderElementsOf(entries);
    assertThat(waiting()).isEmpty();
  }

  @Test
  void forEach_duringATaskThatAdvances_visitsWhatBothDriversHaveTaken() {
    List<TimerEntry> found = new ArrayList<>();
    schedule(
        10,
        () -> {
          ticker.advance(Duration.ofMillis(10));
          assertThat(timer.advance()).isEqualTo(2);
        });
    Entry first = schedule(10, () -> {});
    schedule(20, () -> found.addAll(waiting()));
    Entry second = schedule(20, () -> {});
    ticker.advance(Duration.ofMillis(10));
    assertThat(timer.advance()).isEqualTo(2);
    assertThat(found).containsExactlyInAnyOrder(first, second);
  }

  /** Nobody fires it, and its owner may still have to answer for it. */
  @Test
  void forEach_afterATaskHasClosedTheTimer_visitsWhatWasDue() {
    schedule(10, timer::close);
    Entry due = schedule(10, () -> {});
    Entry later = schedule(20, () -> {});
    ticker.advance(Duration.ofMillis(10));
    assertThat(timer.advance()).isOne();
    assertThat(waiting()).containsExactlyInAnyOrder(due, later);
  }

  @Test
  void forEach_entriesThatFireAndWaitAgain_areKeptOnce() {
    List<TimerEntry> found = new ArrayList<>();
    var timeout = timer.schedule(() -> {}, Duration.ofMillis(10));
    for (int i = 0; i < 100; i++) {
      assertThat(timeout.reschedule(Duration.ofMillis(10))).isTrue();
      ticker.advance(Duration.ofMillis(9));
      timer.advance();
    }
    wheels.forEach(found::add);
    assertThat(found).hasSize(1);
  }
}
