package dev.purgatory.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** New entries wait for a bucket until there are many, or one of them is due. */
class NurseryTest {
  private static final int MANY = 10_000;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = timer(1);
  private final WheelTimer wheels = WheelsView.wheels(timer);
  private final List<Long> fired = new ArrayList<>();

  private Timer timer(int stripes) {
    return TimerView.stripes(Timer.builder().wheelSize(4), stripes).ticker(ticker).build();
  }

  private Timeout schedule(Timer on, long millis) {
    return on.schedule(() -> fired.add(millis), millis, MILLISECONDS);
  }

  private Timeout schedule(long millis) {
    return schedule(timer, millis);
  }

  private void advance(Timer which, long millis) {
    ticker.advance(Duration.ofMillis(millis));
    int unused = which.advance();
  }

  /** Returns the number of entries that have a bucket. */
  private int inBuckets() {
    return wheels.stripes()[0].wheels().size();
  }

  private static int inNursery(Stripe stripe) {
    return stripe.nursery().size();
  }

  @Test
  void entriesThatEndSoon_neverHaveABucket() {
    for (int i = 0; i < MANY; i++) {
      assertThat(schedule(30_000 + i).cancel()).isTrue();
      assertThat(inBuckets()).isZero();
    }
    assertThat(wheels.retained()).isLessThanOrEqualTo(Stripe.NURSERY_LENGTH);
    assertThat(wheels.stripes()[0].wheels().buckets()).hasSize(1); // that of the due entries
  }

  @Test
  void entriesThatStay_haveBucketsOnceThereAreMany() {
    for (int i = 0; i < MANY; i++) {
      Timeout unused = schedule(30_000 + i);
    }
    assertThat(inBuckets()).isGreaterThanOrEqualTo(MANY - Stripe.NURSERY_LENGTH);
    assertThat(wheels.retained()).isEqualTo(MANY);
    advance(timer, 30_000 + MANY);
    assertThat(fired).hasSize(MANY).isSorted();
  }

  @Test
  void mostNewEntriesStay_theNextOnesSkipTheNursery_untilItIsTriedAgain() {
    Stripe stripe = wheels.stripes()[0];
    int skipping = 0;
    for (int i = 0; i < MANY; i++) {
      Timeout unused = schedule(30_000);
      skipping += inNursery(stripe) == 0 ? 1 : 0;
    }
    assertThat(skipping).isGreaterThan(MANY / 10 * 9);
    for (int i = 0; i < MANY && inNursery(stripe) == 0; i++) {
      Timeout unused = schedule(30_000);
    }
    int before = inBuckets();
    for (int i = 0; i < MANY; i++) {
      assertThat(schedule(30_000).cancel()).isTrue();
    }
    assertThat(inBuckets()).isEqualTo(before + 1); // the one that was new
  }

  /** Else entries of the second stripe that are due in between would fire late. */
  @Test
  void theClockIsLate_entriesOfAllStripesFireInOrder() throws InterruptedException {
    Timer two = timer(2);
    Stripe[] stripes = WheelsView.wheels(two).stripes();
    ticker.advance(Duration.ofSeconds(100)); // the wheels are empty, and their clocks are behind
    while (inNursery(stripes[0]) < 2 || inNursery(stripes[1]) < 2) {
      int number = inNursery(stripes[0]) + inNursery(stripes[1]);
      Threads.start(() -> schedule(two, 2 + number)).join();
    }
    ticker.advance(Duration.ofSeconds(1));
    for (Stripe stripe : stripes) { // what is scheduled now fills the nursery, so all move on
      while (inNursery(stripe) > 1) {
        Threads.start(() -> schedule(two, 50_000)).join();
      }
    }
    int unused = two.advance();
    assertThat(fired).hasSizeGreaterThanOrEqualTo(4).isSorted();
  }

  /**
   * A bucket whose entries are out of order is sorted or split ahead of time: so the clock visits
   * it before they are due.
   */
  @Test
  void entriesMoveToAnUpperBucket_theClockVisitsItAheadOfTime() {
    for (int i = 0; i < Stripe.NURSERY_LENGTH; i++) {
      Timeout unused = schedule(1_001 - i % 2);
    }
    assertThat(wheels.nextDue()).isEqualTo(MILLISECONDS.toNanos(1_000));
    Timeout unused = schedule(2_000);
    assertThat(wheels.nextDue()).isLessThan(MILLISECONDS.toNanos(1_000));
    advance(timer, 999);
    assertThat(fired).isEmpty();
    advance(timer, 1);
    assertThat(fired).hasSize(Stripe.NURSERY_LENGTH / 2);
    advance(timer, 1);
    assertThat(fired).hasSize(Stripe.NURSERY_LENGTH);
  }

  @Test
  void entriesMoveToAnUpperBucketInOrder_theClockVisitsItForTheFirst() {
    for (int i = 0; i <= Stripe.NURSERY_LENGTH; i++) {
      Timeout unused = schedule(1_000 + i / 2);
    }
    assertThat(inBuckets()).isPositive();
    assertThat(wheels.nextDue()).isEqualTo(MILLISECONDS.toNanos(1_000));
  }

  @Test
  void walkOfTheTimer_visitsNewEntries() {
    schedule(5);
    schedule(10);
    List<TimerEntry> seen = new ArrayList<>();
    wheels.forEach(seen::add);
    assertThat(seen).hasSize(2).doesNotHaveDuplicates();
    assertThat(inBuckets()).isZero();
  }

  @Test
  void reconfigure_newEntriesMoveWithTheOthers() {
    Timeout unused = schedule(100);
    timer.reconfigure(Duration.ofSeconds(1), 4);
    assertThat(wheels.retained()).isEqualTo(1);
    advance(timer, 999);
    assertThat(fired).isEmpty();
    advance(timer, 1);
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

  /** Numbers are kept as differences, which may not fit. */
  @Test
  void numbersAreFarApart_entriesKeepTheirNumbers() {
    Stripe stripe = new Stripe(1, 4);
    long[] numbers = {0, 1, 1L << 40, 5, 1L << 50};
    for (long number : numbers) {
      stripe.lock();
      try {
        boolean unused = stripe.insert(new TimingWheelsTest.Entry(7), number, 0);
      } finally {
        stripe.unlock();
      }
    }
    DueEntries due = new DueEntries();
    stripe.takeDue(7, due);
    assertThat(IntStream.range(0, due.size()).mapToLong(due::number).toArray())
        .containsExactlyInAnyOrder(numbers);
  }
}
