package dev.purgatory.session;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.session.SessionEnd.Reason;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.Retry;
import dev.purgatory.wheel.WheelTimer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sessions by key, each with an owner, that expire unless they are touched: of clients,
 * connections, group members or leases. Thread-safe.
 *
 * <pre>{@code
 * Timer timer = Timer.builder().start("sessions");
 * Sessions<String, Connection> sessions =
 *     new Sessions<>(timer, Duration.ofSeconds(10), end -> end.owner().disconnect(end.reason()));
 *
 * void onConnect(String client, Connection connection) {
 *   sessions.open(client, connection); // takes over from a former connection
 * }
 *
 * boolean onHeartbeat(String client) {
 *   return sessions.touch(client); // false: the session has ended, connect again
 * }
 * }</pre>
 *
 * <p>A session never expires before its timeout has elapsed since the last {@code touch} that
 * returned true, and less than one tick of the timer later if the timer's clock is on time. A touch
 * is one compare-and-set on the session, regardless of the number of sessions.
 *
 * <p>A key has at most one open session. Each session ends once, for one {@linkplain
 * SessionEnd.Reason reason}, and leaves the map and the timer at that moment.
 *
 * <p>The listener gets each end once. It is called by one thread at a time, in the order in which
 * the sessions of a key ended, on a thread of the library that is started on demand, or on the
 * executor. While it runs, the other ends wait, so a listener hands slow work to other threads. Its
 * exceptions are logged.
 *
 * <p>If the server itself was stopped, touches of live clients wait in sockets when it continues.
 * So after a {@linkplain ClockGap gap} of the clock of more than an eighth of their timeout,
 * sessions expire only after a {@linkplain #grace grace} as long as the gap, at most the timeout.
 * Leases, {@link #tryOpen}, get no grace. On a timer whose clock the caller drives, there are no
 * gaps: virtual time may jump.
 *
 * <p>Sessions expire only while the timer runs: close the sessions before the timer.
 *
 * @param <K> the type of the keys, with constant {@code equals} and {@code hashCode}
 * @param <V> the type of the owners
 */
public final class Sessions<K, V> implements AutoCloseable {

  /*
   * A session is one object: the user's handle, the value in the map and the entry in the timer. See
   * SessionEntry for the race between a touch and the end.
   *
   * A session begins and ends inside `compute` of its key, which the map runs under the lock of a bin. So a
   * former session has ended before the next one can be found, and the ends of a key enter the queue in their
   * order. Inside, there is no user code except `equals` of keys, and nothing that takes another lock: timer and
   * listener follow outside.
   *
   * A session enters the timer before it enters the map, so a timer that is closed or has no memory fails
   * `open` before anything has changed. The entry may fire in between, if the thread is delayed for longer
   * than the timeout. Then the session ends without being opened, and `open` begins again. `closed` is
   * read inside `compute`, too: a session that was not open when `close` began is refused.
   *
   * No step between the decision to end a session and the call of the listener needs memory: the end and its
   * node in the queue are made before. A step that finds no memory earlier leaves the session open; if it
   * was the clock's, `retry` looks at the session again. A map may add or remove an entry and then fail:
   * so the table may keep an ended session until `retry` removes it, or another one of its key replaces it.
   *
   * The server may stop while touches arrive: then the clock runs before the touches that wait in sockets.
   * The clock notices such a gap when it looks at a session late; between two looks at sessions that are due
   * together, it is only busy. After a gap, no session expires for as long as the gap took: a server that
   * keeps up with its clients handles the touches that piled up in less time. The grace is at most the
   * timeout, because by then each live client has touched again. Repeated gaps end sessions late but do
   * not keep them open, unless the clock stands still for more time than it runs.
   *
   * A lease gets no grace. Its holder counts the timeout on its own clock and stops by itself. So more time
   * would not help the holder, and would leave the key without one.
   *
   * Only the timer's own thread notices gaps. A caller that drives the clock, as with virtual time in a
   * test, moves the time at will, and sees each end at its exact time. `lastGap` and `grace` are racy: an
   * expiry that has begun before the gap was noticed may go on.
   *
   * Rejected: a second time in each session, and a periodic alarm that notices gaps: it would wake an idle
   * server. To treat the end of a gap as a touch of all sessions: frequent short gaps would keep the sessions of
   * dead clients open.
   *
   * Rejected: buckets of sessions by rounded deadline, as in ZooKeeper's ExpiryQueue, where a touch moves
   * the session to another bucket if its rounded deadline changes; and cancelling and adding a timeout for
   * each touch. Both write to shared structures on each touch, and leave it to the caller to decide between
   * a touch and an expiry that has begun.
   */

  /** Initializes the class early: without memory, its initialization would fail for good. */
  private static final Reason CLOSED = Reason.CLOSED;

  private static final LastResort NOT_ENDED = LastResort.handler("A session could not be ended");

  /**
   * The clock looks at a session this part of its timeout before it expires. A longer gap counts.
   */
  private static final int LOOK_AHEAD = 8;

  final WheelTimer timer;

  /** Of a session that has none of its own. */
  final long timeout;

  private final Consumer<? super SessionEnd<K, V>> listener;
  private final EventQueue events;
  private final Map<K, SessionEntry<K, V>> sessions = new ConcurrentHashMap<>();
  final Retry retry;
  private volatile boolean closed;
  private volatile long grace;
  private volatile @Nullable ClockGap lastGap;
  private volatile @Nullable Consumer<? super ClockGap> gapListener;

  /** When the clock last looked at a session. Only for the thread of the clock. */
  private long lastLook;

  /**
   * Creates an empty registry, whose listener runs on a daemon thread of the library, or, on a
   * timer whose clock the caller drives, on the thread that advances it.
   *
   * @param timer has the clock
   * @param timeout how long a session stays open without a touch; positive
   * @param listener gets each end
   * @throws IllegalArgumentException if the timeout is not positive
   */
  public Sessions(Timer timer, Duration timeout, Consumer<? super SessionEnd<K, V>> listener) {
    this(listener, timer, timeout, null);
  }

  /**
   * Creates an empty registry.
   *
   * @param timer has the clock
   * @param timeout how long a session stays open without a touch; positive
   * @param listener gets each end
   * @param executor runs the listener. If it rejects a task, or has not begun it after several
   *     seconds in which it was asked three times, a thread of the library runs it
   * @throws IllegalArgumentException if the timeout is not positive
   */
  public Sessions(
      Timer timer,
      Duration timeout,
      Consumer<? super SessionEnd<K, V>> listener,
      Executor executor) {
    this(listener, timer, timeout, requireNonNull(executor, "executor"));
  }

  private Sessions(
      Consumer<? super SessionEnd<K, V>> listener,
      Timer timer,
      Duration timeout,
      @Nullable Executor executor) {
    TimerInternals internals = TimerInternals.of(requireNonNull(timer, "timer"));
    this.timer = internals.wheels();
    this.timeout = nanos(timeout);
    this.grace = this.timeout;
    this.retry = Retry.of(internals.wheels(), this::lookAgain);
    this.listener = requireNonNull(listener, "listener");
    this.events = new EventQueue(internals, executor);
  }

  /**
   * Sets the longest grace after a {@linkplain ClockGap gap} of the clock. The grace is as long as
   * the gap, and by default at most the timeout of these sessions. While it lasts, no session
   * expires, leases excepted.
   *
   * @param longest zero or more. With zero, sessions expire as strictly as leases
   * @return these sessions
   * @throws IllegalArgumentException if it is negative
   */
  public Sessions<K, V> grace(Duration longest) {
    if (longest.isNegative()) {
      throw new IllegalArgumentException("grace must not be negative: " + longest);
    }
    grace = TimeUnit.NANOSECONDS.convert(longest);
    return this;
  }

  /**
   * Returns the last gap of the clock that these sessions noticed.
   *
   * @return the gap; null if there was none
   */
  public @Nullable ClockGap lastGap() {
    return lastGap;
  }

  /**
   * Sets the listener of {@linkplain ClockGap gaps}. It gets each gap once, also if all sessions
   * survive it, and before the ends that follow it. Like the other listener, with which it never
   * overlaps, it hands slow work to other threads, and its exceptions are logged.
   *
   * @param listener gets each gap that these sessions notice; by default nobody does
   * @return these sessions
   */
  public Sessions<K, V> onGap(Consumer<? super ClockGap> listener) {
    gapListener = requireNonNull(listener, "listener");
    return this;
  }

  private static long nanos(Duration timeout) {
    if (timeout.isZero() || timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must be positive, not " + timeout);
    }
    return TimeUnit.NANOSECONDS.convert(timeout);
  }

  /**
   * Opens a session. If the key has an open session, the new owner takes it over: the former
   * session ends with {@link SessionEnd.Reason#TAKEN_OVER} before the new one is open.
   *
   * @param key the key
   * @param owner the owner
   * @return the session, as if touched now
   * @throws IllegalStateException if these sessions or the timer are closed
   */
  public Session<K, V> open(K key, V owner) {
    return requireNonNull(open(key, owner, timeout, /* takesOver= */ true));
  }

  /**
   * Opens a session with a timeout of its own.
   *
   * @param key the key
   * @param owner the owner
   * @param timeout how long it stays open without a touch; positive
   * @return the session, as if touched now
   * @throws IllegalArgumentException if the timeout is not positive
   * @throws IllegalStateException if these sessions or the timer are closed
   * @see #open(Object, Object)
   */
  public Session<K, V> open(K key, V owner, Duration timeout) {
    return requireNonNull(open(key, owner, nanos(timeout), /* takesOver= */ true));
  }

  /**
   * Opens a session unless the key has one, as for a lease. Its deadline is strict: a gap of the
   * clock does not extend it.
   *
   * @param key the key
   * @param owner the owner
   * @return the session, as if touched now; null if the key has an open session, which stays
   * @throws IllegalStateException if these sessions or the timer are closed
   */
  public @Nullable Session<K, V> tryOpen(K key, V owner) {
    return open(key, owner, timeout, /* takesOver= */ false);
  }

  /** Returns null if the key has an open session, which is not taken over. */
  private @Nullable Session<K, V> open(K key, V owner, long nanos, boolean takesOver) {
    for (check(key, owner); takesOver || !isOpen(sessions.get(key)); check(key, owner)) {
      SessionEntry<K, V> session = begin(key, owner, nanos, takesOver);
      if (session != null) {
        return session;
      }
    }
    return null;
  }

  /** An ended session is in the table only if its removal found no memory. */
  private static boolean isOpen(@Nullable SessionEntry<?, ?> current) {
    return current != null && current.isOpen();
  }

  private void check(K key, V owner) {
    requireNonNull(key, "key");
    requireNonNull(owner, "owner");
    if (closed) {
      throw new IllegalStateException("the sessions are closed");
    }
  }

  /**
   * Returns null if the session expired before it was open, may not take over, or these sessions
   * were closed.
   */
  private @Nullable SessionEntry<K, V> begin(K key, V owner, long nanos, boolean takesOver) {
    Headroom.ensure();
    long now = timer.now();
    SessionEntry<K, V> next =
        nanos == timeout
            ? new SessionEntry<>(this, key, owner, now, nanos, /* isLease= */ !takesOver)
            : new SessionEntry.WithTimeout<>(this, key, owner, now, nanos);
    timer.schedule(next, now);
    Opening opening = new Opening(next, takesOver, now);
    SessionEntry<K, V> current = null;
    try {
      current = sessions.compute(key, opening);
    } catch (OutOfMemoryError e) {
      current = next; // it may be in the table. If it cannot be ended either, it expires
      end(next, CLOSED, now);
      throw e;
    } finally {
      if (current != next) { // or `hashCode` of the key threw
        next.end(CLOSED, now);
        timer.cancel(next);
      }
      if (opening.former != null) {
        leave(opening.former, timer.isClock());
      }
    }
    if (current != next) {
      return null;
    }
    if (closed) { // close() began when it was open, and may have missed it
      end(next, CLOSED, now);
    }
    return next;
  }

  /**
   * Returns the open session of a key.
   *
   * @param key the key
   * @return the session; null if the key has none
   */
  public @Nullable Session<K, V> get(K key) {
    return sessions.get(key);
  }

  /**
   * Keeps the session of a key open.
   *
   * @param key the key
   * @return true if the session is open, and does not expire before its timeout has elapsed since
   *     this call; false if the key has no open session
   */
  public boolean touch(K key) {
    SessionEntry<K, V> session = sessions.get(key);
    return session != null && session.touch(timer.now());
  }

  /**
   * Returns the number of open sessions.
   *
   * @return 0 or more; exact while no other thread opens or ends sessions
   */
  public int size() {
    return sessions.size();
  }

  /**
   * Ends all sessions, and does not open others. The listener may be called after this call has
   * returned. Closing again does nothing.
   */
  @Override
  public void close() {
    Headroom.ensure();
    closed = true;
    try {
      lookAgain();
    } catch (OutOfMemoryError e) {
      retry.later();
      throw e;
    }
  }

  /** Ends what is left of closed sessions; else, continues where the clock found no memory. */
  private void lookAgain() {
    sessions.forEach(
        (key, session) -> {
          try {
            if (!session.isOpen()) {
              sessions.remove(key, session); // it ended, and its removal found no memory
            } else if (closed) {
              end(session, CLOSED, timer.now());
            } else {
              session.lookAgain();
            }
          } catch (OutOfMemoryError e) {
            retry.later();
          } catch (Throwable e) { // `hashCode` or `equals` of the key
            NOT_ENDED.accept(e);
          }
        });
  }

  @Override
  public String toString() {
    return "sessions, open " + size();
  }

  /** Returns how long before its deadline the clock looks at a session with this timeout. */
  long lookAhead(long timeout) {
    return timer.hasThread() && grace > 0 ? timeout / LOOK_AHEAD : 0;
  }

  /** Notices a gap. Called before the clock decides about a session that was due at this time. */
  void onLook(long due, long now, long timeout) {
    if (timer.isClock()) { // a caller that drives the clock moves the time at will
      long from = Math.max(due, lastLook);
      if (now - from > Math.max(timeout / LOOK_AHEAD, 2 * timer.tickNanos())) {
        noticed(new ClockGap(from, now)); // may find no memory: the next look notices it then
      }
      lastLook = now;
    }
  }

  private void noticed(ClockGap gap) {
    Consumer<? super ClockGap> told = gapListener;
    if (told != null) {
      events.add(new EventQueue.Node<>(told, gap)); // first: ends that refer to the gap follow
    }
    lastGap = gap;
    events.flush(/* isClock= */ true);
  }

  /** Returns an end as an event for its listener. */
  EventQueue.Node<?> event(SessionEnd<K, V> end) {
    return new EventQueue.Node<>(listener, end);
  }

  /** Returns the time before which no session expires, leases excepted. */
  long endOfGrace() {
    ClockGap gap = lastGap;
    return gap == null ? 0 : gap.until() + Math.min(gap.until() - gap.from(), grace);
  }

  /** Returns the last gap, if it ended after this time. */
  @Nullable ClockGap gapSince(long time) {
    ClockGap gap = lastGap;
    return gap != null && gap.until() > time ? gap : null;
  }

  /**
   * Ends a session that is open; for expiry, only if it is due.
   *
   * @return whether this call ended it
   */
  boolean end(SessionEntry<K, V> session, Reason reason, long now) {
    K key = session.key();
    if (key == null) {
      return false;
    }
    Ending ending = new Ending(session, reason, now);
    try {
      sessions.compute(key, ending);
    } catch (OutOfMemoryError e) {
      retry.later(); // it may have ended and still be in the table
      throw e;
    } finally {
      if (ending.end != null) {
        leave(session, reason == Reason.EXPIRED || timer.isClock());
      }
    }
    return ending.end != null;
  }

  /** Finishes the end of a session, without a lock. */
  private void leave(SessionEntry<K, V> session, boolean isClock) {
    try {
      timer.cancel(session);
    } finally {
      events.flush(isClock);
    }
  }

  /** Ends a session inside {@code compute}. */
  private final class Ending
      implements BiFunction<K, @Nullable SessionEntry<K, V>, @Nullable SessionEntry<K, V>> {
    private final SessionEntry<K, V> session;
    private final Reason reason;
    private final long now;
    private EventQueue.@Nullable Node<?> end;

    Ending(SessionEntry<K, V> session, Reason reason, long now) {
      this.session = session;
      this.reason = reason;
      this.now = now;
    }

    @Override
    public @Nullable SessionEntry<K, V> apply(K key, @Nullable SessionEntry<K, V> current) {
      end = session.end(reason, now);
      if (end == null || current != session) {
        return current; // if it is not current, it was not opened yet
      }
      events.add(end);
      return null;
    }
  }

  /** Opens a session inside {@code compute}. */
  private final class Opening
      implements BiFunction<K, @Nullable SessionEntry<K, V>, @Nullable SessionEntry<K, V>> {
    private final SessionEntry<K, V> next;
    private final boolean takesOver;
    private final long now;
    private @Nullable SessionEntry<K, V> former;

    Opening(SessionEntry<K, V> next, boolean takesOver, long now) {
      this.next = next;
      this.takesOver = takesOver;
      this.now = now;
    }

    @Override
    public @Nullable SessionEntry<K, V> apply(K key, @Nullable SessionEntry<K, V> current) {
      if (closed || !next.isOpen() || (isOpen(current) && !takesOver)) {
        return current;
      }
      if (current != null) {
        EventQueue.Node<?> end = current.end(Reason.TAKEN_OVER, now);
        if (end != null) {
          events.add(end);
        }
      }
      former = current;
      return next;
    }
  }
}
