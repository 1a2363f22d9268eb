package dev.purgatory.base;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.purgatory.testing.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ShrinkingMapTest {
  private static final int BURST = 50_000;

  private int bursts;
  private final ThreadLocal<Boolean> isMover = ThreadLocal.withInitial(() -> false);
  private final Set<String> retired = ConcurrentHashMap.newKeySet();
  private final ShrinkingMap<Object, String> map =
      new ShrinkingMap<>(this::move, retired::contains);

  private void move(Runnable task) {
    Threads.start(
        () -> {
          isMover.set(true);
          task.run();
        });
  }

  private void put(Object key, String value) {
    assertThat(map.putIfAbsent(key, value)).isSameAs(value);
  }

  private void remove(Object key) {
    String value = requireNonNull(map.get(key));
    retired.add(value); // for good: an entry that is being moved would come back
    map.remove(key, value);
  }

  private void burst() {
    bursts++;
    for (int i = 0; i < BURST; i++) {
      put(i, "x" + i + " of burst " + bursts);
    }
    for (int i = 0; i < BURST; i++) {
      remove(i);
    }
  }

  private void awaitNewTable(Object table) {
    Threads.until(() -> map.table() != table);
  }

  @Test
  void afterABurst_entriesMoveToASmallerTable_withoutAnotherCall() {
    Object table = map.table();
    put("left", "value");
    burst();
    awaitNewTable(table);
    assertThat(map.get("left")).isEqualTo("value"); // perhaps before it has been moved
    Threads.until(() -> map.size() == 1);
    remove("left");
    Threads.until(() -> map.size() == 0);
  }

  @Test
  void fewRemovals_orMoreEntriesThanRemovals_keepTheTable() {
    Object table = map.table();
    for (int i = 0; i < 10_000; i++) {
      put(i, "x" + i);
    }
    for (int i = 0; i < 5_000; i++) {
      remove(i);
    }
    assertThat(map.table()).isSameAs(table);
    assertThat(map.size()).isEqualTo(5_000);
  }

  @Test
  void entriesThatComeAndGo_keepTheTable() {
    Object table = map.table();
    for (int i = 0; i < 10 * BURST; i++) {
      put(i, "x" + i);
      remove(i);
    }
    assertThat(map.table()).isSameAs(table);
  }

  @Test
  void operations_changeWhatTheyName() {
    assertThat(map.computeIfAbsent("a", k -> "1")).isEqualTo("1");
    assertThat(map.computeIfAbsent("a", k -> "2")).isEqualTo("1");
    assertThat(map.get("b")).isNull();
    assertThat(map.putIfAbsent("a", "4")).isEqualTo("1");
    map.remove("a", "4");
    assertThat(map.get("a")).isEqualTo("1");
    map.remove("a", "1");
    assertThat(map.putIfAbsent("a", "4")).isEqualTo("4");
    remove("a");
    assertThat(map.size()).isZero();
  }

  /** A key that can hold up the thread that compares it. */
  private final class Key {
    private final CountDownLatch compared = new CountDownLatch(1);
    private final CountDownLatch released;
    private volatile boolean blocks;
    private volatile boolean fails;

    Key(int count) {
      released = new CountDownLatch(count);
    }

    @Override
    public int hashCode() {
      if (fails) {
        throw new IllegalStateException("the hash code fails");
      }
      if (blocks && isMover.get()) {
        compared.countDown();
        Threads.until(() -> released.getCount() == 0);
      }
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  /** Has a move stop, after some entries and before this one. */
  private Key stopMove() throws InterruptedException {
    Key key = new Key(1);
    Object table = map.table();
    put(key, "stopping");
    put("waiting", "value");
    key.blocks = true;
    burst();
    awaitNewTable(table);
    Threads.await(key.compared);
    return key;
  }

  @Test
  void duringAMove_everyEntryIsFound_andVisitedOnce() throws InterruptedException {
    Key key = stopMove();
    assertThat(map.get(key)).isEqualTo("stopping");
    assertThat(map.get("waiting")).isEqualTo("value");
    put("new", "added");
    Map<Object, String> visited = new HashMap<>();
    map.forEach(visited::put);
    assertThat(visited)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(key, "stopping", "waiting", "value", "new", "added"));
    remove("waiting");
    assertThat(map.get("waiting")).isNull();
    remove(key);
    assertThat(map.get(key)).isNull();
    key.released.countDown();
    remove("new");
    Threads.until(() -> map.size() == 0);
  }

  private List<String> strays() {
    List<String> strays = new ArrayList<>();
    map.forEachStray(strays::add);
    return strays;
  }

  @Test
  void keyThatThrows_isLeftBehind_andOthersAreNot() {
    Key key = new Key(0);
    put(key, "value");
    put("other", "moved");
    key.fails = true;
    Object table = map.table();
    burst();
    awaitNewTable(table);
    Threads.until(() -> strays().equals(List.of("value")));
    Threads.until(() -> map.size() == 2);
    assertThat(map.get("other")).isEqualTo("moved");
    remove("other");
    Threads.until(() -> map.size() == 1); // not in the older map any more
  }

  @Test
  void valueOfAKeyThatThrows_isKeptUntilItIsRetired() {
    Key key = new Key(0);
    put(key, "value");
    key.fails = true;
    Object table = map.table();
    burst();
    awaitNewTable(table);
    Threads.until(() -> strays().equals(List.of("value")));
    retired.add("value");
    Object next = map.table();
    burst();
    awaitNewTable(next);
    Threads.until(() -> map.size() == 0);
  }

  /** Steps of moves, in a map whose tables are exchanged when the test says so. */
  @Nested
  class Steps {
    private final Queue<Runnable> moves = new ArrayDeque<>();
    private final ShrinkingMap<Object, String> stuck =
        new ShrinkingMap<>(moves::add, retired::contains);

    /** A key that does something when it is hashed, once. */
    private static final class Hooked {
      private @Nullable Runnable onHash;

      @Override
      public int hashCode() {
        Runnable action = onHash;
        if (action != null) {
          onHash = null;
          action.run();
        }
        return 1;
      }

      @Override
      public boolean equals(Object other) {
        return this == other;
      }
    }

    /** Makes the map want other tables. */
    @BeforeEach
    void failToRemove() {
      Key key = new Key(0);
      assertThat(stuck.putIfAbsent(key, "stuck")).isEqualTo("stuck");
      key.fails = true;
      retired.add("stuck");
      try {
        stuck.remove(key, "stuck");
        fail("it was removed");
      } catch (IllegalStateException e) {
        assertThat(moves).hasSize(1);
      }
    }

    private void move() {
      moves.remove().run();
    }

    @Test
    void retiredValueThatCannotBeRemoved_isLeftBehind() {
      assertThat(stuck.putIfAbsent("other", "moved")).isEqualTo("moved");
      assertThat(stuck.size()).isEqualTo(2);
      Object table = stuck.table();
      move();
      assertThat(stuck.table()).isNotSameAs(table);
      assertThat(stuck.size()).isEqualTo(1);
      assertThat(stuck.get("other")).isEqualTo("moved");
      stuck.tidy();
      assertThat(moves).isEmpty();
    }

    @Test
    void entry_isFoundAtEachStepOfItsMove() {
      Hooked key = new Hooked();
      List<@Nullable String> found = new ArrayList<>();
      Runnable[] search = new Runnable[1];
      search[0] =
          () -> {
            found.add(stuck.get(key));
            key.onHash = search[0];
          };
      assertThat(stuck.putIfAbsent(key, "value")).isEqualTo("value");
      key.onHash = search[0];
      move();
      assertThat(found).hasSizeGreaterThan(2).containsOnly("value");
      assertThat(stuck.size()).isEqualTo(1);
    }

    @Test
    void putIfAbsent_tablesAreExchangedMeanwhile_entryIsInTheNewOne() {
      Object table = stuck.table();
      Hooked key = new Hooked();
      key.onHash = this::move;
      assertThat(stuck.putIfAbsent(key, "value")).isEqualTo("value");
      assertThat(stuck.table()).isNotSameAs(table);
      assertThat(stuck.get(key)).isEqualTo("value");
    }

    @Test
    void remove_tablesAreExchangedMeanwhile_entryDoesNotComeBack() {
      Hooked key = new Hooked();
      assertThat(stuck.putIfAbsent(key, "value")).isEqualTo("value");
      Object table = stuck.table();
      retired.add("value");
      key.onHash = this::move;
      stuck.remove(key, "value");
      assertThat(stuck.table()).isNotSameAs(table);
      assertThat(stuck.size()).isZero();
    }

    @Test
    void valueThatIsAddedToTheOlderTableTooLate_doesNotComeBack() {
      Hooked key = new Hooked();
      Hooked next = new Hooked();
      assertThat(stuck.putIfAbsent(key, "value")).isEqualTo("value");
      assertThat(stuck.putIfAbsent(next, "next")).isEqualTo("next");
      next.onHash =
          () -> {
            throw new OutOfMemoryError("expected");
          };
      key.onHash = this::move; // it ends at the next key
      assertThat(stuck.putIfAbsent(key, "late")).isEqualTo("value");
      retired.add("value");
      stuck.remove(key, "value");
      assertThat(stuck.get(key)).isNull();
      stuck.tidy();
      move();
      assertThat(stuck.get(key)).isNull();
      assertThat(stuck.get(next)).isEqualTo("next");
    }

    @Test
    void retiredValueOfTheOlderTable_doesNotComeBack() {
      Hooked key = new Hooked();
      assertThat(stuck.putIfAbsent(key, "value")).isEqualTo("value");
      key.onHash =
          () -> { // the mover has decided to move it
            retired.add("value");
            stuck.remove(key, "value");
          };
      move();
      assertThat(stuck.get(key)).isNull();
      assertThat(stuck.size()).isZero();
    }
  }

  /** Each round removes enough entries for the tables to be exchanged. */
  @Test
  void whileTheTableShrinks_whatIsAddedIsFound_andWhatIsRemovedIsNot() throws InterruptedException {
    ShrinkingMap<Integer, AtomicBoolean> racing =
        new ShrinkingMap<>(this::move, AtomicBoolean::get);
    Object table = racing.table();
    AtomicInteger missed = new AtomicInteger();
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      int base = thread * 1_000_000;
      tasks.add(() -> addAndRemove(racing, base, missed));
    }
    Threads.race(tasks);
    assertThat(missed).hasValue(0);
    Threads.until(() -> racing.table() != table);
    Threads.until(() -> racing.size() == 0);
  }

  private static void addAndRemove(
      ShrinkingMap<Integer, AtomicBoolean> racing, int base, AtomicInteger missed) {
    for (int round = 0; round < 40; round++) {
      List<AtomicBoolean> values = new ArrayList<>();
      for (int i = 0; i < 1_500; i++) {
        AtomicBoolean value = new AtomicBoolean();
        values.add(value);
        missed.addAndGet(racing.putIfAbsent(base + i, value) == value ? 0 : 1);
        missed.addAndGet(racing.get(base + i) == value ? 0 : 1);
      }
      for (int i = 0; i < 1_500; i++) {
        AtomicBoolean value = values.get(i);
        missed.addAndGet(racing.get(base + i) == value ? 0 : 1);
        missed.addAndGet(racing.putIfAbsent(base + i, new AtomicBoolean()) == value ? 0 : 1);
        value.set(true);
        racing.remove(base + i, value);
        missed.addAndGet(racing.get(base + i) == null ? 0 : 1);
      }
    }
  }
}
