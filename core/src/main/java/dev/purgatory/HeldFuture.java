package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.LastResort;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
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
   * The registration decides who ends the operation, and only the winner completes the future. So a value
   * with which a condition wins is never replaced; one that it finds after another caller has won is
   * given back. The methods that complete the future from outside end the operation first; the winner then
   * completes the future on its own thread, and does not wait for a condition that is being evaluated.
   *
   * The evaluator writes `found`. The answering thread reads it after it has seen the end. The end clears
   * the fields that refer to the user's code and to the purgatory: a caller that keeps the future keeps only
   * the answer. An evaluator may still run then. So it reads `condition` once, which has all that it needs.
   */

  /** In place of the keys of a request that has ended. */
  private static final List<?> NONE = List.of();

  private final Registration registration;
  private final long timeoutNanos;

  /**
   * The only key of a request that is {@linkplain Registration#isAlone alone}, else the keys,
   * {@link Annotated} ones if there is a tag or a context. One field, as few requests have these.
   * Cleared, as the next two, by the thread that ended the request.
   */
  private Object keys;

  private @Nullable Condition condition;
  private @Nullable OnTimeout<? extends T> onTimeout;

  /** The value of the condition, or the {@link Found} one; null if there is none. */
  private @Nullable Object found;

  HeldFuture(
      Futures<?> futures,
      @Nullable Condition condition,
      long timeoutNanos,
      @Nullable OnTimeout<? extends T> onTimeout,
      Collection<?> keys,
      @Nullable Object tag) {
    this.timeoutNanos = timeoutNanos;
    this.onTimeout = onTimeout;
    UnaryOperator<Runnable> context = futures.captureContext();
    this.keys = tag == null && context == null ? keys : new Annotated(keys, tag, context);
    this.registration = new Registration(futures, this);
    this.condition = condition == null ? null : in(context, condition.on(keys, registration));
  }

  /** Creates a future without a condition and a context that waits alone on a key. */
  HeldFuture(Futures<?> futures, Object key, long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
    this.keys = key;
    this.registration = Registration.alone(futures, this);
  }

  /**
   * A condition with what belongs to it.
   *
   * @param condition returns a value, or null
   * @param giveBack gets a value that is not delivered; null if nobody wants it
   * @param context the condition and {@code giveBack} run in it; null for none
   */
  record Asked(
      Condition condition,
      @Nullable Consumer<Object> giveBack,
      @Nullable UnaryOperator<Runnable> context)
      implements Condition {

    Asked in(@Nullable UnaryOperator<Runnable> other) {
      return other == null ? this : new Asked(condition, giveBack, other);
    }

    /** Returns what is needed to give a value back. */
    Asked withoutCondition() {
      return new Asked(reason -> null, giveBack, context);
    }

    @Override
    public Condition on(Collection<?> keys, Registration registration) {
      Condition own = condition.on(keys, registration);
      return own == condition ? this : new Asked(own, giveBack, context);
    }

    /** Returns the value as {@link Found}, whose place is made before the value is taken. */
    @Override
    public @Nullable Object apply(@Nullable Object reason) {
      Found found = new Found(this);
      try {
        if (context == null) {
          found.find(reason);
        } else {
          context.apply(() -> found.find(reason)).run();
        }
      } catch (Throwable e) {
        found.giveBack();
        throw e;
      }
      return found.value == null ? null : found;
    }
  }

  /**
   * Gets the reason of a signal, {@link Registration#TIMEOUT}, or null; returns the answer, or
   * null.
   */
  @FunctionalInterface
  interface Condition {
    @Nullable Object apply(@Nullable Object reason);

    /**
     * Returns the answer, or null.
     *
     * @param asked gets an answer that comes later and that the request does not get
     */
    default @Nullable Object apply(@Nullable Object reason, Asked asked) {
      return apply(reason);
    }

    /** Returns the condition of a request on these keys. */
    default Condition on(Collection<?> keys, Registration registration) {
      return this;
    }
  }

  /** A value that is delivered or given back. Only for the thread that evaluates or answers. */
  static final class Found implements Runnable {
    private final Asked asked;
    private @Nullable Object value;

    Found(Asked asked) {
      this.asked = asked;
    }

    /** Evaluates the condition, unless a value is found: a context may run this twice. */
    void find(@Nullable Object reason) {
      if (value == null) {
        value = asked.condition().apply(reason, asked);
      }
    }

    void set(@Nullable Object next) {
      value = next;
    }

    /** Gives back the value, if there is one, in the context of the holder. */
    void giveBack() {
      UnaryOperator<Runnable> context = asked.context();
      if (context != null && value != null) {
        try {
          context.apply(this).run();
        } catch (Throwable e) {
          if (value == null) {
            throw e;
          }
          LastResort.log("The context of a request threw", e);
        }
      }
      run();
    }

    @Override
    public void run() {
      Object taken = value;
      value = null;
      if (taken != null && asked.giveBack() != null) {
        asked.giveBack().accept(taken);
      }
    }
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

  /**
   * A time limit.
   *
   * @param nanos its length; {@link Long#MAX_VALUE} for none
   * @param jitterNanos a random time up to this is added for each request
   * @param onTimeout the reaction to a timeout; null for a {@link TimeoutException}
   */
  record TimeLimit<T extends @Nullable Object>(
      long nanos, long jitterNanos, @Nullable OnTimeout<T> onTimeout) {

    /** In place of the nanoseconds of a time limit that was not said yet. */
    static final long UNSAID = -1;

    private static final TimeLimit<?> NOT_SAID = new TimeLimit<>(UNSAID, 0, null);

    /** Returns the time limit of a description for which none was said yet. */
    @SuppressWarnings("unchecked") // it has no answer
    static <T extends @Nullable Object> TimeLimit<T> unsaid() {
      return (TimeLimit<T>) NOT_SAID;
    }

    static long nanos(Duration time) {
      if (requireNonNull(time, "timeout").isNegative()) {
        throw new IllegalArgumentException("time limit " + time + " is negative");
      }
      return TimeUnit.NANOSECONDS.convert(time);
    }

    /** Returns the time limit of one request. */
    long draw() {
      if (jitterNanos == 0) {
        return nanos;
      }
      long added = ThreadLocalRandom.current().nextLong(jitterNanos) + 1;
      return nanos > Long.MAX_VALUE - added ? Long.MAX_VALUE : nanos + added;
    }
  }

  private static Condition in(@Nullable UnaryOperator<Runnable> context, Condition condition) {
    if (condition instanceof Asked asked) {
      return asked.in(context);
    }
    return context == null ? condition : new Asked(condition, null, context);
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
   * Returns the {@link Hold#tag} of the request.
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
   * @param timeout the new time limit, from now. Zero or less: it times out at once
   * @return true if the request now times out then, unless it ends before; false if the time limit
   *     was reached, or the request is not held
   */
  public boolean reschedule(Duration timeout) {
    return registration.reschedule(timeout);
  }

  /**
   * Completes the future with a value, and ends the request.
   *
   * @param value the answer
   * @return true if this call ended the request; false if it had ended before, even if the future
   *     is not done yet
   */
  @Override
  public boolean complete(T value) {
    if (!endSelfAnswered(Outcome.COMPLETED, null)) {
      return false;
    }
    if (context() != null) {
      return settle(() -> super.complete(value));
    }
    try {
      super.complete(value);
    } catch (Throwable e) {
      failOrGoOn(e);
    } finally {
      release();
    }
    return true;
  }

  /**
   * Fails the future, and ends the request.
   *
   * @param error the cause
   * @return true if this call ended the request; false if it had ended before
   */
  @Override
  public boolean completeExceptionally(Throwable error) {
    requireNonNull(error, "error");
    return endSelfAnswered(Outcome.FAILED, error)
        && settle(() -> super.completeExceptionally(error));
  }

  /**
   * Cancels the request.
   *
   * @param mayInterruptIfRunning has no effect
   * @return true if the future is now cancelled
   */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean unused = endSelfAnswered(Outcome.CANCELLED, null) && settle(() -> super.cancel(false));
    return isCancelled();
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
            boolean unused = complete(supplier.get());
          } catch (Throwable e) {
            boolean unused = completeExceptionally(e);
          }
        });
    return this;
  }

  @Override
  public void obtrudeValue(T value) {
    boolean ended = endSelfAnswered(Outcome.COMPLETED, null);
    super.obtrudeValue(value);
    if (ended) {
      release();
    }
  }

  @Override
  public void obtrudeException(Throwable error) {
    boolean ended = endSelfAnswered(Outcome.FAILED, error);
    super.obtrudeException(error);
    if (ended) {
      release();
    }
  }

  private boolean endSelfAnswered(Outcome outcome, @Nullable Throwable cause) {
    boolean ended = registration.endSelfAnswered(outcome, cause);
    if (ended) {
      freeze();
    }
    return ended;
  }

  /** Ends a request that a closed purgatory has refused. */
  void refuse(Futures<?> futures) {
    boolean unused =
        registration.endSelfAnswered(Outcome.CLOSED, null)
            && settle(() -> answer(futures, Outcome.CLOSED, null));
  }

  /** Releases the condition. */
  private void freeze() {
    condition = null;
    onTimeout = null;
  }

  /** Releases what else the future has of its request. Only for the thread that completed it. */
  private void release() {
    keys = NONE;
  }

  private @Nullable UnaryOperator<Runnable> context() {
    return keys instanceof Annotated noted ? noted.context : null;
  }

  private void answer(Futures<?> futures, Outcome outcome, @Nullable Throwable cause) {
    OnTimeout<? extends T> forTimeout = onTimeout;
    Object value = found;
    freeze();
    try {
      if (outcome == Outcome.COMPLETED) {
        if (super.complete(delivered(value))) {
          found = null; // delivered
        }
      } else if (outcome == Outcome.TIMED_OUT && forTimeout != null) {
        super.complete(forTimeout.answer(this));
      } else {
        // a CancellationException cancels the future
        super.completeExceptionally(futures.exception(outcome, cause, this));
      }
    } catch (Throwable e) {
      if (outcome == Outcome.COMPLETED && isDone()) {
        found = null; // delivered: a dependent has thrown
      }
      failOrGoOn(e);
    } finally {
      giveBack();
    }
  }

  /**
   * Fails the future with what its completion has thrown. If it is done, a dependent has thrown:
   * that of the JDK throws if an exception cannot be printed. Then the other dependents run.
   */
  private void failOrGoOn(Throwable thrown) {
    if (!super.completeExceptionally(thrown)) {
      LastResort.log("What depends on a request threw", thrown);
    }
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // it comes from the condition, so it is a T
  private T delivered(@Nullable Object found) {
    return (T) (found instanceof Found taken ? taken.value : found);
  }

  /** Gives back a value that was found and not delivered. */
  void giveBack() {
    Object undelivered = found;
    found = null;
    if (undelivered instanceof Found taken) {
      taken.giveBack();
    }
  }

  /** Describes the future for logs: its state, its deadline and its keys. */
  @Override
  public String toString() {
    return keys("HeldFuture[" + registration.describe(), ", keys ") + ']';
  }

  /** Returns the first key. Only for the thread that holds the request. */
  Object id() {
    Object on = keys;
    return registration.isAlone() ? on : ((Collection<?>) on).iterator().next();
  }

  /** Returns a message with the keys at its end. */
  String onKeys(String message) {
    return keys(message, " on ");
  }

  private String keys(String message, String prefix) {
    Object on = keys; // racy: the end clears it
    try {
      Object only = on;
      if (!registration.isAlone() || on == NONE) {
        Collection<?> all = (Collection<?>) on;
        if (all.size() != 1) {
          return all.isEmpty() ? message : message + prefix + all;
        }
        only = all.iterator().next();
      }
      return message + prefix + '[' + only + ']'; // most requests: one string
    } catch (Throwable e) {
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

  void onOutcome(Futures<?> futures, Outcome outcome, @Nullable Throwable cause) {
    if (context() != null) {
      boolean unused = settle(() -> answer(futures, outcome, cause));
      return;
    }
    try {
      answer(futures, outcome, cause);
    } finally {
      release();
    }
  }

  boolean isReady(@Nullable Object reason) {
    Condition current = condition; // racy: see above
    if (current == null) {
      return false;
    }
    giveBack(); // what a failed evaluation has left
    Object value = current.apply(reason);
    found = value;
    return value != null;
  }

  /**
   * Completes the future in the context of its holder, or without it if the context fails.
   *
   * @return true
   */
  private boolean settle(Runnable completion) {
    UnaryOperator<Runnable> in = context();
    try {
      if (in != null) {
        try {
          in.apply(completion).run();
        } catch (Throwable e) {
          LastResort.log("The context of a request threw", e);
        }
      }
      if (!isDone()) {
        completion.run();
      }
    } catch (Throwable e) {
      failOrGoOn(e);
    } finally {
      release();
    }
    return true;
  }
}
