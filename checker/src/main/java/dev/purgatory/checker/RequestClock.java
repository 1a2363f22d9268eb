package dev.purgatory.checker;

import dev.purgatory.checker.Settings.Behaviour;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;

/**
 * A model of a timer and of two executors: a sorted list of what is scheduled, and queues of tasks.
 * A {@link RequestModel} runs on it.
 */
final class RequestClock {

  /** How long a blocking executor holds each task, in virtual time. */
  static final long BLOCKED_NANOS = 700_000;

  /** Who runs a task. */
  enum By {
    /** The thread that ends the request. */
    CALLER,
    COMPLETIONS,
    EXPIRATIONS
  }

  /** Something that is scheduled. */
  static final class Entry {
    final long due;
    private final long number;
    private final Runnable task;

    private Entry(long due, long number, Runnable task) {
      this.due = due;
      this.number = number;
      this.task = task;
    }

    private long due() {
      return due;
    }
  }

  private final Behaviour completions;
  private final Behaviour expirations;
  private final Queue<Runnable> completing = new ArrayDeque<>();
  private final Queue<Runnable> expiring = new ArrayDeque<>();
  private final List<Entry> entries = new ArrayList<>();
  private long numbers;
  private long tickNanos;
  private long now;

  RequestClock(Behaviour completions, Behaviour expirations, long tickNanos) {
    this.completions = completions;
    this.expirations = expirations;
    this.tickNanos = tickNanos;
  }

  long now() {
    return now;
  }

  int size() {
    return entries.size();
  }

  /** Changes the tick. */
  void reconfigure(long nanos) {
    tickNanos = nanos;
  }

  Entry schedule(long due, Runnable task) {
    Entry entry = new Entry(due, numbers++, task);
    entries.add(entry);
    return entry;
  }

  void cancel(Entry entry) {
    entries.remove(entry);
  }

  /**
   * Lets time pass. What is due at the end of the same tick fires by deadline, then in the order in
   * which it was scheduled.
   */
  void pass(long nanos) {
    now += nanos;
    long end = now; // executors may move the time further
    while (true) {
      long first = entries.stream().mapToLong(Entry::due).min().orElse(Long.MAX_VALUE);
      long tick = endOfTick(first);
      if (first > end || tick > end) {
        return;
      }
      entries.stream()
          .filter(each -> endOfTick(each.due) == tick)
          .sorted(Comparator.comparingLong(Entry::due).thenComparingLong(each -> each.number))
          .toList()
          .forEach(this::fire);
    }
  }

  private long endOfTick(long due) {
    long past = due % tickNanos;
    return past == 0 || due > Long.MAX_VALUE - tickNanos ? due : due + tickNanos - past;
  }

  private void fire(Entry entry) {
    if (entries.remove(entry)) {
      entry.task.run();
    }
  }

  /** Hands a task to an executor, which may drop it. */
  void run(By by, Runnable task) {
    switch (by == By.CALLER ? Behaviour.INLINE : by == By.COMPLETIONS ? completions : expirations) {
      case QUEUED -> (by == By.COMPLETIONS ? completing : expiring).add(task);
      case DROPPING -> {}
      case BLOCKING -> {
        now += BLOCKED_NANOS;
        task.run();
      }
      default -> task.run();
    }
  }

  /** Runs the queued tasks. */
  void runTasks() {
    for (Runnable task; (task = expiring.poll()) != null; ) {
      task.run();
    }
    for (Runnable task; (task = completing.poll()) != null; ) {
      task.run();
    }
  }
}
