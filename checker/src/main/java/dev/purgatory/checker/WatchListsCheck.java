package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.PROGRESS;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.SOUND_LINKS;

import dev.purgatory.Purgatory;
import dev.purgatory.WatchListsView;
import dev.purgatory.WatchListsView.ListState;
import dev.purgatory.WatchListsView.RegistrationState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks the watch lists of a purgatory. Findings are valid while no thread changes them. */
final class WatchListsCheck {
  private static final long ONE_SECOND_NANOS = 1_000_000_000;

  /** Searches for unused keys take one tenth of the time at most. */
  private static final int ONE_IN = 10;

  private final Purgatory<?> purgatory;
  private final WatchListsView view;

  WatchListsCheck(Purgatory<?> purgatory) {
    this.purgatory = purgatory;
    view = new WatchListsView(purgatory);
  }

  /**
   * Checks the lists and returns the operations that are on the list of each key, as often as they
   * are on it.
   *
   * @throws Finding if an invariant does not hold
   */
  Map<Object, List<Object>> operations() {
    Map<Object, List<Object>> operations = new HashMap<>();
    long watched = 0;
    long cleared = 0;
    for (ListState list : view.lists()) {
      List<Object> onList = operations(list);
      watched += list.size();
      cleared += list.size() - onList.size();
      if (!onList.isEmpty()) {
        List<Object> others = operations.put(list.key(), onList);
        if (list.key() == WatchListsView.WITHOUT_KEY
            && others != null) { // one list for each stripe
          onList.addAll(others);
        } else {
          require(others == null, "two lists for the key " + list.key());
        }
        require(!list.isRetired(), "a retired list is in use");
      }
    }
    require(watched == purgatory.inspect().watched(), "watched() is not " + watched);
    require(
        cleared == view.cleared(),
        cleared + " cleared registrations, counted as " + view.cleared());
    return operations;
  }

  private static List<Object> operations(ListState list) {
    require(list.isLinked(), "the chain of a list does not end with its last array");
    int size = list.registrations().size();
    require(size == list.size(), "a list of " + size + ", counted as " + list.size());
    List<Object> operations = new ArrayList<>();
    for (RegistrationState registration : list.registrations()) {
      Object operation = registration.operation();
      if (operation != null) {
        Finding.unless(!registration.isEnded(), RELEASED, "an ended operation is on a list");
        operations.add(operation);
      }
    }
    return operations;
  }

  private static void require(boolean condition, String details) {
    Finding.unless(condition, SOUND_LINKS, details);
  }

  /**
   * Waits until no purge is running or due.
   *
   * @throws Finding if purges do not end
   */
  void awaitPurge() {
    Patience.spin(() -> !view.isPurgePending(), () -> new Finding(PROGRESS, "purges do not end"));
  }

  /**
   * Returns how long unused keys may stay: one second, or longer if the last search for them took
   * long in real time.
   */
  long mostNanosOfUnusedKeys() {
    return ONE_SECOND_NANOS + ONE_IN * view.lastPurgeNanos();
  }
}
