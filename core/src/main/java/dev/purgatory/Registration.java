package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.internal.TimerEntry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The one object that a purgatory has for each operation: its state, its entry in the timer, and
 * what the watch lists hold. It has the only reference to the user's operation and clears it at the
 * end, so that timer and lists let go of the operation in one step, however many lists it is on.
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
   * E, EVALUATING, belongs to the thread that set it; only that one evaluates the condition. A signal
   * that meets E sets RECHECK and goes away, as the evaluator has to look again before it may leave: so
   * no signal waits for another, and none is lost. The thread that adds the operation holds E from its
   * first evaluation to its last, around putting it on the lists and into the timer.
   *
   * An evaluator that was sent back a few times hands E over to a helper thread, together with the
   * evaluations that are still owed: so no thread that signals a key is captured by the others.
   *
   * A claimer who meets the E of another thread shares the end with the evaluator: the claimer counts
   * the end and sets COUNTED, the evaluator finds the operation ended and clears E. The one who comes
   * last finishes: so it is done once, callbacks never overlap with the condition, and an operation that
   * has ended is no longer pending both when the claim returns and when the callbacks begin, without a
   * wait. A claimer who is the evaluator, or meets no E, sets COUNTED in the same step, and ends the
   * wait in the timer with it (UNSCHEDULED): one atomic step for three things.
   *
   * `evaluator` tells a claimer whether the E is its own: a condition that completes its operation as a
   * side effect is counted for the check that evaluates it. It is the number of a thread, not a
   * reference, so that nothing of the thread is kept. A thread reads its own number there only while it
   * is the evaluator, however stale the field is, as it clears the field itself.
   *
   * `adapter` and the deadline are written by the adding thread while E is its own, before HELD is set;
   * a thread that has seen HELD sees them.
   *
   * One object in place of three (operation, cell, entry of the timer) saves 32 bytes and a cache miss
   * for each operation. The user's object cannot be this one: it would stay reachable from lists and
   * timer until they are swept.
   */

  private static final int OUTCOME = 7 << BITS;
  private static final int HELD = 8 << BITS;
  private static final int EVALUATING = 16 << BITS;
  private static final int RECHECK = 32 << BITS;

  /** The answer has begun. An executor that runs a task twice must not answer twice. */
  private static final int ANSWERED = 64 << BITS;

  /** The end is counted: the operation is not pending any more. */
  private static final int COUNTED = 128 << BITS;

  /** It was handed to a purgatory. */
  private static final int ADMITTED = 256 << BITS;

  /** The purgatory is closed, so that it ends without having timed out. */
  private static final int CLOSING = 512 << BITS;

  /** The evaluator has ended it. */
  private static final int BY_EVALUATOR = 1024 << BITS;

  /** The claimer has ended the wait in the timer, which is still to be counted. */
  private static final int UNSCHEDULED = 2048 << BITS;

  /** The claimer answers by itself: the adapter is not to be called. */
  private static final int SELF_ANSWERED = 4096 << BITS;

  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final int LOST = -1;

  /** How often an evaluator looks again before it hands over. */
  private static final int MOST_RECHECKS = 4;

  /** Longer timeouts are none: a deadline, the sum with the uptime, has to be a long. 146 years. */
  private static final long LONGEST = Long.MAX_VALUE / 2;

  private OperationAdapter<?> adapter;

  /** The operation, or a {@link Failure} on its way to the answer, or null when it has ended. */
  private volatile @Nullable Object referent;

  private int evaluator;

  /** On how many lists it was put. Written by the thread that adds the operation. */
  int lists;

  Registration(OperationAdapter<?> adapter, Object operation) {
    super(0);
    this.adapter = adapter;
    this.referent = operation;
  }

  /** An operation that has failed. */
  private record Failure(@Nullable Object operation, Throwable cause) {}

  /** The operation; null once it was let go of. Racy: one that is seen may have ended. */
  @Nullable Object operation() {
    Object seen = referent;
    return seen instanceof Failure failure ? failure.operation : seen;
  }

  /** 1 until the operation is let go of, then 0: a number, for loops that avoid a branch. */
  int inUse() {
    return referent == null ? 0 : 1;
  }

  void clear() {
    referent = null;
  }

  // Coming in, on the thread that adds the operation.

  /**
   * Hands the operation to a purgatory and begins the first evaluation, which {@link
   * #endEvaluation} ends.
   *
   * @return false if it has ended already
   * @throws IllegalStateException if it was handed in before
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
   * Makes it a held operation.
   *
   * @param now the time on the clock of the timer
   * @return false if it has ended meanwhile
   */
  boolean enter(long now) {
    deadline(now + limit(timeoutNanos()));
    purgatory().beginPending();
    if (casState(ADMITTED | EVALUATING, ADMITTED | EVALUATING | HELD)) {
      return true;
    }
    purgatory().endPending();
    return false;
  }

  /** Whether its time is up as soon as it is held. */
  boolean hasNoTime() {
    return timeoutNanos() <= 0;
  }

  /** Whether time will end it. */
  boolean isTimed() {
    long timeout = timeoutNanos();
    return timeout > 0 && timeout < LONGEST;
  }

  /** How long it has been held. 0 where the clock has run back since. */
  long heldNanos(long now, Object operation) {
    return Math.max(0, now - (deadline() - limit(adapter().timeoutNanos(operation))));
  }

  /** How late it is. Negative if it has ended before its time was up. */
  long lateNanos(long now) {
    return now - deadline();
  }

  private static long limit(long timeout) {
    return Math.min(LONGEST, Math.max(0, timeout));
  }

  private long timeoutNanos() {
    Object operation = operation();
    return operation == null ? 0 : adapter().timeoutNanos(operation);
  }

  // Evaluating the condition.

  /**
   * Evaluates the condition of a held operation, unless another thread is at it, which then does it
   * again.
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

  /** Evaluates the condition, and completes if it is true. Only for the evaluator. */
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
   * Ends the evaluation of this thread, after another look if a signal came meanwhile.
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

  /** Ends the evaluation of another thread, on one that may be sent back without a limit. */
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
   * Fails the operation, or cancels it where memory is lacking to keep the cause.
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

  /** Ends the operation for a caller who answers by itself: the adapter is not called. */
  boolean endSelfAnswered(Outcome outcome, @Nullable Throwable cause) {
    return end(outcome, SELF_ANSWERED, cause, /* here= */ true);
  }

  /** Time is up: has it expire on the executor for that. Called by the timer. */
  @Override
  public void onTimeout() {
    callbacks().expireSoon(this);
  }

  /**
   * Time is up, or the purgatory is closed: has it expire and answered here, if it is still held.
   */
  @Override
  public void run() {
    boolean unused = expire(/* here= */ true);
  }

  /** Has it expire, as the purgatory is closed, on the executor for that. */
  boolean close() {
    boolean first = isOpenAndHeld() && (setBits(CLOSING) & CLOSING) == 0;
    if (first) {
      callbacks().expireSoon(this);
    }
    return first;
  }

  /** Has it expire here, as the purgatory is closed, and answered on the executor for that. */
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
   * Ends the operation, if nothing has ended it.
   *
   * @param here whether this is a thread to answer on if it has expired
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

  /** Returns whether the evaluator has left, so that this thread has to finish. */
  private boolean count() {
    return (setBits(COUNTED) & EVALUATING) == 0;
  }

  private boolean isEvaluator() {
    return evaluator == thisThread(); // racy, but for the number of this thread itself
  }

  private static int thisThread() {
    return (int) Thread.currentThread().getId();
  }

  /** Lets go of the operation, and has it answered. Called once. */
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

  /** Whether the adapter is to be called for the answer. */
  boolean isForAdapter() {
    return (state() & SELF_ANSWERED) == 0;
  }

  /** Returns true to the first caller. */
  boolean beginAnswer() {
    return (setBits(ANSWERED) & ANSWERED) == 0;
  }

  // What others ask.

  @Override
  public boolean cancelTimeout() {
    return isOpenAndHeld() && purgatory().cancelTimeout(this);
  }

  @Override
  public @Nullable Outcome outcome() {
    return outcome(state());
  }

  @SuppressWarnings("EnumOrdinal") // It is kept in memory only.
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

  @SuppressWarnings("unchecked") // An adapter is given the operations that it has prepared.
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

  /** For logs: the state, and how long it is until the deadline. */
  String describe() {
    Outcome outcome = outcome();
    if (outcome != null) {
      return outcome.toString();
    }
    if (!wasHeld()) {
      return "not held yet";
    }
    Purgatory<?> holder = purgatory();
    String time =
        isTimed() ? "due in " + Duration.ofNanos(deadline() - holder.now()) : "without a limit";
    return "held by " + holder.name() + ", " + time;
  }

  @Override
  public String toString() {
    return operation() + "[" + describe() + "]";
  }
}
