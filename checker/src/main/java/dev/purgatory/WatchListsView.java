package dev.purgatory;

import static dev.purgatory.checker.Invariant.LET_GO;
import static dev.purgatory.checker.Invariant.SOUND_LINKS;

import dev.purgatory.checker.Finding;
import dev.purgatory.checker.Peek;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.timer.TimerEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** What lies on the watch lists of a purgatory, to be looked at while nothing moves. */
public final class WatchListsView {
  private final Purgatory<?, ?> purgatory;
  private final WatchLists<?> watchLists;
  private final Map<?, ?> lists;
  private final AtomicBoolean purging;
  private final StripedCounter completedButWatched;

  /** Looks into a purgatory. */
  public WatchListsView(Purgatory<?, ?> purgatory) {
    this.purgatory = purgatory;
    watchLists = Peek.at(purgatory, "watchLists", WatchLists.class);
    lists = Peek.at(watchLists, "lists", Map.class);
    completedButWatched = Peek.at(watchLists, "completedButWatched", StripedCounter.class);
    purging = Peek.at(purgatory, "purging", AtomicBoolean.class);
  }

  /** The deadline of an operation, in nanoseconds on its timer's clock; 0 if it was never held. */
  public static long deadline(DelayedOperation operation) {
    Cell cell = Peek.orNull(operation, "cell", Cell.class);
    return cell == null ? 0 : cell.due();
  }

  /** The operations that entries of a timer stand for. */
  public static Set<DelayedOperation> operations(Set<TimerEntry> entries) {
    Set<DelayedOperation> operations = Collections.newSetFromMap(new IdentityHashMap<>());
    for (TimerEntry entry : entries) {
      DelayedOperation operation = ((Cell) entry).operation();
      Finding.unless(operation != null, LET_GO, "an empty cell is scheduled");
      operations.add(operation);
    }
    return operations;
  }

  /** Waits until no purge is running or due. */
  public void awaitPurge() {
    while (purging.get() || watchLists.isPurgeDue()) {
      Thread.onSpinWait();
    }
  }

  /** Waits until the purgatory's own thread has run what it was given. */
  public void awaitWorker() throws InterruptedException {
    Worker worker = Peek.at(purgatory, "worker", Worker.class);
    ExecutorService pool = Peek.at(worker, "pool", ThreadPoolExecutor.class);
    CountDownLatch done = new CountDownLatch(1);
    worker.execute(done::countDown);
    done.await();
    boolean unused = pool.isShutdown() && pool.awaitTermination(1, TimeUnit.MINUTES);
  }

  /** Whether this thread holds a lock of a list. */
  public boolean holdsLock() {
    return lists.values().stream().anyMatch(Thread::holdsLock);
  }

  /**
   * Checks all counts, and returns the operations that wait on each key, once for each time.
   *
   * @throws Finding if something is not as it should be
   */
  public Map<Object, List<DelayedOperation>> check() {
    Map<Object, List<DelayedOperation>> waiting = new HashMap<>();
    long watched = 0;
    long cleared = 0;
    for (Map.Entry<?, ?> entry : lists.entrySet()) {
      WatchList list = (WatchList) entry.getValue();
      List<DelayedOperation> operations = operations(list);
      int size = Peek.at(list, "size", Integer.class);
      watched += size;
      cleared += size - operations.size();
      if (!operations.isEmpty()) {
        waiting.put(entry.getKey(), operations);
        Finding.unless(!list.isRetired(), SOUND_LINKS, "a retired list is in use");
      }
    }
    Finding.unless(watched == purgatory.watched(), SOUND_LINKS, "watched() is not " + watched);
    Finding.unless(
        cleared == completedButWatched.sum(),
        SOUND_LINKS,
        cleared + " cleared cells, counted as " + completedButWatched.sum());
    return waiting;
  }

  private static List<DelayedOperation> operations(WatchList list) {
    List<DelayedOperation> operations = new ArrayList<>();
    Cell[] cells = Peek.at(list, "cells", Cell[].class);
    for (int i = 0; i < Peek.at(list, "size", Integer.class); i++) {
      DelayedOperation operation = cells[i].operation();
      if (operation != null) {
        Finding.unless(!operation.isEnded(), LET_GO, "an ended operation is on a list");
        operations.add(operation);
      }
    }
    return operations;
  }
}
