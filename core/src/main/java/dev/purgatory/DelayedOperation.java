package dev.purgatory;

import static java.util.Objects.requireNonNull;

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
public abstract class DelayedOperation {

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
   * An evaluator that was sent back a few times hands E over to a helper thread, together with the
   * evaluations that are still owed: so no thread that checks a key is captured by the others.
   *
   * A claimer who meets E shares the end with the evaluator: the claimer counts the end and sets
   * COUNTED, the evaluator finds the phase ended and clears E. The one who comes last does what follows
   * (finish): so it is done once, callbacks never overlap with tryComplete, and an operation that has
   * ended is no longer pending both when the claim returns and when the callbacks begin, without a wait.
   * A flag that is left over in an ended state means nothing else.
   *
   * The fields `cell` and `purgatory` are written by the adding thread while E is its own, before the
   * state becomes HELD; a thread that has seen that sees them. Where finish finds no purgatory, the operation
   * has ended before it was handed in.
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

  /** An end is counted: the operation is not pending any more. */
  private static final int COUNTED = 64;

  /** It was handed to a purgatory. */
  private static final int ADMITTED = 128;

  /** It is to expire, because the purgatory is closed. */
  private static final int CLOSING = 256;

  /** How often an evaluator looks again before it hands over. */
  private static final int MOST_RECHECKS = 4;

  /** Longer timeouts count as this: the sum with the uptime has to be a long. Some 146 years. */
  private static final long LONGEST = Long.MAX_VALUE / 2;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(DelayedOperation.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long timeout;
  private volatile int state;
  private @Nullable Purgatory<?, ?> purgatory;
  private @Nullable Cell cell;

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held. Zero or less: it is answered at once. 146 years or
   *     more: there is no limit of time.
   */
  protected DelayedOperation(Duration timeout) {
    this(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
  }

  /**
   * Creates an operation.
   *
   * @param timeout how long it may be held, any value. Zero or less: it is answered at once. 146
   *     years or more: there is no limit of time.
   * @param unit of the timeout
   */
  protected DelayedOperation(long timeout, TimeUnit unit) {
    this.timeout = Math.min(LONGEST, unit.toNanos(timeout));
  }

  /**
   * Says whether the operation can be answered by now. It only looks: answering is for {@link
   * #onComplete}. It runs on threads that check a key, and may be called at any time until the
   * operation has ended. If it throws, that counts as no, and goes to the listener. It must not
   * check a key of its own operation, or it is asked again without end.
   *
   * <p>It should be quick: as callbacks of an operation never overlap, an answer that is due
   * meanwhile, also one that time forces, waits until it returns. Other operations do not wait.
   *
   * @return true if it can be answered
   */
  protected abstract boolean tryComplete();

  /**
   * Says whether the operation can be answered after all, when its time is up: then it completes,
   * and does not expire. Asks {@link #tryComplete}. An operation for which that last look is not
   * worth its cost returns false.
   *
   * @return true if it can be answered
   */
  protected boolean tryCompleteOnTimeout() {
    return tryComplete();
  }

  /**
   * Answers. Called exactly once, unless the operation is cancelled: on the thread whose event
   * completed it, or an executor of the purgatory's.
   */
  protected abstract void onComplete();

  /** Called once, after {@link #onComplete}, if the answer was forced by time. Does nothing. */
  protected void onExpiration() {}

  /**
   * Completes the operation now, whatever {@link #tryComplete} would say. If an evaluation is
   * running, {@link #onComplete} runs when it has returned, on its thread or on this.
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

  /**
   * Takes the limit of time away: from now on the operation is held until something else ends it.
   *
   * @return true if this call took it away; false if there is none, time is up, or the operation is
   *     not held
   */
  protected final boolean cancelTimeout() {
    return (state & PHASE) == HELD && purgatory().cancelTimeout(requireNonNull(cell));
  }

  /** Has the operation expire on the executor for that. */
  final void timeIsUp(Cell itsCell) {
    purgatory().callbacks().expireSoon(this, itsCell);
  }

  /** Has the operation expire on the executor for that, as the purgatory is closed. */
  final boolean close() {
    boolean first = (state & PHASE) == HELD && setFlag(CLOSING);
    if (first) {
      timeIsUp(requireNonNull(cell));
    }
    return first;
  }

  /** Ends the operation as its time is up, and has it answered on the executor for that. */
  final boolean expire() {
    return evaluate(/* last= */ true) || claim(EXPIRED, /* here= */ false);
  }

  /** Ends the operation as its time is up, and answers it on this thread. */
  final boolean expireHere() {
    return evaluate(/* last= */ true) || claim(EXPIRED, /* here= */ true);
  }

  /**
   * Hands the operation to a purgatory and begins the first evaluation, which {@link
   * #endEvaluation} ends.
   *
   * @return false if it has ended already
   * @throws IllegalStateException if it was handed in before
   */
  final boolean admit(Purgatory<?, ?> to) {
    for (; ; ) {
      int now = state;
      if ((now & ADMITTED) != 0) {
        throw new IllegalStateException("handed to a purgatory before: " + this);
      }
      boolean ended = isEnded(now);
      if (casState(now, now | ADMITTED | (ended ? 0 : EVALUATING))) {
        purgatory = ended ? null : to;
        return !ended;
      }
    }
  }

  /** Asks, and claims if the answer is yes. Only for the thread that evaluates. */
  final boolean check() {
    return !isEnded(state) && purgatory().callbacks().ask(this) && forceComplete();
  }

  private boolean checkLast() {
    return !isEnded(state) && purgatory().callbacks().askLast(this) && forceComplete();
  }

  /**
   * Makes it a held operation.
   *
   * @param now the time on the clock of the timer
   * @return what goes onto the watch lists in its place, or null if it has ended meanwhile
   */
  final @Nullable Cell hold(long now) {
    Cell made = new Cell(this, now + Math.max(0, timeout));
    cell = made;
    purgatory().beginPending();
    if (casState(NEW | ADMITTED | EVALUATING, HELD | ADMITTED | EVALUATING)) {
      return made;
    }
    cell = null;
    purgatory().endPending();
    return null;
  }

  /**
   * Checks a held operation, unless another thread is at it, which then checks again.
   *
   * @return true if this call completed it
   */
  final boolean evaluate() {
    return evaluate(/* last= */ false);
  }

  private boolean evaluate(boolean last) {
    if (!beginEvaluation()) {
      return false;
    }
    boolean completed = false;
    try {
      completed = last ? checkLast() : check();
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
    return endEvaluation(MOST_RECHECKS);
  }

  private boolean endEvaluation(int mostRechecks) {
    boolean completed = false;
    for (int rechecks = 0; ; ) {
      int now = state;
      if ((now & COUNTED) != 0) {
        finish(now & PHASE, /* here= */ false);
        return completed;
      }
      if ((now & RECHECK) != 0 && !isEnded(now)) {
        if (rechecks++ == mostRechecks && purgatory().callbacks().handOverEvaluation(this)) {
          return completed;
        }
        completed |= casState(now, now & ~RECHECK) && check();
      } else if (casState(now, now & ~EVALUATING)) {
        return completed;
      }
    }
  }

  /** Ends the evaluation of another thread, on one that may be sent back without a limit. */
  final void endHandedOverEvaluation() {
    boolean unused = endEvaluation(Integer.MAX_VALUE);
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
      boolean alone = (now & EVALUATING) == 0;
      boolean held = (now & PHASE) == HELD;
      int counted = alone || !held ? COUNTED : 0;
      if (casState(now, (now & ~PHASE) | end | counted)) {
        if (held) {
          purgatory().endPending();
        }
        if (alone || (counted == 0 && count())) {
          finish(end, here);
        }
        return true;
      }
    }
  }

  /** Returns whether the evaluator has left, so that what follows is left to this thread. */
  private boolean count() {
    return ((int) STATE.getAndBitwiseOr(this, COUNTED) & EVALUATING) == 0;
  }

  /** Does what follows from the end. Called once. */
  private void finish(int end, boolean here) {
    Purgatory<?, ?> holder = purgatory;
    if (holder == null) {
      answer(end, here, Callbacks.NOBODY);
      return;
    }
    try {
      holder.remove(cell);
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

  /** Whether its time is up as soon as it is held. */
  final boolean hasNoTime() {
    return timeout <= 0;
  }

  /** Whether time will end it. */
  final boolean isTimed() {
    return timeout > 0 && timeout < LONGEST;
  }

  /** How long it has been held. 0 where the clock has run back since. */
  final long heldNanos(long now) {
    return Math.max(0, now - (requireNonNull(cell).deadline() - Math.max(0, timeout)));
  }

  /** How late it is. Negative if it is closed before its time is up. */
  final long lateNanos(long now) {
    long late = now - requireNonNull(cell).deadline();
    return hasNoTime() ? Math.max(0, late) : late;
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
