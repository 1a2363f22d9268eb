package dev.purgatory.timer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimingWheelsTest {
  private static final long NEVER = TimingWheels.NEVER;

  private static final List<Integer> WHEEL_SIZES = List.of(2, 3, 20, 64, 512);

  private static final List<Long> TICKS = List.of(1L, 7L, 1_000L, 1_000_000L, 1_000_000_000L);

  private static final List<Long> START_CLOCKS =
      List.of(
          0L,
          1L,
          Duration.ofDays(12).toNanos(),
          Duration.ofDays(50).toNanos(),
          (1L << 31) - 1,
          (1L << 32) - 1,
          (1L << 62) - 1,
          Duration.ofDays(290 * 365).toNanos(),
          Long.MAX_VALUE - Duration.ofDays(1).toNanos(),
          Long.MAX_VALUE - 1_000);

  private static final class Entry extends TimerEntry {
    Entry(long deadline) {
      assertThat(begin(deadline)).isTrue();
    }

    @Override
    protected void onTimeout() {
      throw new AssertionError("the wheels call nobody");
    }

    @Override
    public String toString() {
      return "entry due at " + deadline;
    }
  }

  private static Entry insert(TimingWheels wheels, long deadline) {
    Entry entry = new Entry(deadline);
    wheels.insert(entry);
    return entry;
  }

  /** Advances until nothing is left to do at this time. */
  private static List<TimerEntry> advance(TimingWheels wheels, long now) {
    return advance(wheels, now, 256);
  }

  private static List<TimerEntry> advance(TimingWheels wheels, long now, int budget) {
    List<TimerEntry> fired = new ArrayList<>();
    TimerEntry[] array = new TimerEntry[budget];
    do {
      int count = wheels.advance(now, array);
      fired.addAll(Arrays.asList(array).subList(0, count));
    } while (wheels.isBehind());
    return fired;
  }

  /** Finds the bucket that an entry is in, however many there are. */
  private static Bucket bucketOf(TimingWheels wheels, TimerEntry entry) {
    for (Bucket bucket : wheels.buckets()) {
      if (contents(bucket).contains(entry)) {
        return bucket;
      }
    }
    return fail(entry + " is in no bucket");
  }

  /** All entries of a bucket, those included that have ended. */
  private static Set<TimerEntry> contents(Bucket bucket) {
    Set<TimerEntry> contents = identitySet();
    bucket.forEach(contents::add);
    return contents;
  }

  @Test
  void insert_workedExample_linksIntoTheLowestLevelThatReaches() {
    TimingWheels wheels = new TimingWheels(1, 3);
    assertThat(wheels.nextDue()).isEqualTo(NEVER);

    Entry two = insert(wheels, 2);
    Entry five = insert(wheels, 5);
    Entry ten = insert(wheels, 10);
    assertThat(bucketOf(wheels, two).tick).isEqualTo(2);
    assertThat(bucketOf(wheels, five).tick).isEqualTo(3);
    assertThat(bucketOf(wheels, ten).tick).isEqualTo(9);
    assertThat(wheels.size()).isEqualTo(3);
    assertThat(wheels.nextDue()).isEqualTo(2);

    assertThat(advance(wheels, 1)).isEmpty();
    assertThat(advance(wheels, 2)).containsExactly(two);
    assertThat(wheels.nextDue()).isEqualTo(3);

    assertThat(advance(wheels, 3)).isEmpty();
    assertThat(bucketOf(wheels, five).tick).isEqualTo(5);
    assertThat(wheels.nextDue()).isEqualTo(5);
    assertThat(advance(wheels, 4)).isEmpty();
    assertThat(advance(wheels, 5)).containsExactly(five);
    assertThat(wheels.nextDue()).isEqualTo(9);

    assertThat(advance(wheels, 9)).isEmpty();
    assertThat(bucketOf(wheels, ten).tick).isEqualTo(10);
    assertThat(advance(wheels, 10)).containsExactly(ten);
    assertThat(wheels.size()).isZero();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
  }

  @Test
  void insert_lastDeadlineOfALevel_staysOnIt_andTheNextDoesNot() {
    TimingWheels wheels = new TimingWheels(1, 3);
    assertThat(bucketOf(wheels, insert(wheels, 2)).tick).isEqualTo(2);
    assertThat(bucketOf(wheels, insert(wheels, 3)).tick).isEqualTo(3);
    assertThat(bucketOf(wheels, insert(wheels, 4)).tick).isEqualTo(3);
    assertThat(bucketOf(wheels, insert(wheels, 8)).tick).isEqualTo(6);
    assertThat(bucketOf(wheels, insert(wheels, 9)).tick).isEqualTo(9);
    assertThat(bucketOf(wheels, insert(wheels, 17)).tick).isEqualTo(9);
    assertThat(bucketOf(wheels, insert(wheels, 26)).tick).isEqualTo(18);
    assertThat(bucketOf(wheels, insert(wheels, 27)).tick).isEqualTo(27);
    assertThat(advance(wheels, 27)).hasSize(8);
  }

  @Test
  void insert_clockHasMoved_reachIsCountedFromThere() {
    TimingWheels wheels = new TimingWheels(1, 3);
    advance(wheels, 1);
    assertThat(bucketOf(wheels, insert(wheels, 3)).tick).as("level 1").isEqualTo(3);
    assertThat(bucketOf(wheels, insert(wheels, 4)).tick).as("level 2").isEqualTo(3);
    assertThat(bucketOf(wheels, insert(wheels, 8)).tick).as("level 2").isEqualTo(6);
    assertThat(advance(wheels, 4)).hasSize(2);
    assertThat(bucketOf(wheels, insert(wheels, 12)).tick).as("level 3").isEqualTo(9);
    assertThat(advance(wheels, 12)).hasSize(2);
  }

  @Test
  void insert_dueAlready_firesWithTheNextAdvance() {
    TimingWheels wheels = new TimingWheels(10, 3);
    assertThat(advance(wheels, 1_000)).isEmpty();
    Entry past = insert(wheels, 0);
    Entry present = insert(wheels, 1_000);
    assertThat(wheels.nextDue()).isEqualTo(1_000);
    assertThat(advance(wheels, 1_000)).containsExactlyInAnyOrder(past, present);
  }

  @Test
  void advance_cascade_movesAnEntryDownThroughAllLevels() {
    TimingWheels wheels = new TimingWheels(1, 3);
    long deadline = 3 * 3 * 3 * 3 + 2 * 27 + 9 + 2 * 3 + 1;
    Entry entry = insert(wheels, deadline);
    List<Long> begins = new ArrayList<>();
    while (wheels.size() > 0) {
      begins.add(bucketOf(wheels, entry).tick);
      assertThat(wheels.nextDue()).isEqualTo(bucketOf(wheels, entry).tick);
      advance(wheels, wheels.nextDue());
    }
    assertThat(begins).containsExactly(81L, 81L + 54, 81L + 54 + 9, 81L + 54 + 9 + 6, deadline);
  }

  @ParameterizedTest
  @FieldSource("WHEEL_SIZES")
  void advance_toEachTimeThatNextDueNames_takesOneStepPerLevelAtMost(int wheelSize) {
    for (long tick : TICKS) {
      for (long start : START_CLOCKS.subList(0, START_CLOCKS.size() - 1)) {
        TimingWheels wheels = new TimingWheels(tick, wheelSize);
        advance(wheels, start);
        long deadline = start + TimeUnit.HOURS.toNanos(1);
        insert(wheels, deadline);
        int levels = (int) (Math.log((double) deadline / tick + 1) / Math.log(wheelSize)) + 2;
        int steps = 0;
        for (long now = start; wheels.size() > 0; steps++) {
          assertThat(wheels.nextDue()).isGreaterThan(now).isLessThanOrEqualTo(deadline + tick);
          now = wheels.nextDue();
          boolean fired = !advance(wheels, now).isEmpty();
          assertThat(fired).as("at %s for %s", now, deadline).isEqualTo(now >= deadline);
        }
        assertThat(steps).as("tick %s, start %s", tick, start).isLessThanOrEqualTo(levels);
      }
    }
  }

  @Test
  void end_inEachPhase_neverFires() {
    TimingWheels wheels = new TimingWheels(1, 3);
    Entry upper = insert(wheels, 100);
    Entry lowest = insert(wheels, 1);
    Entry cascaded = insert(wheels, 28);
    Entry[] due = {insert(wheels, 27), insert(wheels, 27), insert(wheels, 27)};

    assertThat(upper.end()).isTrue();
    assertThat(upper.end()).isFalse();
    assertThat(lowest.end()).isTrue();
    assertThat(wheels.nextDue()).isEqualTo(27);

    // Behind: the first phase is done, the second has handled one of four.
    TimerEntry[] one = new TimerEntry[1];
    int fired = wheels.advance(27, one);
    assertThat(wheels.isBehind()).isTrue();
    assertThat(wheels.nextDue()).isLessThanOrEqualTo(27);
    for (Entry entry : due) {
      fired += entry.end() ? 1 : 0;
    }
    assertThat(fired).isEqualTo(3);
    assertThat(advance(wheels, 27)).isEmpty();
    assertThat(bucketOf(wheels, cascaded).tick).isEqualTo(28);
    assertThat(cascaded.end()).isTrue();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
    assertThat(advance(wheels, 1_000)).isEmpty();
    assertThat(wheels.size()).isZero();
  }

  @Test
  void end_lastOfABucket_bucketServesAgain() {
    TimingWheels wheels = new TimingWheels(1, 4);
    assertThat(insert(wheels, 3).end()).isTrue();
    Entry again = insert(wheels, 3);
    assertThat(wheels.nextDue()).isEqualTo(3);
    assertThat(advance(wheels, 3)).containsExactly(again);
    assertThat(insert(wheels, 6).end()).isTrue();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
    Entry sameSlot = insert(wheels, 6);
    assertThat(advance(wheels, 5)).isEmpty();
    assertThat(advance(wheels, 6)).containsExactly(sameSlot);
  }

  @Test
  void nextDue_manyOfABucketHaveEnded_looksAtABoundedNumber() {
    TimingWheels wheels = new TimingWheels(1, 64);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 400; j++) {
        insert(wheels, 5);
      }
      wheels.buckets().forEach(bucket -> bucket.forEach(TimerEntry::end));
    }
    int before = wheels.size();
    long due = wheels.nextDue();
    assertThat(before - wheels.size()).isLessThanOrEqualTo(2 * Chunk.MAX_LENGTH);
    assertThat(due).isEqualTo(wheels.size() == 0 ? NEVER : 5);
  }

  @Test
  void insert_nearlyAllEnd_whatIsKeptStaysInProportion() {
    for (int scheduled : new int[] {1, 10, 1_000, 20_000}) {
      TimingWheels wheels = new TimingWheels(1, 64);
      ArrayDeque<Entry> inside = new ArrayDeque<>();
      Random random = new Random(scheduled);
      for (int i = 0; i < 300_000; i++) {
        inside.add(insert(wheels, 1 + random.nextInt(1_000_000)));
        if (inside.size() > scheduled) {
          assertThat(inside.remove().end()).isTrue();
        }
      }
      int most = 4 * scheduled + 64 * 6 * Chunk.MAX_LENGTH;
      assertThat(wheels.size()).as("for %s", scheduled).isBetween(scheduled, most);
    }
  }

  /** With as many as fill chunks exactly, the sweeper must not meet only those that came last. */
  @ParameterizedTest
  @ValueSource(ints = {4, 5, 12, 28, 60, 508, 600})
  void insert_eachTickNearlyAllEndSoon_whatIsKeptStaysInProportion(int inATick) {
    TimingWheels wheels = new TimingWheels(1, 64);
    ArrayDeque<Entry> soonEnded = new ArrayDeque<>();
    for (int tick = 1; tick < 1_000; tick++) {
      insert(wheels, tick + 63);
      for (int i = 1; i < inATick; i++) {
        soonEnded.add(insert(wheels, tick + 63));
      }
      while (soonEnded.size() > 2 * inATick) {
        assertThat(soonEnded.remove().end()).isTrue();
      }
      advance(wheels, tick);
      int scheduled = 64 + soonEnded.size();
      assertThat(wheels.size()).as("tick %s", tick).isLessThan(4 * (scheduled + 64));
    }
  }

  @Test
  void sweep_someEnd_keepsTheOthersInOrder() {
    TimingWheels wheels = new TimingWheels(1, 64);
    List<TimerEntry> kept = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      Entry entry = insert(wheels, 5);
      if (i % 7 == 0) {
        kept.add(entry);
      } else {
        assertThat(entry.end()).isTrue();
      }
    }
    wheels.sweep(5_000);
    wheels.sweep(5_000);
    assertThat(wheels.size()).isEqualTo(kept.size());
    assertThat(advance(wheels, 5)).isEqualTo(kept);
  }

  @Test
  void advance_whileBehind_laterTimeIsHandledToo() {
    TimingWheels wheels = new TimingWheels(1, 3);
    Entry early = insert(wheels, 9);
    Entry late = insert(wheels, 12);
    TimerEntry[] one = new TimerEntry[1];
    assertThat(wheels.advance(9, one)).isEqualTo(1);
    assertThat(one[0]).isSameAs(early);
    assertThat(wheels.isBehind()).isTrue();
    Entry whileBehind = insert(wheels, 13);
    assertThat(advance(wheels, 13, 1)).containsExactlyInAnyOrder(late, whileBehind);
  }

  @Test
  void advance_backwards_clockStands() {
    TimingWheels wheels = new TimingWheels(1, 8);
    assertThat(advance(wheels, 100)).isEmpty();
    Entry entry = insert(wheels, 101);
    assertThat(advance(wheels, 50)).isEmpty();
    assertThat(advance(wheels, 100)).isEmpty();
    assertThat(advance(wheels, 101)).containsExactly(entry);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 7, 10, 1_000_000})
  void advance_tickDoesNotDivideTheDelay_neverEarlyAndLessThanATickLate(long tick) {
    for (int wheelSize : WHEEL_SIZES) {
      for (long delay = 1; delay < 50; delay++) {
        TimingWheels wheels = new TimingWheels(tick, wheelSize);
        advance(wheels, 5);
        long deadline = 5 + delay;
        insert(wheels, deadline);
        assertThat(advance(wheels, deadline - 1)).isEmpty();
        assertThat(advance(wheels, deadline + tick - 1)).hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("START_CLOCKS")
  void advance_jumpOfAYear_firesAllThatIsDueAndNothingElse(long start) {
    long year = Math.min(Duration.ofDays(365).toNanos(), Long.MAX_VALUE - start);
    for (long tick : TICKS) {
      for (int wheelSize : WHEEL_SIZES) {
        TimingWheels wheels = new TimingWheels(tick, wheelSize);
        advance(wheels, start);
        int due = 0;
        for (long delay = 1; delay > 0 && delay <= Long.MAX_VALUE - start; delay *= 3) {
          insert(wheels, start + delay);
          due += firesBy(start + delay, tick, start + year) ? 1 : 0;
        }
        int all = wheels.size();
        assertThat(advance(wheels, start + year, 3)).hasSize(due);
        assertThat(wheels.size()).isEqualTo(all - due);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("START_CLOCKS")
  void insert_latestDeadlineThereIs_neverFiresEarly(long start) {
    for (long tick : TICKS) {
      for (int wheelSize : WHEEL_SIZES) {
        TimingWheels wheels = new TimingWheels(tick, wheelSize);
        advance(wheels, start);
        Entry entry = insert(wheels, Long.MAX_VALUE);
        assertThat(advance(wheels, Long.MAX_VALUE - 1)).isEmpty();
        assertThat(wheels.size()).isEqualTo(1);
        boolean onATick = Long.MAX_VALUE % tick == 0;
        assertThat(advance(wheels, Long.MAX_VALUE)).hasSize(onATick ? 1 : 0);
        assertThat(entry.end()).isEqualTo(!onATick);
        assertThat(wheels.nextDue()).isEqualTo(NEVER);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 256})
  void advance_smallBudget_firesTheSameInSmallPortions(int budget) {
    TimingWheels wheels = new TimingWheels(1, 3);
    Set<TimerEntry> expected = identitySet();
    for (int i = 0; i < 500; i++) {
      Entry entry = insert(wheels, 1 + i % 50);
      if (entry.deadline <= 40) {
        expected.add(entry);
      }
    }
    TimerEntry[] array = new TimerEntry[budget];
    Set<TimerEntry> fired = identitySet();
    int calls = 0;
    do {
      int count = wheels.advance(40, array);
      assertThat(fired.addAll(Arrays.asList(array).subList(0, count)) || count == 0).isTrue();
      assertThat(wheels.size()).isEqualTo(500 - fired.size());
      calls++;
    } while (wheels.isBehind());
    assertThat(fired).isEqualTo(expected);
    assertThat(calls).isLessThanOrEqualTo(500 / budget + 1);
  }

  @Test
  void advance_randomPrograms_agreeWithASortedMap() {
    for (int seed = 0; seed < 6_000; seed++) {
      try {
        new Model(seed).run();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static Set<TimerEntry> identitySet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /** The time at which an entry fires, or a negative number if that is past the end of time. */
  private static long roundedUp(long deadline, long tick) {
    long past = deadline % tick;
    return past == 0 ? deadline : deadline + (tick - past);
  }

  private static boolean firesBy(long deadline, long tick, long now) {
    long fires = roundedUp(deadline, tick);
    return fires >= 0 && fires <= now;
  }

  /** Does the same to the wheels and to a sorted map, and compares. */
  private static final class Model {
    private final Random random;
    private final long tick;
    private final int wheelSize;
    private final TimingWheels wheels;
    private final NavigableMap<Long, Set<TimerEntry>> reference = new TreeMap<>();
    private final List<Entry> inside = new ArrayList<>();
    private long now;

    Model(long seed) {
      random = new Random(seed);
      tick = pick(TICKS);
      wheelSize = pick(WHEEL_SIZES);
      wheels = new TimingWheels(tick, wheelSize);
      now = pick(START_CLOCKS);
    }

    private <T> T pick(List<T> list) {
      return list.get(random.nextInt(list.size()));
    }

    void run() {
      advance(256);
      int steps = 10 + random.nextInt(40);
      for (int i = 0; i < steps; i++) {
        switch (random.nextInt(5)) {
          case 0, 1 -> insertSome();
          case 2 -> endOne();
          case 3 -> advanceBySome();
          default -> advanceToNextDue();
        }
        check();
      }
    }

    private void insertSome() {
      for (int i = random.nextInt(4); i >= 0; i--) {
        long delay = interestingSpan();
        Entry entry = new Entry(delay > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + delay);
        wheels.insert(entry);
        inside.add(entry);
        reference.computeIfAbsent(key(entry), k -> identitySet()).add(entry);
      }
    }

    private long key(TimerEntry entry) {
      long fires = roundedUp(entry.deadline, tick);
      return fires < 0 ? NEVER : fires;
    }

    /** Around the edges of ticks and levels, or anything. */
    private long interestingSpan() {
      long edge = tick;
      for (int level = random.nextInt(6);
          level > 0 && edge <= Long.MAX_VALUE / wheelSize;
          level--) {
        edge *= wheelSize;
      }
      return switch (random.nextInt(8)) {
        case 0 -> 0;
        case 1 -> edge - 1;
        case 2 -> edge;
        case 3 -> edge == Long.MAX_VALUE ? edge : edge + 1;
        case 4 -> Long.MAX_VALUE;
        case 5 -> random.nextLong() >>> (1 + random.nextInt(63));
        default -> (long) (random.nextDouble() * edge);
      };
    }

    private void endOne() {
      if (!inside.isEmpty()) {
        Entry entry = inside.remove(random.nextInt(inside.size()));
        assertThat(entry.end()).isTrue();
        removeFromReference(entry);
      }
    }

    private void removeFromReference(TimerEntry entry) {
      Set<TimerEntry> sameTime = requireNonNull(reference.get(key(entry)));
      assertThat(sameTime.remove(entry)).isTrue();
      if (sameTime.isEmpty()) {
        reference.remove(key(entry));
      }
    }

    private void advanceBySome() {
      long span = interestingSpan();
      now = span > Long.MAX_VALUE - now ? now : now + span;
      advance(1 + random.nextInt(5));
    }

    private void advanceToNextDue() {
      long due = wheels.nextDue();
      if (due != NEVER) {
        now = Math.max(now, due);
        advance(1 + random.nextInt(5));
      }
    }

    /** Advances in portions, and now and then ends something in between. */
    private void advance(int budget) {
      TimerEntry[] array = new TimerEntry[budget];
      do {
        int count = wheels.advance(now, array);
        for (TimerEntry entry : Arrays.asList(array).subList(0, count)) {
          assertThat(firesBy(entry.deadline, tick, now)).as("%s at %s", entry, now).isTrue();
          removeFromReference(entry);
          assertThat(inside.remove(entry)).isTrue();
        }
        check();
        if (random.nextInt(4) == 0) {
          endOne();
        }
      } while (wheels.isBehind());
      assertThat(overdue()).as("should have fired by %s", now).isEmpty();
    }

    private NavigableMap<Long, Set<TimerEntry>> overdue() {
      NavigableMap<Long, Set<TimerEntry>> due = new TreeMap<>(reference.headMap(now, true));
      due.remove(NEVER); // the end of time is on a tick only where the deadline is
      return due;
    }

    private void check() {
      if (inside.isEmpty()) {
        assertThat(wheels.nextDue()).isEqualTo(wheels.isBehind() ? now - now % tick : NEVER);
      } else {
        assertThat(wheels.nextDue()).isLessThanOrEqualTo(Math.max(reference.firstKey(), now));
        long present = now - now % tick;
        assertThat(wheels.nextDue() > present || wheels.isBehind()).isTrue();
      }
      Set<TimerEntry> found = identitySet();
      for (Bucket bucket : wheels.buckets()) {
        bucket.forEach(entry -> check(bucket, entry, found));
      }
      assertThat(found).hasSize(wheels.size()).containsAll(inside);
    }

    private void check(Bucket bucket, TimerEntry entry, Set<TimerEntry> found) {
      assertThat(found.add(entry)).as("%s is in one place", entry).isTrue();
      if (!bucket.queued) {
        assertThat(wheels.isBehind()).as("%s is on the list of what is due", entry).isTrue();
        return;
      }
      assertThat(bucket.tick).isGreaterThan(now / tick);
      long at = entry.deadline / tick + (entry.deadline % tick == 0 ? 0 : 1);
      assertThat(isBucketOf(bucket.tick, at)).as("%s in bucket %s", at, bucket.tick).isTrue();
    }

    /** Whether a level has a bucket that begins there and spans the tick. */
    private boolean isBucketOf(long begin, long at) {
      for (long resolution = 1; ; resolution *= wheelSize) {
        if (at / resolution * resolution == begin) {
          return true;
        }
        if (resolution > at / wheelSize) {
          return false;
        }
      }
    }
  }
}
