package dev.purgatory.checker;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request of a {@link RequestProgram}: its future, and what a {@link RequestModel} expects. */
final class Request {
  final int number;
  final RequestPlan plan;
  final List<RequestModel.ScopeState> scopes;
  final RequestModel.@Nullable KeySetState keySet;

  /** Whether it is expected to be held. */
  boolean held;

  /** The expected outcome; null for none. */
  @Nullable Outcome outcome;

  /** The expected value, exception, or class of the exception. */
  private @Nullable Object end;

  /** The time of its next periodic evaluation. */
  long nextCheck;

  /** Its deadline, which depends on jitter. */
  long deadline = Long.MAX_VALUE;

  /** What it was answered with; null until a purgatory was asked to hold it. */
  @Nullable HeldFuture<Integer> future;

  private int answers;

  Request(
      int number,
      RequestPlan plan,
      List<RequestModel.ScopeState> scopes,
      RequestModel.@Nullable KeySetState keySet) {
    this.number = number;
    this.plan = plan;
    this.scopes = scopes;
    this.keySet = keySet;
  }

  /** Begins to count answers. */
  void begin(HeldFuture<Integer> held) {
    future = held;
    var unused = held.whenComplete((value, error) -> answers++);
  }

  /** Records the expected end. */
  void expect(Outcome how, Object with) {
    held = false;
    outcome = how;
    end = with;
  }

  boolean isTimed() {
    return plan.timeoutNanos() < Long.MAX_VALUE;
  }

  /**
   * Checks that it has ended as expected, or not.
   *
   * @throws Finding if that is not so
   */
  void verify() {
    HeldFuture<Integer> is = Objects.requireNonNull(future);
    Finding.unless(
        is.outcome() == outcome,
        outcome == null ? Invariant.ONCE : Invariant.NO_LOST_WAKE_UP,
        this + " is " + is.outcome() + ", not " + outcome);
    Finding.unless(
        answers == (outcome == null ? 0 : 1),
        Invariant.ONCE,
        this + " was answered " + answers + " times");
    if (outcome != null) {
      Throwable cause = is.cause();
      Object found = cause == null ? is.join() : cause;
      boolean right = end instanceof Class<?> type ? type.isInstance(found) : found.equals(end);
      Finding.unless(right, Invariant.ONCE, this + " is answered with " + found + ", not " + end);
    }
  }

  @Override
  public String toString() {
    return "request " + number;
  }
}
