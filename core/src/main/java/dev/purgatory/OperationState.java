package dev.purgatory;

import dev.purgatory.internal.TimerEntry;
import org.jspecify.annotations.Nullable;

/** The state of an operation, and the transitions between its states. Thread-safe. */
abstract class OperationState extends TimerEntry {

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
   */

  static final int OUTCOME = 7 << BITS;
  static final int HELD = 8 << BITS;
  static final int EVALUATING = 16 << BITS;
  static final int RECHECK = 32 << BITS;

  /** The answer has begun. It begins once, even if an executor runs a task twice. */
  static final int ANSWERED = 64 << BITS;

  /** The end is counted: the operation is no longer pending. */
  static final int COUNTED = 128 << BITS;

  /** The operation was handed to a purgatory. */
  static final int ADMITTED = 256 << BITS;

  /** The purgatory is closing: an expiration ends with CLOSED, not with TIMED_OUT. */
  static final int CLOSING = 512 << BITS;

  /** The evaluator ended the operation. */
  static final int BY_EVALUATOR = 1024 << BITS;

  /** The claim also ended the wait in the timer, which has not been counted yet. */
  static final int UNSCHEDULED = 2048 << BITS;

  /** The claimer answers by itself: the adapter is not called. */
  static final int SELF_ANSWERED = 4096 << BITS;

  /** Not an operation: stands for the operations that wait on a key set. */
  private static final int FORWARDING = 8192 << BITS;

  /** The deadline was moved: the time limit is an attachment. */
  static final int MOVED = 16384 << BITS;

  /** A helper thread answers: the claimer does not wait for answers. */
  static final int FOR_HELPER = 32768 << BITS;

  static final int LOST = -1;
  private static final Outcome[] OUTCOMES = Outcome.values();

  private int evaluator;

  OperationState() {
    super(0);
  }

  /**
   * Hands the operation to a purgatory and begins its first evaluation.
   *
   * @return false if it has already ended
   * @throws IllegalStateException if it was handed to a purgatory before
   */
  final boolean beginAdmission() {
    for (; ; ) {
      int now = state();
      if ((now & ADMITTED) != 0) {
        throw new IllegalStateException("handed to a purgatory before: " + this);
      }
      boolean ended = isEnded(now);
      if (casState(now, now | ADMITTED | (ended ? 0 : EVALUATING))) {
        if (!ended) {
          beEvaluator();
        }
        return !ended;
      }
    }
  }

  /** Makes the admitted operation a held one; returns false if it has ended meanwhile. */
  final boolean tryHold() {
    return casState(ADMITTED | EVALUATING, ADMITTED | EVALUATING | HELD);
  }

  /** Makes this stand for the operations of a key set. Nothing evaluates or ends it. */
  final void forward() {
    int unused = setBits(code(Outcome.COMPLETED) | FORWARDING);
  }

  final boolean isMoved() {
    return (state() & MOVED) != 0;
  }

  final boolean isForwarding() {
    return (state() & FORWARDING) != 0;
  }

  /** Makes this thread the evaluator; else the evaluator looks again. False if it has ended. */
  final boolean beginEvaluation() {
    for (; ; ) {
      int now = state();
      if (isEnded(now)) {
        return false;
      }
      boolean busy = (now & EVALUATING) != 0;
      if (casState(now, busy ? now | RECHECK : now | EVALUATING)) {
        if (!busy) {
          beEvaluator();
        }
        return !busy;
      }
    }
  }

  /** Makes this thread no longer the evaluator, unless the state has changed. */
  final boolean leave(int now) {
    resignAsEvaluator();
    boolean left = casState(now, now & ~EVALUATING);
    if (!left) {
      beEvaluator();
    }
    return left;
  }

  /** Ends the operation; returns the state before, or {@link #LOST}. */
  final int claim(int end) {
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
  final boolean count() {
    return (setBits(COUNTED) & EVALUATING) == 0;
  }

  final boolean isEvaluator() {
    return evaluator == thisThread(); // racy, except for this thread's own id
  }

  final void beEvaluator() {
    evaluator = thisThread();
  }

  final void resignAsEvaluator() {
    evaluator = 0;
  }

  private static int thisThread() {
    return (int) Thread.currentThread().getId();
  }

  /** Returns whether the adapter gives the answer. */
  final boolean isForAdapter() {
    return (state() & SELF_ANSWERED) == 0;
  }

  /** Returns true to the first caller. */
  final boolean beginAnswer() {
    return (setBits(ANSWERED) & ANSWERED) == 0;
  }

  @SuppressWarnings("EnumOrdinal") // never leaves memory
  static int code(Outcome outcome) {
    return (outcome.ordinal() + 1) << BITS;
  }

  static @Nullable Outcome outcome(int state) {
    int phase = (state & OUTCOME) >> BITS;
    return phase == 0 ? null : OUTCOMES[phase - 1];
  }

  final boolean wasHeld() {
    return (state() & HELD) != 0;
  }

  final boolean isOpenAndHeld() {
    return (state() & (OUTCOME | HELD)) == HELD;
  }

  final boolean isForHelper() {
    return (state() & FOR_HELPER) != 0;
  }

  final boolean isEnded() {
    return (state() & OUTCOME) != 0;
  }

  static boolean isEnded(int state) {
    return (state & OUTCOME) != 0;
  }
}
