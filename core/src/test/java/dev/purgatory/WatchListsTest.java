package dev.purgatory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.RecordingOperation;
import dev.purgatory.testing.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchListsTest {

  private static Cell cell() {
    return new Cell(new RecordingOperation(1_000), 0);
  }

  private static List<Cell> appendTo(WatchList list, int count) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Cell cell = cell();
      assertThat(list.append(cell)).isZero();
      cells.add(cell);
    }
    return cells;
  }

  private static List<DelayedOperation> walk(WatchList list) {
    List<DelayedOperation> met = new ArrayList<>();
    list.walk(met::add);
    return met;
  }

  private static List<DelayedOperation> inUse(List<Cell> cells) {
    return cells.stream().<DelayedOperation>mapMulti(WatchListsTest::ifInUse).toList();
  }

  private static void ifInUse(Cell cell, Consumer<? super DelayedOperation> into) {
    DelayedOperation operation = cell.operation();
    if (operation != null) {
      into.accept(operation);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 5, 8, 9, 1_000})
  void append_many_walkMeetsThemInOrder(int count) {
    WatchList list = new WatchList();
    List<Cell> cells = appendTo(list, count);
    assertThat(walk(list)).containsExactlyElementsOf(inUse(cells));
    assertThat(list.isRetired()).isFalse();
  }

  @Test
  void walk_someCleared_countsThem() {
    WatchList list = new WatchList();
    List<Cell> cells = appendTo(list, 10);
    cells.subList(0, 3).forEach(Cell::clear);
    AtomicInteger calls = new AtomicInteger();
    WatchList.Walk walk = list.walk(operation -> calls.incrementAndGet() % 2 == 0);
    assertThat(walk).isEqualTo(new WatchList.Walk(10, 3, 3));
    assertThat(calls).hasValue(7);
  }

  @Test
  void walk_visitorAppendsAndRemoves_meetsWhatWasThereAtTheBegin() {
    WatchList list = new WatchList();
    List<Cell> cells = appendTo(list, 100);
    List<DelayedOperation> expected = inUse(cells.subList(0, 50));
    List<DelayedOperation> met = new ArrayList<>();
    list.walk(
        operation -> {
          if (met.isEmpty()) {
            cells.subList(50, 100).forEach(Cell::clear);
            assertThat(list.removeCleared()).isEqualTo(50);
          }
          list.append(cell());
          return met.add(operation);
        });
    assertThat(met).containsExactlyElementsOf(expected);
    assertThat(walk(list)).hasSize(100);
  }

  @Test
  void append_full_sweepsWhatIsCleared() {
    WatchList list = new WatchList();
    List<Cell> cells = appendTo(list, 4);
    cells.get(0).clear();
    cells.get(2).clear();
    assertThat(list.append(cell())).isEqualTo(2);
    assertThat(walk(list)).hasSize(3).startsWith(inUse(cells).toArray(new DelayedOperation[0]));
  }

  @Test
  void append_forEver_staysInProportionToWhatIsInUse() {
    WatchList list = new WatchList();
    List<Cell> live = appendTo(list, 10);
    long watched = 10;
    for (int i = 0; i < 100_000; i++) {
      Cell cell = cell();
      watched += 1 - list.append(cell);
      cell.clear();
      assertThat(watched).isLessThanOrEqualTo(64);
    }
    assertThat(walk(list)).containsExactlyElementsOf(inUse(live));
  }

  @Test
  void removeCleared_oneIsLeft_listIsNotRetired() {
    WatchList list = new WatchList();
    List<Cell> cells = appendTo(list, 5);
    cells.subList(1, 5).forEach(Cell::clear);
    assertThat(list.removeCleared()).isEqualTo(4);
    assertThat(list.isRetired()).isFalse();
    assertThat(list.removeCleared()).isZero();
    assertThat(list.append(cell())).isZero();
  }

  @Test
  void removeCleared_noneIsLeft_listIsRetiredForGood() {
    WatchList list = new WatchList();
    appendTo(list, 3).forEach(Cell::clear);
    assertThat(list.removeCleared()).isEqualTo(3);
    assertThat(list.isRetired()).isTrue();
    assertThat(list.append(cell())).isEqualTo(WatchList.RETIRED);
    assertThat(walk(list)).isEmpty();
    assertThat(list.isRetired()).isTrue();
  }

  private static <K> void watch(WatchLists<K> lists, K key, Cell cell) {
    int removed = lists.watch(key, cell);
    cell.lists++;
    lists.count(1, removed);
  }

  @Test
  void watch_retiredList_makesANewOne() {
    WatchLists<String> lists = new WatchLists<>(1_000);
    Cell first = cell();
    watch(lists, "k", first);
    WatchList retired = requireNonNull(lists.get("k"));
    lists.clear(first);
    assertThat(retired.removeCleared()).isEqualTo(1);
    Cell second = cell();
    watch(lists, "k", second);
    WatchList successor = requireNonNull(lists.get("k"));
    assertThat(successor).isNotSameAs(retired);
    assertThat(walk(successor)).containsExactlyElementsOf(inUse(List.of(second)));
    lists.tryTidy("k", retired);
    assertThat(lists.get("k")).isSameAs(successor);
  }

  @Test
  void watched_everyStep_isExact() {
    WatchLists<Integer> lists = new WatchLists<>(1_000);
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Cell cell = cell();
      cells.add(cell);
      for (int key = 0; key < 3; key++) {
        watch(lists, key, cell);
      }
      assertThat(lists.watched()).isEqualTo(3L * (i + 1));
    }
    assertThat(lists.keys()).isEqualTo(3);
    cells.subList(0, 40).forEach(cell -> lists.clear(cell));
    assertThat(lists.watched()).isEqualTo(300);
    lists.tryTidy(1, requireNonNull(lists.get(1)));
    assertThat(lists.watched()).isEqualTo(260);
    lists.purge();
    assertThat(lists.watched()).isEqualTo(180);
    cells.subList(40, 100).forEach(cell -> lists.clear(cell));
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.keys()).isZero();
  }

  @Test
  void clear_purgeIsDue_whenMoreThanTheIntervalAndMoreThanHalfHaveEnded() {
    WatchLists<Integer> lists = new WatchLists<>(10);
    List<Cell> cells = IntStream.range(0, 40).mapToObj(i -> cell()).toList();
    for (int i = 0; i < 40; i++) {
      watch(lists, i, cells.get(i));
    }
    for (int ended = 1; ended <= 40; ended++) {
      assertThat(clearsAndPurgeIsDue(lists, cells.get(ended - 1)))
          .as("%s", ended)
          .isEqualTo(ended > 20);
    }
    lists.purge();
    List<Cell> few = IntStream.range(0, 11).mapToObj(i -> cell()).toList();
    few.forEach(cell -> watch(lists, 0, cell));
    for (int ended = 1; ended <= 11; ended++) {
      assertThat(clearsAndPurgeIsDue(lists, few.get(ended - 1)))
          .as("%s", ended)
          .isEqualTo(ended > 10);
    }
  }

  private static boolean clearsAndPurgeIsDue(WatchLists<?> lists, Cell cell) {
    return lists.clear(cell) && lists.isPurgeDue();
  }

  @Test
  void oneKey_manyOperations_allAreMetAndAllLeave() {
    WatchLists<String> lists = new WatchLists<>(1_000);
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      Cell cell = cell();
      cells.add(cell);
      watch(lists, "k", cell);
    }
    assertThat(walk(requireNonNull(lists.get("k")))).hasSize(100_000);
    for (int i = 0; i < cells.size(); i += 2) {
      lists.clear(cells.get(i));
    }
    lists.purge();
    assertThat(lists.watched()).isEqualTo(50_000);
    assertThat(walk(requireNonNull(lists.get("k")))).containsExactlyElementsOf(inUse(cells));
    for (int i = 1; i < cells.size(); i += 2) {
      lists.clear(cells.get(i));
    }
    lists.purge();
    assertThat(lists.watched()).isZero();
    assertThat(lists.get("k")).isNull();
  }

  @Test
  void manyKeys_oneOperation_isLetGoInOneStep() {
    WatchLists<Integer> lists = new WatchLists<>(1_000);
    Cell cell = cell();
    for (int key = 0; key < 100_000; key++) {
      watch(lists, key, cell);
    }
    assertThat(lists.keys()).isEqualTo(100_000);
    assertThat(lists.watched()).isEqualTo(100_000);
    assertThat(clearsAndPurgeIsDue(lists, cell)).isTrue();
    assertThat(cell.operation()).isNull();
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
  void keys_sameHashCode_keepTheirOwnLists(int hash) {
    WatchLists<Colliding> lists = new WatchLists<>(1_000);
    for (int i = 0; i < 300; i++) {
      watch(lists, new Colliding(i, hash), cell());
      watch(lists, new Colliding(i / 2, hash), cell());
    }
    assertThat(lists.keys()).isEqualTo(300);
    assertThat(walk(requireNonNull(lists.get(new Colliding(0, hash))))).hasSize(3);
    assertThat(walk(requireNonNull(lists.get(new Colliding(299, hash))))).hasSize(1);
    assertThat(lists.get(new Colliding(300, hash))).isNull();
  }

  @Test
  void watch_racesWithRetirement_noCellIsLost() throws InterruptedException {
    WatchLists<String> lists = new WatchLists<>(0);
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    Threads.Task watchAndEnd =
        () -> {
          try {
            for (int i = 0; i < 20_000; i++) {
              Cell cell = cell();
              DelayedOperation operation = cell.operation();
              watch(lists, "k", cell);
              WatchList list = lists.get("k");
              if (list == null || list.walk(met -> met == operation).hits() != 1) {
                missed.incrementAndGet();
              }
              lists.clear(cell);
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
  void walk_whileOthersAppendAndSweep_meetsAllThatWait() throws InterruptedException {
    WatchList list = new WatchList();
    Set<DelayedOperation> waiting = ConcurrentHashMap.newKeySet();
    AtomicInteger busy = new AtomicInteger(2);
    AtomicLong missed = new AtomicLong();
    appendTo(list, 1); // keeps the list in use
    Threads.Task appendAndEnd =
        () -> {
          try {
            Random random = new Random(1);
            List<Cell> mine = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
              Cell cell = cell();
              list.append(cell);
              mine.add(cell);
              waiting.add(requireNonNull(cell.operation()));
              if (mine.size() > 20) {
                Cell ended = mine.remove(random.nextInt(mine.size()));
                waiting.remove(requireNonNull(ended.operation()));
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
            Set<DelayedOperation> expected = Set.copyOf(waiting);
            Set<DelayedOperation> met = Set.copyOf(walk(list));
            for (DelayedOperation operation : expected) {
              if (!met.contains(operation) && waiting.contains(operation)) {
                missed.incrementAndGet();
              }
            }
          }
        };
    Threads.race(appendAndEnd, appendAndEnd, walkAndCompare);
    assertThat(missed).hasValue(0);
    assertThat(walk(list)).hasSize(1 + waiting.size()).containsAll(waiting);
  }
}
