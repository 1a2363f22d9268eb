package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.TimeLimit;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Creates the futures of a purgatory, and their exceptions. Thread-safe. */
final class Futures<K> {
  private final Purgatory<K> purgatory;
  private final OperationAdapter<HeldFuture<?>> adapter;
  private final Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions;
  private final @Nullable Supplier<? extends UnaryOperator<Runnable>> context;

  Futures(
      Purgatory<K> purgatory,
      Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions,
      @Nullable Supplier<? extends UnaryOperator<Runnable>> context) {
    this.context = context;
    this.purgatory = purgatory;
    this.adapter = new HeldFuture.Adapter(purgatory);
    this.exceptions = new EnumMap<>(exceptions);
  }

  Purgatory<K> purgatory() {
    return purgatory;
  }

  Registration prepare(HeldFuture<?> future) {
    return (Registration) adapter.prepare(future);
  }

  /** Captures the context of the current thread; null if there is none. */
  @Nullable UnaryOperator<Runnable> captureContext() {
    return context == null ? null : context.get();
  }

  /** Holds a future that completes as the stage does. */
  <T> HeldFuture<T> limit(CompletionStage<T> stage, TimeLimit<T> limit) {
    requireNonNull(stage, "stage");
    HeldFuture<T> future = new HeldFuture<>(purgatory, null, limit, List.of());
    holdOrFail(future, List.of(), Terms.NONE);
    Registration registration = future.registration(); // releases the future at its end
    try {
      CompletionStage<T> unused = stage.whenComplete((value, e) -> pass(registration, value, e));
    } catch (Throwable e) {
      boolean unused = future.cancel(false);
      throw e;
    }
    return future;
  }

  @SuppressWarnings("unchecked") // the operation is the future of limit()
  private static <T> void pass(Registration registration, T value, @Nullable Throwable error) {
    HeldFuture<T> future = (HeldFuture<T>) registration.operation();
    if (future != null) {
      boolean unused = error == null ? future.complete(value) : future.completeExceptionally(error);
    }
  }

  /** Holds a future until its condition gives the answer. */
  <T> HeldFuture<T> hold(
      HeldFuture.@Nullable Condition condition,
      TimeLimit<T> limit,
      Terms terms,
      Collection<? extends K> keys) {
    if (terms.points().isEmpty()) {
      Purgatory.requireKeys(keys);
    } else {
      keys.forEach(key -> requireNonNull(key, "key"));
    }
    HeldFuture<T> future = new HeldFuture<>(purgatory, condition, limit, keys);
    holdOrFail(future, keys, terms);
    return future;
  }

  /** Holds a future that a caller completes by its key, on which nothing else may wait. */
  <T> HeldFuture<T> holdAlone(K key, Duration timeout, List<Scope> scopes) {
    List<K> keys = List.of(key);
    HeldFuture<T> future = new HeldFuture<>(purgatory, null, TimeLimit.of(timeout, null), keys);
    holdOrFail(future, keys, Terms.ALONE.in(scopes));
    return future;
  }

  /** Holds the future. If the purgatory refuses it, the future fails with the refusal. */
  private void holdOrFail(HeldFuture<?> future, Collection<? extends K> keys, Terms terms) {
    try {
      boolean unused = purgatory.hold(future.registration(), adapter, keys, terms);
    } catch (PurgatoryClosedException | LimitExceededException e) {
      future.registration().attach(new Attachment.Refusal());
      boolean unused = future.completeExceptionally(e);
    }
  }

  /** Returns the exception for a future that ended without a value. */
  Throwable exception(Outcome outcome, @Nullable Throwable cause, HeldFuture<?> future) {
    Function<? super HeldFuture<?>, ? extends Throwable> exception = exceptions.get(outcome);
    if (exception != null) {
      return requireNonNull(exception.apply(future), "exception");
    }
    return switch (outcome) {
      case COMPLETED -> throw new IllegalArgumentException("completed with a value: " + future);
      case TIMED_OUT ->
          new TimeoutException(
              purgatory.name() + ": no answer within " + future.timedOutAfter() + future.onKeys());
      case CANCELLED ->
          new CancellationException(purgatory.name() + ": cancelled" + future.onKeys());
      case FAILED -> requireNonNull(cause);
      case CLOSED -> purgatory.closedException();
    };
  }
}
