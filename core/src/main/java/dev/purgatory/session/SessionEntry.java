package dev.purgatory.session;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.Headroom;
import dev.purgatory.session.SessionEnd.Reason;
import dev.purgatory.wheel.TimerEntry;
import dev.purgatory.wheel.WheelTimer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A session: the user's handle, the value in the map and the entry in the timer. Thread-safe. */
class SessionEntry<K, V> extends TimerEntry implements Session<K, V> {

  /*
   * One word, `touched`, decides between touch and end. While the session is open, it is the time of the
   * last touch, 0 or more. A touch replaces it by a later time; an end replaces it by its bitwise
   * complement, which is negative. Both are a compare-and-set on the value that was read before. So an end
   * that saw an old touch fails, and looks again whether the session is due; and a touch that comes after
   * the end returns false. There is no third state, and nobody waits.
   *
   * A thread may be delayed between reading the clock and writing. A compare-and-set replaces only an
   * earlier time, so the word never runs backwards. If another thread has written a later time,
   * the earlier touch is true without a write. A touch whose time is older than the timeout when it is
   * written is still true: the promise counts from the call, and the session expires at the next look.
   *
   * A touch does not move the entry in the timer. When the entry fires, the clock computes the deadline
   * from the last touch, and schedules the same entry again if it is not due. So the number of firings does
   * not depend on the number of touches. The clock looks at a session an eighth of its timeout before the
   * deadline, too: if it came only then, it could not know about a gap that ends at the deadline.
   *
   * If the clock finds no memory to schedule the entry again, the entry is `STRANDED`: it belongs to no
   * thread and is not in the timer. The thread that clears this bit looks at the session again.
   *
   * Only the thread that ends the session clears the references, so an ended entry that stays in a bucket
   * of the timer until it is swept keeps nothing of the user reachable.
   *
   * There are many sessions, so what all have in common is in their registry: also the timeout, unless a
   * session has one of its own.
   *
   * Rejected: a plain write of the time and a separate state. The write must be followed by a full fence
   * and a read of the state, which costs as much as a compare-and-set; the state needs a third value while
   * the clock decides, in which a touch must wait or help.
   */

  /** It does not get a grace. */
  private static final int LEASE = 1 << BITS;

  /** It has fired, has not ended, and is not scheduled. */
  private static final int STRANDED = 2 << BITS;

  private static final VarHandle TOUCHED;

  static {
    try {
      TOUCHED = MethodHandles.lookup().findVarHandle(SessionEntry.class, "touched", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long touched;

  // Cleared only by the thread that ended the session. Racy readers see a value or null.
  private @Nullable Sessions<K, V> home;
  private @Nullable K key;
  private @Nullable V owner;

  SessionEntry(Sessions<K, V> home, K key, V owner, long now, long timeout, boolean isLease) {
    super(WheelTimer.deadline(now, timeout - (isLease ? 0 : home.lookAhead(timeout))));
    initialState(isLease ? LEASE : 0);
    this.home = home;
    this.key = key;
    this.owner = owner;
    this.touched = now;
  }

  /** A session whose timeout is not that of its registry. */
  static final class WithTimeout<K, V> extends SessionEntry<K, V> {
    private final long timeout;

    WithTimeout(Sessions<K, V> home, K key, V owner, long now, long timeout) {
      super(home, key, owner, now, timeout, /* isLease= */ false);
      this.timeout = timeout;
    }

    @Override
    long timeout(Sessions<K, V> home) {
      return timeout;
    }
  }

  long timeout(Sessions<K, V> home) {
    return home.timeout;
  }

  @Override
  public boolean touch() {
    Sessions<K, V> alive = home;
    return alive != null && touch(alive.timer.now());
  }

  /** Keeps the session open as if touched at this time. */
  boolean touch(long now) {
    for (long before = touched; before >= 0; before = touched) {
      if (before >= now || TOUCHED.compareAndSet(this, before, now)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean close() {
    Headroom.ensure();
    Sessions<K, V> alive = home;
    return alive != null && alive.end(this, Reason.CLOSED, alive.timer.now());
  }

  @Override
  public boolean isOpen() {
    return touched >= 0;
  }

  @Override
  public long lastTouched() {
    long time = touched;
    return time >= 0 ? time : ~time;
  }

  /** Returns when it expires in its registry unless it is touched. */
  private long expiry(Sessions<K, V> home, long lastTouch) {
    long expiry = WheelTimer.deadline(lastTouch, timeout(home));
    return isLease() ? expiry : Math.max(expiry, home.endOfGrace());
  }

  private boolean isLease() {
    return (state() & LEASE) != 0;
  }

  @Override
  public @Nullable K key() {
    return key;
  }

  @Override
  public @Nullable V owner() {
    return owner;
  }

  /** Runs on the clock's thread: expires the session, or schedules it again. */
  @Override
  public void onTimeout() {
    look(/* isDue= */ true);
  }

  private void look(boolean isDue) {
    Sessions<K, V> alive = home;
    if (alive != null) {
      boolean stranded = false;
      try {
        long now = alive.timer.now();
        if (isDue) {
          alive.onLook(due(), now, timeout(alive));
        }
        stranded = expiry(alive, lastTouched()) <= now && !expire(alive, now);
      } finally { // `hashCode` or `equals` of the key may throw
        if (isOpen() && !stranded) {
          scheduleAgain(alive);
        }
      }
    }
  }

  /** Returns false if there was no memory to end it: then the clock tries again, soon. */
  private boolean expire(Sessions<K, V> alive, long now) {
    try {
      alive.end(this, Reason.EXPIRED, now);
      return true;
    } catch (OutOfMemoryError e) {
      if (!isOpen()) {
        throw e;
      }
      strand(alive);
      return false;
    }
  }

  private void scheduleAgain(Sessions<K, V> alive) {
    WheelTimer timer = alive.timer;
    try {
      long now = timer.now();
      rearm(nextLook(alive, now));
      timer.trySchedule(this, now); // if the timer is closed, nothing expires
    } catch (Throwable e) {
      strand(alive);
      throw e;
    }
    if (!isOpen()) {
      timer.cancel(this); // the thread that ended it may have found nothing to cancel
    }
  }

  private void strand(Sessions<K, V> alive) {
    setBits(STRANDED);
    alive.retry.later();
  }

  private long nextLook(Sessions<K, V> home, long now) {
    long expiry = expiry(home, lastTouched());
    long look = expiry - (isLease() ? 0 : home.lookAhead(timeout(home)));
    if (look > now) {
      return look;
    }
    return expiry > now ? expiry : WheelTimer.deadline(now, timeout(home));
  }

  /** Looks at it again if the last look found no memory. */
  void lookAgain() {
    int seen = state();
    if ((seen & STRANDED) != 0 && casState(seen, seen & ~STRANDED)) {
      look(/* isDue= */ false); // a second look tells nothing about the clock
    }
  }

  /**
   * Ends the session if it is open, and due if the reason is expiry, and releases its references.
   *
   * @return its end; null if it stays open or had ended before
   */
  EventQueue.@Nullable Node<?> end(Reason reason, long now) {
    Sessions<K, V> alive = home; // racy: null if another thread has ended it
    K k = key;
    V v = owner;
    if (alive == null || k == null || v == null) {
      return null;
    }
    for (long before = touched; before >= 0; before = touched) {
      if (reason == Reason.EXPIRED && expiry(alive, before) > now) {
        return null;
      }
      EventQueue.Node<?> end = // before the decision, because it takes memory
          alive.event(new SessionEnd<>(k, v, reason, before, now, alive.gapSince(before)));
      if (TOUCHED.compareAndSet(this, before, ~before)) {
        home = null;
        key = null;
        owner = null;
        return end;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return (isOpen() ? "open session of " + ForeignText.of(key) : "ended session")
        + ", touched at "
        + lastTouched();
  }
}
