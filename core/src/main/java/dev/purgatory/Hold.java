package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.OnTimeout;
import dev.purgatory.HeldFuture.TimeLimit;
import java.time.Duration;
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
 * What is to be held: a condition, and a time limit. Made by {@link Purgatory#until}. Immutable: it
 * can be held many times.
 *
 * @param <K> the type of the keys
 * @param <T> the type of the answer
 */
public final class Hold<K, T> {
  private final Futures<K> futures;
  private final Supplier<? extends @Nullable T> condition;
  private final TimeLimit<T> limit;

  Hold(Futures<K> futures, Supplier<? extends @Nullable T> condition, TimeLimit<T> limit) {
    this.futures = futures;
    this.condition = condition;
    this.limit = limit;
  }

  static <T> TimeLimit<T> unlimited() {
    return new TimeLimit<>(Long.MAX_VALUE, null);
  }

  /**
   * Sets a time limit, and the answer to give then.
   *
   * @param timeout how long to hold. Zero or less: it times out at once. 146 years or more: no
   *     limit
   * @param answer asked when time is up; what it throws fails the future
   * @return a copy with this limit
   */
  public Hold<K, T> orAfter(Duration timeout, Supplier<? extends T> answer) {
    requireNonNull(answer, "answer");
    return with(timeout, future -> answer.get());
  }

  /**
   * Sets a time limit. When it is over, the future fails with a {@link TimeoutException}, or the
   * exception that the purgatory has for that.
   *
   * @param timeout how long to hold. Zero or less: it times out at once. 146 years or more: no
   *     limit
   * @return a copy with this limit
   */
  public Hold<K, T> orTimeout(Duration timeout) {
    return with(timeout, null);
  }

  /**
   * Sets a time limit, and the exception with which the future fails when it is over.
   *
   * @param timeout how long to hold. Zero or less: it times out at once. 146 years or more: no
   *     limit
   * @param exception asked when time is up
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
    return new Hold<>(futures, condition, new TimeLimit<>(nanos(timeout), onTimeout));
  }

  static long nanos(Duration timeout) {
    return TimeUnit.NANOSECONDS.convert(requireNonNull(timeout, "timeout"));
  }

  /**
   * Evaluates the condition; if that gives no answer, holds the request until a signal for one of
   * the keys does, or time is up.
   *
   * @param keys the events that may make it answerable, at least one
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
   * Holds the request, as {@link #hold(Object...)} does.
   *
   * @param keys the events that may make it answerable, at least one; not to be changed afterwards
   * @return the answer; already complete if the condition gave it at once
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if a key is null
   */
  public HeldFuture<T> hold(Collection<? extends K> keys) {
    return futures.hold(condition, limit, keys);
  }

  /**
   * Holds the request and waits for the answer. Made for virtual threads.
   *
   * @param keys the events that may make it answerable, at least one
   * @return the answer
   * @throws InterruptedException if the thread is interrupted, which cancels the request
   * @throws TimeoutException if time is up and no answer is set for that
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

  /** An answer that came before the cancellation is not lost. */
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
