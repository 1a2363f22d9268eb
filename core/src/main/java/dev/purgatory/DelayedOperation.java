package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.timer.TimerEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request that cannot be answered yet, to be held by a {@link Purgatory}. Subclasses say when it
 * can be answered and how.
 *
 * <p>It ends once, in one of three ways, and the first to decide wins:
 *
 * <ul>
 *   <li>completed, by a check that finds {@link #tryComplete} true or by {@link #forceComplete}:
 *       then {@link #onComplete} runs;
 *   <li>expired, when its time is up: then {@code onComplete} and after it {@link #onExpiration}
 *       run;
 *   <li>cancelled, by {@link #cancel}: then nothing runs.
 * </ul>
 *
 * <p>{@code tryComplete} is called by one thread at a time, and never together with or after {@code
 * onComplete}. What was done before the operation was handed to the purgatory happens-before all
 * its callbacks; what was done before a check happens-before the evaluation that answers it.
 */
public abstract class DelayedOperation extends TimerEntry {

  /*
   * The state is one word: a phase, and flags for what is going on.
   *
   *              admit               hold
   *      NEW ------------> NEW+E ------------> HELD+E -----> HELD <------> HELD+E
   *       |                  |                   |             |             |
   *       +------------------+-------------------+-------------+-------------+
   *       |                         claim, by one CAS                        |
   *       v                                                                  v
   *   COMPLETED: onComplete      EXPIRED: onComplete, onExpiration       CANCELLED
   *
   * E, EVALUATING, belongs to the thread that set it; only that one calls tryComplete. A check that
   * meets E sets RECHECK and goes away, as the evaluator has to look again before it may leave: so no
   * check waits for another, and none is lost. The thread that adds the operation holds E from its
   * first check to its last, around putting it on the lists and into the timer.
   *
   * Whoever claims an end while E is set leaves what follows from it (finish) to the evaluator, whose
   * endEvaluation finds the phase ended; else the claimer does it. One CAS decides which, so it is done
   * once, and callbacks never overlap with tryComplete. A flag that is left over in an ended state
   * means nothing.
   *
   * The fields `cell` and `lists` are written by the adding thread while E is its own, and are read in
   * finish, which is ordered after by the CAS on the state. The timer sees `cell` too, as the operation
   * is put there later. `purgatory` is set before the first evaluation begins; a claim that finds it
   * null came before the operation was handed in.
   */

  private static final int NEW = 0;
  private static final int HELD = 1;
  private static final int COMPLETED = 2;
  private static final int EXPIRED = 3;
  private static final int CANCELLED = 4;
  private static final int PHASE = 7;

  private static final int EVALUATING = 8;
  private static final int RECHECK = 16;

  /** The callbacks have begun. An executor that runs a task twice must not answer twice. */
  private static final int ANSWERED = 32;

  /** A held operation has ended, and is not counted as pending any more. */
  private static final int UNCOUNTED = 64;

  private static final VarHandle STATE;
  private static final VarHandle PURGATORY;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(DelayedOperation.class, "state", int.class);
      PURGATORY = lookup.findVarHandle(DelayedOperation.class, "purgatory", Purgatory.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long timeout;
  private volatile int state;
  private volatile @Nullable Purgatory<?, ?> purgatory;
  private @Nullable Cell cell;
  private int lists;

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held. Zero or less: it is answered at once if it is not on
   *     arrival. More than 292 years count as that.
   */
  protected DelayedOperation(Duration timeout) {
    this(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
  }

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held, any value. Zero or less: it is answered at once if it
   *     is not on arrival. More than 292 years count as that.
   * @param unit of the timeout
   */
  protected DelayedOperation(long timeout, TimeUnit unit) {
    this.timeout = unit.toNanos(timeout);
  }

  /**
   * Says whether the operation can be answered by now. It only looks: answering is for {@link
   * #onComplete}. It runs on threads that check a key, should be quick, and may be called at any
   * time until the operation has ended. If it throws, that counts as no, and goes to the listener.
   * It must not check a key of its own operation, or it is asked again without end.
   *
   * @return true if it can be answered
   */
  protected abstract boolean tryComplete();

  /**
   * Answers. Called exactly once, unless the operation is cancelled: on the thread whose event
   * completed it, or an executor of the purgatory's.
   */
  protected abstract void onComplete();

  /** Called once, after {@link #onComplete}, if the answer was forced by time. Does nothing. */
  protected void onExpiration() {}

  /**
   * Completes the operation now, whatever {@link #tryComplete} would say. If an evaluation is
   * running, {@link #onComplete} runs when it has returned, on its thread.
   *
   * @return true if this call ended the operation; false if it had ended before
   */
  public final boolean forceComplete() {
    return claim(COMPLETED, /* here= */ true);
  }

  /**
   * Takes the operation back. It also works before it is handed in, which then has no effect.
   *
   * @return true if this call ended the operation, and neither {@link #onComplete} nor {@link
   *     #onExpiration} will ever run; false if it had ended before
   */
  public final boolean cancel() {
    return claim(CANCELLED, /* here= */ true);
  }

  /**
   * Tells whether the operation has been answered, or is about to be: by an event or by time.
   *
   * @return false while it is held, and when it was cancelled
   */
  public final boolean isCompleted() {
    int phase = state & PHASE;
    return phase == COMPLETED || phase == EXPIRED;
  }

  /**
   * Tells whether time forced the answer.
   *
   * @return true once that was decided: when the time is up and the executor for that is free
   */
  public final boolean isExpired() {
    return (state & PHASE) == EXPIRED;
  }

  /**
   * Tells whether the operation was cancelled.
   *
   * @return true if {@link #cancel} or its like ended it
   */
  public final boolean isCancelled() {
    return (state & PHASE) == CANCELLED;
  }

  /** Time is up. Called by the timer. */
  @Override
  protected final void onTimeout() {
    purgatory().callbacks().expireSoon(this, requireNonNull(cell));
  }

  /** Ends the operation as its time is up, and has it answered on the executor for that. */
  final boolean expire() {
    return claim(EXPIRED, /* here= */ false);
  }

  /** Ends the operation as its time is up, and answers it on this thread. */
  final boolean expireHere() {
    return claim(EXPIRED, /* here= */ true);
  }

  /**
   * Hands the operation to a purgatory and begins the first evaluation, which {@link
   * #endEvaluation} ends.
   *
   * @return false if it has ended already
   * @throws IllegalStateException if it was handed in before
   */
  final boolean admit(Purgatory<?, ?> to) {
    if (!PURGATORY.compareAndSet(this, null, to)) {
      throw new IllegalStateException("handed to a purgatory before: " + this);
    }
    return casState(NEW, NEW | EVALUATING);
  }

  /** Asks, and claims if the answer is yes. Only for the thread that evaluates. */
  final boolean check() {
    return !isEnded(state) && purgatory().callbacks().ask(this) && forceComplete();
  }

  /**
   * Makes it a held operation.
   *
   * @return what goes onto the watch lists in its place, or null if it has ended meanwhile
   */
  final @Nullable Cell hold() {
    Cell made = new Cell(this);
    purgatory().beginPending();
    if (casState(NEW | EVALUATING, HELD | EVALUATING)) {
      cell = made;
      return made;
    }
    purgatory().endPending();
    return null;
  }

  /** Notes that the cell was put on one list more. */
  final void watchedOnOneMore() {
    lists++;
  }

  /**
   * Checks a held operation, unless another thread is at it, which then checks again.
   *
   * @return true if this call completed it
   */
  final boolean evaluate() {
    if (!beginEvaluation()) {
      return false;
    }
    boolean completed = false;
    try {
      completed = check();
    } finally {
      completed |= endEvaluation();
    }
    return completed;
  }

  private boolean beginEvaluation() {
    for (; ; ) {
      int now = state;
      if (isEnded(now)) {
        return false;
      }
      boolean busy = (now & EVALUATING) != 0;
      if (casState(now, busy ? now | RECHECK : now | EVALUATING)) {
        return !busy;
      }
    }
  }

  /**
   * Ends the evaluation of this thread, after another look if a check came meanwhile.
   *
   * @return true if that look completed the operation
   */
  final boolean endEvaluation() {
    boolean completed = false;
    for (; ; ) {
      int now = state;
      if (isEnded(now)) {
        finish(now & PHASE, /* here= */ false);
        return completed;
      }
      if ((now & RECHECK) != 0) {
        completed |= casState(now, now & ~RECHECK) && check();
      } else if (casState(now, now & ~EVALUATING)) {
        return completed;
      }
    }
  }

  /**
   * Ends the operation, if nothing has ended it.
   *
   * @param here whether this is a thread to answer on if the end is that time is up
   */
  private boolean claim(int end, boolean here) {
    for (; ; ) {
      int now = state;
      if (isEnded(now)) {
        return false;
      }
      if (casState(now, (now & ~PHASE) | end)) {
        if ((now & PHASE) == HELD) {
          uncount();
        }
        if ((now & EVALUATING) == 0) {
          finish(end, here);
        }
        return true;
      }
    }
  }

  /** Done before a claim returns and before a callback begins, which may be on two threads. */
  private void uncount() {
    if ((state & UNCOUNTED) == 0 && setFlag(UNCOUNTED)) {
      purgatory().endPending();
    }
  }

  /** Does what follows from the end. Called once. */
  private void finish(int end, boolean here) {
    Purgatory<?, ?> holder = purgatory;
    if (holder == null) {
      answer(end, here, Callbacks.NOBODY);
      return;
    }
    try {
      if (wasHeld()) {
        uncount();
      }
      holder.remove(this, cell, lists);
    } finally {
      answer(end, here, holder.callbacks());
    }
  }

  private void answer(int end, boolean here, Callbacks callbacks) {
    if (end == COMPLETED) {
      callbacks.completed(this);
    } else if (end == CANCELLED) {
      callbacks.cancelled(this);
    } else if (here) {
      callbacks.expiredHere(this);
    } else {
      callbacks.expired(this);
    }
  }

  /** Returns true to the first caller. */
  final boolean beginAnswer() {
    return setFlag(ANSWERED);
  }

  /** How long it may be held, in nanoseconds. */
  final long timeout() {
    return timeout;
  }

  /**
   * How long it has been held: since the timer began, where the deadline is as late as can be. 0
   * where the clock has run back since.
   */
  final long heldNanos(long now) {
    return Math.max(0, now - (deadline() - Math.max(0, timeout)));
  }

  final long lateNanos(long now) {
    return now - deadline();
  }

  final boolean wasHeld() {
    return cell != null;
  }

  final boolean isEnded() {
    return isEnded(state);
  }

  private Purgatory<?, ?> purgatory() {
    return requireNonNull(purgatory);
  }

  private static boolean isEnded(int state) {
    return (state & PHASE) >= COMPLETED;
  }

  /** Returns true to the one who has set it. */
  private boolean setFlag(int flag) {
    return ((int) STATE.getAndBitwiseOr(this, flag) & flag) == 0;
  }

  private boolean casState(int expected, int value) {
    return STATE.compareAndSet(this, expected, value);
  }
}
