package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.RELEASED;

import dev.purgatory.Purgatory;
import dev.purgatory.SignalQueue;
import dev.purgatory.Thresholds;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.RequestModel.KeySetState;
import dev.purgatory.checker.RequestModel.Space;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A purgatory of a {@link RequestProgram}, and what belongs to it. */
final class RequestPlace {
  final Purgatory<Integer> purgatory;
  final Thresholds<Integer> thresholds;
  final Map<Integer, KeySetState> keySets = new HashMap<>();

  /** Signals keys when it is run. */
  final SignalQueue<Integer> queue;

  /** The keys that are marked in the queue, in order. */
  final Set<Integer> marked = new LinkedHashSet<>();

  /** Signals keys when the tasks are run. */
  final SignalQueue<Integer> later;

  final Set<Integer> markedForLater = new LinkedHashSet<>();
  final List<Runnable> tasks = new ArrayList<>();

  private final WatchListsCheck lists;

  RequestPlace(Purgatory<Integer> purgatory) {
    this.purgatory = purgatory;
    lists = new WatchListsCheck(purgatory);
    thresholds = new Thresholds<>(purgatory);
    queue = new SignalQueue<>(purgatory);
    later = new SignalQueue<>(purgatory, tasks::add);
  }

  /**
   * Compares the purgatory with what is expected of it.
   *
   * @throws Finding if they differ
   */
  void verify(Space space) {
    Finding.unless(
        purgatory.pending() == space.held.size(),
        EXACT_COUNT,
        "pending() is " + purgatory.pending() + ", held: " + space.held);
    Set<Integer> levels = space.levels();
    int keys = WatchListsView.keys(thresholds);
    Finding.unless(keys == levels.size(), RELEASED, keys + " keys of thresholds, not " + levels);
    lists.awaitPurge();
    Map<Object, List<Object>> found = lists.operations();
    Map<Object, List<Object>> expected = lists(space);
    expected.forEach(
        (key, on) ->
            on.sort(
                Comparator.comparing(each -> found.getOrDefault(key, List.of()).indexOf(each))));
    Finding.unless(
        found.equals(expected), RELEASED, "on the lists: " + found + ", not " + expected);
  }

  /** Returns what is expected on the lists of keys, key sets and scopes, in any order. */
  private static Map<Object, List<Object>> lists(Space space) {
    Map<Object, List<Object>> lists = new HashMap<>();
    for (Request each : space.held) {
      List<Object> on = new ArrayList<>(RequestModel.keys(each));
      if (on.isEmpty()) {
        on.add(WatchListsView.WITHOUT_KEY);
      }
      each.scopes.forEach(scope -> on.add(scope.real));
      on.forEach(key -> at(lists, key).add(Objects.requireNonNull(each.future)));
    }
    for (KeySetState set : space.keySets) {
      if (set.open) {
        set.real.keys().forEach(key -> at(lists, key).add(set.real));
      }
    }
    return lists;
  }

  private static List<Object> at(Map<Object, List<Object>> lists, Object key) {
    return lists.computeIfAbsent(key, k -> new ArrayList<>());
  }

  /** Closes the purgatory, and checks that its lists are empty. */
  void close() {
    purgatory.close();
    purgatory.purge(); // removes key sets that were closed after the purgatory
    lists.awaitPurge();
    Finding.unless(
        purgatory.watched() == 0 && purgatory.keys() == 0,
        Invariant.CLOSED_FOR_GOOD,
        "after close(), " + purgatory.watched() + " watched");
  }
}
