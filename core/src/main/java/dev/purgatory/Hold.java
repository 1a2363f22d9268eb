package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.OnTimeout;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The description of a request to hold: a condition, a time limit, and terms. Created from an
 * {@link Untimed} one when its time limit is set. Immutable: it can be held many times.
 *
 * @param <K> the type of the keys
 * @param <T> the type of the answer
 */
public final class Hold<K, T> {
  private final Untimed<K, T> what;
  private final long nanos;
  private final @Nullable OnTimeout<T> onTimeout;

  private Hold(Untimed<K, T> what, long nanos, @Nullable OnTimeout<T> onTimeout) {
    this.what = what;
    this.nanos = nanos;
    this.onTimeout = onTimeout;
  }

  /**
   * The description of a request whose time limit is not set yet. Created by {@link
   * Purgatory#until}, {@link Purgatory#untilAsync}, {@link Purgatory#untilCompleted}, {@link
   * Replies#expecting} and {@link Thresholds#reach}. Set what is special about the request, then
   * its time limit, with {@link #orAfter}, {@link #orTimeout}, or {@link #forever} for none.
   * Immutable.
   *
   * @param <K> the type of the keys
   * @param <T> the type of the answer
   */
  public static final class Untimed<K, T> {
    private final Futures<K> futures;

    /** Null if there is none. */
    private final @Nullable Condition condition;

    /** Gets answers that are not delivered; null if nobody wants them. */
    private final @Nullable Consumer<Object> giveBack;

    private final long jitterNanos;
    private final Terms terms;

    /** Creates a description; no condition: only other callers give the answer. */
    Untimed(
        Futures<K> futures,
        @Nullable Condition condition,
        @Nullable Consumer<Object> giveBack,
        long jitterNanos,
        Terms terms) {
      this.futures = futures;
      this.condition = condition;
      this.giveBack = giveBack;
      this.jitterNanos = jitterNanos;
      this.terms = terms;
    }

    /**
     * Adds a random time to the time limit of each request, so that requests that arrived together
     * do not return together.
     *
     * @param most the greatest time to add, zero or more
     * @return a copy whose requests time out after the time limit, and at most this much later
     * @throws IllegalArgumentException if it is negative
     */
    public Untimed<K, T> jitter(Duration most) {
      if (most.isNegative()) {
        throw new IllegalArgumentException("jitter " + most + " is negative");
      }
      return new Untimed<>(futures, condition, giveBack, Registration.nanos(most), terms);
    }

    /**
     * Sets where an answer goes that the condition has found and that the request does not get,
     * because something else ended it: its cancellation, a scope, its time limit, the close of the
     * purgatory. Needed if the condition takes what it returns: a value from a queue, a lease, a
     * token.
     *
     * <pre>{@code
     * polls
     *     .until(() -> queue.poll())
     *     .orReturn(
     *         value -> {
     *           queue.addFirst(value);
     *           polls.signal(name);
     *         })
     *     .orAfter(timeout, () -> NOTHING)
     *     .hold(name);
     * }</pre>
     *
     * @param giveBack called exactly once for each answer that was found and not delivered, after
     *     the request has ended, on the thread that evaluated the condition, completed its stage or
     *     ended the request. It may signal
     * @return a copy that gives such answers back
     * @throws IllegalStateException if that was set before, or there is no condition
     */
    @SuppressWarnings("unchecked") // the condition gives values of this type only
    public Untimed<K, T> orReturn(Consumer<? super T> giveBack) {
      requireNonNull(giveBack, "giveBack");
      if (this.giveBack != null) {
        throw new IllegalStateException("orReturn is set already");
      }
      if (condition == null || condition instanceof EarlyReplies) {
        throw new IllegalStateException("there is no condition whose answer could be returned");
      }
      return new Untimed<>(futures, condition, (Consumer<Object>) giveBack, jitterNanos, terms);
    }

    /**
     * Puts the request into scopes, which end it when they are closed.
     *
     * @param scopes the owners of the request
     * @return a copy in these scopes, too
     */
    public Untimed<K, T> inScope(Scope... scopes) {
      return with(terms.in(scopes));
    }

    /**
     * Attaches a value of the caller's to the request: who asked, say, or what was asked for.
     * {@link HeldFuture#tag} returns it, and {@link Inspection#held} shows it.
     *
     * @param tag any value; the end of the request releases it
     * @return a copy with this tag
     */
    public Untimed<K, T> tag(Object tag) {
      return with(terms.tagged(requireNonNull(tag, "tag")));
    }

    /**
     * Sets the weight of the request: see {@link Limit.Builder#weight}. By default 1.
     *
     * @param weight for instance the bytes that it holds, 0 or more
     * @return a copy with this weight
     * @throws IllegalArgumentException if it is negative
     */
    public Untimed<K, T> weight(long weight) {
      if (weight < 0) {
        throw new IllegalArgumentException("weight " + weight + " is negative");
      }
      return with(terms.and(Limit.weighing(weight)));
    }

    /**
     * Evaluates the condition periodically, too, for a condition that changes without a signal. It
     * runs on the executor for expirations.
     *
     * @param period the time between evaluations, positive
     * @return a copy with this period
     * @throws IllegalArgumentException if the period is zero or negative
     */
    public Untimed<K, T> recheckEvery(Duration period) {
      if (period.isZero() || period.isNegative()) {
        throw new IllegalArgumentException("period " + period + " is not positive");
      }
      return with(new Recheck.Every(Registration.nanos(period)));
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
    public <N> Untimed<K, T> reaching(Thresholds<N> thresholds, N key, long threshold) {
      requireNonNull(thresholds, "thresholds");
      requireNonNull(key, "key");
      return with(new Thresholds.Point<>(thresholds, key, threshold));
    }

    Untimed<K, T> with(Term term) {
      return with(terms.and(term));
    }

    /**
     * Sets a time limit, and the answer for a timeout.
     *
     * @param timeout how long to hold. Zero: it times out at once. 146 years or more: no time limit
     * @param answer called on a timeout; an exception fails the future
     * @return a description that can be held
     * @throws IllegalArgumentException if the timeout is negative
     */
    public Hold<K, T> orAfter(Duration timeout, Supplier<? extends T> answer) {
      requireNonNull(answer, "answer");
      return limited(timeout, future -> answer.get());
    }

    /**
     * Sets a time limit. On a timeout the future fails with a {@link TimeoutException}, or with the
     * exception that is set for the purgatory.
     *
     * @param timeout how long to hold. Zero: it times out at once. 146 years or more: no time limit
     * @return a description that can be held
     * @throws IllegalArgumentException if the timeout is negative
     */
    public Hold<K, T> orTimeout(Duration timeout) {
      return limited(timeout, null);
    }

    /**
     * Sets a time limit, and the exception for a timeout.
     *
     * @param timeout how long to hold. Zero: it times out at once. 146 years or more: no time limit
     * @param exception called on a timeout; the future fails with its result
     * @return a description that can be held
     * @throws IllegalArgumentException if the timeout is negative
     */
    public Hold<K, T> orTimeout(Duration timeout, Supplier<? extends Throwable> exception) {
      requireNonNull(exception, "exception");
      return limited(
          timeout,
          future -> {
            throw requireNonNull(exception.get(), "exception");
          });
    }

    /**
     * Says that there is no time limit: the request is held until something else ends it.
     *
     * @return a description that can be held
     */
    public Hold<K, T> forever() {
      return new Hold<>(this, Long.MAX_VALUE, null);
    }

    private Untimed<K, T> with(Terms newTerms) {
      return newTerms == terms
          ? this
          : new Untimed<>(futures, condition, giveBack, jitterNanos, newTerms);
    }

    private Hold<K, T> limited(Duration timeout, @Nullable OnTimeout<T> onTimeout) {
      return new Hold<>(this, Registration.nanos(timeout), onTimeout);
    }

    /** Holds a request on keys, or for the events of its terms. */
    HeldFuture<T> begin(
        long nanos, @Nullable OnTimeout<T> onTimeout, Collection<? extends K> keys) {
      if (keys.isEmpty() && !terms.hasEvents()) {
        throw new IllegalArgumentException("a request needs at least one key");
      }
      futures.holder().keys().checkNumber(keys.size());
      HeldFuture<T> future =
          new HeldFuture<>(
              futures, condition, giveBack, jittered(nanos), onTimeout, keys, terms.tag());
      futures.hold(future, terms.keys(keys), terms.ofRequest(keys));
      return future;
    }

    private long jittered(long nanos) {
      if (jitterNanos == 0) {
        return nanos;
      }
      long added = ThreadLocalRandom.current().nextLong(jitterNanos) + 1;
      return nanos > Long.MAX_VALUE - added ? Long.MAX_VALUE : nanos + added;
    }
  }

  /**
   * Evaluates the condition. If it gives no answer, holds the request until a signal on one of the
   * keys makes it answerable, or it times out.
   *
   * @param keys the events that may make it answerable; at least one, unless the request waits for
   *     a threshold
   * @return the answer; already complete if the condition gave it at once
   * @throws IllegalArgumentException if there are no keys, or several for a {@linkplain
   *     Replies#expecting reply}
   * @throws NullPointerException if a key is null
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // The array is only read.
  public final HeldFuture<T> hold(K... keys) {
    for (K key : requireNonNull(keys, "keys")) {
      requireNonNull(key, "key");
    }
    return what.begin(nanos, onTimeout, List.of(keys));
  }

  /**
   * Holds the request, like {@link #hold(Object...)}.
   *
   * @param keys the events that may make it answerable, at least one; the collection must not
   *     change afterwards
   * @return the answer; already complete if the condition gave it at once
   * @throws IllegalArgumentException if there are no keys, or several for a {@linkplain
   *     Replies#expecting reply}
   * @throws NullPointerException if a key is null
   */
  public HeldFuture<T> hold(Collection<? extends K> keys) {
    Purgatory.requireNoNull(keys);
    return what.begin(nanos, onTimeout, keys);
  }

  /**
   * Holds the request, like {@link #hold(Object...)}, on a group of keys that the purgatory has
   * stored.
   *
   * @param group a group of the same purgatory
   * @return the answer; already complete if the condition gave it at once
   * @throws IllegalArgumentException if the group is another purgatory's
   * @throws IllegalStateException if the group is closed
   */
  public HeldFuture<T> hold(KeyGroup<K> group) {
    return hold(group.asKey(what.futures.holder()));
  }
}
