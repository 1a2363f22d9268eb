package dev.purgatory;

import static dev.purgatory.checker.Invariant.LET_GO;
import static dev.purgatory.checker.Invariant.SOUND_LINKS;

import dev.purgatory.checker.Finding;
import dev.purgatory.checker.Peek;
import dev.purgatory.internal.Alarm;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.internal.TimerEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** A look into the watch lists of a purgatory. To be used while no thread changes them. */
public final class WatchListsView {
  private static final long ONE_SECOND_NANOS = 1_000_000_000;
  private static final int PURGES_TAKE_ONE_IN = 10;

  private final Purgatory<?> purgatory;
  private final WatchLists<?> watchLists;
  private final StripedCounter completedButWatched;
  private final Purger purger;
  private final AtomicBoolean purging;
  private final AtomicBoolean closed;

  /** Looks into a purgatory. */
  public WatchListsView(Purgatory<?> purgatory) {
    this.purgatory = purgatory;
    watchLists = Peek.at(purgatory, "watchLists", WatchLists.class);
    completedButWatched = Peek.at(watchLists, "completedButWatched", StripedCounter.class);
    purger = Peek.at(purgatory, "purger", Purger.class);
    purging = Peek.at(purger, "purging", AtomicBoolean.class);
    closed = Peek.at(purgatory, "closed", AtomicBoolean.class);
  }

  /** Returns the deadline of an operation on its timer's clock; 0 if it was never held. */
  public static long deadline(DelayedOperation operation) {
    Registration registration = operation.registration();
    return registration.wasHeld() ? registration.deadline() : 0;
  }

  /** Returns the operations that entries of a timer stand for. */
  public static Set<Object> operations(Set<TimerEntry> entries) {
    Set<Object> operations = Collections.newSetFromMap(new IdentityHashMap<>());
    for (TimerEntry entry : entries) {
      if (entry instanceof Registration registration) {
        Object operation = registration.operation();
        Finding.unless(operation != null, LET_GO, "a cleared registration is scheduled");
        operations.add(operation);
      } else {
        Finding.unless(entry instanceof Alarm, SOUND_LINKS, "an unknown entry: " + entry);
      }
    }
    return operations;
  }

  /** Waits until no purge is running or due. A purgatory that is closed has none due. */
  public void awaitPurge() {
    while (closed.get() ? purging.get() : purger.isBusy()) {
      Thread.onSpinWait();
    }
  }

  /**
   * Returns how long dead keys may stay: a second, or longer where the last purge took long in real
   * time, as purges take a tenth of the time at most.
   */
  public long mostNanosOfDeadKeys() {
    return ONE_SECOND_NANOS + PURGES_TAKE_ONE_IN * Peek.at(purger, "tookNanos", Long.class);
  }

  /**
   * Waits until the purgatory's own threads seem to have run what they were given. A thread that
   * has just been given something may be missed.
   */
  public void awaitWorkers() throws InterruptedException {
    for (String name : List.of("worker", "helpers")) {
      Worker worker = Peek.at(purgatory, name, Worker.class);
      ThreadPoolExecutor pool = Peek.at(worker, "pool", ThreadPoolExecutor.class);
      while (pool.getActiveCount() > 0 || !pool.getQueue().isEmpty()) {
        Thread.onSpinWait();
      }
      boolean unused = pool.isShutdown() && pool.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  /** Returns whether this thread holds a lock of a list. */
  public boolean holdsLock() {
    return lists().anyMatch(Thread::holdsLock);
  }

  private Stream<WatchList> lists() {
    List<WatchList> lists = new ArrayList<>();
    watchLists.forEach(lists::add);
    return lists.stream();
  }

  private void forEach(BiConsumer<Object, WatchList> visitor) {
    Object maps = Peek.at(watchLists, "maps", Object.class);
    for (String name : List.of("current", "older")) {
      Map<?, ?> map = Peek.orNull(maps, name, Map.class);
      if (map != null) {
        map.forEach((key, list) -> visitor.accept(key, (WatchList) list));
      }
    }
  }

  /**
   * Checks all counts, and returns the operations that wait on each key, once for each time.
   *
   * @throws Finding if something is not as it should be
   */
  public Map<Object, List<Object>> check() {
    Map<Object, List<Object>> waiting = new HashMap<>();
    long[] counts = new long[2];
    forEach(
        (key, list) -> {
          List<Object> operations = operations(list);
          int size = list.size();
          counts[0] += size;
          counts[1] += size - operations.size();
          if (!operations.isEmpty()) {
            List<Object> before = waiting.put(key, operations);
            Finding.unless(before == null, SOUND_LINKS, "two lists for the key " + key);
            Finding.unless(!list.isRetired(), SOUND_LINKS, "a retired list is in use");
          }
        });
    Finding.unless(counts[0] == purgatory.watched(), SOUND_LINKS, "watched() is not " + counts[0]);
    Finding.unless(
        counts[1] == completedButWatched.sum(),
        SOUND_LINKS,
        counts[1] + " cleared registrations, counted as " + completedButWatched.sum());
    return waiting;
  }

  private static List<Object> operations(WatchList list) {
    List<Object> operations = new ArrayList<>();
    int size = 0;
    for (Registration registration : registrations(list)) {
      size++;
      Object operation = registration.operation();
      if (operation != null) {
        Finding.unless(!registration.isEnded(), LET_GO, "an ended operation is on a list");
        operations.add(operation);
      }
    }
    Finding.unless(size == list.size(), SOUND_LINKS, "a list of " + size + ", not " + list.size());
    return operations;
  }

  private static List<Registration> registrations(WatchList list) {
    Registration only = Peek.orNull(list, "only", Registration.class);
    RegistrationChain chain = Peek.orNull(list, "chain", RegistrationChain.class);
    Finding.unless(
        only == null || chain == null, SOUND_LINKS, "a list is one registration and a chain");
    if (chain == null) {
      return only == null ? List.of() : List.of(only);
    }
    List<Registration> registrations = new ArrayList<>();
    Registrations last = null;
    for (Registrations at = chain.first(); at != null; at = at.next) {
      Stream.of(at.registrations).limit(at.size).forEach(registrations::add);
      last = at;
    }
    boolean linked = last == Peek.at(chain, "last", Registrations.class);
    Finding.unless(linked, SOUND_LINKS, "the last array of a list is not in its chain");
    return registrations;
  }
}
