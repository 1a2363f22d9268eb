package dev.purgatory.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import dev.purgatory.wheel.TaskEntry.Alarm;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds of a timer: retained entries, delays, stack depth, and the order of firing. */
class TimerBoundsTest {
  private static final int MILLION = 1_000_000;

  /**
   * Allows for buckets that a sweep steps over, and for ends whose sweep steps are not done yet.
   */
  private static final int SLACK = 1_500;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = TimerView.stripes(Timer.builder(), 16).ticker(ticker).build();
  private final WheelTimer wheels = WheelsView.wheels(timer);

  private static void assertBounded(Timer timer) {
    int size = timer.size();
    assertThat(TimerInternals.of(timer).wheels().retained())
        .as("retained entries, %s of them scheduled", size)
        .isGreaterThanOrEqualTo(size)
        .isLessThan(2 * size + 1_000 + SLACK);
  }

  private Timeout scheduleNothing(long millis) {
    return timer.schedule(() -> {}, Duration.ofMillis(millis));
  }

  private List<Timeout> burst(int count, long millis) {
    List<Timeout> timeouts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      timeouts.add(scheduleNothing(millis));
    }
    return timeouts;
  }

  private void cancelAll(List<Timeout> timeouts) {
    int cancelled = 0;
    for (Timeout timeout : timeouts) {
      assertThat(timeout.cancel()).isTrue();
      if (cancelled++ % 100 == 0) {
        assertBounded(timer);
      }
    }
    assertBounded(timer);
  }

  @Test
  void cancel_burst_retainsFewEntries() {
    List<Timeout> timeouts = burst(MILLION, TimeUnit.DAYS.toMillis(1));
    cancelAll(timeouts);
    assertThat(timer.size()).isZero();
  }

  /** A sweep begins with the first entries, so it finds no cancelled ones for a long time. */
  @Test
  void cancel_burstInReverseOrder_retainsFewEntriesAtEachStep() {
    List<Timeout> timeouts = burst(MILLION, TimeUnit.DAYS.toMillis(1));
    Collections.reverse(timeouts);
    cancelAll(timeouts);
    assertThat(timer.size()).isZero();
  }

  @Test
  void cancel_burstWithRandomDelaysInRandomOrder_retainsFewEntriesAtEachStep() {
    Random random = new Random(1);
    List<Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      timeouts.add(scheduleNothing(random.nextInt(1 << random.nextInt(30))));
    }
    Collections.shuffle(timeouts, random);
    cancelAll(timeouts);
    assertThat(timer.size()).isZero();
  }

  @Test
  void cancel_burstsOfManyShortLivedThreads_retainsFewEntries() throws InterruptedException {
    for (int thread = 0; thread < 32; thread++) {
      Threads.start(() -> cancelAll(burst(20_000, TimeUnit.DAYS.toMillis(1)))).join();
      assertBounded(timer);
    }
    assertThat(timer.size()).isZero();
  }

  @Test
  void cancel_entriesOfManyThreadsOnAnotherThread_retainsFewEntries() throws InterruptedException {
    List<Timeout> timeouts = new ArrayList<>();
    for (int thread = 0; thread < 32; thread++) {
      Threads.start(() -> timeouts.addAll(burst(10_000, TimeUnit.DAYS.toMillis(1)))).join();
    }
    cancelAll(timeouts);
    assertThat(timer.size()).isZero();
  }

  @Test
  void cancel_concurrentThreads_retainsFewEntries() throws InterruptedException {
    Threads.Task bursts =
        () -> {
          for (int i = 0; i < 20; i++) {
            burst(10_000, TimeUnit.DAYS.toMillis(1)).forEach(Timeout::cancel);
          }
        };
    Threads.race(bursts, bursts, bursts, bursts);
    assertThat(timer.size()).isZero();
    assertBounded(timer);
  }

  @Test
  void cancel_burstAroundOtherEntries_theOthersFire() {
    List<Timeout> cancelled = new ArrayList<>();
    AtomicInteger fired = new AtomicInteger();
    for (int i = 0; i < 100_000; i++) {
      if (i % 100 == 0) {
        timer.schedule(fired::incrementAndGet, Duration.ofMillis(i));
      } else {
        cancelled.add(scheduleNothing(i));
      }
    }
    cancelAll(cancelled);
    ticker.advance(Duration.ofSeconds(100));
    assertThat(timer.advance()).isEqualTo(1_000);
    assertThat(fired).hasValue(1_000);
    assertBounded(timer);
  }

  /** Entries that are already due and wait for a late clock are swept, too. */
  @Test
  void cancel_burstOfDueEntries_retainsFewEntries() {
    ticker.advance(Duration.ofSeconds(1));
    assertThat(timer.advance()).isZero();
    cancelAll(burst(200_000, 0));
    assertThat(timer.advance()).isZero();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 1_000, 20_000})
  void schedule_nearlyAllAreCancelled_retainedStaysProportionalToSize(int size) {
    Random random = new Random(size);
    ArrayDeque<Timeout> scheduled = new ArrayDeque<>();
    for (int i = 0; i < 300_000; i++) {
      scheduled.add(scheduleNothing(1 + random.nextInt(MILLION)));
      if (scheduled.size() > size) {
        assertThat(scheduled.remove().cancel()).isTrue();
      }
      if (i % 100 == 0) {
        assertBounded(timer);
      }
    }
    assertBounded(timer);
  }

  /**
   * Some of these counts fill chunks exactly. Even then, the sweep must not find only the entries
   * that were scheduled last.
   */
  @ParameterizedTest
  @ValueSource(ints = {4, 5, 12, 28, 60, 508, 600})
  void schedule_nearlyAllOfEachTickAreCancelledSoon_retainedStaysProportionalToSize(int perTick) {
    ArrayDeque<Timeout> soonCancelled = new ArrayDeque<>();
    for (int tick = 1; tick < 1_000; tick++) {
      scheduleNothing(63);
      for (int i = 1; i < perTick; i++) {
        soonCancelled.add(scheduleNothing(63));
      }
      while (soonCancelled.size() > 2 * perTick) {
        assertThat(soonCancelled.remove().cancel()).isTrue();
      }
      ticker.advance(Duration.ofMillis(1));
      timer.advance();
      assertBounded(timer);
    }
  }

  @Test
  void randomHistories_retainedIsProportionalToSizeAtEachStep() throws InterruptedException {
    for (int seed = 0; seed < 8; seed++) {
      Random random = new Random(seed);
      List<Timeout> scheduled = new ArrayList<>();
      for (int step = 0; step < 40; step++) {
        Threads.start(() -> act(random, scheduled)).join(); // new threads use other stripes
        assertBounded(timer);
      }
      scheduled.forEach(Timeout::cancel);
      assertThat(timer.size()).isZero();
      assertBounded(timer);
    }
  }

  private void act(Random random, List<Timeout> scheduled) {
    switch (random.nextInt(4)) {
      case 0 -> scheduled.addAll(burst(random.nextInt(10_000), random.nextInt(100_000)));
      case 1 -> {
        for (int i = random.nextInt(3_000); i > 0; i--) {
          scheduled.add(scheduleNothing(random.nextInt(1 << random.nextInt(20))));
        }
      }
      case 2 -> {
        int from = random.nextInt(scheduled.size() + 1);
        int to = from + random.nextInt(scheduled.size() - from + 1);
        List<Timeout> some = scheduled.subList(from, to);
        for (Timeout each : some) {
          each.cancel();
          assertBounded(timer);
        }
        some.clear();
      }
      default -> {
        ticker.advance(Duration.ofMillis(random.nextInt(1 << random.nextInt(16))));
        timer.advance();
        scheduled.removeIf(each -> !each.isPending());
      }
    }
  }

  private enum End {
    CANCELLED,
    FIRED
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void timeout_hasEnded_releasesItsTaskImmediately(End end) {
    Object[] payload = {new Object()};
    Timeout timeout = scheduleTaskOf(payload[0]);
    WeakReference<Object> reference = new WeakReference<>(payload[0]);
    payload[0] = new Object();
    System.gc();
    assertThat(reference.get()).as("object of a scheduled task").isNotNull();
    if (end == End.CANCELLED) {
      assertThat(timeout.cancel()).isTrue();
    } else {
      ticker.advance(Duration.ofMillis(1));
      assertThat(timer.advance()).isEqualTo(1);
    }
    Threads.until(
        () -> {
          System.gc();
          return reference.get() == null;
        });
    assertThat(timeout.isPending()).isFalse();
    assertThat(timer.size()).isZero();
  }

  private Timeout scheduleTaskOf(Object payload) {
    List<Object> sink = new ArrayList<>();
    return timer.schedule(() -> sink.add(payload), Duration.ofMillis(1));
  }

  @Test
  void size_alarms_areNotCounted() {
    AtomicInteger fired = new AtomicInteger();
    Alarm alarm = new Alarm(1_000_000, fired::incrementAndGet);
    Alarm cancelled = new Alarm(1_000_000, fired::incrementAndGet);
    Alarm cleared = new Alarm(1_000_000, fired::incrementAndGet);
    for (Alarm each : List.of(alarm, cancelled, cleared)) {
      wheels.schedule(each, timer.now());
    }
    scheduleNothing(1);
    assertThat(timer.size()).isEqualTo(1);
    assertThat(TimerInternals.of(timer).wheels().retained()).isEqualTo(4);
    assertThat(wheels.cancel(cancelled)).isTrue();
    cleared.clear();
    assertThat(timer.size()).isEqualTo(1);
    ticker.advance(Duration.ofMillis(1));
    assertThat(timer.advance()).isEqualTo(1);
    assertThat(fired).hasValue(1);
    assertThat(timer.size()).isZero();
    assertThat(TimerInternals.of(timer).wheels().retained()).isZero();
  }

  /** They are cancelled late, as a stripe drops by itself what ends while it is new. */
  @Test
  void alarmsThatAreCancelled_areSwept() {
    assertThat(timer.schedule(() -> {}, Duration.ofHours(1)).cancel()).isTrue();
    for (int i = 0; i < 100; i++) {
      List<Alarm> alarms = Stream.generate(this::scheduleAlarm).limit(1_000).toList();
      alarms.forEach(each -> assertThat(wheels.cancel(each)).isTrue());
    }
    assertThat(TimerInternals.of(timer).wheels().retained()).isLessThan(4_000);
    assertThat(timer.size()).isZero();
  }

  private Alarm scheduleAlarm() {
    Alarm alarm = new Alarm(Duration.ofHours(1).toNanos(), () -> {});
    wheels.schedule(alarm, timer.now());
    return alarm;
  }

  /** Runs once in each period without skipping one, and records its deadlines and stack depths. */
  private static final class FixedRate implements Runnable {
    private final Timer timer;
    private final long periodNanos;
    private final List<Long> log;
    private final List<Integer> depths = new ArrayList<>();
    private long next;

    FixedRate(Timer timer, long periodNanos, List<Long> log) {
      this.timer = timer;
      this.periodNanos = periodNanos;
      this.log = log;
      next = timer.now() + periodNanos;
      timer.scheduleAt(this, next);
    }

    @Override
    public void run() {
      log.add(next);
      depths.add(new Throwable().getStackTrace().length);
      next += periodNanos;
      timer.scheduleAt(this, next);
    }
  }

  @Test
  void scheduleAt_fixedRateAfterAPause_runsEachPeriodWithoutRecursion() {
    List<Long> log = new ArrayList<>();
    FixedRate task = new FixedRate(timer, 1_000_000, log);
    ticker.advance(Duration.ofSeconds(3));
    assertThat(timer.advance()).isEqualTo(3_000);
    assertThat(log)
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 3_000).mapToObj(i -> i * 1_000_000).toList());
    assertThat(Collections.max(task.depths)).isEqualTo(Collections.min(task.depths));
    ticker.advance(Duration.ofMillis(1));
    assertThat(timer.advance()).as("next period").isEqualTo(1);
  }

  @Test
  void scheduleAt_severalFixedRatesAfterAPause_runInTheOrderOfTheirDeadlines() {
    List<Long> log = new ArrayList<>();
    for (long millis : new long[] {1, 5, 70, 300}) {
      FixedRate unused = new FixedRate(timer, TimeUnit.MILLISECONDS.toNanos(millis), log);
    }
    ticker.advance(Duration.ofSeconds(3));
    assertThat(timer.advance()).isEqualTo(3_000 + 600 + 42 + 10);
    assertThat(log).isSorted();
  }

  @Test
  void scheduleAt_fixedRatesThatAlsoScheduleForLater_runInTheOrderOfTheirDeadlines() {
    List<Long> log = new ArrayList<>();
    Runnable schedulesATimeout = () -> scheduleNothing(10_000);
    for (long millis : new long[] {1, 5, 70}) {
      FixedRate unused = new FixedRate(timer, TimeUnit.MILLISECONDS.toNanos(millis), log);
      for (int i = 0; i < 100; i++) {
        timer.schedule(schedulesATimeout, Duration.ofMillis(i * millis));
      }
    }
    ticker.advance(Duration.ofSeconds(7));
    timer.advance();
    assertThat(log).hasSize(7_000 + 1_400 + 100).isSorted();
  }

  private static final class Entry extends TimerEntry {
    private final Runnable action;

    Entry(long deadline, Runnable action) {
      super(deadline);
      this.action = action;
    }

    @Override
    public void onTimeout() {
      action.run();
    }
  }

  private static Entry insert(TimingWheels wheels, long deadline) {
    Entry entry = new Entry(deadline, () -> {});
    assertThat(entry.begin()).isTrue();
    wheels.insert(entry, 0);
    return entry;
  }

  private static final int MANY = 200_000;

  /** Inserts many entries into the bucket of ticks 64,000 to 64,063. */
  private static List<Entry> manyInAnUpperBucket(TimingWheels wheels) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      entries.add(insert(wheels, 64_000 + i % 64));
    }
    return entries;
  }

  @Test
  void advance_largeUpperBucket_takesABoundedNumberOfStepsPerCall() {
    TimingWheels wheels = new TimingWheels(1, 64);
    manyInAnUpperBucket(wheels);
    TimerEntry[] fired = new TimerEntry[100];
    int calls = 0;
    while (wheels.nextDue() <= 64_063) {
      WheelsView.advance(wheels, 64_063, fired);
      calls++;
    }
    assertThat(wheels.size()).isZero();
    assertThat(calls).as("calls of 100 steps").isBetween(MANY / 100, 3 * MANY / 100);
  }

  @Test
  void advance_largeUpperBucketIsBeingSplit_dueEntriesFireFirst() {
    TimingWheels wheels = new TimingWheels(1, 64);
    manyInAnUpperBucket(wheels);
    advanceUntilSplitting(wheels);
    long start = wheels.nextDue();
    TimerEntry[] fired = new TimerEntry[1];
    for (long tick = wheels.clock + 1; tick < start; tick++) {
      Entry neighbour = insert(wheels, tick);
      wheels.splitAhead(1);
      assertThat(WheelsView.advance(wheels, tick, fired)).isEqualTo(1);
      assertThat(fired[0]).isSameAs(neighbour);
    }
    assertThat(wheels.isSplitting()).isTrue();
  }

  @Test
  void splitAhead_calledBetweenAdvances_finishesBeforeTheBucketStarts() {
    TimingWheels wheels = new TimingWheels(1, 64);
    manyInAnUpperBucket(wheels);
    TimerEntry[] fired = new TimerEntry[256];
    int maxCalls = 0;
    while (wheels.nextDue() < 64_000) {
      assertThat(WheelsView.advance(wheels, wheels.nextDue(), fired)).isZero();
      int calls = 0;
      for (; wheels.isSplitting(); calls++) {
        wheels.splitAhead(256);
      }
      maxCalls = Math.max(maxCalls, calls);
    }
    assertThat(maxCalls).isEqualTo(MANY / 256 + 1);
    assertThat(wheels.clock).isLessThan(64_000);
    assertThat(wheels.buckets()).allMatch(bucket -> bucket.resolution == 1 || bucket.isEmpty());
    for (long tick = 64_000; tick < 64_064; tick++) {
      int count = 0;
      while (wheels.nextDue() <= tick) {
        count += WheelsView.advance(wheels, tick, fired);
      }
      assertThat(count).as("fired at tick %s", tick).isEqualTo(MANY / 64);
    }
  }

  @Test
  void advance_calledWhenDueLikeTheClockThread_splitsAheadInFewCalls() throws InterruptedException {
    for (int i = 0; i < 2_000; i++) {
      scheduleNothing(64_000 + i % 64);
    }
    int advances = 0;
    while (timer.size() > 0) {
      while (timer.awaitDue(0)) {
        timer.advance();
        advances++;
      }
      ticker.advance(Duration.ofMillis(1));
    }
    int levels = 3;
    assertThat(advances).isLessThan(64 + levels * (2_000 / Stripe.BATCH + 3));
  }

  @Test
  void splitAhead_cancelledEntries_areRemovedInsteadOfMoved() {
    TimingWheels wheels = new TimingWheels(1, 64);
    List<Entry> entries = manyInAnUpperBucket(wheels);
    advanceUntilSplitting(wheels);
    for (int i = 1; i < MANY; i++) {
      assertThat(entries.get(i).end()).isTrue();
    }
    int before = wheels.size();
    wheels.splitAhead(1_000);
    assertThat(wheels.size()).isEqualTo(before - 999);
    while (wheels.isSplitting()) {
      wheels.splitAhead(1_000);
    }
    assertThat(wheels.size()).isEqualTo(1);
  }

  private static void advanceUntilSplitting(TimingWheels wheels) {
    TimerEntry[] fired = new TimerEntry[1];
    while (!wheels.isSplitting()) {
      assertThat(WheelsView.advance(wheels, wheels.nextDue(), fired)).isZero();
    }
  }

  @Test
  void advance_allOfALargeUpperBucketWereCancelled_removesABoundedNumberPerCall() {
    TimingWheels wheels = new TimingWheels(1, 64);
    List<Entry> entries = manyInAnUpperBucket(wheels);
    entries.forEach(each -> assertThat(each.end()).isTrue());
    TimerEntry[] fired = new TimerEntry[256];
    while (wheels.size() > 0) {
      int before = wheels.size();
      assertThat(WheelsView.advance(wheels, 64_063, fired)).isZero();
      assertThat(before - wheels.size()).isLessThanOrEqualTo(256);
      before = wheels.size();
      long unused = wheels.nextDue();
      assertThat(before - wheels.size()).isLessThanOrEqualTo(2 * Chunk.MAX_LENGTH);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1_000, 1_000_000, 1_000_000_000})
  void advance_clockJumpsByAMinute_firesInTheOrderOfDeadlines(long tickNanos) {
    Timer timer =
        Timer.builder().ticker(ticker).tick(Duration.ofNanos(tickNanos)).wheelSize(4).build();
    Random random = new Random(tickNanos);
    List<Long> fired = new ArrayList<>();
    List<Long> deadlines = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      long deadline = deadline(random, i);
      deadlines.add(deadline);
      timer.scheduleAt(() -> fired.add(deadline), deadline);
    }
    ticker.advance(Duration.ofSeconds(61));
    assertThat(timer.advance()).isEqualTo(2_000);
    deadlines.sort(Comparator.naturalOrder());
    assertThat(fired).isEqualTo(deadlines);
  }

  /** Returns a deadline within a minute; one in ten is within a millisecond before 7 s. */
  private static long deadline(Random random, int i) {
    return i % 10 == 0
        ? 7_000_000_000L - random.nextInt(1_000_000)
        : (long) (random.nextDouble() * 60_000_000_000L);
  }

  @Test
  void advance_clockJumpsPastTwoTimeouts_firesTheEarlierFirst() {
    List<Integer> fired = new ArrayList<>();
    for (int seconds : new int[] {10, 9, 50, 1}) {
      timer.schedule(() -> fired.add(seconds), Duration.ofSeconds(seconds));
    }
    ticker.advance(Duration.ofMinutes(1));
    assertThat(timer.advance()).isEqualTo(4);
    assertThat(fired).containsExactly(1, 9, 10, 50);
  }
}
