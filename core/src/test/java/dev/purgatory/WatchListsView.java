package dev.purgatory;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A view of the watch lists of a purgatory, for the checker. Each list is read under its lock. The
 * view as a whole is consistent while no thread changes the lists.
 */
public final class WatchListsView {

  /**
   * The state of a watch list.
   *
   * @param key the key of the list, or its scope or key set
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

  private final WatchLists<?> watchLists;
  private final Purger purger;

  /** Creates a view of the watch lists of a purgatory. */
  public WatchListsView(Purgatory<?> purgatory) {
    watchLists = purgatory.watchLists();
    purger = purgatory.purger();
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

  /** Returns whether the operation of a handle has ended. A key set is not one. */
  public static boolean hasEnded(Held handle) {
    Registration registration = (Registration) handle;
    return registration.isEnded() && !registration.isForwarding();
  }

  /** Returns the number of keys that have a number, or for which a request waits. */
  public static int keys(Thresholds<?> thresholds) {
    return thresholds.keys();
  }

  /** Returns the operation of a handle; null if the handle is cleared. */
  public static @Nullable Object operation(Held handle) {
    Object operation = ((Registration) handle).operation();
    return operation == null ? null : named(operation);
  }

  /** Returns the states of the lists of all keys, and of those without a key. */
  public List<ListState> lists() {
    List<ListState> lists = new ArrayList<>();
    watchLists.forEachMap((key, list) -> lists.add(state(key, list)));
    watchLists.forEachUnnamed(list -> lists.add(state(WITHOUT_KEY, list)));
    return lists;
  }

  /** Returns the number of cleared registrations as counted by the purgatory. */
  public long cleared() {
    return watchLists.completedButWatched();
  }

  /** Returns whether the current thread holds the lock of a list. */
  public boolean isLockHeld() {
    boolean[] isHeld = new boolean[1];
    watchLists.forEach(list -> isHeld[0] |= Thread.holdsLock(list));
    return isHeld[0];
  }

  /**
   * Returns whether a purge is running or due, and begins a due one. A closed purgatory has none.
   */
  public boolean isPurgePending() {
    return purger.isClosed() ? purger.isPurging() : purger.isBusy();
  }

  /** Returns how long the last search for unused keys took, in nanoseconds of real time. */
  public long lastPurgeNanos() {
    return purger.tookNanos();
  }

  private static ListState state(Object key, WatchList list) {
    synchronized (list) {
      Registration only = list.only();
      RegistrationChain chain = list.chain();
      List<Registration> registrations = new ArrayList<>();
      if (only != null) {
        registrations.add(only);
      }
      boolean isLinked = chain == null || (only == null && addAll(chain, registrations));
      List<RegistrationState> states = registrations.stream().map(WatchListsView::state).toList();
      return new ListState(named(key), list.isRetired(), list.size(), isLinked, states);
    }
  }

  private static RegistrationState state(Registration registration) {
    Object operation = registration.operation();
    return new RegistrationState(
        operation == null ? null : named(operation), hasEnded(registration));
  }

  private static Object named(Object key) {
    return key instanceof HiddenKey hidden ? hidden.owner : key;
  }

  /** Returns whether the chain ends with its last array. */
  private static boolean addAll(RegistrationChain chain, List<Registration> to) {
    Registrations end = chain.first();
    for (Registrations at = end; at != null; at = at.next) {
      Stream.of(at.registrations).limit(at.size).forEach(to::add);
      end = at;
    }
    return end == chain.last();
  }
}
