package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.internal.FlightEvents;
import dev.purgatory.internal.Lane;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The one object that a purgatory keeps for each operation: its state, its timer entry, and the
 * element of its watch lists. It holds the only reference to the user's operation and clears it at
 * the end, which releases the operation from the timer and all lists in one step.
 */
final class Registration extends OperationState implements Held, Lane.Task {

  /*
   * The adding thread writes `adapter` and the deadline while it owns E, before it sets HELD. A thread
   * that has seen HELD sees both. The answering thread replaces the adapter at the end, so that a future
   * that a user keeps does not keep its purgatory; racing threads may still see either.
   *
   * One object instead of three (operation, list element, timer entry) saves 32 bytes and a cache miss
   * per operation. The user's object cannot serve as this one: it would stay reachable from lists and
   * timer until they are swept.
   */

  /** The reason of the last evaluation, on a timeout. */
  static final Object TIMEOUT =
      new Object() {
        @Override
        public String toString() {
          return "the timeout";
        }
      };

  /** Not a VarHandle: its first use would allocate, and a failure is recorded without memory. */
  private static final AtomicReferenceFieldUpdater<Registration, @Nullable Object> REFERENT =
      AtomicReferenceFieldUpdater.newUpdater(Registration.class, Object.class, "referent");

  /** How many times an evaluator looks again before it hands over. */
  private static final int MOST_RECHECKS = 4;

  /** Longer timeouts mean no limit: a deadline, timeout plus uptime, must fit a long. 146 years. */
  private static final long LONGEST = Long.MAX_VALUE / 2;

  private OperationAdapter<?> adapter;

  /** The operation, or the last of its attachments; null after the end. */
  private volatile @Nullable Object referent;

  /** The number of lists it was put on. Written by the adding thread. */
  int lists;

  Registration(OperationAdapter<?> adapter, Object operation) {
    this.adapter = adapter;
    this.referent = operation;
  }

  /** Returns the operation, or null once it is released. Racy: it may have ended meanwhile. */
  @Nullable Object operation() {
    return operation(referent);
  }

  private static @Nullable Object operation(@Nullable Object referent) {
    return referent instanceof Attachment attachment ? attachment.operation : referent;
  }

  /** Adds an attachment, which ends with the operation; ends it if the operation has ended. */
  void attach(Attachment attachment) {
    push(attachment);
    // The end that a racing thread has begun reads the attachments before or after this push.
    if (isEnded()) {
      attachment.end();
    }
  }

  private void push(Attachment attachment) {
    for (Object seen = referent; seen != null; seen = referent) {
      if (push(attachment, seen)) {
        return;
      }
    }
  }

  private boolean push(Attachment attachment, Object seen) {
    attachment.operation = operation(seen);
    attachment.former = seen instanceof Attachment former ? former : null;
    return REFERENT.compareAndSet(this, seen, attachment);
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
   * Hands the operation to a purgatory and begins its first evaluation; {@link #endEvaluation} ends
   * that.
   *
   * @return false if the operation has already ended
   * @throws IllegalStateException if it was handed to a purgatory before
   */
  boolean admit(OperationAdapter<?> to) {
    boolean admitted = beginAdmission();
    if (admitted) {
      adapter = to;
    }
    return admitted;
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
    if (tryHold()) {
      return true;
    }
    purgatory().endPending();
    purgatory().noticeDrained();
    return false;
  }

  /** Returns whether an operation with this timeout can time out. */
  static boolean isTimed(long timeout) {
    return timeout < LONGEST;
  }

  /**
   * Returns how long the operation has been held; 0 if the clock ran backwards.
   *
   * @param timeout the timeout with which it was held
   */
  long heldNanos(long now, long timeout) {
    return Math.max(0, now - (deadline() - limit(timeout)));
  }

  /** Returns the time since the deadline; negative before it. */
  long lateNanos(long now, @Nullable Object attached) {
    MovedDeadline moved = isMoved() ? MovedDeadline.of(attached) : null;
    return now - (moved == null ? deadline() : moved.deadline());
  }

  private static long limit(long timeout) {
    return Math.min(LONGEST, Math.max(0, timeout));
  }

  /** Returns the timeout in nanoseconds; 0 if the operation is released. */
  long timeoutNanos() {
    Object operation = operation();
    return operation == null ? 0 : adapter().timeoutNanos(operation);
  }

  /** Returns the weight for limits. */
  long weight() {
    Object operation = operation();
    return operation == null ? 0 : adapter().weight(operation);
  }

  // Evaluating the condition.

  /**
   * Evaluates the condition of a held operation. If another thread is evaluating it, that thread
   * evaluates it again instead.
   *
   * @return true if this call completed the operation
   */
  boolean evaluate() {
    return evaluate(null);
  }

  /**
   * Evaluates the condition of a held operation, like {@link #evaluate()}, for a signal with a
   * reason. An evaluation that stands for several signals has no reason.
   */
  boolean evaluate(@Nullable Object reason) {
    if (!beginEvaluation()) {
      return false;
    }
    try {
      check(reason);
    } catch (Throwable e) {
      boolean unused = endEvaluation();
      throw e;
    }
    return endEvaluation();
  }

  /** Evaluates the condition, and completes the operation if it holds. Only for the evaluator. */
  void check() {
    check(null);
  }

  private void check(@Nullable Object reason) {
    Object seen = referent;
    Object operation = operation(seen);
    if (operation == null || isEnded()) {
      return;
    }
    boolean ready = false;
    Throwable error = null;
    FlightEvents.Call call = FlightEvents.beginCall();
    try {
      ready = isReady(operation, reason);
    } catch (Throwable e) {
      error = e;
    }
    if (call != null) {
      call.end(purgatory().name(), "condition", operation);
    }
    if (seen instanceof Attachment attached) {
      Trace.checked(attached, purgatory().now(), reason, ready, error);
    }
    if (error != null && !abort(error)) {
      callbacks().failed(operation, Source.CONDITION, error);
    }
    if (ready && !complete()) {
      discard(operation);
    }
  }

  private void discard(Object operation) {
    try {
      adapter().discard(operation);
    } catch (Throwable e) {
      callbacks().failed(operation, Source.ANSWER, e);
    }
  }

  /** Explains for which checks the operation waits; null if it is not traced, or has ended. */
  @Nullable String explain() {
    Trace trace = Trace.of(referent);
    return trace == null ? null : trace.explain(purgatory().now());
  }

  private boolean isReady(Object operation, @Nullable Object reason) {
    if (reason == null) {
      return adapter().isReady(operation);
    }
    return reason == TIMEOUT
        ? adapter().isReadyOnTimeout(operation)
        : adapter().isReady(operation, reason);
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
        boolean atOnce = (now & HELD) == 0; // its time limit was zero: see timeOutAtOnce()
        finish(/* here= */ atOnce && adapter.timesOutHere());
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

  private boolean handOverEvaluation() {
    resignAsEvaluator();
    boolean handedOver = callbacks().handOverEvaluation(this);
    if (!handedOver) {
      beEvaluator();
    }
    return handedOver;
  }

  /**
   * Ends an evaluation that another thread began, on a thread that may look again without limit.
   */
  void endHandedOverEvaluation() {
    beEvaluator();
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

  /**
   * Ends an operation with a time limit of zero, which is not held. Only for the adding thread,
   * which answers a future when it ends its evaluation; other operations are answered on the
   * executor for expirations.
   */
  void timeOutAtOnce() {
    boolean unused = end(Outcome.TIMED_OUT, 0, null, /* here= */ false);
  }

  /** Expires the operation with CLOSED, on the executor for expirations. */
  boolean close() {
    boolean first = isOpenAndHeld() && (setBits(CLOSING) & CLOSING) == 0;
    if (first) {
      callbacks().expireSoon(this);
    }
    return first;
  }

  /** Cancels the operation of a purgatory that closes; a helper thread answers it. */
  boolean cancelAtClose() {
    return end(Outcome.CANCELLED, FOR_HELPER, null, /* here= */ false);
  }

  /** Returns whether it need not expire any more. */
  @Override
  public boolean isObsolete() {
    return isEnded();
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
    if (evaluate(TIMEOUT)) {
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
    Attachment failure = cause == null ? null : new Attachment.Failure(cause);
    int before = claim(code(outcome) | flags);
    if (before == LOST) {
      return false;
    }
    if (failure != null) {
      push(failure);
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

  /** Releases the operation and answers it. Called once. */
  private void finish(boolean here) {
    int now = state();
    Object last = referent;
    Object operation = requireNonNull(operation(last));
    Attachment attached = last instanceof Attachment attachment ? attachment : null;
    try {
      if ((now & HELD) != 0) {
        purgatory().release(this, (now & UNSCHEDULED) != 0);
      }
    } finally {
      clear();
      Attachment.endAll(attached);
      callbacks().ended(this, operation, requireNonNull(outcome(now)), attached, here);
    }
  }

  // State.

  @Override
  public boolean cancelTimeout() {
    if (!isOpenAndHeld()) {
      return false;
    }
    Purgatory<?> purgatory = adapter.purgatory();
    MovedDeadline moved = MovedDeadline.of(referent);
    if (moved == null && purgatory != null) {
      if (purgatory.timer().cancel(this)) {
        return true;
      }
      moved = MovedDeadline.of(referent); // another thread has moved the limit meanwhile
    }
    return moved != null && confirm(moved) && moved.cancel();
  }

  @Override
  public boolean reschedule(Duration timeout) {
    long nanos = limit(TimeUnit.NANOSECONDS.convert(timeout));
    if (!isOpenAndHeld()) {
      return false;
    }
    Purgatory<?> purgatory = adapter.purgatory();
    if (purgatory == null) {
      return false; // ended and answered meanwhile
    }
    Timer timer = purgatory.timer();
    long deadline = timer.now() + nanos;
    MovedDeadline moved = MovedDeadline.of(referent);
    if (moved == null) {
      boolean timed = isTimed(timeoutNanos());
      if (timed && !isScheduled()) {
        moved = MovedDeadline.of(referent); // else it was reached, removed, or has not begun
      } else {
        MovedDeadline first = MovedDeadline.start(this, timer, deadline);
        if (first == null) {
          return false; // the timer is closed
        }
        moved = attachFirst(first);
        if (moved == first) {
          return confirm(first) && !isEnded();
        }
        boolean unused = first.cancel();
      }
    }
    return moved != null && confirm(moved) && moved.moveTo(deadline) && !isEnded();
  }

  /**
   * Attaches the deadline unless another thread was first.
   *
   * @return the one that is attached; null if the operation has ended
   */
  private @Nullable MovedDeadline attachFirst(MovedDeadline first) {
    for (Object seen = referent; seen != null; seen = referent) {
      MovedDeadline other = MovedDeadline.of(seen);
      if (other != null) {
        return other;
      }
      if (push(first, seen)) {
        if (isEnded()) { // see attach()
          first.end();
        }
        return first;
      }
    }
    return null;
  }

  /**
   * Ends the first wait in the timer, which an attached deadline replaces. Any thread that finds
   * that deadline may do so.
   *
   * @return false if the first wait has ended otherwise, so that the deadline does not count
   */
  private boolean confirm(MovedDeadline moved) {
    for (; ; ) {
      int now = state();
      if ((now & MOVED) != 0) {
        return true;
      }
      boolean scheduled = (now & SCHEDULED) != 0;
      if (isEnded(now) || (!scheduled && isTimed(timeoutNanos()))) {
        boolean unused = moved.cancel();
        return false;
      }
      if (casState(now, (now | MOVED) & ~SCHEDULED)) {
        Purgatory<?> purgatory = adapter.purgatory();
        if (scheduled && purgatory != null) {
          purgatory.timer().countEnd(this);
        }
        moved.confirmed();
        return true;
      }
    }
  }

  @Override
  public @Nullable Outcome outcome() {
    return outcome(state());
  }

  @SuppressWarnings("unchecked") // an adapter only gets operations that it prepared
  OperationAdapter<Object> adapter() {
    return (OperationAdapter<Object>) adapter;
  }

  /** Releases the adapter, and so the purgatory, of an operation that was answered. */
  void releaseAdapter() {
    adapter = OperationAdapter.NONE;
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
    Purgatory<?> purgatory = adapter.purgatory();
    if (!wasHeld() || purgatory == null) {
      return "not held yet";
    }
    long now = purgatory.now();
    long timeout = timeoutNanos();
    String limit =
        isTimed(timeout) || isMoved()
            ? "due in " + Duration.ofNanos(-lateNanos(now, referent))
            : "no time limit";
    return "held by %s for %s, %s"
        .formatted(purgatory.name(), Duration.ofNanos(heldNanos(now, timeout)), limit);
  }

  @Override
  public String toString() {
    return operation() + "[" + describe() + "]";
  }
}
