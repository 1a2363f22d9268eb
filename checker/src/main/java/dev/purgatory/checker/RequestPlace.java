package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CONSERVED;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.RELEASED;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.SignalQueue;
import dev.purgatory.Thresholds;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.RequestModel.KeyGroupState;
import dev.purgatory.checker.RequestModel.Space;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;

/** A purgatory of a {@link RequestRun}, and what belongs to it. */
final class RequestPlace {
  final Purgatory<Integer> purgatory;
  final Thresholds<Integer> thresholds;
  final Map<Integer, KeyGroupState> keyGroups = new HashMap<>();

  /** The values that conditions can take. */
  final Queue<Integer> values = new ArrayDeque<>();

  /** Signals keys when it is run. */
  final SignalQueue<Integer> queue;

  /** Signals keys when the tasks are run. */
  final SignalQueue<Integer> later;

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
    List<Integer> left = List.copyOf(values);
    Finding.unless(
        left.equals(List.copyOf(space.values)),
        CONSERVED,
        "the values left are " + left + ", not " + space.values);
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

  /** Returns what is expected on the lists of keys, key groups and scopes, in any order. */
  private static Map<Object, List<Object>> lists(Space space) {
    Map<Object, List<Object>> lists = new HashMap<>();
    for (Request each : space.held) {
      List<Object> on = new ArrayList<>(RequestModel.keys(each));
      each.scopes.forEach(scope -> on.add(scope.real));
      if (on.isEmpty()) {
        on.add(WatchListsView.WITHOUT_KEY);
      }
      on.forEach(key -> at(lists, key).add(Objects.requireNonNull(each.future)));
    }
    for (KeyGroupState group : space.keyGroups) {
      if (group.open) {
        group.real.keys().forEach(key -> at(lists, key).add(group.real));
      }
    }
    return lists;
  }

  private static List<Object> at(Map<Object, List<Object>> lists, Object key) {
    return lists.computeIfAbsent(key, k -> new ArrayList<>());
  }

  /** Does what the condition of a request does after it has taken a value. */
  void interfere(Request request) {
    RequestStep.What what = request.plan.interferes();
    if (what == null) {
      return;
    }
    switch (what) {
      case CANCEL, COMPLETE, FAIL -> end(request, what);
      case CLOSE_SCOPE -> request.scopes.stream().limit(1).forEach(each -> each.real.close());
      case FAIL_SCOPE ->
          request.scopes.stream().limit(1).forEach(each -> each.real.fail(request.provoked));
      case CANCEL_ALL -> purgatory.cancelAll();
      case CLOSE -> {
        values.clear();
        purgatory.close();
      }
      default -> request.plan.keys().stream().limit(1).forEach(key -> end(key, request));
    }
  }

  private static void end(Request request, RequestStep.What what) {
    HeldFuture<Integer> future = request.future;
    if (future == null) {
      return; // its condition is evaluated for the first time
    }
    switch (what) {
      case CANCEL -> future.cancel(false);
      case COMPLETE -> future.complete(-1);
      default -> future.completeExceptionally(request.provoked);
    }
  }

  private void end(int key, Request request) {
    switch (Objects.requireNonNull(request.plan.interferes())) {
      case COMPLETE_FOR_KEY -> WatchListsView.completeForKey(purgatory, key, -2);
      case FAIL_FOR_KEY -> purgatory.failForKey(key, request.provoked);
      default -> purgatory.cancelForKey(key);
    }
  }

  /** Closes the purgatory, and checks that its lists are empty. */
  void close() {
    purgatory.close();
    purgatory.inspect().purge(); // removes key groups that were closed after the purgatory
    lists.awaitPurge();
    Finding.unless(
        purgatory.inspect().watched() == 0 && purgatory.inspect().keys() == 0,
        Invariant.CLOSED_FOR_GOOD,
        "after close(), " + purgatory.inspect().watched() + " watched");
  }
}
