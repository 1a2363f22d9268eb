package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchListsTest {

  private static Registration registration() {
    DelayedOperation operation = new RecordingOperation(1_000);
    return operation.registration();
  }

  private static List<Registration> appendTo(WatchList list, int count) {
    List<Registration> registrations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Registration registration = registration();
      assertThat(list.append(registration)).isZero();
      registrations.add(registration);
    }
    return registrations;
  }

  private static List<Registration> walk(WatchList list) {
    List<Registration> visited = new ArrayList<>();
    list.walk(visited::add);
    return visited;
  }

  private static List<Registration> inUse(List<Registration> registrations) {
    return registrations.stream().filter(each -> each.inUse() != 0).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 5, 8, 9, 1_000})
  void append_many_walkVisitsThemInOrder(int count) {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, count);
    assertThat(walk(list)).containsExactlyElementsOf(inUse(registrations));
    assertThat(list.isRetired()).isFalse();
  }

  @Test
  void walk_someCleared_countsThem() {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, 10);
    registrations.subList(0, 3).forEach(Registration::clear);
    AtomicInteger calls = new AtomicInteger();
    WatchList.Walk walk = list.walk(operation -> calls.incrementAndGet() % 2 == 0);
    assertThat(walk).isEqualTo(new WatchList.Walk(10, 10, 3, 3, 3, false, List.of()));
    assertThat(calls).hasValue(7);
  }

  /** Clears the first registrations that are in use, one walk each; returns the most visits. */
  private static int clearOneByOne(WatchList list, Predicate<Registration> isReady, int count) {
    int most = 0;
    for (int i = 0; i < count; i++) {
      WatchList.Walk walk = list.walk(each -> isReady.test(each) && clear(each), 1);
      assertThat(walk.hits()).isEqualTo(1);
      assertThat(list.removeClearedAfter(walk)).isNotNegative();
      most = Math.max(most, walk.visited());
    }
    return most;
  }

  private static boolean clear(Registration registration) {
    registration.clear();
    return true;
  }

  @Test
  void walksThatStopAtTheFirst_visitOne_howeverManyWereAheadOfIt() {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, 300_000);
    assertThat(clearOneByOne(list, each -> true, 299_000)).isEqualTo(1);
    assertThat(list.size()).isLessThan(1_000 + Registrations.MAX_LENGTH);
    assertThat(inUse(registrations)).hasSize(1_000);
    assertThat(walk(list)).containsExactlyElementsOf(registrations.subList(299_000, 300_000));
    assertThat(clearOneByOne(list, each -> true, 1_000)).isEqualTo(1);
    assertThat(list.isRetired()).isTrue();
  }

  @Test
  void walksThatPassSomeWhichStay_doNotPassTheClearedOnesBehindThemAgainAndAgain() {
    WatchList list = new WatchList();
    Set<Registration> staying = new HashSet<>(appendTo(list, 10));
    List<Registration> others = appendTo(list, 10_000);
    assertThat(clearOneByOne(list, each -> !staying.contains(each), 5_000)).isLessThan(100);
    assertThat(inUse(others)).hasSize(5_000);
    assertThat(walk(list)).containsAll(staying).containsAll(others.subList(5_000, 10_000));
  }

  @Test
  void whatAWalkPassedOver_countsAsCleared_andLeavesALongListInSteps() {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, 1_000);
    assertThat(clearOneByOne(list, each -> true, 200)).isEqualTo(1);
    WatchList.Walk walk = list.walk(each -> false);
    assertThat(walk.cleared()).isEqualTo(200);
    assertThat(walk.visited()).isEqualTo(800);
    assertThat(appendTo(list, 1)).hasSize(1);
    assertThat(list.removeCleared()).isEqualTo(200);
    assertThat(walk(list)).hasSize(801).startsWith(registrations.get(200));
  }

  @Test
  void walk_visitorAppendsAndRemoves_visitsWhatTheListContainedBefore() {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, 100);
    List<Registration> expected = inUse(registrations.subList(0, 50));
    List<Registration> visited = new ArrayList<>();
    list.walk(
        operation -> {
          if (visited.isEmpty()) {
            registrations.subList(50, 100).forEach(Registration::clear);
            assertThat(list.removeCleared()).isEqualTo(50);
          }
          list.append(registration());
          return visited.add(operation);
        });
    assertThat(visited).containsExactlyElementsOf(expected);
    assertThat(walk(list)).hasSize(100);
  }

  @Test
  void append_arrayIsFull_removesClearedRegistrations() {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, 4);
    registrations.get(0).clear();
    registrations.get(2).clear();
    assertThat(list.append(registration())).isEqualTo(2);
    assertThat(walk(list)).hasSize(3).startsWith(inUse(registrations).toArray(new Registration[0]));
  }

  @Test
  void append_clearedAfterEach_sizeStaysProportionalToTheRegistrationsInUse() {
    WatchList list = new WatchList();
    List<Registration> live = appendTo(list, 10);
    long watched = 10;
    for (int i = 0; i < 100_000; i++) {
      Registration registration = registration();
      watched += 1 - list.append(registration);
      registration.clear();
      assertThat(watched).isLessThanOrEqualTo(64);
    }
    assertThat(walk(list)).containsExactlyElementsOf(inUse(live));
  }

  @Test
  void removeCleared_oneRemains_listIsNotRetired() {
    WatchList list = new WatchList();
    List<Registration> registrations = appendTo(list, 5);
    registrations.subList(1, 5).forEach(Registration::clear);
    assertThat(list.removeCleared()).isEqualTo(4);
    assertThat(list.isRetired()).isFalse();
    assertThat(list.removeCleared()).isZero();
    assertThat(list.append(registration())).isZero();
  }

  @Test
  void removeCleared_noneRemains_listIsRetiredPermanently() {
    WatchList list = new WatchList();
    appendTo(list, 3).forEach(Registration::clear);
    assertThat(list.removeCleared()).isEqualTo(3);
    assertThat(list.isRetired()).isTrue();
    assertThat(list.append(registration())).isEqualTo(WatchList.RETIRED);
    assertThat(walk(list)).isEmpty();
    assertThat(list.isRetired()).isTrue();
  }

  private static <K> void watch(WatchLists<K> lists, K key, Registration registration) {
    int removed = lists.watch(key, registration);
    registration.lists++;
    lists.count(1, removed);
  }

  @Test
  void watch_retiredList_createsANewList() {
    WatchLists<String> lists = new WatchLists<>(1_000);
    Registration first = registration();
    watch(lists, "k", first);
    WatchList retired = requireNonNull(lists.get("k"));
    lists.clear(first);
    assertThat(retired.removeCleared()).isEqualTo(1);
    Registration second = registration();
    watch(lists, "k", second);
    WatchList successor = requireNonNull(lists.get("k"));
    assertThat(successor).isNotSameAs(retired);
    assertThat(walk(successor)).containsExactlyElementsOf(inUse(List.of(second)));
    lists.tryTidy("k", retired, retired.walk(each -> false));
    assertThat(lists.get("k")).isSameAs(successor);
  }

  @Test
  void watched_isExactAfterEachStep() {
    WatchLists<Integer> lists = new WatchLists<>(1_000);
    List<Registration> registrations = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Registration registration = registration();
      registrations.add(registration);
      for (int key = 0; key < 3; key++) {
        watch(lists, key, registration);
      }
      assertThat(lists.watched()).isEqualTo(3L * (i + 1));
    }
    assertThat(lists.keys()).isEqualTo(3);
    registrations.subList(0, 40).forEach(registration -> lists.clear(registration));
    assertThat(lists.watched()).isEqualTo(300);
    WatchList list = requireNonNull(lists.get(1));
    lists.tryTidy(1, list, list.walk(each -> false));
    assertThat(lists.watched()).isEqualTo(260);
    lists.purge();
    assertThat(lists.watched()).isEqualTo(180);
    registrations.subList(40, 100).forEach(registration -> lists.clear(registration));
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.keys()).isZero();
  }

  @Test
  void isPurgeDue_moreThanTheIntervalAndMoreThanHalfHaveEnded_isTrue() {
    WatchLists<Integer> lists = new WatchLists<>(10);
    List<Registration> registrations =
        IntStream.range(0, 40).mapToObj(i -> registration()).toList();
    for (int i = 0; i < 40; i++) {
      watch(lists, i, registrations.get(i));
    }
    for (int ended = 1; ended <= 40; ended++) {
      assertThat(clearsAndPurgeIsDue(lists, registrations.get(ended - 1)))
          .as("purge is due after %s of 40", ended)
          .isEqualTo(ended > 20);
    }
    lists.purge();
    List<Registration> few = IntStream.range(0, 11).mapToObj(i -> registration()).toList();
    few.forEach(registration -> watch(lists, 0, registration));
    for (int ended = 1; ended <= 11; ended++) {
      assertThat(clearsAndPurgeIsDue(lists, few.get(ended - 1)))
          .as("purge is due after %s of 11", ended)
          .isEqualTo(ended > 10);
    }
  }

  private static boolean clearsAndPurgeIsDue(WatchLists<?> lists, Registration registration) {
    return lists.clear(registration) && lists.isPurgeDue();
  }

  @Test
  void oneKey_manyOperations_allAreVisitedAndRemoved() {
    WatchLists<String> lists = new WatchLists<>(1_000);
    List<Registration> registrations = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      Registration registration = registration();
      registrations.add(registration);
      watch(lists, "k", registration);
    }
    assertThat(walk(requireNonNull(lists.get("k")))).hasSize(100_000);
    for (int i = 0; i < registrations.size(); i += 2) {
      lists.clear(registrations.get(i));
    }
    lists.purge();
    assertThat(lists.watched()).isEqualTo(50_000);
    assertThat(walk(requireNonNull(lists.get("k"))))
        .containsExactlyElementsOf(inUse(registrations));
    for (int i = 1; i < registrations.size(); i += 2) {
      lists.clear(registrations.get(i));
    }
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.get("k")).isNull();
  }

  @Test
  void manyKeys_oneOperation_isClearedInOneStep() {
    WatchLists<Integer> lists = new WatchLists<>(1_000);
    Registration registration = registration();
    for (int key = 0; key < 100_000; key++) {
      watch(lists, key, registration);
    }
    assertThat(lists.keys()).isEqualTo(100_000);
    assertThat(lists.watched()).isEqualTo(100_000);
    assertThat(clearsAndPurgeIsDue(lists, registration)).isTrue();
    assertThat(registration.operation()).isNull();
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
    WatchLists<Colliding> lists = new WatchLists<>(1_000);
    for (int i = 0; i < 300; i++) {
      watch(lists, new Colliding(i, hash), registration());
      watch(lists, new Colliding(i / 2, hash), registration());
    }
    assertThat(lists.keys()).isEqualTo(300);
    assertThat(walk(requireNonNull(lists.get(new Colliding(0, hash))))).hasSize(3);
    assertThat(walk(requireNonNull(lists.get(new Colliding(299, hash))))).hasSize(1);
    assertThat(lists.get(new Colliding(300, hash))).isNull();
  }

  @Test
  void watch_racesWithRetirement_noRegistrationIsLost() throws InterruptedException {
    WatchLists<String> lists = new WatchLists<>(0);
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    Threads.Task watchAndEnd =
        () -> {
          try {
            for (int i = 0; i < 20_000; i++) {
              Registration registration = registration();
              watch(lists, "k", registration);
              WatchList list = lists.get("k");
              if (list == null || list.walk(each -> each == registration).hits() != 1) {
                missed.incrementAndGet();
              }
              lists.clear(registration);
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
    Set<Registration> inUse = ConcurrentHashMap.newKeySet();
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    appendTo(list, 1); // keeps the list in use
    Threads.Task appendAndEnd =
        () -> {
          try {
            Random random = new Random(1);
            List<Registration> mine = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
              Registration registration = registration();
              list.append(registration);
              mine.add(registration);
              inUse.add(registration);
              if (mine.size() > 20) {
                Registration ended = mine.remove(random.nextInt(mine.size()));
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
            Set<Registration> expected = Set.copyOf(inUse);
            Set<Registration> visited = Set.copyOf(walk(list));
            for (Registration registration : expected) {
              if (!visited.contains(registration) && inUse.contains(registration)) {
                missed.incrementAndGet();
              }
            }
          }
        };
    Threads.race(appendAndEnd, appendAndEnd, walkAndCompare);
    assertThat(missed).hasValue(0);
    assertThat(walk(list)).hasSize(1 + inUse.size()).containsAll(inUse);
  }
}
