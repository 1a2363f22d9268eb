package dev.purgatory.throttle;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests until the quota of their key allows them, for instance the uploads of each client.
 * Thread-safe.
 *
 * <pre>{@code
 * Timer timer = Timer.builder().start("clock");
 * Purgatory<String> uploads = Purgatory.builder("uploads", String.class).timer(timer).build();
 * Throttles<String> throttles = new Throttles<>(uploads, timer, Rate.perSecond(1_000_000));
 *
 * void onChunk(String client, byte[] chunk) {
 *   throttles.acquire(client, chunk.length).thenRun(() -> store(client, chunk));
 * }
 *
 * void onDisconnect(String client) {
 *   uploads.cancelForKey(client);
 * }
 * }</pre>
 *
 * <p>Each key has a quota of its own, which starts full and is refilled continuously. Requests on a
 * key are released in the order of their arrival, each as soon as its amount is available: never
 * earlier, and less than a tick of the timer later while a thread is free. A request for more than
 * the burst is released when the quota is full, and leaves a debt that the next requests wait for.
 *
 * <p>A request that waits is held by the purgatory, on its key. If it is cancelled, times out, is
 * completed by the caller, or is closed with the purgatory, it leaves the line and is not charged.
 * Its place is given up before {@code cancel} returns, unless a callback of its future blocks.
 *
 * <p>A request that has waited is released on the executor for releases, or on a thread that is
 * started on demand and ends after a second without work. Callbacks on its future run there, too.
 * While they block, they delay the other releases of that thread, and all later ones of their key.
 *
 * <p>A key is kept while requests wait for it, until its quota is full, and while it has a rate of
 * its own. Then nothing of it is left, and the timer has no entry for it.
 *
 * @param <K> the type of the keys, with constant {@code equals} and {@code hashCode}
 */
public final class Throttles<K> {

  /*
   * A map of throttles, one for each key in use. A throttle that has nothing to keep marks itself as
   * removed under its lock, and is then removed from the map. A change that finds such a throttle has no
   * effect, and is made to a new one.
   *
   * A request first tries to take its amount, and then needs no place in the line. Otherwise the purgatory
   * holds its future, which calls listeners, and only then it joins the line, under the lock. It leaves the
   * line when its future is done.
   *
   * Releases run on an executor and not on the thread of the timer's clock: see Dispatcher.
   */

  private static final LastResort NOT_REFRESHED =
      LastResort.handler("A throttle could not be refreshed");

  private final Purgatory<K> purgatory;
  private final Hold.Untimed<K, Long> untilReleased;
  private final Throttle.Environment environment;
  private final Map<K, Throttle> throttles = new ConcurrentHashMap<>();
  private volatile Rate rate;

  /**
   * Creates throttles. Requests are released on a thread that is started on demand, or, on a timer
   * whose clock the caller drives, on the thread that advances it.
   *
   * @param purgatory holds the requests that wait
   * @param timer the timer of that purgatory
   * @param rate applies to each key that has no rate of its own
   */
  public Throttles(Purgatory<K> purgatory, Timer timer, Rate rate) {
    this(purgatory, rate, timer, null);
  }

  /**
   * Creates throttles.
   *
   * @param purgatory holds the requests that wait
   * @param timer the timer of that purgatory
   * @param rate applies to each key that has no rate of its own
   * @param executor releases requests that have waited. If it rejects a task, or has not begun it
   *     after several seconds in which it was asked three times, a thread of the library runs it.
   *     If it runs tasks on the calling thread, callbacks delay other releases
   */
  public Throttles(Purgatory<K> purgatory, Timer timer, Rate rate, Executor executor) {
    this(purgatory, rate, timer, requireNonNull(executor, "executor"));
  }

  private Throttles(Purgatory<K> purgatory, Rate rate, Timer timer, @Nullable Executor executor) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
    this.rate = requireNonNull(rate, "rate");
    this.untilReleased = purgatory.untilCompleted(); // by a release
    TimerInternals internals = TimerInternals.of(requireNonNull(timer, "timer"));
    Dispatcher dispatcher =
        new Dispatcher(
            internals,
            executor,
            "purgatory-throttles",
            LastResort.handler("The executor of throttles failed"));
    this.environment =
        new Throttle.Environment(
            internals.wheels(),
            dispatcher,
            Retry.of(internals.wheels(), this::refreshAll),
            () -> this.rate);
  }

  /**
   * Takes an amount from the quota of a key, now or when it is available.
   *
   * @param key the key
   * @param amount 0 or more. With zero, the request waits for those before it and for the end of
   *     the key's debt
   * @return completes with the amount when the request is released; already complete if it did not
   *     have to wait. Fails with a {@link dev.purgatory.PurgatoryClosedException} if the purgatory
   *     or its timer is closed
   * @throws IllegalArgumentException if the amount is negative
   */
  public HeldFuture<Long> acquire(K key, long amount) {
    return acquire(key, amount, untilReleased.forever());
  }

  /**
   * Takes an amount from the quota of a key, now or when it is available, within a time limit.
   *
   * @param key the key
   * @param amount 0 or more, as {@linkplain #acquire(Object, long) above}
   * @param timeout how long to wait. Zero: not at all. 146 years or more: no time limit
   * @return completes with the amount when the request is released, or fails with a {@link
   *     java.util.concurrent.TimeoutException}
   * @throws IllegalArgumentException if the amount or the timeout is negative
   */
  public HeldFuture<Long> acquire(K key, long amount, Duration timeout) {
    return acquire(key, amount, untilReleased.orTimeout(timeout));
  }

  private HeldFuture<Long> acquire(K key, long amount, Hold<K, Long> hold) {
    Headroom.ensure();
    IllegalStateException closed = null;
    try {
      if (tryAcquire(key, amount)) {
        return released(key, amount);
      }
    } catch (IllegalStateException e) {
      closed = e;
    }
    HeldFuture<Long> future = hold.hold(List.of(key));
    if (closed != null) {
      future.completeExceptionally(closed); // unless it was refused
    }
    if (!future.isDone()) { // else it was refused, or does not wait
      join(key, new Waiter(future, amount));
    }
    return future;
  }

  private void join(K key, Waiter waiter) {
    HeldFuture<Long> future = waiter.future;
    try {
      Throttle joined = change(key, throttle -> throttle.join(waiter) == null ? null : throttle);
      var unused = future.whenComplete((value, error) -> joined.leave(waiter));
    } catch (IllegalStateException e) { // the timer is closed
      future.completeExceptionally(e);
    } catch (Throwable e) {
      future.cancel(false);
      throw e;
    }
  }

  /** Returns a complete future, or one that failed because the purgatory is closed. */
  private HeldFuture<Long> released(K key, long amount) {
    Outcome outcome = null;
    try {
      HeldFuture<Long> future = purgatory.until(() -> amount).forever().hold(List.of(key));
      outcome = future.outcome();
      return future;
    } finally {
      if (outcome != Outcome.COMPLETED) {
        addBack(key, amount);
      }
    }
  }

  /**
   * Takes an amount from the quota of a key if nobody waits for it and it is available.
   *
   * @param key the key
   * @param amount 0 or more. More than the burst is available when the quota is full
   * @return whether it was taken
   * @throws IllegalArgumentException if the amount is negative
   */
  public boolean tryAcquire(K key, long amount) {
    requireNonNull(key, "key");
    requireAmount(amount);
    return change(key, throttle -> throttle.tryTake(amount));
  }

  /**
   * Charges a key for an amount that it has used already. If that is more than is available, the
   * key is in debt, and requests wait until the debt is refilled. To delay an answer by its own
   * cost, charge the cost and then {@link #acquire} zero.
   *
   * @param key the key
   * @param amount 0 or more. A debt grows to at most {@link Rate#MOST}
   * @throws IllegalArgumentException if the amount is negative
   */
  public void charge(K key, long amount) {
    requireNonNull(key, "key");
    requireAmount(amount);
    change(key, throttle -> throttle.charge(amount));
  }

  /**
   * Gives back an amount that was taken and not used. The quota does not exceed its burst.
   *
   * @param key the key
   * @param amount 0 or more
   * @throws IllegalArgumentException if the amount is negative
   */
  public void giveBack(K key, long amount) {
    requireNonNull(key, "key");
    requireAmount(amount);
    Headroom.ensure();
    addBack(key, amount);
  }

  private void addBack(K key, long amount) {
    Throttle throttle = throttles.get(key);
    if (throttle != null) {
      throttle.giveBack(amount);
    }
  }

  private static void requireAmount(long amount) {
    if (amount < 0) {
      throw new IllegalArgumentException("amount " + amount + " is negative");
    }
  }

  /**
   * Changes the rate of all keys that have none of their own, also for requests that wait already.
   *
   * @param rate the rate from now on
   */
  public void rate(Rate rate) {
    requireNonNull(rate, "rate");
    Headroom.ensure();
    this.rate = rate;
    refreshAll(); // a throttle that is created from now on reads the rate
  }

  private void refreshAll() {
    throttles.forEach(
        (key, throttle) -> {
          try {
            throttle.refresh();
          } catch (OutOfMemoryError e) {
            environment.retry().later();
          } catch (Throwable e) { // `hashCode` or `equals` of the key, or the timer is closed
            NOT_REFRESHED.accept(e);
          }
        });
  }

  /**
   * Gives a key a rate of its own, also for requests that wait already.
   *
   * @param key the key
   * @param rate the rate from now on, until {@link #resetRate}
   */
  public void rate(K key, Rate rate) {
    requireNonNull(key, "key");
    requireNonNull(rate, "rate");
    change(key, throttle -> throttle.rate(rate));
  }

  /**
   * Removes the rate that a key has of its own. The rate of the other keys applies again.
   *
   * @param key the key
   */
  public void resetRate(K key) {
    Headroom.ensure();
    Throttle throttle = throttles.get(requireNonNull(key, "key"));
    if (throttle != null) {
      throttle.rate(null);
    }
  }

  /** Changes the throttle of a key; tries again with a new one if it was removed. */
  private <R> R change(K key, Function<Throttle, @Nullable R> change) {
    Headroom.ensure();
    for (; ; ) {
      Throttle throttle = throttles.computeIfAbsent(key, this::create);
      R result = change.apply(throttle);
      if (result != null) {
        return result;
      }
      throttles.remove(key, throttle); // its remover may be slow
    }
  }

  private Throttle create(K key) {
    return new Throttle(environment, throttle -> throttles.remove(key, throttle));
  }

  /**
   * Returns the amount that is available to a key.
   *
   * @param key the key
   * @return the amount; negative if the key is in debt
   */
  public long available(K key) {
    Headroom.ensure();
    Throttle throttle = throttles.get(requireNonNull(key, "key"));
    Long available = throttle == null ? null : throttle.available();
    return available == null ? rate.burst() : available;
  }

  /**
   * Returns the number of requests that wait for a key.
   *
   * @param key the key
   * @return 0 or more
   */
  public int waiting(K key) {
    Headroom.ensure();
    Throttle throttle = throttles.get(requireNonNull(key, "key"));
    Integer waiting = throttle == null ? null : throttle.waiting();
    return waiting == null ? 0 : waiting;
  }

  /**
   * Returns the number of keys that are kept.
   *
   * @return 0 or more
   */
  public int keys() {
    return throttles.size();
  }

  /** Describes the throttles for logs. */
  @Override
  public String toString() {
    return "Throttles[" + rate + ", " + keys() + " keys]";
  }
}
