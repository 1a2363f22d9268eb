package dev.purgatory;

import dev.purgatory.base.LastResort;
import dev.purgatory.wheel.WheelTimer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What has happened to a request since it is {@linkplain Diagnostics#follow followed}: checks of
 * its condition, moves of its deadline, and its end. Thread-safe.
 *
 * <pre>{@code
 * Story story = diagnostics.follow(future);
 *
 * story.events().forEach(event -> log.info("{}", event));
 * }</pre>
 *
 * <p>The story goes on until the request ends, as long as somebody refers to it. It does not keep
 * the request reachable, but the reasons and exceptions of its events.
 */
public final class Story {

  /*
   * A follower, which is attached to the registration, writes the story, and refers to it weakly: so a story that
   * nobody reads takes no memory, although attachments stay to the end. A story does not refer to the follower,
   * which refers to the request.
   */

  private static final int MOST_EVENTS = 100;

  /** What can happen to a request. */
  public enum Kind {
    /** The purgatory began to hold it. */
    HELD,

    /** Its condition was checked, and did not hold. */
    NOT_READY,

    /** Its condition was checked, and held: the request is completed, unless it has just ended. */
    READY,

    /** Its condition threw. */
    THREW,

    /** Its deadline was moved, or its time limit was removed. */
    MOVED,

    /** It ended. */
    ENDED
  }

  /**
   * Something that has happened to a request.
   *
   * @param kind what has happened
   * @param at when: how long the request had been held
   * @param thread the name of the thread that checked, moved or ended it; null if it is not known
   * @param reason of a check: the reason that was passed to {@code signal}, or an object that says
   *     that the time limit was over; null if there was none
   * @param timeLeft the time until the deadline, when the request was held, moved or ended;
   *     negative after it; null without a time limit
   * @param outcome how it ended; null before
   * @param error what the condition threw, or why the request failed or was cancelled; null if that
   *     is not known
   */
  public record Event(
      Kind kind,
      Duration at,
      @Nullable String thread,
      @Nullable Object reason,
      @Nullable Duration timeLeft,
      @Nullable Outcome outcome,
      @Nullable Throwable error) {}

  /** Null if the request had ended before. */
  private final @Nullable Event held;

  // Guarded by the monitor of `recent`.
  private final ArrayDeque<Event> recent = new ArrayDeque<>();
  private long leftOut;
  private @Nullable Outcome outcome;

  /** Creates the story of a request that has ended. */
  private Story(Outcome outcome) {
    held = null;
    this.outcome = outcome;
  }

  /**
   * Begins a story.
   *
   * @param last the last check; null if there was none
   * @param earlier the number of checks before that
   */
  private Story(Event held, @Nullable Event last, int earlier) {
    this.held = held;
    if (last != null) {
      recent.add(last);
    }
    leftOut = earlier;
  }

  /**
   * Returns what is known, in the order of time: when the request was held, the last check before
   * it was followed, and up to 100 events since then, the newest ones.
   *
   * @return a copy; empty if the request had ended before it was followed
   */
  public List<Event> events() {
    List<Event> since;
    synchronized (recent) {
      since = new ArrayList<>(recent);
    }
    List<Event> events = new ArrayList<>();
    if (held != null) {
      events.add(held);
    }
    events.addAll(since);
    return Collections.unmodifiableList(events);
  }

  /**
   * Returns how many checks and moves after the first event are not among the {@link #events}:
   * those before the request was followed, and those for which there was no room.
   *
   * @return 0 or more
   */
  public long leftOut() {
    synchronized (recent) {
      return leftOut;
    }
  }

  /**
   * Returns how the request ended.
   *
   * @return null before the end
   */
  public @Nullable Outcome outcome() {
    synchronized (recent) {
      return outcome;
    }
  }

  private void add(Event event) {
    synchronized (recent) {
      if (outcome != null) {
        return; // an evaluation that the end has overtaken
      }
      if (recent.size() == MOST_EVENTS) {
        recent.poll();
        leftOut++;
      }
      recent.add(event);
      outcome = event.outcome;
    }
  }

  @Override
  public String toString() {
    return "Story" + events();
  }

  /**
   * Begins to follow a request, or goes on.
   *
   * @return null if it is not held yet, or has no diagnostics
   */
  static @Nullable Story of(Registration registration) {
    Follower known = registration.find(Follower.class);
    if (known != null) {
      Story story = known.story();
      if (registration.isEnded()) {
        known.end(); // perhaps there was no story to record it in
      }
      return story;
    }
    Trace trace = registration.find(Trace.class);
    Follower first =
        trace == null || !registration.wasHeld() ? null : new Follower(registration, trace);
    Outcome ended = registration.outcome();
    if (ended != null) { // perhaps before `first` had read it
      return new Story(ended);
    }
    if (first == null) {
      return null;
    }
    Story story = first.story();
    registration.follow(first); // if another thread does the same, there are two stories
    return story;
  }

  /** Returns the time between; 0 if the clock ran backwards, or nothing was held at that time. */
  static Duration since(long start, long nanos) {
    return Duration.ofNanos(Math.max(0, nanos - start));
  }

  /** Writes the story of a request. */
  private static final class Follower extends Attachment {
    private final Registration registration;
    private final Core<?> core;
    private final Trace trace;
    private final long start;
    private final Event held;
    private final AtomicReference<@Nullable WeakReference<Story>> story = new AtomicReference<>();

    /** The time of the timeout; null if there is none. Racy: moves may meet. */
    private volatile @Nullable Long deadline;

    Follower(Registration registration, Trace trace) {
      this.registration = registration;
      this.trace = trace;
      core = trace.core();
      long now = core.now();
      long timeout = registration.timeoutNanos();
      start = now - registration.heldNanos(now, timeout);
      Duration left = registration.timeLeft(now);
      deadline = left == null ? null : now + left.toNanos();
      Duration limit = Registration.isTimed(timeout) ? Duration.ofNanos(timeout) : null;
      held = new Event(Kind.HELD, Duration.ZERO, null, null, limit, null, null);
    }

    /** Returns the story that this writes, or a new one if nobody refers to it any more. */
    Story story() {
      for (; ; ) {
        WeakReference<Story> last = story.get();
        Story known = last == null ? null : last.get();
        if (known != null) {
          return known;
        }
        int checks = trace.count(); // read first
        Story begun = new Story(held, trace.last(start), Math.max(0, checks - 1));
        if (story.compareAndSet(last, new WeakReference<>(begun))) {
          return begun;
        }
      }
    }

    @Override
    void evaluated(
        @Nullable Object reason, boolean ready, boolean missed, @Nullable Throwable error) {
      Kind kind = error != null ? Kind.THREW : ready ? Kind.READY : Kind.NOT_READY;
      record(kind, Thread.currentThread().getName(), reason, null, null, error);
    }

    @Override
    void moved(long timeoutNanos) {
      boolean timed = Registration.isTimed(timeoutNanos);
      deadline = timed ? (Long) WheelTimer.deadline(core.now(), timeoutNanos) : null;
      Duration left = timed ? Duration.ofNanos(timeoutNanos) : null;
      record(Kind.MOVED, Thread.currentThread().getName(), null, left, null, null);
    }

    @Override
    void ended(Outcome outcome, @Nullable Throwable cause) {
      record(Kind.ENDED, Thread.currentThread().getName(), null, null, outcome, cause);
    }

    /** The request has ended while it began to be followed, unless that is recorded. */
    @Override
    void end() {
      Outcome outcome = registration.outcome();
      if (outcome != null) {
        record(Kind.ENDED, null, null, null, outcome, null);
      }
    }

    /** Must not throw: a request that has ended is to be answered. */
    private void record(
        Kind kind,
        @Nullable String thread,
        @Nullable Object reason,
        @Nullable Duration moved,
        @Nullable Outcome outcome,
        @Nullable Throwable error) {
      try {
        WeakReference<Story> last = story.get();
        Story written = last == null ? null : last.get();
        if (written != null) {
          long now = core.now();
          Long due = kind == Kind.ENDED ? deadline : null;
          Duration left = due == null ? moved : Duration.ofNanos(due - now);
          written.add(new Event(kind, since(start, now), thread, reason, left, outcome, error));
        }
      } catch (Throwable e) {
        LastResort.log("An event is missing in the story of a request", e);
      }
    }
  }
}
