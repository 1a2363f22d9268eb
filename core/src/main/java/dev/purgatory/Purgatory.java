package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.HeldFuture.TimeLimit;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.lang.invoke.VarHandle;
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
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests that cannot be answered yet, until an event on one of their keys makes them
 * answerable or their time is up, and answers each exactly once, without a thread per request.
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
 * <p>There are three kinds of request, and one mechanism: {@link #until} holds until a condition is
 * true, {@link #limit} gives a time limit to any stage, and {@link Replies} await replies by their
 * correlation id. For hot paths there is {@link DelayedOperation}.
 *
 * <p>Thread-safe. No callback, executor or listener is ever called with a lock of the purgatory
 * held. {@code equals} and {@code hashCode} of keys, and a {@link dev.purgatory.timer.Ticker}, must
 * neither block nor call back: they may be called with a lock held.
 *
 * <p>Callbacks may call everything here. Answers and signals that they set off run at once, within
 * them, so that a callback may wait for an answer. Where more than 32 are nested on a thread, the
 * next runs on a helper thread of the purgatory: so a chain of any length takes a bounded stack.
 *
 * <p>A purgatory starts threads when it needs them, and they end when they are idle for a second.
 * They are daemons, and have the context class loader of the thread that built the purgatory.
 *
 * @param <K> the type of the keys, with {@code equals} and {@code hashCode} that stay the same
 */
public final class Purgatory<K> implements AutoCloseable {

  /*
   * An operation is in three places: the timer, for its time to be up; the watch lists of its keys, for
   * events; and the hands of the user, who may complete or cancel it. All three end in one claim on the
   * state of its registration, which has one winner. The winner sees to it that the others let go, in one
   * step: timer and lists hold the registration, which is cleared. Then it has the operation answered.
   *
   * Coming in is check, watch, check again. An event before the first check is seen by that. An event
   * after the operation is on the list of its key finds it there. An event in between is seen by the
   * second check, which comes after the operation is on all lists; asking after each key instead
   * would cost as many evaluations as there are keys. Each side writes first and looks then: an event
   * and the lists, a list and the events. So each has a full fence in between, without which both could
   * look before either write is seen, where the event is a plain store.
   *
   * Cleared registrations stay in the timer until it sweeps them, and on a list until it is walked, is full, or
   * is purged: see Purger.
   */

  /** How often {@link #pending} looks at counters that move. */
  private static final int MOST_LOOKS = 100;

  private final String name;
  private final Timer timer;
  private final boolean ownsTimer;
  private final Worker worker;
  private final Worker helpers;
  private final Purger purger;
  private final Callbacks callbacks;
  private final OperationAdapter<DelayedOperation> operations;
  private final Futures<K> futures;
  private final WatchLists<K> watchLists;
  private final StripedCounter held = new StripedCounter();
  private final StripedCounter ended = new StripedCounter();
  private final boolean answersExpirations;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);

  Purgatory(PurgatoryBuilder builder, Timer timer) {
    name = builder.name;
    this.timer = timer;
    ownsTimer = builder.timer == null;
    worker = Worker.serial("purgatory-" + name + "-expiration");
    helpers = Worker.concurrent("purgatory-" + name + "-helper");
    watchLists = new WatchLists<>(builder.purgeInterval);
    purger = new Purger(watchLists, timer, helpers);
    operations = new DelayedOperation.Adapter(this);
    futures = new Futures<>(this, builder.exceptions);
    answersExpirations = builder.expirationExecutor == null;
    Executor completions = builder.completionExecutor;
    Executor expirations = builder.expirationExecutor;
    callbacks =
        new Callbacks(
            builder.listeners,
            timer::now,
            completions == null ? List.of() : List.of(completions),
            expirations == null ? List.of(worker) : List.of(expirations, worker),
            expirations != null && timer.hasThread() ? worker : null,
            helpers);
  }

  /**
   * Returns a builder of purgatories.
   *
   * @param name appears in the names of threads, in messages and in {@code toString}
   * @return a new builder
   */
  public static PurgatoryBuilder builder(String name) {
    return new PurgatoryBuilder(name);
  }

  /**
   * Begins to describe a request that is held until a condition gives an answer.
   *
   * @param condition looks for the answer: null while there is none. It is evaluated when the
   *     request is held, and at each signal for one of its keys; by one thread at a time, never
   *     after the request has ended. If it throws, the request fails with that. It must not signal
   *     a key of its own request. Keep it quick: a timeout waits until it returns
   * @param <T> the type of the answer
   * @return what can be held
   */
  public <T> Hold<K, T> until(Supplier<? extends @Nullable T> condition) {
    return new Hold<>(futures, requireNonNull(condition, "condition"), Hold.unlimited());
  }

  /**
   * Gives a time limit to a stage. The stage itself goes on when the limit is over; all that it
   * then keeps of this is a small object.
   *
   * @param stage any stage
   * @param timeout how long to wait for it. Zero or less: it times out at once. 146 years or more:
   *     no limit
   * @param <T> the type of the answer
   * @return completes as the stage does, or fails with a {@link TimeoutException}
   */
  public <T> HeldFuture<T> limit(CompletionStage<T> stage, Duration timeout) {
    return futures.limit(stage, new TimeLimit<>(Hold.nanos(timeout), null));
  }

  /**
   * Gives a time limit to a stage, and an answer for when it is over.
   *
   * @param stage any stage
   * @param timeout how long to wait for it. Zero or less: it times out at once. 146 years or more:
   *     no limit
   * @param answer asked when time is up; what it throws fails the future
   * @param <T> the type of the answer
   * @return completes as the stage does, or with this answer
   */
  public <T> HeldFuture<T> limit(
      CompletionStage<T> stage, Duration timeout, Supplier<? extends T> answer) {
    requireNonNull(answer, "answer");
    return futures.limit(stage, new TimeLimit<>(Hold.nanos(timeout), future -> answer.get()));
  }

  /**
   * Answers the operation if that is possible now, else holds it.
   *
   * @param operation not handed to any purgatory before
   * @param keys the events that may make it answerable, at least one
   * @return true if this call completed the operation; false if it is held, or has been ended by
   *     something else
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if the operation or a key is null
   * @throws IllegalStateException if the operation was handed to a purgatory before, or the timer
   *     is closed
   * @throws PurgatoryClosedException if the purgatory is closed
   * @throws RuntimeException what a key's {@code equals} or {@code hashCode} throws; the operation
   *     has then failed with it
   */
  public boolean hold(DelayedOperation operation, Collection<? extends K> keys) {
    requireNonNull(operation, "operation");
    requireKeys(keys);
    return hold(operation.registration(), operations, keys, /* alone= */ false);
  }

  /**
   * Answers the operation if that is possible now, else holds it, as {@link #hold(DelayedOperation,
   * Collection)} does.
   *
   * @param operation not handed to any purgatory before
   * @param keys the events that may make it answerable, at least one
   * @return true if this call completed the operation; false if it is held, or has been ended by
   *     something else
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // The array is only read.
  public final boolean hold(DelayedOperation operation, K... keys) {
    return hold(operation, Arrays.asList(keys));
  }

  /**
   * Answers an operation of the user's own type if that is possible now, else holds it, as {@link
   * #hold(DelayedOperation, Collection)} does.
   *
   * @param operation made by an adapter of this purgatory, and not held before
   * @param keys the events that may make it answerable, at least one
   * @return true if this call completed the operation; false if it is held, or has been ended by
   *     something else
   * @throws IllegalArgumentException if there are no keys, or the adapter is another purgatory's
   */
  public boolean hold(Held operation, Collection<? extends K> keys) {
    Registration registration = (Registration) requireNonNull(operation, "operation");
    requireKeys(keys);
    if (registration.adapter().purgatory() != this) {
      throw new IllegalArgumentException("prepared for another purgatory: " + operation);
    }
    return hold(registration, registration.adapter(), keys, /* alone= */ false);
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
      boolean alone) {
    requireOpen(registration);
    if (!registration.admit(adapter)) {
      return false;
    }
    boolean completed;
    try {
      registration.check();
      if (!registration.isEnded()) {
        watchAndCheck(registration, keys, alone);
      }
    } catch (Throwable e) {
      boolean unused = registration.abort(e);
      throw e;
    } finally {
      completed = registration.endEvaluation();
    }
    if (closed.get()) {
      boolean unused = closeOne(registration); // close() may have looked at the lists before
    }
    return completed;
  }

  private void requireOpen(Registration registration) {
    if (closed.get()) {
      PurgatoryClosedException refusal = closedException();
      Object operation = registration.operation();
      callbacks.refused(operation == null ? registration : operation, refusal);
      throw refusal;
    }
  }

  private void watchAndCheck(
      Registration registration, Collection<? extends K> keys, boolean alone) {
    long now = timer.now();
    if (!registration.enter(now)) {
      return;
    }
    callbacks.held(registration);
    if (registration.isTimed()) {
      schedule(registration, now);
    } else if (registration.hasNoTime()) {
      registration.onTimeout();
    }
    watch(registration, keys, alone);
    VarHandle.fullFence(); // on the lists first, then a look at what has happened
    registration.check();
  }

  private void schedule(Registration registration, long now) {
    try {
      timer.schedule(registration, now);
    } catch (IllegalStateException e) {
      if (!closed.get()) {
        throw e;
      }
      // It was closed meanwhile, with its timer: the last step of hold() ends the operation.
    }
  }

  private void watch(Registration registration, Collection<? extends K> keys, boolean alone) {
    int lists = 0;
    int removed = 0;
    try {
      if (keys.isEmpty()) {
        removed = watchLists.watchWithoutKey(registration);
        lists = 1;
      }
      for (K key : keys) {
        if (registration.isEnded()) {
          return;
        }
        removed += alone ? watchAlone(key, registration) : watchLists.watch(key, registration);
        lists++;
      }
    } finally {
      registration.lists = lists; // once, as other threads look at the registration by now
      watchLists.count(lists, removed);
    }
  }

  private int watchAlone(K key, Registration registration) {
    int removed = watchLists.watchAlone(key, registration);
    if (removed == WatchList.IN_USE) {
      throw new IllegalStateException(name + ": " + key + " is awaited already");
    }
    return removed;
  }

  /**
   * Signals an event on a key: evaluates the conditions that wait for it, and answers the requests
   * that it has made answerable. To be called after the event has taken effect, preferably without
   * a lock.
   *
   * @param key the key of the event
   * @return how many requests this call completed; 0 if it was nested too deep in callbacks, and a
   *     helper thread does it
   */
  public int signal(K key) {
    requireNonNull(key, "key");
    VarHandle.fullFence(); // the event first, then a look at the lists
    WatchList list = watchLists.get(key);
    if (list == null) {
      return 0;
    }
    int depth = Nesting.enter();
    try {
      return Nesting.isTooDeep(depth) && signalOnHelper(key)
          ? 0
          : walk(key, list, Registration::evaluate);
    } finally {
      Nesting.leave(depth);
    }
  }

  private boolean signalOnHelper(K key) {
    try {
      return helpers.offer(() -> signal(key));
    } catch (Throwable e) {
      return false; // there is no thread, or no memory for one: this thread does it
    }
  }

  /** Calls the visitor with what waits on a key; returns how often it answered true. */
  int visit(K key, Predicate<Registration> visitor) {
    WatchList list = watchLists.get(key);
    return list == null ? 0 : walk(key, list, visitor);
  }

  /** Calls the visitor with everything that is held; returns how often it answered true. */
  int visitAll(Predicate<Registration> visitor) {
    int[] hits = new int[1];
    watchLists.forEach(list -> hits[0] += list.walk(visitor).hits());
    return hits[0];
  }

  private int walk(K key, WatchList list, Predicate<Registration> visitor) {
    WatchList.Walk walk = list.walk(visitor);
    if (walk.leavesMuchToRemove()) {
      watchLists.tryTidy(key, list);
    }
    return walk.hits();
  }

  /**
   * Cancels the operations that wait on a key, on whatever other keys they wait too.
   *
   * @param key a key
   * @return the operations that this call cancelled: each a {@link DelayedOperation}, a {@link
   *     HeldFuture}, or an object of an adapter's type
   */
  public List<Object> cancelForKey(K key) {
    List<Object> cancelled = new ArrayList<>();
    visit(requireNonNull(key, "key"), each -> cancelInto(cancelled, each));
    return cancelled;
  }

  /**
   * Cancels all operations that are held, for instance to hand them to a successor.
   *
   * @return the operations that this call cancelled, as {@link #cancelForKey} returns them
   */
  public List<Object> cancelAll() {
    List<Object> cancelled = new ArrayList<>();
    visitAll(each -> cancelInto(cancelled, each));
    watchLists.purge();
    return cancelled;
  }

  private static boolean cancelInto(List<Object> cancelled, Registration registration) {
    Object operation = registration.operation();
    return operation != null && registration.cancel() && cancelled.add(operation);
  }

  /**
   * Returns the number of operations that are held: those that have no outcome yet.
   *
   * @return 0 or more, exact: no estimate, and nothing that has ended. An operation whose adding or
   *     ending call has not returned yet may be counted or not
   */
  public long pending() {
    // Both only grow. What was held while `ended` stood still, less that, was pending at some
    // moment in between. Where it never stands still, the least that was seen comes closest.
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
   * Returns the number of operations that have an outcome, whose answer an executor or a helper
   * thread has yet to give.
   *
   * @return 0 or more. Grows without a limit only if an executor drops tasks, or a callback hangs
   */
  public long unanswered() {
    return callbacks.unanswered();
  }

  /**
   * Returns the size of all watch lists: one per operation and key, including those that have ended
   * and were not yet removed.
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
   * Removes operations that have ended from the memory of the watch lists and the timer. That
   * happens by itself: in time for what is kept to stay below twice what is pending, plus some
   * thousand small objects; and for keys without a pending operation, about half a second after the
   * last one ended, later where a look at all keys takes longer than a twentieth of a second.
   */
  public void purge() {
    watchLists.purge();
    timer.purge();
  }

  /**
   * Closes the purgatory: further operations are refused, and those that are held end with {@link
   * Outcome#CLOSED}, unless their condition is true in a last look. Waits until the purgatory's own
   * threads have given all answers, however long that takes; see {@link #close(Duration)} for a
   * limit. Answers on other executors are not waited for, nor is anything when this is called from
   * one of the purgatory's own threads. An interrupt of the caller ends the wait and is kept; the
   * answers are then given in the background. Closing again does nothing, even while another thread
   * is still closing.
   */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      visitAll(this::closeOne);
      endThreads(Ticker.system().nanos() + Long.MAX_VALUE);
    }
  }

  private boolean closeOne(Registration registration) {
    return answersExpirations ? registration.close() : registration.closeHere();
  }

  /**
   * Closes the purgatory: further operations are refused, and those that are held end with {@link
   * Outcome#CLOSED}, as many as can be answered in the time given. The others are cancelled, and
   * callbacks of them that still run on the purgatory's own threads are interrupted.
   *
   * @param limit how long to wait at most; zero or less not at all
   * @return the operations that were cancelled, for which no answer had begun, as {@link
   *     #cancelForKey} returns them; empty if the purgatory was closed before
   */
  public List<Object> close(Duration limit) {
    requireNonNull(limit, "limit");
    if (closed.getAndSet(true)) {
      return List.of();
    }
    long end = Ticker.system().nanos() + TimeUnit.NANOSECONDS.convert(limit);
    visitAll(Registration::close);
    if (!answersExpirations && pending() > 0) {
      awaitDrained(end);
    }
    boolean ended = endThreads(end);
    List<Object> cancelled = cancelAll();
    if (!ended) {
      worker.interrupt();
      helpers.interrupt();
    }
    return cancelled;
  }

  private void awaitDrained(long end) {
    try {
      boolean unused = drained.await(nanosUntil(end), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether all threads have ended by that time. */
  private boolean endThreads(long end) {
    if (ownsTimer) {
      timer.close();
    }
    boolean wait = !worker.isCurrent() && !helpers.isCurrent();
    worker.close();
    boolean ended = wait && worker.await(nanosUntil(end));
    helpers.close();
    ended = wait && helpers.await(nanosUntil(end)) && ended;
    purger.close();
    purge();
    return ended;
  }

  private static long nanosUntil(long end) {
    return end - Ticker.system().nanos();
  }

  void beginPending() {
    held.add(1);
  }

  void endPending() {
    ended.add(1);
  }

  boolean cancelTimeout(Registration registration) {
    return timer.cancel(registration);
  }

  /**
   * Lets go of an operation that has ended.
   *
   * @param unscheduled whether the claim has ended its wait in the timer, which is still to be
   *     counted
   */
  void release(Registration registration, boolean unscheduled) {
    if (unscheduled) {
      timer.countEnd(registration);
    } else {
      boolean unused = timer.cancel(registration);
    }
    purger.cleared(watchLists.clear(registration));
    if (closed.get() && pending() == 0) {
      drained.countDown();
      watchLists.purge();
    }
  }

  long now() {
    return timer.now();
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
