package dev.purgatory.benchmarks.workload;

import dev.purgatory.benchmarks.contender.Held;
import java.util.Arrays;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/** The requests that are due in one time slot. The slot is reused one round later. */
final class Slot {
  private long number;
  private Batch batch = new Batch();

  Slot(long number) {
    this.number = number;
  }

  /** Adds a request and returns true, if this slot currently stands for the given time. */
  synchronized boolean add(long slot, Held held, long time) {
    if (slot != number) {
      return false;
    }
    batch.add(held, time);
    return true;
  }

  /** Returns whether this slot currently stands for a later time. */
  synchronized boolean isAfter(long slot) {
    return number > slot;
  }

  /** Advances this slot to a later time and exchanges its batch for an empty one. */
  synchronized Batch swap(Batch empty, long next) {
    Batch full = batch;
    batch = empty;
    number = next;
    return full;
  }

  /** Requests and their due times, in growing arrays. */
  static final class Batch {
    private static final int INITIAL_SIZE = 16;
    private static final int TIMED = 8;

    private @Nullable Held[] requests = new @Nullable Held[INITIAL_SIZE];
    private long[] times = new long[INITIAL_SIZE];
    private int size;

    void add(Held held, long time) {
      if (size == requests.length) {
        requests = Arrays.copyOf(requests, 2 * size);
        times = Arrays.copyOf(times, 2 * size);
      }
      requests[size] = held;
      times[size] = time;
      size++;
    }

    /** Completes all requests and records the lag of every eighth. */
    void completeAll(SingleWriterRecorder lag) {
      for (int i = 0; i < size; i++) {
        Held held = requests[i];
        requests[i] = null;
        if (held != null) {
          held.complete();
        }
        if (i % TIMED == 0) {
          lag.recordValue(Math.max(0, System.nanoTime() - times[i]));
        }
      }
      size = 0;
    }
  }
}
