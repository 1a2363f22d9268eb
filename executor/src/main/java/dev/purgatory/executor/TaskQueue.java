package dev.purgatory.executor;

import static java.util.Objects.requireNonNull;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Tasks of one executor, in their order: see {@link WheelTask#compareTo}. Not thread-safe. */
final class TaskQueue {

  /*
   * Nearly all tasks come in order: commands in that of their submission, and tasks from the wheels, whose
   * deadlines are a little later, in that of their deadlines. So a task is appended to the first of two runs
   * that stays in order. Only what fits neither goes to a heap, which exists while it has tasks. With a heap alone,
   * a command took four times the processor time.
   *
   * To add a task never fails: the tasks of a run are linked, and without memory for the heap, a task goes to its
   * place in a run. An ArrayDeque was rejected: it loses all its elements if there is no memory when it grows.
   */

  private static final class Run {
    @Nullable WheelTask<?> first;
    private @Nullable WheelTask<?> last;
    int size;

    /** Returns false if the task comes before the last one. */
    boolean append(WheelTask<?> task) {
      WheelTask<?> before = last;
      if (before != null && before.compareTo(task) > 0) {
        return false;
      }
      if (before == null) {
        first = task;
      } else {
        before.follower = task;
      }
      last = task;
      size++;
      return true;
    }

    /** Adds a task that comes before the last one. */
    void insert(WheelTask<?> task) {
      WheelTask<?> before = null;
      WheelTask<?> after = requireNonNull(first);
      while (after.compareTo(task) <= 0) {
        before = after;
        after = requireNonNull(after.follower);
      }
      task.follower = after;
      if (before == null) {
        first = task;
      } else {
        before.follower = task;
      }
      size++;
    }

    void removeFirst() {
      WheelTask<?> task = requireNonNull(first);
      first = task.follower;
      last = first == null ? null : last;
      task.follower = null;
      size--;
    }

    void removeCancelled() {
      WheelTask<?> task = first;
      first = null;
      last = null;
      size = 0;
      while (task != null) {
        WheelTask<?> next = task.follower;
        task.follower = null;
        boolean unused = task.isCancelled() || append(task);
        task = next;
      }
    }
  }

  private final Run first = new Run();
  private final Run second = new Run();
  private @Nullable PriorityQueue<WheelTask<?>> others;

  void add(WheelTask<?> task) {
    if (first.append(task) || second.append(task)) {
      return;
    }
    try {
      if (others == null) {
        others = new PriorityQueue<>();
      }
      others.add(task);
    } catch (OutOfMemoryError e) {
      addWithoutMemory(task);
    }
  }

  /** Adds a task that fits neither run. */
  void addWithoutMemory(WheelTask<?> task) {
    second.insert(task);
  }

  int size() {
    return first.size + second.size + (others == null ? 0 : others.size());
  }

  /** Returns the first task, or null if the queue is empty. */
  @Nullable WheelTask<?> peek() {
    WheelTask<?> task = earlier(first.first, second.first);
    return others == null ? task : earlier(task, others.peek());
  }

  private static @Nullable WheelTask<?> earlier(
      @Nullable WheelTask<?> task, @Nullable WheelTask<?> rival) {
    return rival == null || (task != null && task.compareTo(rival) < 0) ? task : rival;
  }

  /** Removes the first task. */
  void remove() {
    WheelTask<?> task = peek();
    if (task == first.first) {
      first.removeFirst();
    } else if (task == second.first) {
      second.removeFirst();
    } else {
      requireNonNull(others).remove();
      dropHeapIfEmpty();
    }
  }

  /** Its array does not shrink after a burst. */
  private void dropHeapIfEmpty() {
    if (others != null && others.isEmpty()) {
      others = null;
    }
  }

  void removeCancelled() {
    first.removeCancelled();
    second.removeCancelled();
    if (others != null) {
      others.removeIf(WheelTask::isCancelled);
      dropHeapIfEmpty();
    }
  }
}
