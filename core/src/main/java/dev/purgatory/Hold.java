package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.OnTimeout;
import dev.purgatory.HeldFuture.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The description of a request to hold: a condition and a time limit. Created by {@link
 * Purgatory#until}. Immutable: it can be held many times.
 *
 * @param <K> the type of the keys
 * @param <T> the type of the answer
 */
public final class Hold<K, T> {
  private final Futures<K> futures;
  private final Supplier<? extends @Nullable T> condition;
  private final TimeLimit<T> limit;
  private final List<Thresholds.Point<?>> points;

  Hold(
      Futures<K> futures,
      Supplier<? extends @Nullable T> condition,
      TimeLimit<T> limit,
      List<Thresholds.Point<?>> points) {
    this.futures = futures;
    this.condition = condition;
    this.limit = limit;
    this.points = points;
  }

  static <T> TimeLimit<T> unlimited() {
    return new TimeLimit<>(Long.MAX_VALUE, null);
  }

  /**
   * Sets a time limit, and the answer for a timeout.
   *
   * @param timeout how long to hold. Zero or less: it times out at once. 146 years or more: no
   *     limit
   * @param answer called on a timeout; an exception fails the future
   * @return a copy with this limit
   */
  public Hold<K, T> orAfter(Duration timeout, Supplier<? extends T> answer) {
    requireNonNull(answer, "answer");
    return with(timeout, future -> answer.get());
  }

  /**
   * Sets a time limit. On a timeout the future fails with a {@link TimeoutException}, or with the
   * exception that is set for the purgatory.
   *
   * @param timeout how long to hold. Zero or less: it times out at once. 146 years or more: no
   *     limit
   * @return a copy with this limit
   */
  public Hold<K, T> orTimeout(Duration timeout) {
    return with(timeout, null);
  }

  /**
   * Sets a time limit, and the exception for a timeout.
   *
   * @param timeout how long to hold. Zero or less: it times out at once. 146 years or more: no
   *     limit
   * @param exception called on a timeout; the future fails with its result
   * @return a copy with this limit
   */
  public Hold<K, T> orTimeout(Duration timeout, Supplier<? extends Throwable> exception) {
    requireNonNull(exception, "exception");
    return with(
        timeout,
        future -> {
          throw exception.get();
        });
  }

  private Hold<K, T> with(Duration timeout, @Nullable OnTimeout<T> onTimeout) {
    return new Hold<>(futures, condition, new TimeLimit<>(nanos(timeout), onTimeout), points);
  }

  /**
   * Evaluates the condition also when a number reaches a threshold. The request can then be held
   * without keys.
   *
   * @param thresholds has the number
   * @param key the key of the number
   * @param threshold the least number to wait for
   * @param <N> the type of that key
   * @return a copy that waits for this threshold, too
   */
  public <N> Hold<K, T> reaching(Thresholds<N> thresholds, N key, long threshold) {
    requireNonNull(thresholds, "thresholds");
    requireNonNull(key, "key");
    List<Thresholds.Point<?>> more = new ArrayList<>(points);
    more.add(new Thresholds.Point<>(thresholds, key, threshold));
    return new Hold<>(futures, condition, limit, List.copyOf(more));
  }

  static long nanos(Duration timeout) {
    return TimeUnit.NANOSECONDS.convert(requireNonNull(timeout, "timeout"));
  }

  /**
   * Evaluates the condition. If it gives no answer, holds the request until a signal on one of the
   * keys makes it answerable, or it times out.
   *
   * @param keys the events that may make it answerable; at least one, unless the request waits for
   *     a threshold
   * @return the answer; already complete if the condition gave it at once
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if a key is null
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // The array is only read.
  public final HeldFuture<T> hold(K... keys) {
    return hold(List.of(keys));
  }

  /**
   * Holds the request, like {@link #hold(Object...)}.
   *
   * @param keys the events that may make it answerable, at least one; the collection must not
   *     change afterwards
   * @return the answer; already complete if the condition gave it at once
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if a key is null
   */
  public HeldFuture<T> hold(Collection<? extends K> keys) {
    return futures.hold(condition, limit, points, keys);
  }

  /**
   * Holds the request and blocks until it is answered. Suits virtual threads.
   *
   * @param keys the events that may make it answerable, at least one
   * @return the answer
   * @throws InterruptedException if the thread is interrupted; the request is then cancelled
   * @throws TimeoutException on a timeout for which no answer is set
   * @throws CancellationException if the request was cancelled
   * @throws CompletionException if the request failed, with the cause
   */
  @SafeVarargs
  public final T await(K... keys) throws InterruptedException, TimeoutException {
    return await(hold(keys));
  }

  private static <T> T await(HeldFuture<T> future) throws InterruptedException, TimeoutException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      return cancelled(future, e);
    } catch (ExecutionException e) {
      throw unwrapped(e);
    }
  }

  /** Returns the answer if it came before the cancellation, so that it is not lost. */
  private static <T> T cancelled(HeldFuture<T> future, InterruptedException interrupt)
      throws InterruptedException {
    if (future.cancel(false)) {
      throw interrupt;
    }
    Thread.currentThread().interrupt();
    return future.join();
  }

  private static RuntimeException unwrapped(ExecutionException e) throws TimeoutException {
    Throwable cause = e.getCause();
    if (cause instanceof TimeoutException timeout) {
      throw timeout;
    }
    if (cause instanceof PurgatoryClosedException closed) {
      throw closed;
    }
    throw new CompletionException(cause);
  }
}
