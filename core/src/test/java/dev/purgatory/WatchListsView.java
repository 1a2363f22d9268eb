package dev.purgatory;

import dev.purgatory.watch.HiddenKey;
import dev.purgatory.watch.Keys;
import dev.purgatory.watch.ListsView;
import dev.purgatory.watch.Purger;
import dev.purgatory.watch.Waiter;
import dev.purgatory.watch.Waiters;
import dev.purgatory.watch.WatchLists;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A view of the watch lists of a purgatory, for the checker. Each list is read under its lock. The
 * view as a whole is consistent while no thread changes the lists.
 */
public final class WatchListsView {

  /**
   * The state of a watch list.
   *
   * @param key the key of the list, or its scope or key group
   * @param isRetired whether the list is retired
   * @param size the size of the list as counted by the list
   * @param isLinked whether the list has one registration or a chain, and the last array of the
   *     chain is the one at its end
   * @param registrations the registrations, in order
   */
  public record ListState(
      Object key,
      boolean isRetired,
      int size,
      boolean isLinked,
      List<RegistrationState> registrations) {}

  /**
   * The state of a registration.
   *
   * @param operation the operation; null if the registration is cleared
   * @param isEnded whether the operation has ended
   */
  public record RegistrationState(@Nullable Object operation, boolean isEnded) {}

  /** Stands for the key of operations without a key. */
  public static final Object WITHOUT_KEY = "no key";

  /** The type of what {@link #core} returns. */
  public static final Class<?> CORE = Core.class;

  private final Keys<?> keys;
  private final WatchLists<?> watchLists;
  private final Purger purger;

  /** Creates a view of the watch lists of a purgatory. */
  public WatchListsView(Purgatory<?> purgatory) {
    keys = purgatory.core().keys();
    watchLists = purgatory.core().lists;
    purger = purgatory.core().purger;
  }

  /** Returns the object by which the parts of a purgatory refer to it. */
  public static Object core(Purgatory<?> purgatory) {
    return purgatory.core();
  }

  /** Returns the deadline of an operation on its timer's clock; 0 if it was never held. */
  public static long deadline(DelayedOperation operation) {
    Registration registration = operation.registration();
    return registration.wasHeld() ? registration.deadline() : 0;
  }

  /** Returns the deadline of a future on its timer's clock; 0 if it was never held. */
  public static long deadline(HeldFuture<?> future) {
    Registration registration = future.registration();
    return registration.wasHeld() ? registration.deadline() : 0;
  }

  /** Returns whether an entry of a timer or a list is that of an operation. */
  public static boolean isOperation(Object entry) {
    return entry instanceof Registration;
  }

  /** The type of the entries of operations. */
  public static final Class<?> OPERATION = Registration.class;

  /** Returns whether the operation of an entry has ended. */
  public static boolean hasEnded(Object entry) {
    return ((Registration) entry).isEnded();
  }

  /** Returns the number of keys that have a number, or for which a request waits. */
  public static int keys(Thresholds<?> thresholds) {
    return thresholds.keys();
  }

  /** Returns the operation of an entry; null if the entry is cleared. */
  public static @Nullable Object operation(Object entry) {
    Object operation = ((Registration) entry).operation();
    return operation == null ? null : named(operation);
  }

  /** Returns the states of the lists of all keys, and of those without a key. */
  public List<ListState> lists() {
    List<ListState> lists = new ArrayList<>();
    keys.forEach((key, list) -> lists.add(state(key == null ? WITHOUT_KEY : key, list)));
    return lists;
  }

  /** Returns the number of cleared registrations as counted by the purgatory. */
  public long cleared() {
    return ListsView.cleared(watchLists);
  }

  /** Returns whether the current thread holds the lock of a list. */
  public boolean isLockHeld() {
    boolean[] isHeld = new boolean[1];
    keys.forEach((key, list) -> isHeld[0] |= Thread.holdsLock(list));
    return isHeld[0];
  }

  /**
   * Returns whether a purge is running or due, and begins a due one. A closed purgatory has none.
   */
  public boolean isPurgePending() {
    return ListsView.isPurging(purger);
  }

  /** Returns how long the last search for unused keys took, in nanoseconds of real time. */
  public long lastPurgeNanos() {
    return ListsView.lastPurgeNanos(purger);
  }

  private static ListState state(Object key, Waiters list) {
    ListsView.State state = ListsView.state(list);
    return new ListState(
        named(key),
        state.isRetired(),
        state.size(),
        state.isLinked(),
        state.waiters().stream().map(WatchListsView::state).toList());
  }

  private static RegistrationState state(Waiter waiter) {
    if (waiter instanceof Registration registration) {
      Object operation = registration.operation();
      return new RegistrationState(
          operation == null ? null : named(operation), registration.isEnded());
    }
    Object keyGroup = ListsView.referent(waiter);
    return new RegistrationState(keyGroup == null ? null : named(keyGroup), false);
  }

  private static Object named(Object key) {
    return key instanceof HiddenKey hidden ? hidden.owner() : key;
  }

  /** Sets how many entries of ended operations may stay on the lists. */
  public static <K> PurgatoryBuilder<K> purgeInterval(PurgatoryBuilder<K> builder, int entries) {
    return builder.purgeInterval(entries);
  }

  /** Completes the operations on a key, and returns how many this call completed. */
  public static <K> int completeForKey(Purgatory<K> purgatory, K key, Object value) {
    return purgatory.core().visit(key, each -> complete(each, value));
  }

  @SuppressWarnings("unchecked") // the caller vouches for the type
  private static boolean complete(Registration registration, Object value) {
    return registration.operation() instanceof HeldFuture<?> future
        ? ((HeldFuture<Object>) future).complete(value)
        : registration.endForUser(Outcome.COMPLETED, null);
  }

  /** Returns the map of the lists that is in use. */
  public static Object map(Purgatory<?> purgatory) {
    return ListsView.map(purgatory.core().keys());
  }

  /** Returns whether a purge runs or is due, and begins a due one. */
  public static boolean isPurging(Purgatory<?> purgatory) {
    return ListsView.isPurging(purgatory.core().purger);
  }
}
