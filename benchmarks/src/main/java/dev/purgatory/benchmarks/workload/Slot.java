package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The requests that are due in one slot of time, and then in one that is a round later. */
final class Slot {
  private long number;
  private Batch batch = new Batch();

  Slot(long number) {
    this.number = number;
  }

  /** Adds a request, unless this slot is not, or not yet, for that time. */
  synchronized boolean add(long slot, Held held) {
    if (slot != number) {
      return false;
    }
    batch.add(held);
    return true;
  }

  /** Whether this slot has gone on to a later time. */
  synchronized boolean isAfter(long slot) {
    return number > slot;
  }

  /** Goes on to a later time, and gives what was here for an empty batch. */
  synchronized Batch swap(Batch empty, long next) {
    Batch full = batch;
    batch = empty;
    number = next;
    return full;
  }

  /** Requests, in an array that grows. */
  static final class Batch {
    private static final int INITIAL_SIZE = 16;

    private @Nullable Held[] requests = new @Nullable Held[INITIAL_SIZE];
    private int size;

    void add(Held held) {
      if (size == requests.length) {
        requests = Arrays.copyOf(requests, 2 * size);
      }
      requests[size++] = held;
    }

    void completeAll() {
      for (int i = 0; i < size; i++) {
        Held held = requests[i];
        requests[i] = null;
        if (held != null) {
          held.complete();
        }
      }
      size = 0;
    }
  }
}
