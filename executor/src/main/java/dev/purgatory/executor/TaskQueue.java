package dev.purgatory.executor;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Tasks of one executor, in their order: see {@link WheelTask#compareTo}. Not thread-safe. */
final class TaskQueue {

  /*
   * Nearly all tasks come in order: commands in that of their submission, and tasks from the wheels, whose
   * deadlines are a little later, in that of their deadlines. So a task is appended to the first of two runs
   * that stays in order. Only what fits neither goes to a heap. With a heap alone, a command took four
   * times the processor time.
   *
   * The arrays of these collections do not shrink. So after a burst they are replaced once they are empty.
   */

  private static final int LARGEST_KEPT = 1000;

  private ArrayDeque<WheelTask<?>> first = new ArrayDeque<>();
  private ArrayDeque<WheelTask<?>> second = new ArrayDeque<>();
  private PriorityQueue<WheelTask<?>> others = new PriorityQueue<>();
  private int largest; // size since these were made

  void add(WheelTask<?> task) {
    if (continues(first, task)) {
      first.addLast(task);
    } else if (continues(second, task)) {
      second.addLast(task);
    } else {
      others.add(task);
    }
    largest = Math.max(largest, size());
  }

  private static boolean continues(ArrayDeque<WheelTask<?>> run, WheelTask<?> task) {
    WheelTask<?> last = run.peekLast();
    return last == null || last.compareTo(task) <= 0;
  }

  int size() {
    return first.size() + second.size() + others.size();
  }

  /** Returns the first task, or null if the queue is empty. */
  @Nullable WheelTask<?> peek() {
    return next().peek();
  }

  /** Removes the first task. */
  void remove() {
    next().remove();
    if (largest > LARGEST_KEPT && size() == 0) {
      clear();
    }
  }

  /** Returns the collection that has the first task. */
  private Queue<WheelTask<?>> next() {
    return earlier(earlier(first, second), others);
  }

  private static Queue<WheelTask<?>> earlier(Queue<WheelTask<?>> one, Queue<WheelTask<?>> other) {
    WheelTask<?> task = one.peek();
    WheelTask<?> rival = other.peek();
    boolean isFirst = rival == null || (task != null && task.compareTo(rival) < 0);
    return isFirst ? one : other;
  }

  void removeCancelled() {
    first.removeIf(WheelTask::isCancelled);
    second.removeIf(WheelTask::isCancelled);
    others.removeIf(WheelTask::isCancelled);
  }

  void clear() {
    first = new ArrayDeque<>();
    second = new ArrayDeque<>();
    others = new PriorityQueue<>();
    largest = 0;
  }
}
