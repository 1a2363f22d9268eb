package dev.purgatory.netty;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The timeouts that wait, for {@link WheelTimer#stop}. Thread-safe. */
final class PendingTimeouts {

  /*
   * Doubly linked lists through the timeouts themselves, so nothing is kept after a burst. Each thread adds
   * to one of several lists, and few threads share one. A list is locked only to link and unlink.
   */

  private static final int MOST_LISTS = 16;

  /** The golden ratio, for threads with consecutive ids. */
  private static final int SPREAD = 0x9E3779B9;

  private final Links[] lists;
  private final int shift;

  PendingTimeouts() {
    int processors = Math.min(MOST_LISTS, Runtime.getRuntime().availableProcessors());
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * processors - 1);
    shift = Integer.SIZE - bits;
    lists = new Links[1 << bits];
    for (int i = 0; i < lists.length; i++) {
      lists[i] = new Links();
    }
  }

  Links listOfThisThread() {
    return lists[((int) Thread.currentThread().getId() * SPREAD) >>> shift];
  }

  long size() {
    long size = 0;
    for (Links list : lists) {
      size += list.size();
    }
    return size;
  }

  /** Refuses further timeouts, and returns those that wait. */
  List<WheelTimeout> close() {
    List<WheelTimeout> waiting = new ArrayList<>();
    for (Links list : lists) {
      list.close(waiting);
    }
    return waiting;
  }

  /** One list. */
  static final class Links {
    private @Nullable WheelTimeout first;
    private long size;
    private boolean closed;

    /** Returns false if the list is closed. */
    synchronized boolean add(WheelTimeout timeout) {
      if (closed) {
        return false;
      }
      WheelTimeout second = first;
      timeout.next = second;
      if (second != null) {
        second.previous = timeout;
      }
      first = timeout;
      size++;
      return true;
    }

    /** Removes a timeout that was added. Called once for each. */
    synchronized void remove(WheelTimeout timeout) {
      WheelTimeout before = timeout.previous;
      WheelTimeout after = timeout.next;
      if (before == null) {
        first = after;
      } else {
        before.next = after;
      }
      if (after != null) {
        after.previous = before;
      }
      timeout.previous = null; // a user may keep it
      timeout.next = null;
      size--;
    }

    synchronized long size() {
      return size;
    }

    synchronized void close(List<WheelTimeout> waiting) {
      closed = true;
      for (WheelTimeout each = first; each != null; each = each.next) {
        waiting.add(each);
      }
    }
  }
}
