package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.internal.LastResort;
import dev.purgatory.internal.StripedCounter;
import dev.purgatory.timer.Timer;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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
 * <p>Thread-safe. No code from outside, that is no callback, executor or listener, is ever called
 * with a lock of the purgatory held. What is not to block or call back is {@code equals} and {@code
 * hashCode} of keys, as a {@link java.util.concurrent.ConcurrentHashMap} may call them with a lock
 * on a part of itself, and a {@link dev.purgatory.timer.Ticker}. Callbacks may call everything
 * here. The answers and checks of a key that they set off run when they have returned, so that
 * neither locks nor the stack pile up.
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
   * is purged. A purge looks at all lists, on a thread for that, when there are more cleared cells than
   * others. That thread rests after it: an operation on very many keys makes a purge due by itself, and
   * each would wake the thread, which would take the locks that the next operation wants.
   */

  private static final int DEFAULT_PURGE_INTERVAL = 1000;

  /** After a purge: what ends meanwhile need not wake the thread for it. */
  private static final long PURGE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Timer timer;
  private final boolean ownsTimer;
  private final Worker worker;
  private final Worker purger;
  private final Callbacks callbacks;
  private final WatchLists<K> watchLists;
  private final StripedCounter held = new StripedCounter();
  private final StripedCounter ended = new StripedCounter();
  private final AtomicBoolean purging = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  @SuppressWarnings("unchecked") // Only operations of type O get in: the listener meets no other.
  private Purgatory(Builder<K, O> builder, Timer timer) {
    this.timer = timer;
    ownsTimer = builder.timer == null;
    worker = new Worker("purgatory-" + builder.name + "-expiration");
    purger = new Worker("purgatory-" + builder.name + "-purge");
    watchLists = new WatchLists<>(builder.purgeInterval);
    Executor completions = builder.completionExecutor;
    Executor expirations = builder.expirationExecutor;
    callbacks =
        new Callbacks(
            (PurgatoryListener<DelayedOperation>) builder.listener,
            timer::now,
            completions == null ? List.of() : List.of(completions),
            expirations == null ? List.of(worker) : List.of(expirations, worker));
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
      operation.expire(); // close() may have looked at the lists before it was on them
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
    Cell cell = operation.hold();
    if (cell == null) {
      return false;
    }
    callbacks.held(operation);
    timer.schedule(cell, operation.timeout(), TimeUnit.NANOSECONDS);
    try {
      for (K key : keys) {
        if (operation.isEnded()) {
          return false;
        }
        watchLists.watch(key, cell);
        cell.lists++;
      }
    } finally {
      watchLists.count(cell.lists);
    }
    VarHandle.fullFence(); // on the lists first, then a look at what has happened
    return operation.check();
  }

  /**
   * Completes what an event on a key has made answerable. To be called after the event has taken
   * effect, preferably without a lock.
   *
   * <p>Called from a callback of an operation, it has no effect before that has returned.
   *
   * @param key the key of the event
   * @return how many operations this call completed; 0 from within a callback
   */
  public int checkAndComplete(K key) {
    requireNonNull(key, "key");
    VarHandle.fullFence(); // the event first, then a look at the lists
    WatchList list = watchLists.get(key);
    if (list == null) {
      return 0;
    }
    Trampoline trampoline = Trampoline.current();
    if (trampoline.isOccupied()) {
      trampoline.defer(() -> walk(key, list, DelayedOperation::evaluate));
      return 0;
    }
    return walk(key, list, DelayedOperation::evaluate);
  }

  private int walk(K key, WatchList list, Predicate<DelayedOperation> visitor) {
    WatchList.Walk walk = list.walk(visitor);
    if (walk.leavesMuchToRemove()) {
      watchLists.tidy(key, list);
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
    watchLists.forEach((key, list) -> walk(key, list, cancelInto(cancelled)));
    return cancelled;
  }

  @SuppressWarnings("unchecked") // Only operations of type O get in.
  private Predicate<DelayedOperation> cancelInto(List<O> cancelled) {
    return operation -> operation.cancel() && cancelled.add((O) operation);
  }

  /**
   * Returns the number of operations that are held: neither completed nor expired nor cancelled.
   *
   * @return 0 or more, exact: no estimate, and nothing that has ended. Only where the call that
   *     adds or ends an operation has not returned yet, that operation may be counted or not
   */
  public long pending() {
    // Both only grow. What was held while `ended` stood still, less that, was pending at some
    // moment in between.
    for (; ; ) {
      long before = ended.sum();
      long pending = held.sum() - before;
      if (ended.sum() == before) {
        return pending;
      }
    }
  }

  /**
   * Returns the size of all watch lists: one per operation and key, including what has ended and
   * was not yet removed.
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
   * Removes from all watch lists what has ended. It happens by itself when it is worth its while.
   */
  public void purge() {
    watchLists.purge();
    timer.purge();
  }

  /**
   * Ends the purgatory. Further operations are refused; those that are held are answered as if
   * their time was up. Waits for callbacks on the purgatory's own threads, at most five seconds for
   * each of them, and as long for the thread of its own timer; what runs by then is interrupted,
   * and what is left runs without being waited for, as do callbacks on other executors. Called from
   * a callback, it returns before what follows from that has run. An interrupt of the caller ends
   * the waits, and is kept. Closing again does nothing, even while another thread is still closing.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    watchLists.forEach((key, list) -> list.walk(DelayedOperation::expire));
    if (ownsTimer) {
      timer.close();
    }
    worker.close();
    purger.close();
    purge();
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
      if (watchLists.clear(cell)) {
        purgeIfDue();
      }
    }
  }

  /** Has the lists purged if that is due. If it fails, a later end asks again. */
  private void purgeIfDue() {
    // A purge that is under way looks by itself, when it is over, whether another is due.
    if (purging.get() || !watchLists.isPurgeDue() || !purging.compareAndSet(false, true)) {
      return;
    }
    try {
      purger.execute(this::purgeWhileDue);
    } catch (Throwable e) {
      purging.set(false);
      LastResort.log("The watch lists cannot be purged", e);
    }
  }

  private void purgeWhileDue() {
    try {
      purge();
      if (!closed.get()) {
        LockSupport.parkNanos(PURGE_PAUSE_NANOS);
      }
    } catch (Throwable e) {
      LastResort.log("The watch lists cannot be purged", e);
      return;
    } finally {
      purging.set(false);
    }
    purgeIfDue();
  }

  Callbacks callbacks() {
    return callbacks;
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
     * purgatory's own, which is started when there is something to do.
     *
     * @param executor runs {@link DelayedOperation#onComplete} and {@link
     *     DelayedOperation#onExpiration}; if it rejects that, the thread of the purgatory's own
     *     does. One that drops it without a word leaves the operation held, for an event to
     *     complete
     * @return this builder
     */
    public Builder<K, O> expirationExecutor(Executor executor) {
      this.expirationExecutor = requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Sets who is told what happens. By default nobody is, and errors are logged.
     *
     * @param listener is told
     * @return this builder
     */
    public Builder<K, O> listener(PurgatoryListener<? super O> listener) {
      this.listener = requireNonNull(listener, "listener");
      return this;
    }

    /**
     * Sets how much of operations that have ended may stay on watch lists before these are purged.
     * What stays are references to an empty object, and the keys.
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
