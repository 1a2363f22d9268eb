package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.StripedCounter;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds operations that cannot be answered yet, until an event on one of their keys makes them
 * answerable or their time is up, and answers each exactly once, without a thread per operation.
 *
 * <pre>{@code
 * try (Purgatory<String, LongPoll> purgatory = Purgatory.<String, LongPoll>builder("poll").build()) {
 *   purgatory.tryCompleteElseWatch(poll, List.of("topic-0", "topic-1"));
 *   ...
 *   purgatory.checkAndComplete("topic-1"); // something has arrived there
 * }
 * }</pre>
 *
 * <p>Thread-safe. No callback, executor or listener is ever called with a lock of the purgatory
 * held. {@code equals} and {@code hashCode} of keys, and a {@link dev.purgatory.timer.Ticker}, must
 * neither block nor call back: they may be called with a lock held.
 *
 * <p>Callbacks may call everything here. Answers and checks that they set off run at once, within
 * them, so that a callback may wait for an answer. Where more than 32 are nested on a thread, the
 * next runs on a helper thread of the purgatory: so a chain of any length takes a bounded stack.
 *
 * <p>A purgatory starts threads when it needs them, and they end when they are idle for a second.
 * They are daemons, and have the context class loader of the thread that built the purgatory.
 *
 * @param <K> the type of the keys, with {@code equals} and {@code hashCode} that stay the same
 * @param <O> the type of the operations
 */
public final class Purgatory<K, O extends DelayedOperation> implements AutoCloseable {

  /*
   * An operation is in three places: the timer, for its time to be up; the watch lists of its keys, for
   * events; and the hands of the user, who may force or cancel it. All three end in one claim on the
   * operation's state, DelayedOperation, which has one winner. The winner sees to it that the others
   * let go, in one step: timer and lists hold a cell of the operation, which is cleared. Then it has the
   * callbacks run.
   *
   * Coming in is check, watch, check again. An event before the first check is seen by that. An event
   * after the operation is on the list of its key finds it there. An event in between is seen by the
   * second check, which comes after the operation is on all lists; asking after each key instead
   * would cost as many evaluations as there are keys. Each side writes first and looks then: an event
   * and the lists, a list and the events. So each has a full fence in between, without which both could
   * look before either write is seen, where the event is a plain store.
   *
   * Cleared cells stay in the timer until it sweeps them, and on a list until it is walked, is full, or
   * is purged: see Purger.
   */

  private static final int DEFAULT_PURGE_INTERVAL = 1000;

  /** How often {@link #pending} looks at counters that move. */
  private static final int MOST_LOOKS = 100;

  private final Timer timer;
  private final boolean ownsTimer;
  private final Worker worker;
  private final Worker helpers;
  private final Purger purger;
  private final Callbacks callbacks;
  private final WatchLists<K> watchLists;
  private final StripedCounter held = new StripedCounter();
  private final StripedCounter ended = new StripedCounter();
  private final boolean answersExpirations;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);

  @SuppressWarnings("unchecked") // Only operations of type O get in: the listener meets no other.
  private Purgatory(Builder<K, O> builder, Timer timer) {
    this.timer = timer;
    ownsTimer = builder.timer == null;
    worker = Worker.serial("purgatory-" + builder.name + "-expiration");
    helpers = Worker.concurrent("purgatory-" + builder.name + "-helper");
    watchLists = new WatchLists<>(builder.purgeInterval);
    purger = new Purger(watchLists, timer, helpers);
    answersExpirations = builder.expirationExecutor == null;
    Executor completions = builder.completionExecutor;
    Executor expirations = builder.expirationExecutor;
    callbacks =
        new Callbacks(
            (PurgatoryListener<DelayedOperation>) builder.listener,
            timer::now,
            completions == null ? List.of() : List.of(completions),
            expirations == null ? List.of(worker) : List.of(expirations, worker),
            expirations != null && timer.hasThread() ? worker : null,
            helpers);
  }

  /**
   * Returns a builder of purgatories.
   *
   * @param name appears in the names of threads
   * @param <K> the type of the keys
   * @param <O> the type of the operations
   * @return a new builder
   */
  public static <K, O extends DelayedOperation> Builder<K, O> builder(String name) {
    return new Builder<>(name);
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
   * @throws IllegalStateException if the operation was handed to a purgatory before, or the
   *     purgatory or its timer is closed
   * @throws RuntimeException what a key's {@code equals} or {@code hashCode} throws, and the
   *     operation is cancelled then
   */
  public boolean tryCompleteElseWatch(O operation, Collection<? extends K> keys) {
    requireNonNull(operation, "operation");
    requireKeys(keys);
    if (closed.get()) {
      throw new IllegalStateException("the purgatory is closed");
    }
    if (!operation.admit(this)) {
      return false;
    }
    boolean completed = false;
    try {
      completed = operation.check() || holdAndCheck(operation, keys);
    } catch (Throwable e) {
      operation.cancel();
      throw e;
    } finally {
      completed |= operation.endEvaluation();
    }
    if (closed.get()) {
      expireForClose(operation); // close() may have looked at the lists before it was on them
    }
    return completed;
  }

  private static void requireKeys(Collection<?> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("an operation needs a key to be watched on");
    }
    for (Object key : keys) {
      requireNonNull(key, "key");
    }
  }

  private boolean holdAndCheck(O operation, Collection<? extends K> keys) {
    long now = timer.now();
    Cell cell = operation.hold(now);
    if (cell == null) {
      return false;
    }
    callbacks.held(operation);
    if (operation.isTimed()) {
      timer.schedule(cell, now);
    } else if (operation.hasNoTime()) {
      operation.close();
    }
    int removed = 0;
    try {
      for (K key : keys) {
        if (operation.isEnded()) {
          return false;
        }
        removed += watchLists.watch(key, cell);
        cell.lists++;
      }
    } finally {
      watchLists.count(cell.lists, removed);
    }
    VarHandle.fullFence(); // on the lists first, then a look at what has happened
    return operation.check();
  }

  /**
   * Completes the operations that an event on a key has made answerable. To be called after the
   * event has taken effect, preferably without a lock.
   *
   * @param key the key of the event
   * @return how many operations this call completed; 0 if it was nested too deep in callbacks, and
   *     a helper thread does it
   */
  public int checkAndComplete(K key) {
    requireNonNull(key, "key");
    VarHandle.fullFence(); // the event first, then a look at the lists
    WatchList list = watchLists.get(key);
    if (list == null) {
      return 0;
    }
    int depth = Nesting.enter();
    try {
      return Nesting.isTooDeep(depth) && checkOnHelper(key)
          ? 0
          : walk(key, list, DelayedOperation::evaluate);
    } finally {
      Nesting.leave(depth);
    }
  }

  private boolean checkOnHelper(K key) {
    try {
      return helpers.offer(() -> checkAndComplete(key));
    } catch (Throwable e) {
      return false; // there is no thread, or no memory for one: this thread does it
    }
  }

  private int walk(K key, WatchList list, Predicate<DelayedOperation> visitor) {
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
   * @return the operations that this call cancelled
   */
  public List<O> cancelForKey(K key) {
    WatchList list = watchLists.get(requireNonNull(key, "key"));
    List<O> cancelled = new ArrayList<>();
    if (list != null) {
      walk(key, list, cancelInto(cancelled));
    }
    return cancelled;
  }

  /**
   * Cancels all operations that are held, for instance to hand them to a successor.
   *
   * @return the operations that this call cancelled
   */
  public List<O> cancelAll() {
    List<O> cancelled = new ArrayList<>();
    watchLists.forEach(list -> list.walk(cancelInto(cancelled)));
    watchLists.purge();
    return cancelled;
  }

  @SuppressWarnings("unchecked") // Only operations of type O get in.
  private Predicate<DelayedOperation> cancelInto(List<O> cancelled) {
    return operation -> operation.cancel() && cancelled.add((O) operation);
  }

  /**
   * Returns the number of operations that are held: neither completed nor expired nor cancelled.
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
   * Ends the purgatory: further operations are refused, and those that are held are answered as if
   * their time was up. Waits until the purgatory's own threads have given all answers, however long
   * that takes; see {@link #close(Duration)} for a limit. Answers on other executors are not waited
   * for, nor is anything when this is called from one of the purgatory's own threads. An interrupt
   * of the caller ends the wait and is kept; the answers are then given in the background. Closing
   * again does nothing, even while another thread is still closing.
   */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      watchLists.forEach(list -> list.walk(this::expireForClose));
      boolean unused = endThreads(Ticker.system().nanos() + Long.MAX_VALUE);
    }
  }

  private boolean expireForClose(DelayedOperation operation) {
    return answersExpirations ? operation.close() : operation.expire();
  }

  /**
   * Ends the purgatory: further operations are refused, and those that are held are answered as if
   * their time was up, as many as can be in the time given. The others are cancelled, and callbacks
   * of them that still run on the purgatory's own threads are interrupted.
   *
   * @param limit how long to wait at most; zero or less not at all
   * @return the operations that were cancelled, for which no answer had begun; empty if the
   *     purgatory was closed before
   */
  public List<O> close(Duration limit) {
    requireNonNull(limit, "limit");
    if (closed.getAndSet(true)) {
      return List.of();
    }
    long end = Ticker.system().nanos() + TimeUnit.NANOSECONDS.convert(limit);
    watchLists.forEach(list -> list.walk(DelayedOperation::close));
    if (!answersExpirations && pending() > 0) {
      awaitDrained(end);
    }
    boolean ended = endThreads(end);
    List<O> cancelled = cancelAll();
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

  boolean cancelTimeout(Cell cell) {
    return timer.cancel(cell);
  }

  /** Takes out an operation that has ended. */
  void remove(@Nullable Cell cell) {
    if (cell != null) {
      timer.cancel(cell);
      purger.cleared(watchLists.clear(cell));
      if (closed.get() && pending() == 0) {
        drained.countDown();
        watchLists.purge();
      }
    }
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

  /**
   * Sets up a {@link Purgatory}.
   *
   * @param <K> the type of the keys
   * @param <O> the type of the operations
   */
  public static final class Builder<K, O extends DelayedOperation> {
    private final String name;
    private @Nullable Timer timer;
    private @Nullable Executor completionExecutor;
    private @Nullable Executor expirationExecutor;
    private PurgatoryListener<? super O> listener = Callbacks.SILENT;
    private int purgeInterval = DEFAULT_PURGE_INTERVAL;

    private Builder(String name) {
      this.name = requireNonNull(name, "name");
    }

    /**
     * Sets the timer, which may serve other purgatories too and is not closed with this one. By
     * default the purgatory has one of its own, with a tick of 1 ms.
     *
     * @param timer keeps the timeouts
     * @return this builder
     */
    public Builder<K, O> timer(Timer timer) {
      this.timer = requireNonNull(timer, "timer");
      return this;
    }

    /**
     * Sets where operations are answered that an event completes. By default that is the thread of
     * the event, within {@link Purgatory#checkAndComplete}.
     *
     * @param executor runs {@link DelayedOperation#onComplete}; if it rejects that, the thread of
     *     the event does
     * @return this builder
     */
    public Builder<K, O> completionExecutor(Executor executor) {
      this.completionExecutor = requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Sets where operations are answered whose time is up. By default that is a thread of the
     * purgatory's own. With a timer that has a thread, {@link Timer.Builder#start}, the purgatory's
     * own thread calls the executor, so that it may block; with others the thread that advances the
     * clock does.
     *
     * @param executor runs {@link DelayedOperation#onComplete} and {@link
     *     DelayedOperation#onExpiration}. If it rejects that, the purgatory's own thread does. If
     *     it silently drops the task, the operation stays held, for an event to complete
     * @return this builder
     */
    public Builder<K, O> expirationExecutor(Executor executor) {
      this.expirationExecutor = requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Sets a listener. By default there is none, and errors are logged.
     *
     * @param listener is told what happens
     * @return this builder
     */
    public Builder<K, O> listener(PurgatoryListener<? super O> listener) {
      this.listener = requireNonNull(listener, "listener");
      return this;
    }

    /**
     * Sets how many entries of operations that have ended may stay on watch lists before these are
     * purged. What stays are references to an empty object, and for half a second the keys.
     *
     * @param entries 0 or more; 1000 by default
     * @return this builder
     * @throws IllegalArgumentException if it is negative
     */
    public Builder<K, O> purgeInterval(int entries) {
      if (entries < 0) {
        throw new IllegalArgumentException("purge interval " + entries + " is negative");
      }
      this.purgeInterval = entries;
      return this;
    }

    /**
     * Makes a purgatory, and starts the thread of its timer if it has one of its own.
     *
     * @return a new purgatory
     */
    public Purgatory<K, O> build() {
      Timer clock = timer != null ? timer : Timer.builder().start("purgatory-" + name + "-clock");
      return new Purgatory<>(this, clock);
    }
  }
}
