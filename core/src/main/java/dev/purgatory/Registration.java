package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.base.DurationText;
import dev.purgatory.base.ForeignText;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.threads.Lane;
import dev.purgatory.watch.Waiter;
import dev.purgatory.wheel.MovableDeadline;
import dev.purgatory.wheel.WheelTimer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one object that a purgatory keeps for each operation: its state with all transitions, its
 * timer entry, and the element of its watch lists. It holds the only reference to the user's
 * operation and clears it at the end, which releases the operation from the timer and all lists in
 * one step. Thread-safe.
 */
final class Registration extends Waiter implements Lane.Task {

  /*
   * One object instead of three (operation, list element, timer entry) saves 32 bytes and a cache miss
   * per operation. The user's object cannot serve as this one: it would stay reachable from lists and
   * timer until they are swept.
   *
   * The state is one word: an outcome, and flags for what is going on.
   *
   *              admit               enter
   *     open ------------> open+E ----------> HELD+E -----> HELD <------> HELD+E
   *       |                  |                   |             |             |
   *       +------------------+-------------------+-------------+-------------+
   *       |                         claim, by one CAS: outcome, ANSWERER
   *       v
   *     COMPLETED, TIMED_OUT, CANCELLED, FAILED or CLOSED; then COUNTED; then `finish`, once: release and answer
   *
   *     flag           set by                                       cleared by
   *     HELD           enter: it is pending until an end            -
   *     ADMITTED       admit: it was handed to a purgatory          -
   *     EVALUATING, E  admit, and each evaluation                   its owner, when it leaves
   *     RECHECK        a signal that finds E                        the owner of E, which evaluates again
   *     MOVED          the first move of the deadline               -
   *     ANSWERER, two  the claim: who answers, see there            -
   *     COUNTED        the claim, or the claimer afterwards         -
   *     UNSCHEDULED    a claim that also ends the wait in the timer -
   *     ANSWERED       an answer that was handed over begins        -
   *
   * E, EVALUATING, has one owner: the thread that set it, until it hands E over. Only the owner evaluates the
   * condition. A signal that finds E set sets RECHECK and returns: the owner evaluates again before it leaves.
   * So no signal waits for another, and none is lost. The adding thread keeps E from its first
   * evaluation to its last, while it puts the operation on the lists and into the timer.
   *
   * An evaluator that had to evaluate again a few times hands E to a helper thread, which does the remaining
   * evaluations. So concurrent signals cannot keep a signalling thread busy without a bound.
   *
   * A claimer that finds another thread's E shares the end with the evaluator: the claimer counts the
   * end and sets COUNTED, the evaluator sees the end and clears E. Whichever does its part last finishes.
   * So the operation is finished once, callbacks never overlap with the condition, except in a future that
   * its user completes (BY_ITSELF), and an ended operation
   * is no longer pending both when the claim returns and when the callbacks begin; nobody waits. A
   * claimer that is the evaluator, or finds no E, sets COUNTED in the same compare-and-set, and also ends
   * the wait in the timer with it (UNSCHEDULED).
   *
   * The claimer also releases a key that the operation has for itself: an answered future no longer knows it.
   *
   * `evaluator` tells a claimer whether E is its own: a condition that completes its operation as a side
   * effect counts for the signal that evaluates it. The field holds the low bits of a thread id, 0 for none,
   * rather than a reference, so that it keeps no thread reachable. It may be stale, but a thread finds its own id there only while
   * it is the evaluator, or when the operation has ended: it clears the field itself, when it leaves and when it claims the end. So an evaluator
   * that finds COUNTED, and no longer its id, has ended the operation itself.
   *
   * The adding thread writes `behaviour` and the deadline while it owns E, before it sets HELD. A thread
   * that has seen HELD sees both. The answering thread replaces the behaviour at the end, so that a future
   * that a user keeps does not keep its purgatory; racing threads may still see either.
   */

  private static final LastResort NOT_EVALUATED =
      LastResort.handler("The last evaluation of a request failed");

  private static final int OUTCOME = 7 << BITS;
  private static final int HELD = 8 << BITS;
  private static final int ADMITTED = 16 << BITS;
  private static final int EVALUATING = 32 << BITS;
  private static final int RECHECK = 64 << BITS;
  private static final int MOVED = 128 << BITS;
  private static final int COUNTED = 256 << BITS;
  private static final int UNSCHEDULED = 512 << BITS;
  private static final int ANSWERED = 1024 << BITS;

  // ANSWERER: who answers an operation that has ended.

  /** The executor for its outcome; without one, the thread that finishes it. */
  static final int BY_EXECUTOR = 0;

  /** The thread that claims the end: the one on which expired operations are answered. */
  static final int BY_CLAIMER = 2048 << BITS;

  /** A helper thread, so that the claimer does not wait. */
  static final int BY_HELPER = 4096 << BITS;

  /** The claimer, after the claim and by itself: the behaviour is not called. */
  static final int BY_ITSELF = BY_CLAIMER | BY_HELPER;

  private static final int LOST = -1;
  private static final LastResort NOT_RELEASED =
      LastResort.handler("An operation that ended was not released at once");
  private static final Outcome[] OUTCOMES = Outcome.values();

  /** The reason of the last evaluation, on a timeout or when the purgatory is closed. */
  static final Object TIMEOUT =
      new Object() {
        @Override
        public String toString() {
          return "the timeout";
        }
      };

  /** How many times an evaluator evaluates again before it hands over. */
  static final int MOST_RECHECKS = 4;

  /**
   * A timeout of this, 146 years, or more means no time limit. Half of the range, so that timeout
   * plus uptime fits a long; after a clock that jumps that far, a deadline is the end of the range.
   */
  private static final long LONGEST = Long.MAX_VALUE / 2;

  private Behaviour<?> behaviour;
  private int evaluator;

  /**
   * What the operations of one type in one purgatory have in common: what a registration calls.
   *
   * @param <O> the type of the operations
   */
  static class Behaviour<O> {

    /** Serves operations that were answered. */
    private static final Behaviour<Object> NONE = new Behaviour<>(null);

    private final @Nullable Core<?> core;

    /** Creates a behaviour; without a core, for operations that belong to no purgatory yet. */
    Behaviour(@Nullable Core<?> core) {
      this.core = core;
    }

    /** Returns the core that holds the operations; null if they belong to no purgatory. */
    final @Nullable Core<?> core() {
      return core;
    }

    protected long timeoutNanos(O operation) {
      return 0;
    }

    protected long weight(O operation) {
      return 1;
    }

    /**
     * Evaluates the condition.
     *
     * @param reason the one that was passed to signal, {@link Registration#TIMEOUT}, or null
     */
    boolean evaluate(O operation, @Nullable Object reason) {
      return false;
    }

    /**
     * Answers an operation.
     *
     * @param cause why it failed, or what has cancelled it; null if the outcome tells
     */
    void answer(O operation, Outcome outcome, @Nullable Throwable cause) {}

    /** Returns the key that an operation has for itself. */
    Object key(O operation) {
      throw new UnsupportedOperationException();
    }

    /** Gives back what an evaluation has found that came too late. Called by the evaluator. */
    void discard(O operation) {}

    /**
     * Whether an operation with a time limit of zero is answered on the thread that hands it in.
     */
    boolean timesOutHere() {
      return false;
    }
  }

  Registration(Behaviour<?> behaviour, Object operation) {
    super(operation);
    this.behaviour = behaviour;
  }

  /** Returns the operation, or null once it is released. Racy: it may have ended. */
  @Nullable Object operation() {
    return operation(referent());
  }

  /** Returns the operation behind a referent: the operation, or its last attachment. */
  static @Nullable Object operation(@Nullable Object referent) {
    return referent instanceof Attachment attachment ? attachment.operation : referent;
  }

  // Attachments.

  /** Adds an attachment, which ends with the operation; ends it if the operation has ended. */
  void attach(Attachment attachment) {
    if (!push(attachment)) { // else the end takes it with the others
      attachment.end();
    }
  }

  /** Adds an attachment; returns false if the end has taken them. */
  private boolean push(Attachment attachment) {
    for (Object seen; (seen = referent()) != null; ) {
      if (push(attachment, seen)) {
        return true;
      }
    }
    return false;
  }

  private boolean push(Attachment attachment, Object seen) {
    attachment.operation = operation(seen);
    attachment.former = seen instanceof Attachment former ? former : null;
    return casReferent(seen, attachment);
  }

  /** Returns the last attachment of a type, or null. */
  <A extends Attachment> @Nullable A find(Class<A> type) {
    return Attachment.find(type, referent());
  }

  // Admission, by the adding thread.

  /**
   * Hands the operation to a purgatory and begins its first evaluation; {@link #endEvaluation} ends
   * that.
   *
   * @return false if the operation has already ended
   * @throws IllegalStateException if it was handed to a purgatory before
   */
  boolean admit(Behaviour<?> to) {
    for (; ; ) {
      int now = state();
      if ((now & ADMITTED) != 0) {
        throw new IllegalStateException("handed to a purgatory before: " + describe());
      }
      boolean ended = isEnded(now);
      if (casState(now, now | ADMITTED | (ended ? 0 : EVALUATING))) {
        if (!ended) {
          beEvaluator();
          behaviour = to;
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
   * @return false if the operation has ended
   */
  boolean enter(long now, long timeout) {
    assert (state() & EVALUATING) != 0 : this;
    deadline(WheelTimer.deadline(now, limit(timeout)));
    core().beginPending();
    if (casState(ADMITTED | EVALUATING, ADMITTED | EVALUATING | HELD)) {
      return true;
    }
    core().endPending(this);
    core().noticeDrained();
    return false;
  }

  // Evaluation.

  /**
   * Evaluates the condition of a held operation. If another thread is evaluating it, that thread
   * evaluates it again instead.
   *
   * @param reason the one that was passed to signal, or null. An evaluation that stands for several
   *     signals has no reason
   * @return true if this call completed the operation
   */
  boolean evaluate(@Nullable Object reason) {
    if (!beginEvaluation()) {
      return false;
    }
    try {
      check(reason);
    } catch (Throwable e) {
      endEvaluation(MOST_RECHECKS);
      throw e;
    }
    return endEvaluation(MOST_RECHECKS);
  }

  /**
   * Makes this thread the evaluator.
   *
   * @return false if the operation has ended, or if another thread is the evaluator, which then
   *     evaluates again
   */
  private boolean beginEvaluation() {
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

  /** Evaluates the condition, and completes the operation if it holds. Only for the evaluator. */
  void check(@Nullable Object reason) {
    Object seen = referent();
    Object operation = operation(seen);
    if (operation == null || isEnded()) {
      return;
    }
    assert isEvaluator() : this;
    boolean ready = false;
    Throwable error = null;
    try {
      ready = answers().isReady(behaviour(), operation, reason);
    } catch (Throwable e) {
      error = e;
    }
    Attachment.evaluatedAll(seen, reason, ready, error);
    if (error != null && !abort(Outcome.FAILED, error)) {
      answers().failed(operation, Source.CONDITION, error);
    }
    if (ready && !end(Outcome.COMPLETED, null)) {
      answers().discard(behaviour(), operation);
    }
  }

  /**
   * Ends this thread's evaluation, after evaluating again if a signal arrived during it.
   *
   * @param mostRechecks how many times to do so before a helper thread takes over
   * @return true if this thread completed the operation while it evaluated
   */
  boolean endEvaluation(int mostRechecks) {
    for (int rechecks = 0; ; ) {
      int now = state();
      if ((now & COUNTED) != 0) {
        boolean ownEnd = !isEvaluator();
        finish();
        return ownEnd && outcome() == Outcome.COMPLETED;
      }
      if ((now & RECHECK) != 0 && !isEnded(now)) {
        if (rechecks++ == mostRechecks && handOverEvaluation()) {
          return false;
        }
        if (casState(now, now & ~RECHECK)) {
          check(null);
        }
      } else if (leave(now)) {
        return false;
      }
    }
  }

  /** Makes this thread no longer the evaluator, unless the state has changed. */
  private boolean leave(int now) {
    resignAsEvaluator();
    boolean left = casState(now, now & ~EVALUATING);
    if (!left) {
      beEvaluator();
    }
    return left;
  }

  private boolean handOverEvaluation() {
    resignAsEvaluator();
    boolean handedOver = answers().handOverEvaluation(this);
    if (!handedOver) {
      beEvaluator();
    }
    return handedOver;
  }

  /**
   * Ends an evaluation that another thread began, on a thread that may evaluate again without
   * limit.
   */
  void endHandedOverEvaluation() {
    beEvaluator();
    endEvaluation(Integer.MAX_VALUE);
  }

  private boolean isEvaluator() {
    return evaluator == thisThread(); // racy, except for this thread's own id
  }

  private void beEvaluator() {
    evaluator = thisThread();
  }

  private void resignAsEvaluator() {
    evaluator = 0;
  }

  /** Returns the low 32 bits of the thread id. */
  private static int thisThread() {
    return (int) Thread.currentThread().getId();
  }

  // The end.

  /** Ends the operation for its user. */
  boolean endForUser(Outcome outcome, @Nullable Throwable cause) {
    Headroom.ensure();
    return end(outcome, cause);
  }

  /** Ends the operation for a caller that has made sure that there is stack for it. */
  boolean end(Outcome outcome, @Nullable Throwable cause) {
    return end(outcome, BY_EXECUTOR, cause == null ? null : new Attachment.Failure(cause));
  }

  /**
   * Ends the operation with a cause, or cancels it if there is no memory left to keep that.
   *
   * @return true if this call ended the operation
   */
  boolean abort(Outcome outcome, Throwable cause) {
    try {
      return end(outcome, cause);
    } catch (OutOfMemoryError e) {
      return end(Outcome.CANCELLED, null);
    }
  }

  /** Fails an operation that is refused: its refusal is announced to listeners, not its end. */
  void refuse(Throwable reason) {
    end(Outcome.FAILED, BY_EXECUTOR, new Attachment.Refusal(reason));
  }

  /**
   * Ends the operation for a caller that answers by itself: the behaviour is not called. Nothing
   * that fails after the end keeps the caller from answering.
   */
  boolean endSelfAnswered(Outcome outcome, @Nullable Throwable cause) {
    Headroom.ensure();
    return end(outcome, BY_ITSELF, cause == null ? null : new Attachment.Failure(cause));
  }

  /** Ends an operation that may not wait. Called by the adding thread. */
  void timeOutAtOnce() {
    int by = behaviour.timesOutHere() ? BY_CLAIMER : BY_EXECUTOR;
    end(Outcome.TIMED_OUT, by, null);
  }

  /** Called by the timer when the first deadline is reached. */
  @Override
  public void onTimeout() {
    MovableDeadline moved = MovedDeadline.of(referent());
    if (moved == null) {
      expireSoon();
    } else {
      moved.onDue(this);
    }
  }

  /** Expires the operation on the expiration executor. Called by the timer. */
  void expireSoon() {
    Core<?> core = behaviour.core();
    if (core != null) {
      core.keepClock(this);
    }
    answers().expireSoon(this);
  }

  /** Expires and answers the operation on this thread, if it is still held. */
  @Override
  public void run() {
    Headroom.ensure();
    expire(BY_CLAIMER);
  }

  /** Returns whether it need not expire any more. */
  @Override
  public boolean isObsolete() {
    return isEnded();
  }

  /** Ends the operation with CLOSED, after a last evaluation, on the executor for expirations. */
  boolean close() {
    boolean held = isOpenAndHeld();
    if (held) {
      answers().closeSoon(this);
    }
    return held;
  }

  /**
   * Ends the operation with CLOSED, after a last evaluation, on this thread; the executor answers
   * it.
   *
   * @return whether this call ended the operation
   */
  boolean closeHere() {
    return isOpenAndHeld() && expire(BY_EXECUTOR);
  }

  /** Cancels the operation of a purgatory that closes; a helper thread answers it. */
  boolean cancelAtClose() {
    return end(Outcome.CANCELLED, BY_HELPER, null);
  }

  /**
   * Evaluates a last time, unless another thread is evaluating. If the operation does not complete,
   * ends it with CLOSED if its purgatory is closing, else with TIMED_OUT.
   *
   * @return true if this call ended the operation
   */
  private boolean expire(int by) {
    try {
      if (evaluate(TIMEOUT)) {
        return true;
      }
    } catch (Throwable e) { // of the library: there is no memory. The time is over all the same
      NOT_EVALUATED.accept(e);
    }
    Core<?> core = behaviour.core();
    boolean closing = core != null && core.isClosed();
    return end(closing ? Outcome.CLOSED : Outcome.TIMED_OUT, by, null);
  }

  /** Ends the operation, unless it has ended. */
  private boolean end(Outcome outcome, int by, @Nullable Attachment failure) {
    int claimed = claim(outcome, by);
    if (claimed == LOST) {
      return false;
    }
    try {
      followEnd(claimed, failure);
    } catch (Throwable e) {
      if (by != BY_ITSELF) {
        throw e;
      }
      NOT_RELEASED.accept(e);
    }
    return true;
  }

  /** Does the rest of the end that this thread has claimed. */
  private void followEnd(int claimed, @Nullable Attachment failure) {
    if (failure != null) {
      push(failure);
    }
    if ((claimed & HELD) != 0) {
      core().endPending(this);
    }
    int now = (claimed & COUNTED) == 0 ? setBits(COUNTED) : claimed; // it was shared
    if ((now & EVALUATING) == 0) { // else the evaluator finishes it
      finish();
    }
  }

  /** Ends the operation; returns the state after that, or {@link #LOST}. */
  private int claim(Outcome outcome, int by) {
    for (; ; ) {
      int now = state();
      if (isEnded(now)) {
        return LOST;
      }
      boolean shared = (now & EVALUATING) != 0 && !isEvaluator();
      int next = now | code(outcome);
      if (!shared) {
        next = withTimerEnded(next | by | COUNTED);
      } else if (by != BY_CLAIMER) { // else the evaluator finishes it: not on the right thread
        next |= by;
      }
      if (casState(now, next)) {
        if (!shared && (now & EVALUATING) != 0) {
          resignAsEvaluator();
        }
        return next;
      }
    }
  }

  private static int withTimerEnded(int state) {
    return (state & SCHEDULED) == 0 ? state : (state & ~SCHEDULED) | UNSCHEDULED;
  }

  /** Releases the operation and answers it. Called once. */
  private void finish() {
    int now = state();
    assert isEnded(now) && (now & COUNTED) != 0 : this;
    Object last = requireNonNull(take());
    try {
      if ((now & HELD) != 0) {
        core().release(this, (now & UNSCHEDULED) != 0);
      }
    } catch (Throwable e) { // for want of memory: a later purge removes what is left
      NOT_RELEASED.accept(e);
    } finally {
      Attachment.endAll(last);
      answers().answer(this, last);
    }
  }

  /** Returns true to the first caller. */
  boolean beginAnswer() {
    return (setBits(ANSWERED) & ANSWERED) == 0;
  }

  /** Releases the behaviour, and so the purgatory, of an operation that was answered. */
  void releaseBehaviour() {
    behaviour = Behaviour.NONE;
  }

  // The time limit.

  /** Returns whether an operation with this timeout can time out. */
  static boolean isTimed(long timeout) {
    return timeout < LONGEST;
  }

  /**
   * Returns a time limit in nanoseconds.
   *
   * @throws IllegalArgumentException if it is negative
   */
  static long nanos(Duration time) {
    if (requireNonNull(time, "timeout").isNegative()) {
      throw new IllegalArgumentException("time limit " + time + " is negative");
    }
    return TimeUnit.NANOSECONDS.convert(time);
  }

  private static long limit(long timeout) {
    return Math.min(LONGEST, Math.max(0, timeout));
  }

  /** Returns the timeout in nanoseconds; 0 if the operation is released. */
  long timeoutNanos() {
    Object operation = operation();
    return operation == null ? 0 : behaviour().timeoutNanos(operation);
  }

  /**
   * Returns how long the operation has been held; 0 if the clock ran backwards.
   *
   * @param timeout the timeout with which it was held
   */
  long heldNanos(long now, long timeout) {
    return Math.max(0, now - (due() - limit(timeout)));
  }

  @Override
  public long deadline() {
    return deadline(referent());
  }

  private long deadline(@Nullable Object attached) {
    MovableDeadline moved = MovedDeadline.of(attached);
    return moved == null ? due() : moved.deadline();
  }

  /** Returns the time since the deadline; negative before it. */
  long lateNanos(long now, @Nullable Object attached) {
    return now - deadline(attached);
  }

  /** Returns the time until the deadline, negative after it; null without a time limit. */
  @Nullable Duration timeLeft(long now) {
    return isTimed(timeoutNanos()) || isMoved() ? Duration.ofNanos(deadline() - now) : null;
  }

  /** Moves the end of the time limit to this time from now; returns false if that is too late. */
  boolean reschedule(Duration timeout) {
    long nanos = limit(nanos(timeout));
    Core<?> core = behaviour.core();
    if (core == null || !isOpenAndHeld() || core.wheels().isClosed()) {
      return false;
    }
    Headroom.ensure();
    WheelTimer timer = core.wheels();
    MovableDeadline moved = movable(timer);
    return moved != null && moved.moveTo(WheelTimer.deadline(timer.now(), nanos)) && !isEnded();
  }

  /**
   * Returns the movable deadline, which the first move attaches; null if the time limit is over.
   * MOVED is set only if the first wait did not end while the deadline was attached: so the timer
   * finds it when this is due. It stays if MOVED is not set, and is then due with this.
   */
  private @Nullable MovableDeadline movable(WheelTimer timer) {
    for (int now; ((now = state()) & MOVED) == 0; ) {
      Object seen = referent();
      boolean waits = (now & SCHEDULED) != 0 || !isTimed(timeoutNanos());
      if (seen == null || isEnded(now) || !waits) {
        return null;
      }
      if (MovedDeadline.of(seen) != null
          || push(new MovedDeadline(this, timer, this::expireSoon), seen)) {
        casState(now, now | MOVED);
      }
    }
    return MovedDeadline.of(referent());
  }

  boolean isMoved() {
    return (state() & MOVED) != 0;
  }

  // Views.

  /** Returns how the operation ended; null before the end. */
  @Nullable Outcome outcome() {
    int phase = (state() & OUTCOME) >> BITS;
    return phase == 0 ? null : OUTCOMES[phase - 1];
  }

  @SuppressWarnings("EnumOrdinal") // never leaves memory
  private static int code(Outcome outcome) {
    return (outcome.ordinal() + 1) << BITS;
  }

  boolean wasHeld() {
    return (state() & HELD) != 0;
  }

  boolean isOpenAndHeld() {
    return (state() & (OUTCOME | HELD)) == HELD;
  }

  /** Returns who answers an operation that has ended: {@link #BY_EXECUTOR}, and so on. */
  int answerer() {
    return state() & BY_ITSELF;
  }

  /** Returns whether the claimer answers by itself. */
  boolean isSelfAnswered() {
    return answerer() == BY_ITSELF;
  }

  /** Only for the claimer of the end, until it answers or lets the evaluator do so. */
  @Override
  protected Object key() {
    return behaviour().key(requireNonNull(operation()));
  }

  @Override
  public boolean isEnded() {
    return isEnded(state());
  }

  private static boolean isEnded(int state) {
    return (state & OUTCOME) != 0;
  }

  /** Returns the weight for limits. Called by the adding thread. */
  long weight() {
    return behaviour().weight(requireNonNull(operation()));
  }

  @SuppressWarnings("unchecked") // it only gets operations that it prepared
  Behaviour<Object> behaviour() {
    return (Behaviour<Object>) behaviour;
  }

  private Core<?> core() {
    return requireNonNull(behaviour.core());
  }

  private Answers answers() {
    Core<?> core = behaviour.core();
    return core == null ? Answers.WITHOUT_PURGATORY : core.answers();
  }

  /** Describes the state for logs, with the age and the time until the deadline. */
  String describe() {
    Outcome outcome = outcome();
    if (outcome != null) {
      return outcome.toString();
    }
    Core<?> core = behaviour.core();
    if (!wasHeld() || core == null) {
      return "not held yet";
    }
    long now = core.now();
    long timeout = timeoutNanos();
    Duration left = timeLeft(now);
    String limit = left == null ? "no time limit" : "due in " + DurationText.of(left);
    return "held by %s for %s, %s"
        .formatted(core.name(), DurationText.of(Duration.ofNanos(heldNanos(now, timeout))), limit);
  }

  @Override
  public String toString() {
    Object operation = operation();
    return (operation == null ? "released" : ForeignText.of(operation)) + "[" + describe() + "]";
  }
}
