package dev.purgatory.races;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.core.ThreadContext;
import org.pastalab.fray.core.randomness.Randomness;
import org.pastalab.fray.core.scheduler.POSScheduler;
import org.pastalab.fray.core.scheduler.Scheduler;

/**
 * Chooses every second schedule by Fray's POS, which mixes the steps of all threads. In the others,
 * a thread runs until it waits, but for one to three steps, at each of which all other threads go
 * first. Most mistakes need few such steps, but at exact places.
 */
final class Preemptions extends Scheduler {
  private static final int MOST = 3;

  /** A thread that spins gives way to others after so many steps. */
  private static final int SPIN = 10_000;

  private final @Nullable Scheduler mixing;
  private final Set<Integer> preempted = new HashSet<>();

  /** All threads that were seen; the first one of them that can runs. */
  private final List<ThreadContext> order = new ArrayList<>();

  private final int before;
  private int step;

  /**
   * Chooses one schedule.
   *
   * @param before how many steps the longest schedule before had
   */
  Preemptions(Randomness randomness, int before) {
    super(randomness);
    this.before = before;
    mixing = nextInt() % 2 == 0 ? new POSScheduler(randomness) : null;
    for (int i = nextInt() % MOST; i >= 0; i--) {
      preempted.add(nextInt() % before + 1);
    }
  }

  int before() {
    return before;
  }

  @Override
  public ThreadContext scheduleNextOperation(
      List<ThreadContext> threads, Collection<ThreadContext> all) {
    if (threads.size() == 1) {
      return threads.get(0);
    }
    step++;
    if (mixing != null) {
      return mixing.scheduleNextOperation(threads, all);
    }
    for (ThreadContext thread : threads) {
      if (!order.contains(thread)) {
        order.add(nextInt() % (order.size() + 1), thread);
      }
    }
    ThreadContext next = first(threads);
    if (preempted.contains(step) || step % SPIN == 0) {
      order.remove(next);
      order.add(next);
      next = first(threads);
    }
    return next;
  }

  private ThreadContext first(List<ThreadContext> threads) {
    return order.stream().filter(threads::contains).findFirst().orElseThrow();
  }

  @Override
  public Scheduler nextIteration(Randomness randomness) {
    return new Preemptions(randomness, Math.max(before, step));
  }
}
