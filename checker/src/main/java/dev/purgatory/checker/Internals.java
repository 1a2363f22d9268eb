package dev.purgatory.checker;

import dev.purgatory.Purgatory;
import dev.purgatory.WatchListsView;
import dev.purgatory.timer.Timer;
import java.util.List;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The locks and the thread pools of a purgatory and its timer. They are found by their types, so
 * that none is forgotten.
 */
final class Internals {
  private final List<ReentrantLock> locks;
  private final List<ThreadPoolExecutor> pools;
  private final WatchListsView lists;

  /**
   * Finds the locks and the pools.
   *
   * @param border objects that the purgatory and the timer were given by their user
   */
  Internals(Purgatory<?> purgatory, Timer timer, List<?> border) {
    Reachable reachable = Reachable.from(List.of(purgatory, timer), border);
    locks = reachable.instances(ReentrantLock.class).toList();
    pools = reachable.instances(ThreadPoolExecutor.class).toList();
    lists = new WatchListsView(purgatory);
  }

  /** Returns whether the current thread holds a lock. */
  boolean isLockHeld() {
    return locks.stream().anyMatch(ReentrantLock::isHeldByCurrentThread) || lists.isLockHeld();
  }

  /**
   * Waits until the pools seem to be idle, or to have ended if they are shut down. A task that was
   * handed over just now may be missed.
   *
   * @throws Finding if a pool does not become idle
   */
  void awaitPools() {
    for (ThreadPoolExecutor pool : pools) {
      Patience.spin(
          () -> isIdle(pool),
          () -> new Finding(Invariant.PROGRESS, "a pool does not become idle: " + pool));
    }
  }

  private static boolean isIdle(ThreadPoolExecutor pool) {
    return pool.isShutdown()
        ? pool.isTerminated()
        : pool.getActiveCount() == 0 && pool.getQueue().isEmpty();
  }
}
