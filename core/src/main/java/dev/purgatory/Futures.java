package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.TimeLimit;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the futures of a purgatory, and their exceptions. Thread-safe. */
final class Futures<K> {
  private final Purgatory<K> purgatory;
  private final OperationAdapter<HeldFuture<?>> adapter;
  private final Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions;

  Futures(
      Purgatory<K> purgatory,
      Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions) {
    this.purgatory = purgatory;
    this.adapter = new HeldFuture.Adapter(purgatory);
    this.exceptions = new EnumMap<>(exceptions);
  }

  Registration prepare(HeldFuture<?> future) {
    return (Registration) adapter.prepare(future);
  }

  /** Holds a future that completes as the stage does. */
  <T> HeldFuture<T> limit(CompletionStage<T> stage, TimeLimit<T> limit) {
    requireNonNull(stage, "stage");
    HeldFuture<T> future = new HeldFuture<>(purgatory, null, limit, List.of());
    holdOrFail(future, List.of(), /* alone= */ false);
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
      Supplier<? extends @Nullable T> condition,
      TimeLimit<T> limit,
      List<Thresholds.Point<?>> points,
      Collection<? extends K> keys) {
    if (points.isEmpty()) {
      Purgatory.requireKeys(keys);
      HeldFuture<T> future = new HeldFuture<>(purgatory, condition, limit, keys);
      holdOrFail(future, keys, /* alone= */ false);
      return future;
    }
    keys.forEach(key -> requireNonNull(key, "key"));
    Reaching<T> reaching = new Reaching<>(condition);
    HeldFuture<T> future = new HeldFuture<>(purgatory, reaching, limit, keys);
    try {
      reaching.begin(points, future.registration());
      holdOrFail(future, keys, /* alone= */ false);
    } catch (Throwable e) {
      reaching.end();
      throw e;
    }
    return future;
  }

  /** Holds a future that a caller completes by its key, on which nothing else may wait. */
  <T> HeldFuture<T> holdAlone(K key, long timeoutNanos) {
    List<K> keys = List.of(key);
    HeldFuture<T> future =
        new HeldFuture<>(purgatory, null, new TimeLimit<>(timeoutNanos, null), keys);
    holdOrFail(future, keys, /* alone= */ true);
    return future;
  }

  /** Holds the future. If the purgatory refuses it, the future fails with the refusal. */
  private void holdOrFail(HeldFuture<?> future, Collection<? extends K> keys, boolean alone) {
    try {
      boolean unused = purgatory.hold(future.registration(), adapter, keys, alone);
    } catch (PurgatoryClosedException e) {
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
              purgatory.name() + ": no answer within " + future.timeout() + future.onKeys());
      case CANCELLED ->
          new CancellationException(purgatory.name() + ": cancelled" + future.onKeys());
      case FAILED -> requireNonNull(cause);
      case CLOSED -> purgatory.closedException();
    };
  }
}
