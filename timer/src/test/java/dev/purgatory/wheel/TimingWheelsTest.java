package dev.purgatory.wheel;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
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

  private static final Comparator<TimerEntry> BY_DEADLINE =
      Comparator.comparingLong(TimerEntry::deadline);

  private static final List<Integer> WHEEL_SIZES = List.of(2, 4, 16, 64, 512);

  private static final List<Integer> MOST_SORTED = List.of(0, 3, 512);

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

  /** An entry that is scheduled, and only ever visited. */
  static final class Entry extends TimerEntry {
    Entry(long deadline) {
      super(deadline);
      assertThat(begin()).isTrue();
    }

    @Override
    public void onTimeout() {
      throw new AssertionError("the wheels must not call entries");
    }

    @Override
    public String toString() {
      return "entry due at " + deadline();
    }
  }

  /** Inserts at time 0, which does not move the clock of the wheels. */
  private static Entry insert(TimingWheels wheels, long deadline) {
    return insert(wheels, deadline, 0);
  }

  private static Entry insert(TimingWheels wheels, long deadline, long now) {
    Entry entry = new Entry(deadline);
    assertThat(wheels.insert(entry, now)).isLessThanOrEqualTo(firesAt(wheels, deadline));
    assertThat(wheels.nextDue()).isLessThanOrEqualTo(firesAt(wheels, deadline));
    return entry;
  }

  /** Advances until all entries that are due at this time have fired. */
  private static List<TimerEntry> advance(TimingWheels wheels, long now) {
    return advance(wheels, now, 256);
  }

  private static List<TimerEntry> advance(TimingWheels wheels, long now, int budget) {
    List<TimerEntry> fired = new ArrayList<>();
    TimerEntry[] array = new TimerEntry[budget];
    int more = now == NEVER ? 64 * wheels.size() : 0; // nextDue() is ambiguous at NEVER
    do {
      int count = WheelsView.advance(wheels, now, array);
      for (TimerEntry entry : Arrays.asList(array).subList(0, count)) {
        assertThat(entry.end()).isTrue();
        fired.add(entry);
      }
    } while (isBehind(wheels, now) || more-- > 0);
    return fired;
  }

  private static boolean isBehind(TimingWheels wheels, long now) {
    long due = wheels.nextDue();
    return due <= now && due != NEVER;
  }

  /** Returns when an entry that is inserted now fires at the latest. */
  private static long firesAt(TimingWheels wheels, long deadline) {
    long tick = wheels.tickNanos;
    long floor = deadline - deadline % tick;
    long roundedUp = floor == deadline ? floor : floor > NEVER - tick ? NEVER : floor + tick;
    return Math.max(roundedUp, wheels.time());
  }

  /** Returns the first and the last tick of the bucket that an entry is in. */
  private static String spanOf(TimingWheels wheels, TimerEntry entry) {
    Bucket bucket = bucketOf(wheels, entry);
    return bucket.start + ".." + (bucket.start + bucket.resolution - 1);
  }

  /** Returns wheels that sort no buckets: those whose entries came out of order are split. */
  private static TimingWheels splittingWheels() {
    return new TimingWheels(1, 4, 0, /* mostSorted= */ 0);
  }

  /** Searches all buckets for the one that an entry is in. */
  private static Bucket bucketOf(TimingWheels wheels, TimerEntry entry) {
    for (Bucket bucket : wheels.buckets()) {
      if (contents(bucket).contains(entry)) {
        return bucket;
      }
    }
    return fail(entry + " is in no bucket");
  }

  private static List<TimerEntry> all(Bucket bucket) {
    return bucket.first(Integer.MAX_VALUE);
  }

  /** Returns all entries of a bucket, including those that have ended. */
  private static Set<TimerEntry> contents(Bucket bucket) {
    Set<TimerEntry> contents = identitySet();
    contents.addAll(all(bucket));
    return contents;
  }

  @Test
  void insert_workedExample_usesTheLowestLevelThatReachesTheDeadline() {
    TimingWheels wheels = new TimingWheels(1, 4);
    assertThat(wheels.nextDue()).isEqualTo(NEVER);

    Entry two = insert(wheels, 2);
    Entry seven = insert(wheels, 7);
    Entry fourteen = insert(wheels, 14);
    assertThat(spanOf(wheels, two)).isEqualTo("2..2");
    assertThat(spanOf(wheels, seven)).isEqualTo("7..7");
    assertThat(spanOf(wheels, fourteen)).isEqualTo("12..15");
    assertThat(wheels.size()).isEqualTo(3);
    assertThat(wheels.nextDue()).isEqualTo(2);

    assertThat(advance(wheels, 1)).isEmpty();
    assertThat(advance(wheels, 2)).containsExactly(two);
    assertThat(wheels.nextDue()).isEqualTo(7);
    assertThat(advance(wheels, 7)).containsExactly(seven);
    assertThat(wheels.nextDue()).as("the first entry of bucket 12..15").isEqualTo(14);

    assertThat(advance(wheels, 13)).isEmpty();
    assertThat(spanOf(wheels, fourteen)).isEqualTo("12..15");
    assertThat(advance(wheels, 14)).containsExactly(fourteen);
    assertThat(wheels.size()).isZero();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
  }

  @Test
  void advance_entriesOutOfOrder_splitsTheirBucketAheadOfTime() {
    TimingWheels wheels = splittingWheels();
    Entry fifteen = insert(wheels, 15);
    assertThat(wheels.nextDue()).isEqualTo(15);
    Entry fourteen = insert(wheels, 14);
    assertThat(wheels.nextDue()).as("one span before bucket 12..15").isEqualTo(8);
    assertThat(wheels.isSplitting()).isFalse();

    assertThat(advance(wheels, 8)).isEmpty();
    assertThat(wheels.isSplitting()).isTrue();
    assertThat(spanOf(wheels, fourteen)).isEqualTo("12..15");
    assertThat(wheels.nextDue()).as("start of bucket 12..15").isEqualTo(12);
    wheels.splitAhead(1);
    assertThat(spanOf(wheels, fifteen)).isEqualTo("15..15");
    assertThat(wheels.nextDue()).isEqualTo(12);
    wheels.splitAhead(1);
    assertThat(wheels.isSplitting()).isFalse();
    assertThat(spanOf(wheels, fourteen)).isEqualTo("14..14");
    assertThat(wheels.nextDue()).isEqualTo(14);

    assertThat(advance(wheels, 13)).isEmpty();
    assertThat(advance(wheels, 14)).containsExactly(fourteen);
    assertThat(advance(wheels, 15)).containsExactly(fifteen);
    assertThat(wheels.size()).isZero();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
  }

  /** A clock that was woken for anything else would be woken for nothing. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 512})
  void nextDue_fewEntriesInAnyOrder_isTheDeadlineOfOneThatIsPending(int count) {
    TimingWheels wheels = new TimingWheels(1, 64);
    Random random = new Random(count);
    Entry last = insert(wheels, 4_000_000);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(insert(wheels, 1 + random.nextInt(3_000_000)));
    }
    for (int i = 0; i < count; i += 2) {
      assertThat(entries.get(i).end()).isTrue();
    }
    List<TimerEntry> fired = new ArrayList<>();
    advance(wheels, 0);
    for (int visits = 0; wheels.size() > 1; visits++) {
      assertThat(visits).isLessThanOrEqualTo(fired.size());
      fired.addAll(advance(wheels, wheels.nextDue()));
    }
    assertThat(fired).hasSize(count / 2).isSortedAccordingTo(BY_DEADLINE).doesNotContain(last);
  }

  @Test
  void insert_farAhead_mustBeVisitedWhenItIsDue() {
    for (long deadline = 1; deadline < Long.MAX_VALUE / 3; deadline *= 3) {
      TimingWheels wheels = new TimingWheels(1, 64);
      assertThat(wheels.insert(new Entry(deadline), 0)).isEqualTo(deadline);
    }
  }

  @Test
  void nextDue_entriesInOrder_isTheDeadlineOfTheFirstHoweverManyThereAre() {
    TimingWheels wheels = new TimingWheels(1, 4);
    for (int i = 0; i < 20_000; i++) {
      insert(wheels, 1_100 + i / 100);
    }
    for (int tick = 1_100; tick < 1_300; tick++) {
      assertThat(wheels.nextDue()).isEqualTo(tick);
      assertThat(advance(wheels, tick)).hasSize(100);
      assertThat(wheels.isSplitting()).isFalse();
    }
    assertThat(wheels.size()).isZero();
  }

  @Test
  void insert_bucketWaitsForItsFirstEntry_anEarlierOneFiresInTime() {
    for (int mostSorted : new int[] {0, 512}) {
      TimingWheels wheels = new TimingWheels(1, 4, 0, mostSorted);
      Entry later = insert(wheels, 15);
      assertThat(wheels.nextDue()).isEqualTo(15);
      Entry earlier = insert(wheels, 13);
      assertThat(advance(wheels, 12)).isEmpty();
      assertThat(advance(wheels, 13)).containsExactly(earlier);
      assertThat(advance(wheels, 14)).isEmpty();
      assertThat(advance(wheels, 15)).containsExactly(later);
    }
  }

  @Test
  void insert_afterTheBucketWasSorted_noEntryFiresBeforeALaterOne() {
    TimingWheels wheels = new TimingWheels(1, 16);
    Entry middle = insert(wheels, 44);
    Entry first = insert(wheels, 36);
    Entry last = insert(wheels, 46); // while the bucket is unsorted
    assertThat(advance(wheels, 1)).isEmpty(); // sorts it
    Entry second = insert(wheels, 44);
    Entry fourth = insert(wheels, 45);
    assertThat(advance(wheels, 43)).containsExactly(first);
    assertThat(advance(wheels, 44)).containsExactlyInAnyOrder(middle, second);
    assertThat(advance(wheels, 45)).containsExactly(fourth);
    assertThat(advance(wheels, 46)).containsExactly(last);
  }

  @Test
  void insert_lastDeadlineOfALevel_isOnThatLevelAndTheNextIsAbove() {
    TimingWheels wheels = new TimingWheels(1, 4);
    assertThat(spanOf(wheels, insert(wheels, 7))).isEqualTo("7..7");
    assertThat(spanOf(wheels, insert(wheels, 8))).isEqualTo("8..11");
    assertThat(spanOf(wheels, insert(wheels, 11))).isEqualTo("8..11");
    assertThat(spanOf(wheels, insert(wheels, 31))).isEqualTo("28..31");
    assertThat(spanOf(wheels, insert(wheels, 32))).isEqualTo("32..47");
    assertThat(spanOf(wheels, insert(wheels, 47))).isEqualTo("32..47");
    assertThat(spanOf(wheels, insert(wheels, 127))).isEqualTo("112..127");
    assertThat(spanOf(wheels, insert(wheels, 128))).isEqualTo("128..191");
    assertThat(advance(wheels, 128)).hasSize(8);
  }

  @Test
  void insert_clockHasMoved_levelsReachFurther() {
    TimingWheels wheels = new TimingWheels(1, 4);
    advance(wheels, 1);
    assertThat(spanOf(wheels, insert(wheels, 8))).as("level 1").isEqualTo("8..8");
    assertThat(spanOf(wheels, insert(wheels, 9))).as("level 2").isEqualTo("8..11");
    assertThat(spanOf(wheels, insert(wheels, 31))).as("level 2").isEqualTo("28..31");
    assertThat(spanOf(wheels, insert(wheels, 32))).as("level 3").isEqualTo("32..47");
    assertThat(advance(wheels, 5)).isEmpty();
    assertThat(spanOf(wheels, insert(wheels, 12))).as("level 1").isEqualTo("12..12");
    assertThat(spanOf(wheels, insert(wheels, 35))).as("level 2").isEqualTo("32..35");
    assertThat(spanOf(wheels, insert(wheels, 36))).as("level 3").isEqualTo("32..47");
    assertThat(advance(wheels, 36)).hasSize(7);
  }

  @Test
  void insert_clockIsFarBehind_movesItUpToTheNextDueEntry() {
    TimingWheels wheels = new TimingWheels(1, 4);
    Entry soon = insert(wheels, 1_002, 1_000);
    assertThat(wheels.clock).isEqualTo(1_000);
    assertThat(spanOf(wheels, soon)).isEqualTo("1002..1002");
    Entry later = insert(wheels, 2_004, 2_000);
    assertThat(wheels.clock).as("not past an entry").isEqualTo(1_002);
    assertThat(advance(wheels, 1_001)).isEmpty();
    assertThat(advance(wheels, 2_003)).containsExactly(soon);
    assertThat(advance(wheels, 2_004)).containsExactly(later);
  }

  @Test
  void insert_dueAlready_firesInTheNextAdvance() {
    TimingWheels wheels = new TimingWheels(10, 4);
    assertThat(advance(wheels, 1_000)).isEmpty();
    Entry past = insert(wheels, 0);
    Entry present = insert(wheels, 1_000);
    assertThat(wheels.nextDue()).isEqualTo(1_000);
    assertThat(advance(wheels, 1_000)).containsExactlyInAnyOrder(past, present);
  }

  @Test
  void advance_cascade_movesAnEntryDownThroughAllLevels() {
    TimingWheels wheels = splittingWheels();
    Entry entry = insert(wheels, 411);
    insert(wheels, 410);
    List<String> places = new ArrayList<>();
    while (wheels.size() > 0) {
      places.add(spanOf(wheels, entry) + " at " + wheels.nextDue());
      advance(wheels, wheels.nextDue());
      wheels.splitAhead(2);
    }
    assertThat(places)
        .containsExactly(
            "384..447 at 320",
            "400..415 at 384",
            "408..411 at 404",
            "411..411 at 410",
            "411..411 at 411");
  }

  @Test
  void advance_nothingWasSplitAhead_movesEntriesWhenTheirBucketsStart() {
    TimingWheels wheels = splittingWheels();
    Entry entry = insert(wheels, 411);
    insert(wheels, 410);
    List<String> places = new ArrayList<>();
    while (wheels.size() > 0) {
      places.add(spanOf(wheels, entry) + " at " + wheels.nextDue());
      advance(wheels, wheels.nextDue());
    }
    assertThat(places)
        .containsExactly(
            "384..447 at 320",
            "384..447 at 384",
            "408..411 at 404",
            "408..411 at 408",
            "411..411 at 410",
            "411..411 at 411");
  }

  @ParameterizedTest
  @FieldSource("WHEEL_SIZES")
  void advance_toEachNextDue_takesOneStep(int wheelSize) {
    for (long tick : TICKS) {
      for (long start : START_CLOCKS.subList(0, START_CLOCKS.size() - 1)) {
        TimingWheels wheels = new TimingWheels(tick, wheelSize);
        advance(wheels, start);
        long deadline = start + TimeUnit.HOURS.toNanos(1);
        insert(wheels, deadline);
        int steps = 0;
        for (long now = start; wheels.size() > 0; steps++) {
          assertThat(wheels.nextDue()).isGreaterThan(now).isLessThanOrEqualTo(deadline + tick);
          now = wheels.nextDue();
          boolean fired = !advance(wheels, now).isEmpty();
          assertThat(fired)
              .as("fired at %s, deadline %s", now, deadline)
              .isEqualTo(now >= deadline);
        }
        assertThat(steps).as("tick %s, start %s", tick, start).isEqualTo(1);
      }
    }
  }

  @Test
  void end_inEachPhase_neverFires() {
    TimingWheels wheels = splittingWheels();
    Entry upper = insert(wheels, 200);
    Entry lowest = insert(wheels, 1);
    Entry split = insert(wheels, 33);
    Entry[] due = {insert(wheels, 32), insert(wheels, 32), insert(wheels, 32)};
    Entry whileSplitting = insert(wheels, 34);

    assertThat(upper.end()).isTrue();
    assertThat(upper.end()).isFalse();
    assertThat(lowest.end()).isTrue();
    assertThat(wheels.nextDue()).isEqualTo(16);
    assertThat(advance(wheels, 31)).isEmpty();
    wheels.splitAhead(1);
    assertThat(spanOf(wheels, split)).isEqualTo("33..33");
    assertThat(whileSplitting.end()).isTrue();

    TimerEntry[] one = new TimerEntry[1];
    int fired = 0;
    while (fired == 0) {
      fired = WheelsView.advance(wheels, 32, one);
    }
    assertThat(one[0]).isSameAs(due[0]);
    assertThat(one[0].end()).isTrue();
    assertThat(wheels.nextDue()).isLessThanOrEqualTo(32);
    for (Entry entry : due) {
      fired += entry.end() ? 1 : 0;
    }
    assertThat(fired).isEqualTo(3);
    assertThat(advance(wheels, 32)).isEmpty();
    assertThat(split.end()).isTrue();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
    assertThat(advance(wheels, 1_000)).isEmpty();
    assertThat(wheels.size()).isZero();
  }

  @Test
  void end_lastEntryOfABucket_bucketIsReused() {
    TimingWheels wheels = new TimingWheels(1, 4);
    assertThat(insert(wheels, 3).end()).isTrue();
    Entry again = insert(wheels, 3);
    assertThat(wheels.nextDue()).isEqualTo(3);
    assertThat(advance(wheels, 3)).containsExactly(again);
    assertThat(insert(wheels, 6).end()).isTrue();
    assertThat(wheels.nextDue()).isEqualTo(NEVER);
    Entry sameTick = insert(wheels, 6);
    assertThat(advance(wheels, 5)).isEmpty();
    assertThat(advance(wheels, 6)).containsExactly(sameTick);
    Entry sameSlot = insert(wheels, 6 + 2 * 4 - 1);
    Entry sameBucket = insert(wheels, 3 + 2 * 4);
    assertThat(advance(wheels, 10)).isEmpty();
    assertThat(advance(wheels, 12)).containsExactly(sameBucket);
    assertThat(advance(wheels, 13)).containsExactly(sameSlot);
  }

  @Test
  void end_allEntriesOfABucketBeingSplit_bucketIsReused() {
    TimingWheels wheels = splittingWheels();
    Entry ended = insert(wheels, 14);
    Entry outOfOrder = insert(wheels, 13);
    assertThat(advance(wheels, 8)).isEmpty();
    assertThat(wheels.isSplitting()).isTrue();
    assertThat(ended.end()).isTrue();
    assertThat(outOfOrder.end()).isTrue();
    wheels.sweep(wheels.toSweep());
    wheels.splitAhead(1);
    assertThat(wheels.isSplitting()).isFalse();
    assertThat(advance(wheels, 16)).isEmpty();
    Entry sameSlot = insert(wheels, 14 + 8 * 4);
    assertThat(spanOf(wheels, sameSlot)).isEqualTo("44..47");
    assertThat(wheels.nextDue()).isEqualTo(46);
    assertThat(advance(wheels, 45)).isEmpty();
    assertThat(advance(wheels, 46)).containsExactly(sameSlot);
  }

  @Test
  void nextDue_allEntriesHaveEnded_removesABoundedNumberPerCall() {
    for (int buckets : new int[] {1, 60}) {
      TimingWheels wheels = new TimingWheels(1, 64);
      for (int i = 0; i < 1_200; i++) {
        insert(wheels, 5 + i % buckets);
      }
      wheels.buckets().forEach(bucket -> all(bucket).forEach(TimerEntry::end));
      while (wheels.size() > 0) {
        int before = wheels.size();
        long due = wheels.nextDue();
        assertThat(before - wheels.size()).isBetween(1, 2 * Chunk.MAX_LENGTH);
        assertThat(wheels.size() == 0 ? due == NEVER : due < 5 + buckets).isTrue();
      }
    }
  }

  /** Covers sweeps that begin where the previous one stopped inside a bucket. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5, 12, 28, 60, 508, 600, 20_000})
  void sweep_wholeTurn_removesAllEndedEntries(int count) {
    TimingWheels wheels = new TimingWheels(1, 64);
    Random random = new Random(count);
    for (int round = 0; round < 5; round++) {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        entries.add(insert(wheels, 1 + random.nextInt(1 << random.nextInt(20))));
      }
      wheels.sweep(random.nextInt(count));
      for (Entry entry : entries) {
        assertThat(entry.end()).isTrue();
      }
      wheels.sweep(wheels.toSweep());
      assertThat(wheels.size()).isZero();
    }
  }

  @Test
  void sweep_limitedSteps_exceedsThemByLessThanAChunk() {
    TimingWheels wheels = new TimingWheels(1, 64);
    for (int i = 0; i < 5_000; i++) {
      assertThat(insert(wheels, 5).end()).isTrue();
      wheels.nextDue();
    }
    Entry live = insert(wheels, 5);
    for (int i = 0; i < 5_000; i++) {
      wheels.insert(new Entry(6), 0);
    }
    wheels
        .buckets()
        .forEach(
            bucket -> all(bucket).forEach(each -> assertThat(each == live || each.end()).isTrue()));
    int before = wheels.size();
    wheels.sweep(100);
    assertThat(before - wheels.size()).isLessThan(100 + Chunk.MAX_LENGTH);
  }

  @Test
  void sweep_someHaveEnded_retainsTheOthersInOrder() {
    TimingWheels wheels = new TimingWheels(1, 64);
    List<TimerEntry> retained = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      Entry entry = insert(wheels, 5);
      if (i % 7 == 0) {
        retained.add(entry);
      } else {
        assertThat(entry.end()).isTrue();
      }
    }
    wheels.sweep(wheels.toSweep());
    assertThat(wheels.size()).isEqualTo(retained.size());
    assertThat(advance(wheels, 5)).isEqualTo(retained);
  }

  @Test
  void advance_isBehind_laterTimeFiresAll() {
    TimingWheels wheels = new TimingWheels(1, 4);
    Entry early = insert(wheels, 12);
    Entry late = insert(wheels, 16);
    TimerEntry[] one = new TimerEntry[1];
    assertThat(WheelsView.advance(wheels, 12, one))
        .as("fired in the call that moves it down")
        .isZero();
    assertThat(wheels.nextDue()).isLessThanOrEqualTo(12);
    Entry whileBehind = insert(wheels, 17);
    assertThat(advance(wheels, 17, 1)).containsExactly(early, late, whileBehind);
  }

  @Test
  void advance_backwards_clockStops() {
    TimingWheels wheels = new TimingWheels(1, 8);
    assertThat(advance(wheels, 100)).isEmpty();
    Entry entry = insert(wheels, 101);
    assertThat(advance(wheels, 50)).isEmpty();
    assertThat(advance(wheels, 100)).isEmpty();
    assertThat(advance(wheels, 101)).containsExactly(entry);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 7, 10, 1_000_000})
  void advance_anyDelay_isNeverEarlyAndLessThanATickLate(long tick) {
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
  void advance_jumpOfAYear_firesExactlyTheDueEntries(long start) {
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
        List<TimerEntry> fired = advance(wheels, start + year, 3);
        assertThat(fired).hasSize(due).isSortedAccordingTo(BY_DEADLINE);
        assertThat(wheels.size()).isEqualTo(all - due);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("START_CLOCKS")
  void insert_longestDeadline_neverFiresEarly(long start) {
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
  void advance_smallBudget_firesAllInSeveralCalls(int budget) {
    TimingWheels wheels = new TimingWheels(1, 4);
    Set<TimerEntry> expected = identitySet();
    for (int i = 0; i < 500; i++) {
      Entry entry = insert(wheels, 1 + i % 50);
      if (entry.deadline() <= 40) {
        expected.add(entry);
      }
    }
    TimerEntry[] array = new TimerEntry[budget];
    List<TimerEntry> fired = new ArrayList<>();
    int calls = 0;
    do {
      int count = WheelsView.advance(wheels, 40, array);
      fired.addAll(Arrays.asList(array).subList(0, count));
      assertThat(wheels.size()).isEqualTo(500 - fired.size());
      calls++;
    } while (isBehind(wheels, 40));
    assertThat(fired).hasSameSizeAs(expected).isSortedAccordingTo(BY_DEADLINE);
    assertThat(expected).containsAll(fired);
    int levels = 3;
    assertThat(calls).isLessThanOrEqualTo(levels * 500 / budget + 1);
  }

  @Test
  void advance_randomPrograms_behaveLikeASortedMap() {
    for (int seed = 0; seed < 1_500; seed++) {
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

  /** Returns the time at which an entry fires, which overflows if it exceeds Long.MAX_VALUE. */
  private static long roundedUp(long deadline, long tick) {
    long past = deadline % tick;
    return past == 0 ? deadline : deadline + (tick - past);
  }

  private static boolean firesBy(long deadline, long tick, long now) {
    long fires = roundedUp(deadline, tick);
    return fires >= 0 && fires <= now;
  }

  /** Applies the same operations to the wheels and to a sorted map, and compares them. */
  private static final class Model {
    private final Random random;
    private final long tick;
    private final int wheelSize;
    private final TimingWheels wheels;
    private final NavigableMap<Long, Set<TimerEntry>> reference = new TreeMap<>();
    private final List<Entry> inside = new ArrayList<>();

    /** The tick at which each entry fires: its deadline's, or the clock's if that is later. */
    private final IdentityHashMap<TimerEntry, Long> ticks = new IdentityHashMap<>();

    private final IdentityHashMap<TimerEntry, Bucket> buckets = new IdentityHashMap<>();
    private long now;

    Model(long seed) {
      random = new Random(seed);
      tick = pick(TICKS);
      wheelSize = pick(WHEEL_SIZES);
      wheels = new TimingWheels(tick, wheelSize, 0, pick(MOST_SORTED));
      now = pick(START_CLOCKS);
    }

    private <T> T pick(List<T> list) {
      return list.get(random.nextInt(list.size()));
    }

    void run() {
      advance(256);
      int steps = 10 + random.nextInt(40);
      for (int i = 0; i < steps; i++) {
        switch (random.nextInt(7)) {
          case 0, 1 -> insertSome();
          case 2 -> endOne();
          case 3 -> advanceBySome();
          case 4 -> wheels.splitAhead(1 + random.nextInt(5));
          case 5 -> sweepSome();
          default -> advanceToNextDue();
        }
        check();
      }
    }

    private void insertSome() {
      for (int i = random.nextInt(4); i >= 0; i--) {
        long delay = interestingSpan();
        long deadline =
            random.nextInt(4) == 0 && !inside.isEmpty()
                ? nearAnother()
                : delay > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + delay;
        insert(deadline, random.nextBoolean() ? now : 0);
      }
    }

    private void insert(long deadline, long clock) {
      Entry entry = new Entry(deadline);
      long due = wheels.insert(entry, clock);
      assertThat(due).isLessThanOrEqualTo(firesAt(wheels, deadline));
      inside.add(entry);
      reference.computeIfAbsent(key(entry), k -> identitySet()).add(entry);
      ticks.put(entry, Math.max(tick(entry), wheels.clock));
    }

    private long key(TimerEntry entry) {
      long fires = roundedUp(entry.deadline(), tick);
      return fires < 0 ? NEVER : fires;
    }

    private long tick(TimerEntry entry) {
      return entry.deadline() / tick + (entry.deadline() % tick == 0 ? 0 : 1);
    }

    /** Returns a span near the boundary of a tick or a level, or a random one. */
    private long interestingSpan() {
      long edge = tick;
      for (int level = random.nextInt(6);
          level > 0 && edge <= Long.MAX_VALUE / wheelSize;
          level--) {
        edge *= wheelSize;
      }
      return switch (random.nextInt(9)) {
        case 0 -> 0;
        case 1 -> edge - 1;
        case 2 -> edge;
        case 3 -> edge == Long.MAX_VALUE ? edge : edge + 1;
        case 4 -> Long.MAX_VALUE;
        case 5 -> random.nextLong() >>> (1 + random.nextInt(63));
        case 6 -> edge <= Long.MAX_VALUE / 2 ? 2 * edge - random.nextInt(3) : edge;
        default -> (long) (random.nextDouble() * edge);
      };
    }

    /** Returns a deadline that often falls into the bucket of another entry. */
    private long nearAnother() {
      long deadline = inside.get(random.nextInt(inside.size())).deadline();
      long span = (random.nextInt(4) - 1) * Math.min(tick, Long.MAX_VALUE / 8);
      return span > Long.MAX_VALUE - deadline ? Long.MAX_VALUE : Math.max(0, deadline + span);
    }

    private void endOne() {
      if (!inside.isEmpty()) {
        Entry entry = inside.remove(random.nextInt(inside.size()));
        assertThat(entry.end()).isTrue();
        removeFromReference(entry);
      }
    }

    private void sweepSome() {
      boolean all = random.nextBoolean();
      wheels.sweep(all ? wheels.toSweep() : random.nextInt(10));
      assertThat(wheels.size()).isGreaterThanOrEqualTo(inside.size());
      if (all) {
        assertThat(wheels.size()).isEqualTo(inside.size());
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

    /** Advances in several calls, with random operations in between. */
    private void advance(int budget) {
      long last = 0;
      do {
        List<TimerEntry> fired = new ArrayList<>();
        boolean unused = wheels.advance(now, budget, fired);
        for (TimerEntry entry : fired) {
          assertThat(firesBy(entry.deadline(), tick, now)).as("%s at %s", entry, now).isTrue();
          assertThat(ticks.get(entry)).as("tick of %s", entry).isGreaterThanOrEqualTo(last);
          last = requireNonNull(ticks.remove(entry));
          removeFromReference(entry);
          assertThat(inside.remove(entry)).isTrue();
          assertThat(entry.end()).isTrue();
        }
        check();
        actInBetween();
      } while (isBehind(wheels, now) || (now == NEVER && !overdue().isEmpty()));
      assertThat(overdue()).as("overdue at %s", now).isEmpty();
    }

    private void actInBetween() {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> endOne();
        case 3 -> wheels.splitAhead(1 + random.nextInt(5));
        case 4 -> insert((long) (random.nextDouble() * now), 0);
        default -> {}
      }
    }

    private NavigableMap<Long, Set<TimerEntry>> overdue() {
      NavigableMap<Long, Set<TimerEntry>> due = new TreeMap<>(reference.headMap(now, true));
      due.remove(NEVER); // entries with this key fire only if Long.MAX_VALUE is on a tick
      return due;
    }

    private void check() {
      long nextDue = wheels.nextDue();
      if (inside.isEmpty()) {
        assertThat(nextDue == NEVER || nextDue <= now).isTrue();
      } else {
        assertThat(nextDue).isLessThanOrEqualTo(Math.max(reference.firstKey(), now));
      }
      Set<TimerEntry> found = identitySet();
      for (Bucket bucket : wheels.buckets()) {
        all(bucket).forEach(entry -> check(bucket, entry, found));
        if (bucket.state == Bucket.State.WAITING) {
          assertThat(all(bucket)).extracting(this::tick).isSorted();
        }
      }
      assertThat(found).hasSize(wheels.size()).containsAll(inside);
    }

    private void check(Bucket bucket, TimerEntry entry, Set<TimerEntry> found) {
      assertThat(found.add(entry)).as("%s is in one bucket", entry).isTrue();
      Bucket before = buckets.put(entry, bucket);
      assertThat(before == null || before == bucket || before.resolution > bucket.resolution)
          .as("%s stays or moves on", entry) // else a walk may miss it
          .isTrue();
      if (bucket.state == Bucket.State.IDLE) {
        assertThat(bucket).as("%s is due", entry).isSameAs(wheels.due);
        assertThat(tick(entry)).isLessThanOrEqualTo(wheels.clock);
        return;
      }
      long start = bucket.start;
      assertThat(start % bucket.resolution).isZero();
      assertThat(tick(entry) - start)
          .as("%s in %s", entry, start)
          .isBetween(0L, bucket.resolution - 1);
      assertThat(wheels.clock)
          .as("clock, with an entry in the bucket at %s", start)
          .isLessThanOrEqualTo(bucket.visit);
    }
  }
}
