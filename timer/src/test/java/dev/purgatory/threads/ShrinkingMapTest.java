package dev.purgatory.threads;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.testing.ManualTicker;
import dev.purgatory.testing.Threads;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShrinkingMapTest {
  private static final int BURST = 50_000;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final ShrinkingMap<Object, String> map =
      new ShrinkingMap<>(TimerInternals.of(timer).helpers());

  private void put(Object key, String value) {
    assertThat(map.compute(key, (k, before) -> value)).isSameAs(value);
  }

  private void remove(Object key) {
    assertThat(map.compute(key, (k, before) -> null)).isNull();
  }

  private void burst() {
    for (int i = 0; i < BURST; i++) {
      put(i, "x");
    }
    for (int i = 0; i < BURST; i++) {
      remove(i);
    }
  }

  /** Lets the time pass: an attempt that did not get the lock soon is made again after a second. */
  private void awaitNewTable(Object table) {
    Threads.until(
        () -> {
          ticker.advance(Duration.ofSeconds(1));
          timer.advance();
          return map.table() != table;
        });
  }

  @Test
  void afterABurst_entriesMoveToASmallerTable_withoutAnotherCall() {
    Object table = map.table();
    put("left", "value");
    burst();
    awaitNewTable(table);
    assertThat(map.get("left")).isEqualTo("value");
    assertThat(map.size()).isOne();
    remove("left");
    assertThat(map.size()).isZero();
  }

  @Test
  void fewRemovals_orMoreEntriesThanRemovals_keepTheTable() {
    Object table = map.table();
    for (int i = 0; i < 10_000; i++) {
      put(i, "x");
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
      put(i, "x");
      remove(i);
    }
    assertThat(map.table()).isSameAs(table);
  }

  @Test
  void operations_changeWhatTheyName() {
    assertThat(map.computeIfAbsent("a", k -> "1")).isEqualTo("1");
    assertThat(map.computeIfAbsent("a", k -> "2")).isEqualTo("1");
    map.computeIfPresent("a", (k, value) -> value + "3");
    map.computeIfPresent("b", (k, value) -> value + "3");
    assertThat(map.get("a")).isEqualTo("13");
    assertThat(map.get("b")).isNull();
    map.remove("a", new String("13"));
    assertThat(map.get("a")).as("removed by an equal value").isEqualTo("13");
    map.remove("a", requireNonNull(map.get("a")));
    assertThat(map.get("a")).isNull();
    map.remove("a", "13");
    assertThat(map.size()).isZero();
  }

  /** A key that can hold up the thread that compares it. */
  private static final class Key {
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
      if (blocks && Helpers.isHelper()) {
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
  void duringAMove_everyEntryIsFound_changedAndVisitedOnce() throws InterruptedException {
    Key key = stopMove();
    assertThat(map.get(key)).isEqualTo("stopping");
    assertThat(map.get("waiting")).isEqualTo("value");
    put("waiting", "changed");
    put("new", "added");
    Map<Object, String> visited = new HashMap<>();
    map.forEach(visited::put);
    assertThat(visited)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(key, "stopping", "waiting", "changed", "new", "added"));
    remove("waiting");
    assertThat(map.get("waiting")).isNull();
    remove(key);
    assertThat(map.get(key)).isNull();
    key.released.countDown();
    remove("new");
    assertThat(map.size()).isZero();
  }

  @Test
  void keyThatThrows_keepsItsEntry_andMovesLater() {
    Key key = new Key(0);
    put(key, "value");
    put("other", "moved");
    key.fails = true;
    Object first = map.table();
    burst();
    awaitNewTable(first);
    assertThat(map.size()).isEqualTo(2);
    assertThat(map.get("other")).isEqualTo("moved");
    key.fails = false;
    assertThat(map.get(key)).isEqualTo("value");
    Object second = map.table();
    Threads.until(
        () -> {
          burst();
          return map.table() != second;
        });
    assertThat(map.get(key)).isEqualTo("value");
    remove(key);
    remove("other");
    assertThat(map.size()).isZero();
  }

  @Test
  void changeThatBlocks_doesNotStopOthers_andTheTableShrinksLater() throws InterruptedException {
    int blockedKey = 2 * BURST; // in a bin of its own
    for (int i = 0; i < BURST; i++) {
      put(i, "x");
    }
    CountDownLatch changing = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Threads.Running blocked =
        Threads.start(
            () ->
                map.compute(
                    blockedKey,
                    (key, before) -> {
                      changing.countDown();
                      Threads.until(() -> release.getCount() == 0);
                      return "value";
                    }));
    Threads.await(changing);
    Object table = map.table();
    for (int i = 0; i < BURST; i++) {
      remove(i);
    }
    Threads.until(() -> timer.retained() > 0); // the next attempt is scheduled
    put(0, "others go on");
    assertThat(map.get(0)).isEqualTo("others go on");
    assertThat(map.table()).isSameAs(table);
    release.countDown();
    blocked.join();
    assertThat(map.get(blockedKey)).isEqualTo("value");
    awaitNewTable(table);
    assertThat(map.get(blockedKey)).isEqualTo("value");
  }

  @Test
  void whileTheTableShrinks_noChangeIsLost() throws InterruptedException {
    int rounds = 60_000;
    Object table = map.table();
    AtomicInteger value = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    List<Threads.Task> tasks = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      int base = thread * 1_000_000;
      tasks.add(
          () -> {
            String last = "";
            for (int i = 0; i < rounds; i++) {
              boolean grows = i / 2_000 % 2 == 0; // each key is put once, and then removed
              int key = base + i / 4_000 * 2_000 + i % 2_000;
              if (grows) {
                put(key, "x");
              } else {
                remove(key);
              }
              if (i % 100 == 0) {
                String expected = last;
                String next = String.valueOf(value.incrementAndGet());
                map.compute(base - 1, (k, before) -> check(before, expected, lost, next));
                last = next;
              }
              if (!last.equals(map.get(base - 1))) {
                lost.incrementAndGet();
              }
              map.compute("shared", (k, before) -> before == null ? "x" : null);
            }
          });
    }
    Threads.race(tasks);
    awaitNewTable(table);
    assertThat(lost).hasValue(0);
    assertThat(map.get("shared")).as("changed an even number of times").isNull();
    assertThat(map.size()).isEqualTo(3);
  }

  private static String check(
      @Nullable String before, String expected, AtomicInteger lost, String next) {
    if (!expected.equals(before == null ? "" : before)) {
      lost.incrementAndGet();
    }
    return next;
  }
}
