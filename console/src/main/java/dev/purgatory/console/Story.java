package dev.purgatory.console;

import dev.purgatory.DelayedOperation;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.HeldRequest;
import dev.purgatory.Outcome;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What has happened to a request since a page opened it: checks of its condition, and its end.
 * Thread-safe.
 */
final class Story implements Diagnostics.Observer {

  /*
   * A story is an observer of the diagnostics, and picks what belongs to its request. It does not keep the request
   * reachable, but the reasons and exceptions of its events.
   */

  private static final int MOST_EVENTS = 100;

  /** What can happen to a request. */
  enum Kind {
    HELD,
    NOT_READY,
    READY,
    THREW,
    ENDED
  }

  /**
   * Something that has happened to a request.
   *
   * @param atNanos how long the request had been held
   * @param thread the name of the thread that checked or answered it; null if it is not known
   * @param reason of a check: the reason of the signal; null if there was none
   * @param left the time until the deadline, when the request was held or ended; negative after it;
   *     null if it is not known
   * @param outcome how it ended; null before
   * @param error what the condition threw, or why the request failed; null if nothing did
   */
  record Event(
      Kind kind,
      long atNanos,
      @Nullable String thread,
      @Nullable Object reason,
      @Nullable Duration left,
      @Nullable Outcome outcome,
      @Nullable Throwable error) {}

  private final WeakReference<Object> operation;
  private final LongSupplier clock;
  private final long start;
  private final Event held;

  // Guarded by the monitor of `recent`.
  private final ArrayDeque<Event> recent = new ArrayDeque<>();
  private long leftOut;
  private @Nullable Outcome outcome;

  /**
   * Creates a story, which is not an observer yet.
   *
   * @param seenAt when the request was seen, on the clock
   */
  Story(HeldRequest<?> request, long seenAt, LongSupplier clock) {
    operation = new WeakReference<>(request.operation());
    this.clock = clock;
    start = seenAt - request.heldFor().toNanos();
    Duration left = request.timeLeft();
    Duration limit = left == null ? null : request.heldFor().plus(left);
    held = new Event(Kind.HELD, 0, null, null, limit, null, null);
  }

  /** Begins the story with the last check before it, unless there is none. */
  void begin(Diagnostics diagnostics) {
    Object request = operation.get();
    Diagnostics.Checks checks = request == null ? null : diagnostics.checks(request);
    synchronized (recent) {
      if (checks != null && recent.isEmpty()) {
        long at = Math.max(0, clock.getAsLong() - start - checks.sinceLast().toNanos());
        add(new Event(Kind.NOT_READY, at, null, checks.lastReason(), null, null, null));
        leftOut = checks.count() - 1L;
      }
    }
  }

  /** Returns whether the request has ended. */
  boolean isOver() {
    Object request = operation.get();
    return outcome() != null
        || request == null
        || (request instanceof HeldFuture<?> future && future.outcome() != null)
        || (request instanceof DelayedOperation delayed && delayed.outcome() != null);
  }

  @Override
  public void onChecked(
      Object checked, @Nullable Object reason, boolean ready, @Nullable Throwable error) {
    if (checked == operation.get()) {
      Kind kind = error != null ? Kind.THREW : ready ? Kind.READY : Kind.NOT_READY;
      long at = Math.max(0, clock.getAsLong() - start);
      add(new Event(kind, at, Thread.currentThread().getName(), reason, null, null, error));
    }
  }

  @Override
  public void onEnded(
      Object ended, Outcome how, @Nullable Throwable cause, long heldNanos, long lateNanos) {
    if (ended == operation.get()) {
      Duration left = lateNanos > 0 ? Duration.ofNanos(-lateNanos) : null;
      String thread = Thread.currentThread().getName();
      add(new Event(Kind.ENDED, heldNanos, thread, null, left, how, cause));
    }
  }

  private void add(Event event) {
    synchronized (recent) {
      if (recent.size() == MOST_EVENTS) {
        recent.poll();
        leftOut++;
      }
      recent.add(event);
      if (event.outcome != null) {
        outcome = event.outcome;
      }
    }
  }

  /**
   * Returns what is known, in the order of time: when the request was held, the last check before
   * it was opened, and up to 100 events since then, the newest ones.
   */
  List<Event> events() {
    List<Event> events = new ArrayList<>(List.of(held));
    synchronized (recent) {
      events.addAll(recent);
    }
    return events;
  }

  /** Returns how many checks are not among the events. */
  long leftOut() {
    synchronized (recent) {
      return leftOut;
    }
  }

  /** Returns how the request ended; null before the end. */
  @Nullable Outcome outcome() {
    synchronized (recent) {
      return outcome;
    }
  }
}
