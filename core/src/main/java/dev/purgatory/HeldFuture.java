package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Condition.Found;
import dev.purgatory.Condition.Taker;
import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request that a {@link Purgatory} holds. Completing, failing or cancelling the
 * future ends the request and frees everything that the purgatory keeps for it. Thread-safe.
 *
 * <p>It completes exactly once, whatever ends the request:
 *
 * <ul>
 *   <li>{@link Outcome#COMPLETED}: with the value of the condition, or of the caller that completed
 *       it;
 *   <li>{@link Outcome#TIMED_OUT}: with the answer or the exception that was set, or a {@link
 *       TimeoutException} without a stack trace;
 *   <li>{@link Outcome#CANCELLED}: with a {@link CancellationException};
 *   <li>{@link Outcome#FAILED}: with the exception of the condition, or of the caller that failed
 *       it;
 *   <li>{@link Outcome#CLOSED}: with a {@link PurgatoryClosedException}.
 * </ul>
 *
 * <p>{@link PurgatoryBuilder#exception} replaces these exceptions for all operations of a
 * purgatory.
 *
 * @param <T> the type of the answer
 */
public final class HeldFuture<T extends @Nullable Object> extends CompletableFuture<T> {

  /*
   * The registration decides who ends the operation. So a value
   * with which a condition wins is never replaced; one that it finds after another caller has won is
   * given back. The methods that complete the future from outside end the operation first; the winner then
   * completes the future, and does not wait for a condition that is being evaluated.
   *
   * The end of the operation cannot be taken back. So what needs memory is made before it, where that is
   * possible. Where it is not, or no memory is left, the future is `unsettled`: its fields say what it gets,
   * and Futures completes it later.
   *
   * The evaluator writes `found`. The answering thread reads it after it has seen the end. The end clears
   * the fields that refer to the user's code and to the purgatory: a caller that keeps the future keeps only
   * the answer. An evaluator may still run then. So it reads `condition` once, which has all that it needs.
   */

  static final LastResort CONTEXT_THREW = LastResort.handler("The context of a request threw");
  private static final LastResort DEPENDENT_THREW =
      LastResort.handler("What depends on a request threw");

  /** In place of the keys of a request that has ended. */
  private static final List<?> NONE = List.of();

  private final Registration registration;
  private final long timeoutNanos;

  /**
   * The keys, {@link Annotated} ones if there is a tag or a context: few requests have these.
   * Cleared, as the next two, by the thread that completed the future.
   */
  private Collection<?> keys;

  /**
   * The {@link Condition.Bound}; null if there is none. After the end, the next future that is
   * unsettled.
   */
  private @Nullable Object condition;

  /**
   * The {@link OnTimeout}; null if there is none. After the end, what a caller or an exception
   * gives the future, unless the outcome tells.
   */
  private @Nullable Object result;

  /** The value of the condition, or the {@link Found} one; null if there is none. */
  private @Nullable Object found;

  HeldFuture(
      Futures<?> futures,
      @Nullable Condition condition,
      @Nullable Consumer<Object> giveBack,
      long timeoutNanos,
      @Nullable OnTimeout<? extends T> onTimeout,
      Collection<?> keys,
      @Nullable Object tag) {
    this.timeoutNanos = timeoutNanos;
    this.result = onTimeout;
    UnaryOperator<Runnable> context = futures.captureContext();
    this.keys = tag == null && context == null ? keys : new Annotated(keys, tag, context);
    this.registration = new Registration(futures, this);
    this.condition =
        condition == null ? null : condition.bind(keys, registration, Taker.of(giveBack, context));
  }

  /** The keys of a request, what its owner has attached to it, and the context of its holder. */
  private static final class Annotated extends AbstractCollection<Object> {
    private final Collection<?> keys;
    private final @Nullable Object tag;
    private final @Nullable UnaryOperator<Runnable> context;

    Annotated(Collection<?> keys, @Nullable Object tag, @Nullable UnaryOperator<Runnable> context) {
      this.keys = keys;
      this.tag = tag;
      this.context = context;
    }

    @Override
    @SuppressWarnings("unchecked") // it is only read
    public Iterator<Object> iterator() {
      return (Iterator<Object>) keys.iterator();
    }

    @Override
    public int size() {
      return keys.size();
    }
  }

  /** The reaction to a timeout. */
  @FunctionalInterface
  interface OnTimeout<T extends @Nullable Object> {

    /** Returns the answer, or throws the exception for the future. */
    T answer(HeldFuture<?> future) throws Throwable;
  }

  Registration registration() {
    return registration;
  }

  /**
   * Returns how the request ended.
   *
   * @return the outcome; null while the request is held
   */
  public @Nullable Outcome outcome() {
    return registration.outcome();
  }

  /**
   * Returns the exception with which the future failed.
   *
   * @return the exception; null if the future is not done or has a value
   */
  public @Nullable Throwable cause() {
    return isCompletedExceptionally() ? handle((value, error) -> error).join() : null;
  }

  /**
   * Returns the time limit with which the request was held, including its jitter. {@link
   * #reschedule} does not change it.
   *
   * @return the timeout; 146 years or more: no time limit
   */
  public Duration timeout() {
    return Duration.ofNanos(timeoutNanos);
  }

  /**
   * Returns the {@link Hold.Untimed#tag} of the request.
   *
   * @return the tag; null if there is none, or the request was answered: then nothing refers to it
   */
  public @Nullable Object tag() {
    return keys instanceof Annotated noted ? noted.tag : null; // racy: the end clears it
  }

  /**
   * Moves the end of the time limit, in either direction. Moving it to a later time is cheap: one
   * write, however often.
   *
   * @param timeout the new time limit, from now. Zero: it times out at once
   * @return true if the request now times out then, unless it ends before; false if the time limit
   *     was reached, or the request is not held
   * @throws IllegalArgumentException if the timeout is negative
   */
  public boolean reschedule(Duration timeout) {
    return registration.reschedule(timeout);
  }

  /**
   * Completes the future with a value, and ends the request. If calls of the library are nested too
   * deep in callbacks, a helper thread completes the future: see {@link Purgatory}.
   *
   * @param value the answer
   * @return true if this call ended the request; false if it had ended before, even if the future
   *     is not done yet
   */
  @Override
  public boolean complete(T value) {
    return end(Outcome.COMPLETED, null, value);
  }

  /**
   * Fails the future, and ends the request, like {@link #complete}.
   *
   * @param error the cause
   * @return true if this call ended the request; false if it had ended before
   */
  @Override
  public boolean completeExceptionally(Throwable error) {
    requireNonNull(error, "error");
    return end(Outcome.FAILED, error, error);
  }

  /**
   * Cancels the request, like {@link #complete}.
   *
   * @param mayInterruptIfRunning has no effect
   * @return true if this call cancelled the request, or the future is cancelled already
   */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled =
        !registration.isEnded() && end(Outcome.CANCELLED, null, new CancellationException());
    return cancelled || isCancelled();
  }

  /**
   * Blocks until the request is answered. Suits virtual threads. Throws what the future fails with,
   * such as a {@link PurgatoryClosedException}, a {@link LimitExceededException} or the exception
   * of the condition. Only a checked exception other than a {@link TimeoutException} comes in a
   * {@link CompletionException}.
   *
   * @return the answer
   * @throws InterruptedException if the thread is interrupted; the request is then cancelled
   * @throws TimeoutException on a timeout for which no answer is set
   * @throws CancellationException if the request was cancelled
   */
  public T awaitAnswer() throws InterruptedException, TimeoutException {
    try {
      return get();
    } catch (InterruptedException e) {
      return cancelled(e);
    } catch (ExecutionException e) {
      throw unwrapped(e.getCause());
    }
  }

  /** Returns the answer if it came before the cancellation, so that it is not lost. */
  private T cancelled(InterruptedException interrupt)
      throws InterruptedException, TimeoutException {
    if (cancel(false)) {
      throw interrupt;
    }
    Thread.currentThread().interrupt();
    try {
      return join();
    } catch (CompletionException e) {
      throw unwrapped(e.getCause());
    }
  }

  private static RuntimeException unwrapped(@Nullable Throwable cause) throws TimeoutException {
    if (cause instanceof Futures.TimeoutException) {
      throw new TimeoutException(cause.getMessage()); // with the stack trace of this thread
    }
    if (cause instanceof TimeoutException timeout) {
      throw timeout;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException known ? known : new CompletionException(cause);
  }

  @Override
  public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
    requireNonNull(supplier, "supplier");
    executor.execute(
        () -> {
          if (isDone()) {
            return;
          }
          try {
            complete(supplier.get());
          } catch (Throwable e) {
            completeExceptionally(e);
          }
        });
    return this;
  }

  @Override
  public void obtrudeValue(T value) {
    complete(value);
    super.obtrudeValue(value);
  }

  @Override
  public void obtrudeException(Throwable error) {
    completeExceptionally(error);
    super.obtrudeException(error);
  }

  /**
   * Ends the request, and completes the future.
   *
   * @param cause for listeners
   * @param given the value or the exception that the future gets
   */
  boolean end(Outcome outcome, @Nullable Throwable cause, @Nullable Object given) {
    Object owner = registration.behaviour(); // now: the end may release it
    if (!registration.endSelfAnswered(outcome, cause)) {
      return false;
    }
    condition = null;
    result = given;
    ((Futures<?>) owner).settle(this);
    return true;
  }

  /** Completes the future of a request that the purgatory has ended. */
  void onOutcome(Futures<?> futures, Outcome outcome, @Nullable Throwable cause) {
    condition = null;
    if (outcome != Outcome.COMPLETED && outcome != Outcome.TIMED_OUT) {
      result = cause;
    }
    futures.settleNow(this);
    giveBack();
  }

  /**
   * Completes the future of a request that has ended, in the context of its holder, or without it
   * if the context fails.
   *
   * @return false if there is no memory for that
   */
  boolean trySettle(Futures<?> futures) {
    boolean interrupted = ForeignCode.enter();
    try {
      if (keys instanceof Annotated noted && noted.context != null) {
        completeIn(noted.context, futures);
      }
      complete(futures);
    } catch (Throwable e) {
      // Handling a failure has failed, for want of memory.
    } finally {
      ForeignCode.leave(interrupted);
    }
    if (!isDone()) {
      return false;
    }
    result = null;
    keys = NONE;
    return true;
  }

  /** Returns whether the completion runs code of users. Racy: dependents may be added. */
  boolean isObserved() {
    return getNumberOfDependents() > 0 || keys instanceof Annotated;
  }

  private void completeIn(UnaryOperator<Runnable> context, Futures<?> futures) {
    try {
      context.apply(() -> complete(futures)).run();
    } catch (Throwable e) {
      CONTEXT_THREW.accept(e);
    }
  }

  private void complete(Futures<?> futures) {
    if (isDone()) {
      return; // a context has run this, perhaps twice
    }
    try {
      Outcome outcome = requireNonNull(registration.outcome());
      if (outcome == Outcome.COMPLETED) {
        deliver();
      } else if (registration.isSelfAnswered()) {
        super.completeExceptionally((Throwable) result); // a CancellationException cancels it
      } else if (result instanceof OnTimeout<?> reaction) {
        onTimeout(reaction);
      } else {
        super.completeExceptionally(futures.exception(this, outcome, (Throwable) result));
      }
    } catch (Throwable e) {
      if (isDone()) { // a dependent of the JDK throws if an exception cannot be printed
        DEPENDENT_THREW.accept(e);
        super.complete(null); // runs the others
      } else if (!(e instanceof VirtualMachineError)) {
        super.completeExceptionally(e);
      } // else there is no memory, or no stack: it stays unsettled
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // the caller or the condition vouches for the type
  private void deliver() {
    if (registration.isSelfAnswered()) {
      super.complete((T) result);
      return;
    }
    Object value = found;
    found = null; // delivered, unless something has completed the future by force
    if (!super.complete((T) (value instanceof Found taken ? taken.value() : value))) {
      found = value;
    }
  }

  @SuppressWarnings("unchecked") // the description has this type
  private void onTimeout(OnTimeout<?> reaction) {
    T answer;
    try {
      answer = (T) reaction.answer(this);
    } catch (Throwable e) {
      result = e; // first: it is called once, whatever follows
      super.completeExceptionally(e);
      return;
    }
    super.complete(answer);
  }

  /** Links the futures that are unsettled. Guarded by the monitor of their list. */
  void next(@Nullable HeldFuture<?> future) {
    condition = future;
  }

  @Nullable HeldFuture<?> next() {
    return (HeldFuture<?>) condition;
  }

  /** Gives back a value that was found and not delivered. */
  void giveBack() {
    Object undelivered = found;
    found = null;
    if (undelivered instanceof Found taken) {
      taken.giveBack();
    }
  }

  boolean isReady(@Nullable Object reason) {
    if (!(condition instanceof Condition.Bound current)) { // racy: see above
      return false;
    }
    giveBack(); // what a failed evaluation has left
    Object value = current.evaluate(reason);
    found = value;
    return value != null;
  }

  /** Describes the future for logs: its state, its deadline and its keys. */
  @Override
  public String toString() {
    return keys("HeldFuture[" + registration.describe(), ", keys ") + ']';
  }

  /** Returns the first key; null if the future is complete: that clears the keys. */
  @Nullable Object id() {
    Collection<?> all = keys; // racy: the end clears it
    return all.isEmpty() ? null : all.iterator().next();
  }

  /** Returns a message with the keys at its end. */
  String onKeys(String message) {
    return keys(message, " on ");
  }

  private String keys(String message, String prefix) {
    Collection<?> all = keys; // racy: the end clears it
    try {
      return all.isEmpty() ? message : message + prefix + ForeignText.of(all);
    } catch (Throwable e) { // of the collection
      return message + prefix + "keys that cannot be printed: " + e.getClass().getName();
    }
  }

  /** Returns the time after which a request has timed out, for messages. */
  Duration timedOutAfter(long now) {
    return Duration.ofNanos(
        registration.isMoved() ? registration.heldNanos(now, timeoutNanos) : timeoutNanos);
  }

  /** Returns the time limit with which the request was held, in nanoseconds. */
  long timeoutNanos() {
    return timeoutNanos;
  }
}
