package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.internal.TimerEntry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The one object that a purgatory keeps for each operation: its state, its timer entry, and the
 * element of its watch lists. It holds the only reference to the user's operation and clears it at
 * the end, which releases the operation from the timer and all lists in one step.
 */
final class Registration extends TimerEntry implements Held, Runnable {

  /*
   * The state is one word: an outcome, and flags for what is going on.
   *
   *              admit               enter
   *     open ------------> open+E ----------> HELD+E -----> HELD <------> HELD+E
   *       |                  |                   |             |             |
   *       +------------------+-------------------+-------------+-------------+
   *       |                         claim, by one CAS
   *       v
   *     COMPLETED, TIMED_OUT, CANCELLED, FAILED or CLOSED; then `finish`, once: release and answer
   *
   * E, EVALUATING, belongs to the thread that set it; only this thread evaluates the condition. A signal
   * that finds E set sets RECHECK and returns, because the evaluator must look again before it leaves.
   * So no signal waits for another, and none is lost. The adding thread keeps E from its first
   * evaluation to its last, while it puts the operation on the lists and into the timer.
   *
   * An evaluator that had to look again a few times hands E to a helper thread, which does the remaining
   * evaluations. So concurrent signals cannot keep a signalling thread busy without a bound.
   *
   * A claimer that finds another thread's E shares the end with the evaluator: the claimer counts the
   * end and sets COUNTED, the evaluator sees the end and clears E. Whichever does its part last finishes.
   * So the operation is finished once, callbacks never overlap with the condition, and an ended operation
   * is no longer pending both when the claim returns and when the callbacks begin; nobody waits. A
   * claimer that is the evaluator, or finds no E, sets COUNTED in the same compare-and-set, and also ends
   * the wait in the timer with it (UNSCHEDULED).
   *
   * `evaluator` tells a claimer whether E is its own: a condition that completes its operation as a side
   * effect counts for the signal that evaluates it. The field holds a thread id rather than a reference,
   * so that it keeps no thread reachable. It may be stale, but a thread finds its own id there only while
   * it is the evaluator, because it clears the field itself.
   *
   * The adding thread writes `adapter` and the deadline while it owns E, before it sets HELD. A thread
   * that has seen HELD sees both.
   *
   * One object instead of three (operation, list element, timer entry) saves 32 bytes and a cache miss
   * per operation. The user's object cannot serve as this one: it would stay reachable from lists and
   * timer until they are swept.
   */

  private static final int OUTCOME = 7 << BITS;
  private static final int HELD = 8 << BITS;
  private static final int EVALUATING = 16 << BITS;
  private static final int RECHECK = 32 << BITS;

  /** The answer has begun. It begins once, even if an executor runs a task twice. */
  private static final int ANSWERED = 64 << BITS;

  /** The end is counted: the operation is no longer pending. */
  private static final int COUNTED = 128 << BITS;

  /** The operation was handed to a purgatory. */
  private static final int ADMITTED = 256 << BITS;

  /** The purgatory is closing: an expiration ends with CLOSED, not with TIMED_OUT. */
  private static final int CLOSING = 512 << BITS;

  /** The evaluator ended the operation. */
  private static final int BY_EVALUATOR = 1024 << BITS;

  /** The claim also ended the wait in the timer, which has not been counted yet. */
  private static final int UNSCHEDULED = 2048 << BITS;

  /** The claimer answers by itself: the adapter is not called. */
  private static final int SELF_ANSWERED = 4096 << BITS;

  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final int LOST = -1;

  /** How many times an evaluator looks again before it hands over. */
  private static final int MOST_RECHECKS = 4;

  /** Longer timeouts mean no limit: a deadline, timeout plus uptime, must fit a long. 146 years. */
  private static final long LONGEST = Long.MAX_VALUE / 2;

  private OperationAdapter<?> adapter;

  /** The operation, or a {@link Failure} until it is answered; null after the end. */
  private volatile @Nullable Object referent;

  private int evaluator;

  /** The number of lists it was put on. Written by the adding thread. */
  int lists;

  Registration(OperationAdapter<?> adapter, Object operation) {
    super(0);
    this.adapter = adapter;
    this.referent = operation;
  }

  /** An operation that has failed. */
  private record Failure(@Nullable Object operation, Throwable cause) {}

  /** Returns the operation, or null once it is released. Racy: it may have ended meanwhile. */
  @Nullable Object operation() {
    Object seen = referent;
    return seen instanceof Failure failure ? failure.operation : seen;
  }

  /** Returns 1 until the operation is released, then 0: a number, for branchless loops. */
  int inUse() {
    return referent == null ? 0 : 1;
  }

  void clear() {
    referent = null;
  }

  // Adding, on the adding thread.

  /**
   * Hands the operation to a purgatory and begins the first evaluation; {@link #endEvaluation} ends
   * it.
   *
   * @return false if the operation has already ended
   * @throws IllegalStateException if it was handed to a purgatory before
   */
  boolean admit(OperationAdapter<?> to) {
    for (; ; ) {
      int now = state();
      if ((now & ADMITTED) != 0) {
        throw new IllegalStateException("handed to a purgatory before: " + operation());
      }
      boolean ended = isEnded(now);
      if (casState(now, now | ADMITTED | (ended ? 0 : EVALUATING))) {
        if (!ended) {
          adapter = to;
          evaluator = thisThread();
        }
        return !ended;
      }
    }
  }

  /**
   * Makes the operation a held one.
   *
   * @param now the time on the timer's clock
   * @param timeout in nanoseconds
   * @return false if the operation has ended meanwhile
   */
  boolean enter(long now, long timeout) {
    deadline(now + limit(timeout));
    purgatory().beginPending();
    if (casState(ADMITTED | EVALUATING, ADMITTED | EVALUATING | HELD)) {
      return true;
    }
    purgatory().endPending();
    return false;
  }

  /** Returns whether an operation with this timeout can time out. */
  static boolean isTimed(long timeout) {
    return timeout < LONGEST;
  }

  /** Returns how long the operation has been held; 0 if the clock ran backwards. */
  long heldNanos(long now, Object operation) {
    return Math.max(0, now - (deadline() - limit(adapter().timeoutNanos(operation))));
  }

  /** Returns the time since the deadline; negative before it. */
  long lateNanos(long now) {
    return now - deadline();
  }

  private static long limit(long timeout) {
    return Math.min(LONGEST, Math.max(0, timeout));
  }

  /** Returns the timeout in nanoseconds; 0 if the operation is released. */
  long timeoutNanos() {
    Object operation = operation();
    return operation == null ? 0 : adapter().timeoutNanos(operation);
  }

  // Evaluating the condition.

  /**
   * Evaluates the condition of a held operation. If another thread is evaluating it, that thread
   * evaluates it again instead.
   *
   * @return true if this call completed the operation
   */
  boolean evaluate() {
    return evaluate(/* last= */ false);
  }

  private boolean evaluate(boolean last) {
    if (!beginEvaluation()) {
      return false;
    }
    try {
      check(last);
    } catch (Throwable e) {
      boolean unused = endEvaluation();
      throw e;
    }
    return endEvaluation();
  }

  private boolean beginEvaluation() {
    for (; ; ) {
      int now = state();
      if (isEnded(now)) {
        return false;
      }
      boolean busy = (now & EVALUATING) != 0;
      if (casState(now, busy ? now | RECHECK : now | EVALUATING)) {
        if (!busy) {
          evaluator = thisThread();
        }
        return !busy;
      }
    }
  }

  /** Evaluates the condition, and completes the operation if it holds. Only for the evaluator. */
  void check() {
    check(/* last= */ false);
  }

  private void check(boolean last) {
    Object operation = operation();
    if (operation == null || isEnded()) {
      return;
    }
    boolean ready;
    try {
      ready = last ? adapter().isReadyOnTimeout(operation) : adapter().isReady(operation);
    } catch (Throwable e) {
      if (!abort(e)) {
        callbacks().failed(operation, Source.CONDITION, e);
      }
      return;
    }
    if (ready) {
      boolean unused = complete();
    }
  }

  /**
   * Ends this thread's evaluation, after evaluating again if a signal arrived meanwhile.
   *
   * @return true if this thread completed the operation while it evaluated
   */
  boolean endEvaluation() {
    return endEvaluation(MOST_RECHECKS);
  }

  private boolean endEvaluation(int mostRechecks) {
    for (int rechecks = 0; ; ) {
      int now = state();
      if ((now & COUNTED) != 0) {
        finish(/* here= */ false);
        return (now & BY_EVALUATOR) != 0 && outcome(now) == Outcome.COMPLETED;
      }
      if ((now & RECHECK) != 0 && !isEnded(now)) {
        if (rechecks++ == mostRechecks && handOverEvaluation()) {
          return false;
        }
        if (casState(now, now & ~RECHECK)) {
          check();
        }
      } else if (leave(now)) {
        return false;
      }
    }
  }

  private boolean leave(int now) {
    evaluator = 0;
    boolean left = casState(now, now & ~EVALUATING);
    if (!left) {
      evaluator = thisThread();
    }
    return left;
  }

  private boolean handOverEvaluation() {
    evaluator = 0;
    boolean handedOver = callbacks().handOverEvaluation(this);
    if (!handedOver) {
      evaluator = thisThread();
    }
    return handedOver;
  }

  /**
   * Ends an evaluation that another thread began, on a thread that may look again without limit.
   */
  void endHandedOverEvaluation() {
    evaluator = thisThread();
    boolean unused = endEvaluation(Integer.MAX_VALUE);
  }

  // Ending.

  @Override
  public boolean complete() {
    return end(Outcome.COMPLETED, 0, null, /* here= */ true);
  }

  @Override
  public boolean cancel() {
    return end(Outcome.CANCELLED, 0, null, /* here= */ true);
  }

  @Override
  public boolean fail(Throwable cause) {
    return end(Outcome.FAILED, 0, requireNonNull(cause, "cause"), /* here= */ true);
  }

  /**
   * Fails the operation, or cancels it if there is no memory left to keep the cause.
   *
   * @return true if this call ended the operation
   */
  boolean abort(Throwable cause) {
    try {
      return fail(cause);
    } catch (OutOfMemoryError e) {
      return cancel();
    }
  }

  /** Ends the operation for a caller that answers by itself: the adapter is not called. */
  boolean endSelfAnswered(Outcome outcome, @Nullable Throwable cause) {
    return end(outcome, SELF_ANSWERED, cause, /* here= */ true);
  }

  /** Expires the operation on the executor for expirations. Called by the timer. */
  @Override
  public void onTimeout() {
    callbacks().expireSoon(this);
  }

  /** Expires and answers the operation on this thread, if it is still held. */
  @Override
  public void run() {
    boolean unused = expire(/* here= */ true);
  }

  /** Expires the operation with CLOSED, on the executor for expirations. */
  boolean close() {
    boolean first = isOpenAndHeld() && (setBits(CLOSING) & CLOSING) == 0;
    if (first) {
      callbacks().expireSoon(this);
    }
    return first;
  }

  /** Expires the operation with CLOSED on this thread; the executor answers it. */
  boolean closeHere() {
    if (!isOpenAndHeld()) {
      return false;
    }
    int unused = setBits(CLOSING);
    return expire(/* here= */ false);
  }

  private boolean expire(boolean here) {
    if (evaluate(/* last= */ true)) {
      return true;
    }
    boolean closing = (state() & CLOSING) != 0;
    return end(closing ? Outcome.CLOSED : Outcome.TIMED_OUT, 0, null, here);
  }

  /**
   * Ends the operation, unless it has ended.
   *
   * @param here whether this thread may answer an expired operation
   */
  private boolean end(Outcome outcome, int flags, @Nullable Throwable cause, boolean here) {
    Failure failure = cause == null ? null : new Failure(referent, cause);
    int before = claim(code(outcome) | flags);
    if (before == LOST) {
      return false;
    }
    if (failure != null) {
      referent = failure;
    }
    if ((before & HELD) != 0) {
      purgatory().endPending();
    }
    boolean evaluating = (before & EVALUATING) != 0;
    if (!evaluating || (!isEvaluator() && count())) {
      finish(here);
    }
    return true;
  }

  /** Returns the state before, or {@link #LOST}. */
  private int claim(int end) {
    for (; ; ) {
      int now = state();
      if (isEnded(now)) {
        return LOST;
      }
      int next = now | end;
      if ((now & EVALUATING) == 0) {
        next = withTimerEnded(next | COUNTED);
      } else if (isEvaluator()) {
        next = withTimerEnded(next | COUNTED | BY_EVALUATOR);
      }
      if (casState(now, next)) {
        return now;
      }
    }
  }

  private static int withTimerEnded(int state) {
    return (state & SCHEDULED) == 0 ? state : (state & ~SCHEDULED) | UNSCHEDULED;
  }

  /** Returns whether the evaluator has left, so that this thread must finish. */
  private boolean count() {
    return (setBits(COUNTED) & EVALUATING) == 0;
  }

  private boolean isEvaluator() {
    return evaluator == thisThread(); // racy, except for this thread's own id
  }

  private static int thisThread() {
    return (int) Thread.currentThread().getId();
  }

  /** Releases the operation and answers it. Called once. */
  private void finish(boolean here) {
    int now = state();
    Object operation = requireNonNull(operation());
    Throwable cause = referent instanceof Failure failure ? failure.cause : null;
    try {
      if ((now & HELD) != 0) {
        purgatory().release(this, (now & UNSCHEDULED) != 0);
      }
    } finally {
      clear();
      callbacks().ended(this, operation, requireNonNull(outcome(now)), cause, here);
    }
  }

  /** Returns whether the adapter gives the answer. */
  boolean isForAdapter() {
    return (state() & SELF_ANSWERED) == 0;
  }

  /** Returns true to the first caller. */
  boolean beginAnswer() {
    return (setBits(ANSWERED) & ANSWERED) == 0;
  }

  // State.

  @Override
  public boolean cancelTimeout() {
    return isOpenAndHeld() && purgatory().cancelTimeout(this);
  }

  @Override
  public @Nullable Outcome outcome() {
    return outcome(state());
  }

  @SuppressWarnings("EnumOrdinal") // never leaves memory
  private static int code(Outcome outcome) {
    return (outcome.ordinal() + 1) << BITS;
  }

  private static @Nullable Outcome outcome(int state) {
    int phase = (state & OUTCOME) >> BITS;
    return phase == 0 ? null : OUTCOMES[phase - 1];
  }

  boolean wasHeld() {
    return (state() & HELD) != 0;
  }

  private boolean isOpenAndHeld() {
    return (state() & (OUTCOME | HELD)) == HELD;
  }

  boolean isEnded() {
    return (state() & OUTCOME) != 0;
  }

  private static boolean isEnded(int state) {
    return (state & OUTCOME) != 0;
  }

  @SuppressWarnings("unchecked") // an adapter only gets operations that it prepared
  OperationAdapter<Object> adapter() {
    return (OperationAdapter<Object>) adapter;
  }

  private Purgatory<?> purgatory() {
    return requireNonNull(adapter.purgatory());
  }

  private Callbacks callbacks() {
    Purgatory<?> purgatory = adapter.purgatory();
    return purgatory == null ? Callbacks.NOBODY : purgatory.callbacks();
  }

  /** Describes the state for logs, with the age and the time until the deadline. */
  String describe() {
    Outcome outcome = outcome();
    if (outcome != null) {
      return outcome.toString();
    }
    Object operation = operation();
    if (!wasHeld() || operation == null) {
      return "not held yet";
    }
    long now = purgatory().now();
    String limit =
        isTimed(timeoutNanos()) ? "due in " + Duration.ofNanos(-lateNanos(now)) : "no time limit";
    return "held by %s for %s, %s"
        .formatted(purgatory().name(), Duration.ofNanos(heldNanos(now, operation)), limit);
  }

  @Override
  public String toString() {
    return operation() + "[" + describe() + "]";
  }
}
