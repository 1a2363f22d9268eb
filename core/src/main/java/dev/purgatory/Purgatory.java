package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.TimeLimit;
import dev.purgatory.internal.Helpers;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests that cannot be answered yet, until an event on one of their keys makes them
 * answerable or they time out. Answers each exactly once, without a thread per request.
 *
 * <pre>{@code
 * Purgatory<String> polls = Purgatory.builder("long-poll").build();
 *
 * CompletableFuture<List<String>> poll(String topic, int after) {
 *   List<String> log = log(topic);
 *   return polls
 *       .until(() -> log.size() > after ? tail(log, after) : null)
 *       .orAfter(Duration.ofSeconds(30), List::of)
 *       .hold(topic);
 * }
 *
 * void append(String topic, String message) {
 *   log(topic).add(message);
 *   polls.signal(topic);
 * }
 * }</pre>
 *
 * <p>There are three kinds of request: {@link #until} holds a request until a condition gives its
 * answer, {@link #limit} puts a time limit on any stage, and {@link Replies} awaits replies by
 * their correlation id. {@link DelayedOperation} serves hot paths.
 *
 * <p>Thread-safe. Callbacks, executors and listeners are never called with a lock of the purgatory
 * held. {@code equals} and {@code hashCode} of keys, and a {@link dev.purgatory.timer.Ticker}, may
 * be called with a lock held: they must not block or call back.
 *
 * <p>Callbacks may call every method here. Answers and signals that they cause run at once, nested
 * in the callback, so a callback may wait for an answer. When more than 32 are nested on a thread,
 * the next one runs on a helper thread, so the stack depth is bounded. Not more than 16 helper
 * threads of a purgatory are blocked by such waits at a time.
 *
 * <p>All purgatories of a {@link Timer} share its helper threads: at most 64 daemons, which are
 * started on demand by the thread of the clock, and end after a second without work. They run a
 * purgatory's callbacks with the context class loader of the thread that built it. A call that
 * completes, signals or cancels starts no thread and waits for none.
 *
 * @param <K> the type of the keys, with {@code equals} and {@code hashCode} that stay the same
 */
public final class Purgatory<K> implements AutoCloseable {

  /*
   * An operation can be reached from three places: the timer, for its timeout; the watch lists of its
   * keys, for events; and the user, who may complete or cancel it. Each of them ends it by a claim on the
   * state of its registration, which one caller wins. The winner clears the registration, which releases
   * the operation from the timer and all lists in one step, and then answers.
   *
   * Cleared registrations stay in the timer until it sweeps them, and on a list until they are replaced,
   * the list is walked or is full, or a purge removes them: see Purger.
   */

  /** How many times {@link #pending} reads counters that are changing. */
  private static final int MOST_LOOKS = 100;

  private final String name;
  private final Timer timer;
  private final boolean ownsTimer;
  private final Lanes lanes;
  private final Purger purger;
  private final Callbacks callbacks;
  private final OperationAdapter<DelayedOperation> operations;
  private final Futures<K> futures;
  private final WatchLists<K> watchLists;
  private final Admission<K> admission;
  private final Signals<K> signals;
  private final StripedCounter held = new StripedCounter();
  private final StripedCounter ended = new StripedCounter();
  private final boolean answersExpirations;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);

  /** What scopes refer to: empty once the purgatory is closed and nothing is held. */
  private final AtomicReference<@Nullable Purgatory<K>> link = new AtomicReference<>(this);

  /** Set before the purgatory is published. */
  private @Nullable Runnable whenClosed;

  Purgatory(PurgatoryBuilder builder, Timer timer) {
    name = builder.name;
    this.timer = timer;
    ownsTimer = builder.timer == null;
    lanes = new Lanes(name, timer.helpers());
    watchLists = new WatchLists<>(builder.purgeInterval);
    purger = new Purger(this, watchLists, timer, lanes);
    operations = new DelayedOperation.Adapter(this);
    futures = new Futures<>(this, builder.exceptions, builder.context);
    answersExpirations = builder.expirationExecutor == null;
    Executor completions = builder.completionExecutor;
    Executor expirations = builder.expirationExecutor;
    callbacks =
        new Callbacks(
            name,
            builder.listeners,
            timer::now,
            completions == null ? List.of() : List.of(completions),
            expirations == null
                ? List.of(lanes.expirations)
                : List.of(expirations, lanes.expirations),
            expirations != null && timer.hasThread(),
            lanes);
    admission = new Admission<>(this, timer, watchLists, callbacks, builder);
    signals = new Signals<>(watchLists, purger, lanes);
  }

  /**
   * Returns a builder of purgatories.
   *
   * @param name appears in thread names, messages and {@code toString}
   * @return a new builder
   */
  public static PurgatoryBuilder builder(String name) {
    return new PurgatoryBuilder(name);
  }

  /**
   * Begins the description of a request that is held until a condition gives its answer.
   *
   * @param condition returns the answer, or null while there is none. It is evaluated when the
   *     request is held and at each signal for one of its keys, by one thread at a time, and never
   *     after the request has ended. If it takes what it returns, say {@link Hold#orReturn where it
   *     goes} if the request has ended meanwhile. If it throws, the request fails with that
   *     exception. It must not signal a key of its own request. Keep it fast: a timeout waits until
   *     it returns
   * @param <T> the type of the answer
   * @return a description that can be held
   */
  public <T> Hold<K, T> until(Supplier<? extends @Nullable T> condition) {
    requireNonNull(condition, "condition");
    return new Hold<>(futures, reason -> condition.get());
  }

  /**
   * Begins the description of a request that is held until a condition gives its answer, like
   * {@link #until}. The condition sees the reason of the {@linkplain #signal(Object, Object)
   * signal} for which it is evaluated, and can return null at once if that does not concern it.
   *
   * @param condition gets the reason; null if it must look at everything: when the request is held,
   *     at its timeout, and for a signal without a reason or several at a time
   * @param <T> the type of the answer
   * @return a description that can be held
   */
  public <T> Hold<K, T> untilSignalled(
      Function<@Nullable Object, ? extends @Nullable T> condition) {
    return new Hold<>(futures, requireNonNull(condition, "condition")::apply);
  }

  /**
   * Begins the description of a request without a condition: it is held until somebody completes
   * its future, or {@linkplain #completeForKey completes} all requests on one of its keys.
   *
   * <pre>{@code
   * HeldFuture<Decision> decision =
   *     approvals
   *         .<Decision>untilCompleted()
   *         .orAfter(Duration.ofMinutes(10), () -> Decision.EXPIRED)
   *         .hold(call);
   * }</pre>
   *
   * @param <T> the type of the answer
   * @return a description that can be held
   */
  public <T> Hold<K, T> untilCompleted() {
    return new Hold<>(futures, null);
  }

  /**
   * Puts a time limit on a stage. The stage itself continues after a timeout; it then references
   * only a small object of the purgatory.
   *
   * @param stage any stage
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no limit
   * @param <T> the type of the answer
   * @return completes as the stage does, or fails with a {@link TimeoutException}
   * @throws IllegalArgumentException if the limit is negative
   */
  public <T> HeldFuture<T> limit(CompletionStage<T> stage, Duration timeout) {
    return futures.limit(stage, TimeLimit.of(timeout, null));
  }

  /**
   * Puts a time limit on a stage, with an answer for a timeout.
   *
   * @param stage any stage
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no limit
   * @param answer called on a timeout; an exception fails the future
   * @param <T> the type of the answer
   * @return completes as the stage does, or with this answer
   * @throws IllegalArgumentException if the limit is negative
   */
  public <T> HeldFuture<T> limit(
      CompletionStage<T> stage, Duration timeout, Supplier<? extends T> answer) {
    requireNonNull(answer, "answer");
    return futures.limit(stage, TimeLimit.of(timeout, future -> answer.get()));
  }

  /**
   * Answers the operation if its condition already holds, else holds it.
   *
   * @param operation an operation that was not handed to any purgatory before
   * @param keys the events that may make it answerable, at least one
   * @param scopes end the operation with them
   * @return true if this call completed the operation; false if it is held, or was ended by another
   *     caller
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if the operation or a key is null
   * @throws IllegalStateException if the operation was handed to a purgatory before, or the timer
   *     is closed
   * @throws PurgatoryClosedException if the purgatory is closed
   * @throws LimitExceededException if a limit refuses the operation, which has then failed with the
   *     same exception
   * @throws RuntimeException if a key's {@code equals} or {@code hashCode} throws; the operation
   *     has then failed with the same exception
   */
  public boolean hold(DelayedOperation operation, Collection<? extends K> keys, Scope... scopes) {
    requireNonNull(operation, "operation");
    requireKeys(keys);
    Terms terms = Terms.NONE.in(List.of(scopes));
    return admission.hold(operation.registration(), operations, keys, terms);
  }

  /**
   * Answers the operation if its condition already holds, else holds it on a set of keys.
   *
   * @param operation an operation that was not handed to any purgatory before
   * @param keys a set of this purgatory
   * @param scopes end the operation with them
   * @return as {@link #hold(DelayedOperation, Collection, Scope...)}
   * @throws IllegalArgumentException if the set is another purgatory's
   * @throws IllegalStateException if the set is closed
   */
  public boolean hold(DelayedOperation operation, KeySet<K> keys, Scope... scopes) {
    return hold(operation, keys.asKey(this), scopes);
  }

  /**
   * Answers the operation if its condition already holds, else holds it, like {@link
   * #hold(DelayedOperation, Collection, Scope...)}.
   *
   * @param operation an operation that was not handed to any purgatory before
   * @param keys the events that may make it answerable, at least one
   * @return true if this call completed the operation; false if it is held, or was ended by another
   *     caller
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // The array is only read.
  public final boolean hold(DelayedOperation operation, K... keys) {
    return hold(operation, Arrays.asList(keys));
  }

  /**
   * Answers an operation of the user's own type if its condition already holds, else holds it, like
   * {@link #hold(DelayedOperation, Collection, Scope...)}.
   *
   * @param operation prepared by an adapter of this purgatory, and not held before
   * @param keys the events that may make it answerable, at least one
   * @param scopes end the operation with them
   * @return true if this call completed the operation; false if it is held, or was ended by another
   *     caller
   * @throws IllegalArgumentException if there are no keys, or the adapter is another purgatory's
   */
  public boolean hold(Held operation, Collection<? extends K> keys, Scope... scopes) {
    Registration registration = (Registration) requireNonNull(operation, "operation");
    requireKeys(keys);
    if (registration.adapter().purgatory() != this) {
      throw new IllegalArgumentException("prepared for another purgatory: " + operation);
    }
    Terms terms = Terms.NONE.in(List.of(scopes));
    return admission.hold(registration, registration.adapter(), keys, terms);
  }

  static void requireKeys(Collection<?> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("an operation needs at least one key");
    }
    for (Object key : keys) {
      requireNonNull(key, "key");
    }
  }

  boolean hold(
      Registration registration,
      OperationAdapter<?> adapter,
      Collection<? extends K> keys,
      Terms terms) {
    return admission.hold(registration, adapter, keys, terms);
  }

  /**
   * Stores a set of keys, on which requests are then held as on a single key.
   *
   * @param keys at least one
   * @return the set; close it when it is no longer used
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if a key is null
   */
  public KeySet<K> keySet(Collection<? extends K> keys) {
    requireKeys(keys);
    KeySet<K> set = new KeySet<>(this, operations, keys);
    try {
      watchLists.watchAll(set.keys(), set.registration());
    } catch (Throwable e) {
      remove(set);
      throw e;
    }
    return set;
  }

  void remove(KeySet<K> set) {
    Registration registration = set.registration();
    if (registration.beginAnswer()) { // for the first caller
      purger.cleared(watchLists.clear(registration));
    }
  }

  /**
   * Signals an event on a key: evaluates the conditions of the requests that wait on it, and
   * answers those that have become answerable. Call it after the event has taken effect, preferably
   * without holding a lock.
   *
   * @param key the key of the event
   * @return the number of requests that this call completed; 0 if it was nested too deep in
   *     callbacks, so that a helper thread does the work
   */
  public int signal(K key) {
    return signal(key, Registration::evaluate, Integer.MAX_VALUE);
  }

  /**
   * Signals an event on a key, with a reason that conditions see: see {@link #untilSignalled} and
   * {@link DelayedOperation#isReady(Object)}. A condition that only depends on other reasons need
   * not look again.
   *
   * @param key the key of the event
   * @param reason describes the event
   * @return the number of requests that this call completed, as {@link #signal(Object)}
   */
  public int signal(K key, Object reason) {
    requireNonNull(reason, "reason");
    return signal(key, each -> each.evaluate(reason), Integer.MAX_VALUE);
  }

  /**
   * Signals an event on a key that can satisfy only some of the requests: evaluates their
   * conditions in the order in which they were held, until so many are completed.
   *
   * @param key the key of the event
   * @param most how many requests to complete, 1 or more. A request that another thread is adding
   *     or evaluating is evaluated again by that thread, and not counted
   * @return the number of requests that this call completed, as {@link #signal(Object)}
   * @throws IllegalArgumentException if {@code most} is not positive
   */
  public int signalAtMost(K key, int most) {
    if (most < 1) {
      throw new IllegalArgumentException("at most " + most + " requests");
    }
    return signal(key, Registration::evaluate, most);
  }

  private int signal(K key, Predicate<Registration> evaluation, int most) {
    return signals.signal(requireNonNull(key, "key"), evaluation, most);
  }

  /** Calls the visitor with each registration on a key; returns how often it returned true. */
  int visit(K key, Predicate<Registration> visitor) {
    return signals.visit(requireNonNull(key, "key"), visitor);
  }

  /** Visits the registrations of a scope. */
  int visitHidden(HiddenKey key, Predicate<Registration> visitor) {
    return signals.visit(key.asKey(), visitor);
  }

  /** Calls the visitor with each registration; returns how often it returned true. */
  int visitAll(Predicate<Registration> visitor) {
    return signals.visitAll(visitor);
  }

  /**
   * Cancels the operations that wait on a key, including those that also wait on others.
   *
   * @param key a key
   * @return the operations that this call cancelled: {@link DelayedOperation}s, {@link
   *     HeldFuture}s, or objects of an adapter's type
   */
  public List<Object> cancelForKey(K key) {
    List<Object> cancelled = new ArrayList<>();
    visit(key, each -> cancelInto(cancelled, each, Registration::cancel));
    return cancelled;
  }

  /**
   * Completes the operations that wait on a key, regardless of their conditions.
   *
   * @param key a key
   * @param value the answer of the {@link HeldFuture}s. Its type is not checked: if a future has
   *     another type, its reader gets a {@link ClassCastException}. Other operations compute their
   *     own answers
   * @return the number of operations that this call completed
   */
  public int completeForKey(K key, Object value) {
    requireNonNull(value, "value");
    return visit(key, each -> completeWith(each, value));
  }

  @SuppressWarnings("unchecked") // the caller vouches for the type
  private static boolean completeWith(Registration registration, Object value) {
    return registration.operation() instanceof HeldFuture<?> future
        ? ((HeldFuture<Object>) future).complete(value)
        : registration.complete();
  }

  /**
   * Fails the operations that wait on a key, including those that also wait on others: for instance
   * because the leadership of a partition has moved.
   *
   * @param key a key
   * @param cause the cause of the failures
   * @return the number of operations that this call failed
   */
  public int failForKey(K key, Throwable cause) {
    requireNonNull(cause, "cause");
    return visit(key, each -> each.fail(cause));
  }

  /**
   * Cancels all held operations, for instance to hand them to a successor.
   *
   * @return the operations that this call cancelled, of the types that {@link #cancelForKey}
   *     returns
   */
  public List<Object> cancelAll() {
    List<Object> cancelled = new ArrayList<>();
    visitAll(each -> cancelInto(cancelled, each, Registration::cancel));
    watchLists.purge();
    return cancelled;
  }

  private static boolean cancelInto(
      List<Object> cancelled, Registration registration, Predicate<Registration> cancellation) {
    Object operation = registration.operation();
    return operation != null && cancellation.test(registration) && cancelled.add(operation);
  }

  /**
   * Returns the number of held operations: those without an outcome.
   *
   * @return 0 or more, exact. An operation whose adding or ending call has not returned yet may or
   *     may not be counted
   */
  public long pending() {
    // Both counters only grow. If `ended` is the same before and after reading `held`, the
    // difference was exact at that moment. If `ended` keeps changing, the least difference is best.
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MOST_LOOKS; i++) {
      long before = ended.sum();
      long pending = held.sum() - before;
      if (ended.sum() == before) {
        return pending;
      }
      least = Math.min(least, pending);
    }
    return least;
  }

  /**
   * Returns the number of ended operations that wait for an executor or a helper thread to answer
   * them.
   *
   * @return 0 or more. It grows without bound only if an executor drops tasks or a callback hangs
   */
  public long unanswered() {
    return callbacks.unanswered();
  }

  /**
   * Returns the total size of the watch lists: one entry per operation and key, including ended
   * operations that were not yet removed.
   *
   * @return 0 or more; exact while nothing is added or removed
   */
  public long watched() {
    return watchLists.watched();
  }

  /**
   * Returns the number of keys that have a watch list.
   *
   * @return 0 or more; exact while nothing is added or removed
   */
  public int keys() {
    return watchLists.keys();
  }

  /**
   * Counts what is held, by key. Visits every entry, without a lock.
   *
   * @param mostKeys how many of the busiest keys to return, 0 or more
   * @return the counts
   */
  public PurgatorySnapshot<K> snapshot(int mostKeys) {
    return new Snapshots<>(this).take(mostKeys);
  }

  /**
   * Removes the entries of ended operations from the watch lists and the timer. The purgatory does
   * this by itself: it keeps fewer than twice as many entries as are pending, plus a few thousand
   * small objects, and it removes keys without a pending operation about half a second after the
   * last one ended, or later if visiting all keys takes longer than a twentieth of a second.
   */
  public void purge() {
    watchLists.purge();
    timer.purge();
  }

  /**
   * Closes the purgatory: refuses further operations, and ends those that are held with {@link
   * Outcome#CLOSED}, unless a last evaluation finds that their condition holds. Waits until the
   * helper threads have given all answers, without a limit; see {@link #close(Duration)}. Does not
   * wait for answers on other executors, or when called from a callback on one of the library's
   * threads. If the caller is interrupted, the wait ends, the interrupt status stays set, and the
   * answers continue in the background. Closing again does nothing, even while another thread is
   * still closing.
   */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      visitAll(this::closeOne);
      boolean unused = awaitAnswers(Ticker.system().nanos() + Long.MAX_VALUE);
      release();
    }
  }

  boolean closeOne(Registration registration) {
    return answersExpirations ? registration.close() : registration.closeHere();
  }

  /**
   * Closes the purgatory within a time limit: refuses further operations, and ends those that are
   * held with {@link Outcome#CLOSED}. When the limit is over, cancels the rest and returns,
   * whatever callbacks do: helper threads answer the cancelled operations in the background.
   * Interrupts nothing. An {@link PurgatoryBuilder#expirationExecutor} that runs tasks on the
   * calling thread can delay it by one answer.
   *
   * @param limit how long to wait at most; zero or less: not at all
   * @return the operations that were cancelled, none of which had begun to be answered, of the
   *     types that {@link #cancelForKey} returns; empty if the purgatory was closed before
   */
  public List<Object> close(Duration limit) {
    requireNonNull(limit, "limit");
    if (closed.getAndSet(true)) {
      return List.of();
    }
    long end = Ticker.system().nanos() + Math.max(0, TimeUnit.NANOSECONDS.convert(limit));
    visitAll(each -> Ticker.system().nanos() - end < 0 && each.close());
    if (!answersExpirations && !Helpers.isHelper() && pending() > 0) {
      awaitDrained(end);
    }
    List<Object> cancelled = new ArrayList<>();
    if (!awaitAnswers(end)) {
      lanes.hurry();
    }
    visitAll(each -> cancelInto(cancelled, each, Registration::cancelAtClose));
    release();
    return cancelled;
  }

  private void awaitDrained(long end) {
    try {
      boolean unused = drained.await(end - Ticker.system().nanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits until the library's threads have given all answers, unless on one of them: two
   * purgatories that close each other from answers would wait for each other.
   */
  private boolean awaitAnswers(long end) {
    lanes.closeExpirations();
    return !Helpers.isHelper() && lanes.await(end);
  }

  /** Releases what the purgatory has of its timer. Answers continue on helper threads. */
  private void release() {
    if (ownsTimer) {
      timer.close();
    }
    lanes.close();
    purger.close();
    purge();
    if (pending() == 0) {
      link.set(null); // else the last end does
    }
    if (whenClosed != null) {
      whenClosed.run();
    }
  }

  /** Sets what runs at the end of {@link #close}. */
  void whenClosed(Runnable task) {
    whenClosed = task;
  }

  void beginPending() {
    held.add(1);
  }

  void endPending() {
    ended.add(1);
  }

  Timer timer() {
    return timer;
  }

  /**
   * Releases an operation that has ended.
   *
   * @param unscheduled whether the claim ended its wait in the timer, which must still be counted
   */
  void release(Registration registration, boolean unscheduled) {
    if (unscheduled) {
      timer.countEnd(registration);
    } else {
      boolean unused = timer.cancel(registration);
    }
    purger.cleared(watchLists.clear(registration));
    noticeDrained();
  }

  /** Ends the wait of {@link #close(Duration)} after the last operation has ended. */
  void noticeDrained() {
    if (closed.get() && pending() == 0) {
      drained.countDown();
      link.set(null);
      watchLists.purge();
    }
  }

  long now() {
    return timer.now();
  }

  boolean isClosed() {
    return closed.get();
  }

  AtomicReference<? extends @Nullable Purgatory<?>> link() {
    return link;
  }

  String name() {
    return name;
  }

  Futures<K> futures() {
    return futures;
  }

  PurgatoryClosedException closedException() {
    return new PurgatoryClosedException(name + " is closed");
  }

  @Override
  public String toString() {
    return "Purgatory["
        + name
        + (closed.get() ? ", closed, " : ", ")
        + pending()
        + " pending, "
        + keys()
        + " keys]";
  }

  Callbacks callbacks() {
    return callbacks;
  }

  WatchLists<K> watchLists() {
    return watchLists;
  }

  Purger purger() {
    return purger;
  }
}
