package dev.purgatory.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A list can be found by its key at every moment of its move between the maps. */
class MapsTest {
  private final List<@Nullable OnKey> found = new ArrayList<>();
  private final ConcurrentHashMap<String, OnKey> current = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, OnKey> older = new SearchingMap();
  private final Maps<String> maps = new Maps<>(current, older);

  /** Searches for the list after each step of a move that other threads can see. */
  private final class SearchingMap extends ConcurrentHashMap<String, OnKey> {
    private static final long serialVersionUID = 1;

    @Override
    public @Nullable OnKey get(Object key) {
      OnKey list = super.get(key);
      if (found.isEmpty()) {
        found.add(list); // first, because the search below calls this method again
        found.add(maps.find((String) key));
      }
      return list;
    }

    @Override
    public boolean remove(Object key, Object list) {
      boolean removed = super.remove(key, list);
      found.add(maps.find((String) key));
      return removed;
    }

    @Override
    public @Nullable OnKey remove(Object key) {
      OnKey removed = super.remove(key);
      found.add(maps.find((String) key));
      return removed;
    }
  }

  @Test
  void move_listIsFoundAfterEachStep() {
    WatchList list = new WatchList();
    older.put("k", list);
    maps.move("k");
    assertThat(found).hasSizeGreaterThan(2).containsOnly(list);
    assertThat(current).containsEntry("k", list);
    assertThat(older).isEmpty();
  }

  @Test
  void findOrCreate_listIsFoundAfterEachStep() {
    WatchList list = new WatchList();
    older.put("k", list);
    assertThat(maps.findOrCreate("k")).isSameAs(list);
    assertThat(found).hasSizeGreaterThan(2).containsOnly(list);
    assertThat(older).isEmpty();
  }

  @Test
  void findOrCreate_listInTheOlderMapIsRetired_createsANewList() {
    WatchList retired = new WatchList();
    assertThat(retired.removeCleared()).isZero();
    older.put("k", retired);
    WatchList created = maps.findOrCreate("k");
    assertThat(created).isNotSameAs(retired);
    assertThat(maps.find("k")).isSameAs(created);
  }

  @Test
  void putIfAbsent_onlyWaiterInTheOlderMap_isMovedAndFoundAfterEachStep() {
    Waiter only = new TestWaiter();
    older.put("k", only);
    assertThat(maps.putIfAbsent("k", new TestWaiter())).isSameAs(only);
    assertThat(found).hasSizeGreaterThan(2).containsOnly(only);
    assertThat(older).isEmpty();
  }

  @Test
  void putIfAbsent_waiterInTheOlderMapIsCleared_takesItsPlace() {
    Waiter cleared = new TestWaiter();
    cleared.clear();
    older.put("k", cleared);
    Waiter next = new TestWaiter();
    assertThat(maps.putIfAbsent("k", next)).isNull();
    assertThat(maps.find("k")).isSameAs(next);
    assertThat(maps.remove("k", cleared)).isTrue();
    assertThat(older).isEmpty();
  }
}
