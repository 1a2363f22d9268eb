package dev.purgatory.watch;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.Threads;
import dev.purgatory.watch.WaiterChain.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchListsTest {

  private static Waiter waiter() {
    return new TestWaiter();
  }

  private static @Nullable Segment firstSegment(WatchList list) {
    return list.chain == null ? null : list.chain.first();
  }

  private static List<Waiter> appendTo(WatchList list, int count) {
    List<Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Waiter waiter = waiter();
      assertThat(list.append(waiter)).isZero();
      waiters.add(waiter);
    }
    return waiters;
  }

  private static List<Waiter> walk(WatchList list) {
    List<Waiter> visited = new ArrayList<>();
    list.walk(visited::add);
    return visited;
  }

  private static List<Waiter> inUse(List<Waiter> waiters) {
    return waiters.stream().filter(each -> each.inUse() != 0).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 5, 8, 9, 1_000})
  void append_many_walkVisitsThemInOrder(int count) {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, count);
    assertThat(walk(list)).containsExactlyElementsOf(inUse(waiters));
    assertThat(list.isRetired()).isFalse();
  }

  @Test
  void walk_someCleared_countsThem() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 10);
    waiters.subList(0, 3).forEach(Waiter::clear);
    AtomicInteger calls = new AtomicInteger();
    Walk walk = list.walk(operation -> calls.incrementAndGet() % 2 == 0);
    assertThat(walk).isEqualTo(new Walk(10, 10, 3, 3, 3, false, List.of()));
    assertThat(calls).hasValue(7);
  }

  /** Clears the first waiters that are in use, one walk each; returns the most visits. */
  private static int clearOneByOne(WatchList list, Predicate<Waiter> isReady, int count) {
    int most = 0;
    for (int i = 0; i < count; i++) {
      Walk walk = list.walk(each -> isReady.test(each) && clear(each), 1);
      assertThat(walk.hits()).isEqualTo(1);
      assertThat(list.removeClearedAfter(walk)).isNotNegative();
      most = Math.max(most, walk.visited());
    }
    return most;
  }

  private static boolean clear(Waiter waiter) {
    waiter.clear();
    return true;
  }

  @Test
  void walksThatStopAtTheFirst_visitOne_howeverManyWereAheadOfIt() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 300_000);
    assertThat(clearOneByOne(list, each -> true, 299_000)).isEqualTo(1);
    assertThat(list.size()).isLessThan(1_000 + Segment.MAX_LENGTH);
    assertThat(inUse(waiters)).hasSize(1_000);
    assertThat(walk(list)).containsExactlyElementsOf(waiters.subList(299_000, 300_000));
    assertThat(clearOneByOne(list, each -> true, 1_000)).isEqualTo(1);
    assertThat(list.isRetired()).isTrue();
  }

  @Test
  void walksThatPassSomeWhichStay_doNotPassTheClearedOnesBehindThemAgainAndAgain() {
    WatchList list = new WatchList();
    Set<Waiter> staying = new HashSet<>(appendTo(list, 10));
    List<Waiter> others = appendTo(list, 10_000);
    assertThat(clearOneByOne(list, each -> !staying.contains(each), 5_000)).isLessThan(100);
    assertThat(inUse(others)).hasSize(5_000);
    assertThat(walk(list)).containsAll(staying).containsAll(others.subList(5_000, 10_000));
  }

  @Test
  void whatAWalkPassedOver_countsAsCleared_andLeavesALongListInSteps() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 1_000);
    assertThat(clearOneByOne(list, each -> true, 200)).isEqualTo(1);
    Walk walk = list.walk(each -> false);
    assertThat(walk.cleared()).isEqualTo(200);
    assertThat(walk.visited()).isEqualTo(800);
    assertThat(appendTo(list, 1)).hasSize(1);
    assertThat(list.removeCleared()).isEqualTo(200);
    assertThat(walk(list)).hasSize(801).startsWith(waiters.get(200));
  }

  @Test
  void walk_visitorAppendsAndRemoves_visitsWhatTheListContainedBefore() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 100);
    List<Waiter> expected = inUse(waiters.subList(0, 50));
    List<Waiter> visited = new ArrayList<>();
    list.walk(
        operation -> {
          if (visited.isEmpty()) {
            waiters.subList(50, 100).forEach(Waiter::clear);
            assertThat(list.removeCleared()).isEqualTo(50);
          }
          list.append(waiter());
          return visited.add(operation);
        });
    assertThat(visited).containsExactlyElementsOf(expected);
    assertThat(walk(list)).hasSize(100);
  }

  @Test
  void append_arrayIsFull_removesClearedWaiters() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 4);
    waiters.get(0).clear();
    waiters.get(2).clear();
    assertThat(list.append(waiter())).isEqualTo(2);
    assertThat(walk(list)).hasSize(3).startsWith(inUse(waiters).toArray(new Waiter[0]));
  }

  @Test
  void append_clearedAfterEach_sizeStaysProportionalToTheWaitersInUse() {
    WatchList list = new WatchList();
    List<Waiter> live = appendTo(list, 10);
    long watched = 10;
    for (int i = 0; i < 100_000; i++) {
      Waiter waiter = waiter();
      watched += 1 - list.append(waiter);
      waiter.clear();
      assertThat(watched).isLessThanOrEqualTo(64);
    }
    assertThat(walk(list)).containsExactlyElementsOf(inUse(live));
  }

  /**
   * Waiters that stay for a random time: most for a short one, some for a hundred times as long.
   */
  @ParameterizedTest
  @ValueSource(ints = {3, 100, 3_000})
  void append_othersAreClearedAtRandom_sizeStaysWithinTwiceTheWaitersInUse(int typical) {
    Random random = new Random(typical);
    WatchList list = new WatchList();
    TreeMap<Integer, List<Waiter>> leaving = new TreeMap<>();
    Set<Waiter> inUse = new LinkedHashSet<>(appendTo(list, Segment.MAX_LENGTH)); // for good
    for (int i = 0; i < 40 * typical + 20_000; i++) {
      while (!leaving.isEmpty() && leaving.firstKey() <= i) {
        leaving.pollFirstEntry().getValue().forEach(each -> leave(each, inUse));
      }
      int stays = typical / 3 + (int) (typical / (10 * Math.max(0.001, random.nextDouble())));
      Waiter waiter = waiter();
      leaving.computeIfAbsent(i + 1 + stays, at -> new ArrayList<>()).add(waiter);
      inUse.add(waiter);
      assertThat(list.append(waiter)).isNotEqualTo(WatchList.RETIRED);
      if (i % 97 == 0) {
        assertThat(list.size()).isLessThanOrEqualTo(2 * (inUse.size() + Segment.MAX_LENGTH));
      }
      if (i % 997 == 0) {
        assertThat(walk(list)).containsExactlyElementsOf(inUse);
      }
    }
  }

  private static void leave(Waiter waiter, Set<Waiter> inUse) {
    waiter.clear();
    inUse.remove(waiter);
  }

  @Test
  void removeCleared_oneRemains_listIsNotRetired() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 5);
    waiters.subList(1, 5).forEach(Waiter::clear);
    assertThat(list.removeCleared()).isEqualTo(4);
    assertThat(list.isRetired()).isFalse();
    assertThat(list.removeCleared()).isZero();
    assertThat(list.append(waiter())).isZero();
  }

  @Test
  void removeCleared_noneRemains_listIsRetiredPermanently() {
    WatchList list = new WatchList();
    appendTo(list, 3).forEach(Waiter::clear);
    assertThat(list.removeCleared()).isEqualTo(3);
    assertThat(list.isRetired()).isTrue();
    assertThat(list.append(waiter())).isEqualTo(WatchList.RETIRED);
    assertThat(walk(list)).isEmpty();
    assertThat(list.isRetired()).isTrue();
  }

  private static <K> WatchList list(WatchLists<K> lists, K key) {
    return requireNonNull(lists.get(key));
  }

  private static <K> void watch(WatchLists<K> lists, K key, Waiter waiter) {
    int removed = lists.watch(key, waiter);
    waiter.lists++;
    lists.count(1, removed);
  }

  @Test
  void watch_retiredList_createsANewList() {
    WatchLists<String> lists = new WatchLists<>(1_000, Runnable::run);
    Waiter first = waiter();
    watch(lists, "k", first);
    WatchList retired = list(lists, "k");
    lists.clear(first);
    assertThat(retired.removeCleared()).isEqualTo(1);
    Waiter second = waiter();
    watch(lists, "k", second);
    WatchList successor = list(lists, "k");
    assertThat(successor).isNotSameAs(retired);
    assertThat(walk(successor)).containsExactlyElementsOf(inUse(List.of(second)));
    lists.tidy("k", retired, retired.walk(each -> false));
    assertThat(lists.get("k")).isSameAs(successor);
  }

  @Test
  void watched_isExactAfterEachStep() {
    WatchLists<Integer> lists = new WatchLists<>(1_000, Runnable::run);
    List<Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Waiter waiter = waiter();
      waiters.add(waiter);
      for (int key = 0; key < 3; key++) {
        watch(lists, key, waiter);
      }
      assertThat(lists.watched()).isEqualTo(3L * (i + 1));
    }
    assertThat(lists.keys()).isEqualTo(3);
    waiters.subList(0, 40).forEach(waiter -> lists.clear(waiter));
    assertThat(lists.watched()).isEqualTo(300);
    WatchList list = list(lists, 1);
    lists.tidy(1, list, list.walk(each -> false));
    assertThat(lists.watched()).isEqualTo(260);
    lists.purge();
    assertThat(lists.watched()).isEqualTo(180);
    waiters.subList(40, 100).forEach(waiter -> lists.clear(waiter));
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.keys()).isZero();
  }

  @Test
  void isPurgeDue_moreThanTheIntervalAndMoreThanHalfHaveEnded_isTrue() {
    WatchLists<Integer> lists = new WatchLists<>(10, Runnable::run);
    List<Waiter> waiters = IntStream.range(0, 40).mapToObj(i -> waiter()).toList();
    for (int i = 0; i < 40; i++) {
      watch(lists, i, waiters.get(i));
    }
    for (int ended = 1; ended <= 40; ended++) {
      assertThat(clearsAndPurgeIsDue(lists, waiters.get(ended - 1)))
          .as("purge is due after %s of 40", ended)
          .isEqualTo(ended > 20);
    }
    lists.purge();
    List<Waiter> few = IntStream.range(0, 11).mapToObj(i -> waiter()).toList();
    few.forEach(waiter -> watch(lists, 0, waiter));
    for (int ended = 1; ended <= 11; ended++) {
      assertThat(clearsAndPurgeIsDue(lists, few.get(ended - 1)))
          .as("purge is due after %s of 11", ended)
          .isEqualTo(ended > 10);
    }
  }

  private static boolean clearsAndPurgeIsDue(WatchLists<?> lists, Waiter waiter) {
    return lists.clear(waiter) && lists.isPurgeDue();
  }

  @Test
  void oneKey_manyOperations_allAreVisitedAndRemoved() {
    WatchLists<String> lists = new WatchLists<>(1_000, Runnable::run);
    List<Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      Waiter waiter = waiter();
      waiters.add(waiter);
      watch(lists, "k", waiter);
    }
    assertThat(walk(list(lists, "k"))).hasSize(100_000);
    for (int i = 0; i < waiters.size(); i += 2) {
      lists.clear(waiters.get(i));
    }
    lists.purge();
    assertThat(lists.watched()).isEqualTo(50_000);
    assertThat(walk(list(lists, "k"))).containsExactlyElementsOf(inUse(waiters));
    for (int i = 1; i < waiters.size(); i += 2) {
      lists.clear(waiters.get(i));
    }
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.get("k")).isNull();
  }

  @Test
  void manyKeys_oneOperation_isClearedInOneStep() {
    WatchLists<Integer> lists = new WatchLists<>(1_000, Runnable::run);
    Waiter waiter = waiter();
    for (int key = 0; key < 100_000; key++) {
      watch(lists, key, waiter);
    }
    assertThat(lists.keys()).isEqualTo(100_000);
    assertThat(lists.watched()).isEqualTo(100_000);
    assertThat(clearsAndPurgeIsDue(lists, waiter)).isTrue();
    assertThat(waiter.referent()).isNull();
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.keys()).isZero();
  }

  private record Colliding(int number, int hash) {
    @Override
    public int hashCode() {
      return hash;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void keys_sameHashCode_haveSeparateLists(int hash) {
    WatchLists<Colliding> lists = new WatchLists<>(1_000, Runnable::run);
    for (int i = 0; i < 300; i++) {
      watch(lists, new Colliding(i, hash), waiter());
      watch(lists, new Colliding(i / 2, hash), waiter());
    }
    assertThat(lists.keys()).isEqualTo(300);
    assertThat(walk(list(lists, new Colliding(0, hash)))).hasSize(3);
    assertThat(walk(list(lists, new Colliding(299, hash)))).hasSize(1);
    assertThat(lists.get(new Colliding(300, hash))).isNull();
  }

  @Test
  void purge_afterABurstOfKeys_mapIsExchanged_butNotWhileKeysComeAndGo() {
    WatchLists<Integer> lists = new WatchLists<>(0, Runnable::run);
    Object map = lists.map.table();
    for (int key = 0; key < 10_000; key++) {
      Waiter waiter = waiter();
      watch(lists, key, waiter);
      lists.clear(waiter);
      if (key % 100 == 99) {
        lists.purge();
      }
    }
    assertThat(lists.map.table()).isSameAs(map);
    List<Waiter> waiters = IntStream.range(0, 10_000).mapToObj(i -> waiter()).toList();
    for (int key = 0; key < 10_000; key++) {
      watch(lists, key, waiters.get(key));
    }
    waiters.forEach(lists::clear);
    lists.purge();
    assertThat(lists.map.table()).isNotSameAs(map);
    Object next = lists.map.table();
    lists.purge();
    assertThat(lists.map.table()).isSameAs(next);
  }

  /** Each round removes enough keys for the maps to be exchanged. */
  @Test
  void watch_racesWithPurgesAndExchangesOfMaps_noWaiterIsLost() throws InterruptedException {
    WatchLists<Integer> lists = new WatchLists<>(0, Runnable::run);
    Object map = lists.map.table();
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    Threads.race(
        watchAndClear(lists, missed, busy),
        watchAndClear(lists, missed, busy),
        () -> {
          while (busy.get() > 0) {
            lists.purge();
          }
        });
    assertThat(missed).hasValue(0);
    lists.purge();
    lists.purge();
    assertThat(lists.map.table()).isNotSameAs(map);
    assertThat(lists.keys()).isZero();
    assertThat(List.of(lists.watched(), lists.clearedButWatched())).containsOnly(0L);
  }

  private static Threads.Task watchAndClear(
      WatchLists<Integer> lists, AtomicLong missed, AtomicInteger busy) {
    return () -> {
      try {
        for (int round = 0; round < 40; round++) {
          Map<Integer, Waiter> waiters = new HashMap<>();
          for (int key = 0; key < 1_500; key++) {
            Waiter waiter = waiter();
            waiters.put(key, waiter);
            watch(lists, key, waiter);
          }
          waiters.forEach(
              (key, waiter) -> {
                WatchList list = lists.get(key);
                missed.addAndGet(
                    list == null || list.walk(each -> each == waiter).hits() != 1 ? 1 : 0);
                lists.clear(waiter);
              });
        }
      } finally {
        busy.decrementAndGet();
      }
    };
  }

  @Test
  void watch_racesWithRetirement_noWaiterIsLost() throws InterruptedException {
    WatchLists<String> lists = new WatchLists<>(0, Runnable::run);
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    Threads.Task watchAndEnd =
        () -> {
          try {
            for (int i = 0; i < 20_000; i++) {
              Waiter waiter = waiter();
              watch(lists, "k", waiter);
              WatchList list = lists.get("k");
              if (list == null || list.walk(each -> each == waiter).hits() != 1) {
                missed.incrementAndGet();
              }
              lists.clear(waiter);
            }
          } finally {
            busy.decrementAndGet();
          }
        };
    Threads.race(
        watchAndEnd,
        watchAndEnd,
        () -> {
          while (busy.get() > 0) {
            lists.purge();
          }
        });
    assertThat(missed).hasValue(0);
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.keys()).isZero();
  }

  @Test
  void walk_whileOthersAppendAndRemove_visitsAllInUse() throws InterruptedException {
    WatchList list = new WatchList();
    Set<Waiter> inUse = ConcurrentHashMap.newKeySet();
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    appendTo(list, 1); // keeps the list in use
    Threads.Task appendAndEnd =
        () -> {
          try {
            Random random = new Random(1);
            List<Waiter> mine = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
              Waiter waiter = waiter();
              list.append(waiter);
              mine.add(waiter);
              inUse.add(waiter);
              if (mine.size() > 20) {
                Waiter ended = mine.remove(random.nextInt(mine.size()));
                inUse.remove(ended);
                ended.clear();
              }
              if (i % 7 == 0) {
                list.removeCleared();
              }
            }
          } finally {
            busy.decrementAndGet();
          }
        };
    Threads.Task walkAndCompare =
        () -> {
          while (busy.get() > 0) {
            Set<Waiter> expected = Set.copyOf(inUse);
            Set<Waiter> visited = Set.copyOf(walk(list));
            for (Waiter waiter : expected) {
              if (!visited.contains(waiter) && inUse.contains(waiter)) {
                missed.incrementAndGet();
              }
            }
          }
        };
    Threads.race(appendAndEnd, appendAndEnd, walkAndCompare);
    assertThat(missed).hasValue(0);
    assertThat(walk(list)).hasSize(1 + inUse.size()).containsAll(inUse);
  }

  private static List<Integer> lengths(WatchList list) {
    List<Integer> lengths = new ArrayList<>();
    for (Segment segment = firstSegment(list); segment != null; segment = segment.next) {
      lengths.add(segment.waiters().length);
    }
    return lengths;
  }

  @Test
  void arrays_longList_areShort() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 100_000);
    for (int i = 0; i < waiters.size(); i++) {
      if (i % 3 != 0) {
        waiters.get(i).clear();
      }
    }
    for (int i = 0; i < 10_000; i++) {
      Waiter waiter = waiter();
      list.append(waiter);
      waiters.add(waiter);
    }
    assertThat(lengths(list)).hasSizeGreaterThan(40_000 / Segment.MAX_LENGTH);
    assertThat(lengths(list)).allMatch(length -> length <= 256);
    list.removeCleared();
    assertThat(list.size()).isEqualTo(inUse(waiters).size());
    assertThat(walk(list)).containsExactlyElementsOf(inUse(waiters));
  }

  @Test
  void arraysWhoseWaitersAreAllCleared_areDropped_andKeepNothing() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 4 * Segment.MAX_LENGTH);
    List<Segment> segments = new ArrayList<>();
    for (Segment segment = firstSegment(list); segment != null; segment = segment.next) {
      segments.add(segment);
    }
    waiters.subList(0, 2 * Segment.MAX_LENGTH).forEach(Waiter::clear);
    assertThat(list.removeCleared()).isEqualTo(2 * Segment.MAX_LENGTH);
    assertThat(segments).extracting(each -> each.waiters().length).containsExactly(0, 0, 256, 256);
  }

  @Test
  void walk_visitorHasArraysDropped_visitsTheRest_andNothingThatCameLater() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 5 * Segment.MAX_LENGTH);
    List<Waiter> visited = new ArrayList<>();
    Walk result =
        list.walk(
            each -> {
              if (visited.isEmpty()) {
                waiters.subList(0, 3 * Segment.MAX_LENGTH).forEach(Waiter::clear);
                assertThat(list.removeClearedFront()).isEqualTo(3 * Segment.MAX_LENGTH);
                appendTo(list, 3 * Segment.MAX_LENGTH);
              }
              return visited.add(each);
            });
    assertThat(visited).startsWith(waiters.get(0)).hasSize(1 + 2 * Segment.MAX_LENGTH);
    assertThat(visited).endsWith(waiters.get(waiters.size() - 1));
    assertThat(result.cleared() + result.hits()).isEqualTo(waiters.size());
  }

  @Test
  void removeClearedFront_behindAnEmptyArray_removesAll() {
    WatchList list = new WatchList();
    List<Waiter> waiters = appendTo(list, 1_000);
    waiters.subList(0, 600).forEach(Waiter::clear);
    int removed = list.removeCleared();
    waiters.subList(600, 1_000).forEach(Waiter::clear);
    removed += list.removeClearedFront();
    assertThat(removed).isEqualTo(1_000);
    assertThat(list.isRetired()).isTrue();
  }

  @Test
  void walk_whileOthersAppendClearAndRemove_visitsAllInUse() throws InterruptedException {
    List<Waiter> waiting = new ArrayList<>();
    AtomicInteger busy = new AtomicInteger(2);
    WatchList list = new WatchList();
    for (int i = 0; i < 50; i++) {
      for (int j = 0; j < 20; j++) {
        Waiter cleared = waiter();
        list.append(cleared);
        cleared.clear();
      }
      waiting.add(waiter());
      list.append(waiting.get(i));
    }
    Threads.Task change =
        () -> {
          try {
            for (int i = 0; i < 200_000; i++) {
              Waiter waiter = waiter();
              list.append(waiter);
              waiter.clear();
              if (i % 1_000 == 0) {
                list.removeCleared();
              }
            }
          } finally {
            busy.decrementAndGet();
          }
        };
    Threads.race(
        change,
        change,
        () -> {
          while (busy.get() > 0) {
            List<Waiter> visited = walk(list);
            assertThat(visited.subList(0, waiting.size())).isEqualTo(waiting);
          }
        });
    list.removeCleared();
    assertThat(list.size()).isEqualTo(waiting.size());
  }
}
