package dev.purgatory.checker;

import dev.purgatory.HeldFuture;
import dev.purgatory.Outcome;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request of a {@link RequestRun}: its future, and what a {@link RequestModel} expects. */
final class Request {
  final int number;
  final RequestPlan plan;
  final List<RequestModel.ScopeState> scopes;
  final RequestModel.@Nullable KeyGroupState keyGroup;

  /** Whether it is expected to be held. */
  boolean held;

  /** The expected outcome; null for none. */
  @Nullable Outcome outcome;

  /** The expected value, exception, or class of the exception. */
  private @Nullable Object end;

  /** Whether it is expected to be answered: an executor may drop the answer, or keep it. */
  boolean answered;

  /** When it began to be held. */
  long heldSince;

  /** Whether its condition is being evaluated. */
  boolean evaluating;

  /** Whether it is being held, so that nobody has its future yet. */
  boolean beginning;

  /** How many evaluations that take time are expected to have begun. */
  int expectedEvaluations;

  /** What the evaluation that runs is expected to find; null if none runs. */
  @Nullable Expected running;

  /** Whether a signal came while it runs. */
  boolean again;

  /** The evaluation that runs; null if none does. */
  private @Nullable Evaluation evaluation;

  private int evaluations;

  /** Its deadline, which depends on jitter until it is moved. */
  long deadline = Long.MAX_VALUE;

  boolean moved;

  /** What is scheduled to expire it, perhaps before its deadline; null if that was reached. */
  RequestClock.@Nullable Entry expiry;

  /** What is scheduled to evaluate it periodically. */
  RequestClock.@Nullable Entry recheck;

  /** Whether a periodic evaluation was handed to the executor and has not begun. */
  boolean recheckIsDue;

  /** What it was answered with; null until a purgatory was asked to hold it. */
  @Nullable HeldFuture<Integer> future;

  /** The exception with which its condition fails requests. */
  final IllegalStateException provoked = new IllegalStateException("provoked");

  private int answers;

  /**
   * What an evaluation is expected to find.
   *
   * @param value null if that is nothing, or it fails
   */
  record Expected(@Nullable Integer value, boolean fails) {}

  /** An evaluation that takes time: a stage that knows what is called when it completes. */
  private static final class Evaluation extends CompletableFuture<@Nullable Integer> {
    private @Nullable Integer value;
    private RequestModel.@Nullable Provoked error;
    private @Nullable Object dependent;

    @Override
    public CompletableFuture<@Nullable Integer> whenComplete(
        BiConsumer<? super @Nullable Integer, ? super Throwable> action) {
      dependent = action;
      return super.whenComplete(action);
    }

    void end() {
      boolean unused = error == null ? complete(value) : completeExceptionally(error);
    }
  }

  Request(
      int number,
      RequestPlan plan,
      List<RequestModel.ScopeState> scopes,
      RequestModel.@Nullable KeyGroupState keyGroup) {
    this.number = number;
    this.plan = plan;
    this.scopes = scopes;
    this.keyGroup = keyGroup;
  }

  /**
   * Begins to count answers.
   *
   * @param timeouts receives this request if it times out
   */
  void begin(HeldFuture<Integer> held, List<Object> timeouts) {
    future = held;
    var unused =
        held.whenComplete(
            (value, error) -> {
              answers++;
              if (held.outcome() == Outcome.TIMED_OUT) {
                timeouts.add(this);
              }
            });
  }

  /**
   * Begins an evaluation that takes time.
   *
   * @param condition what it finds out now, and tells when it ends
   */
  CompletableFuture<@Nullable Integer> evaluate(Supplier<@Nullable Integer> condition) {
    Finding.unless(evaluation == null, Invariant.ONE_EVALUATION, this + " is being evaluated");
    evaluations++;
    Evaluation begun = new Evaluation();
    try {
      begun.value = condition.get();
    } catch (RequestModel.Provoked e) {
      begun.error = e;
    }
    if (plan.looks() == RequestPlan.Looks.LATER) {
      evaluation = begun;
    } else {
      begun.end();
    }
    return begun;
  }

  /** Ends the evaluation that runs. */
  void endEvaluation() {
    Evaluation ended = Objects.requireNonNull(evaluation);
    evaluation = null;
    ended.end();
  }

  /** Returns what a stage refers to that goes on after the answer; null if there is none. */
  @Nullable Object abandoned() {
    return answered && evaluation != null ? evaluation.dependent : null;
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
        answers == (answered ? 1 : 0),
        Invariant.ONCE,
        this + " was answered " + answers + " times");
    Finding.unless(
        evaluations == expectedEvaluations,
        Invariant.ONE_EVALUATION,
        this + " was evaluated " + evaluations + " times, not " + expectedEvaluations);
    if (answered) {
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
