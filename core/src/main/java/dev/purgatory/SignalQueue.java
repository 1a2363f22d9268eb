package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.wheel.Retry;
import java.lang.invoke.VarHandle;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Signals for later: {@link #mark} records that a key has an event, and its requests are evaluated
 * afterwards, by the caller or by an executor. Thread-safe.
 *
 * <p>{@link Purgatory#signal} evaluates conditions and runs callbacks on the calling thread. If
 * that thread holds a lock that one of them needs, two threads may deadlock. {@code mark} runs none
 * of them, so it may be called with any lock held.
 *
 * <pre>{@code
 * SignalQueue<String> events = new SignalQueue<>(purgatory);
 *
 * void append(String topic, String message) {
 *   synchronized (lock) {
 *     log.add(message);
 *     events.mark(topic);
 *   }
 *   events.run();
 * }
 * }</pre>
 *
 * <p>Every mark is followed by an evaluation that begins after it. Marks of the same key are merged
 * until then. With an executor, a mark has no effect while the purgatory holds nothing: a request
 * that is held later sees the event by itself.
 *
 * <p>{@code equals} and {@code hashCode} of keys are called with a lock of the queue held: they
 * must not block or call back. A queue that has run keeps nothing.
 *
 * @param <K> the type of the keys
 */
public final class SignalQueue<K> {

  /*
   * The marked keys are a set, in the order of their first mark. A run exchanges the set for an empty one,
   * under the lock, and then signals its keys, without the lock. An empty set is not exchanged: it stays in
   * use, and is not read without the lock. A key that is marked during a run is in the new set, so it is
   * signalled again. Keys are not removed one by one, which would call their methods.
   *
   * With an executor, marks have no effect while the purgatory holds nothing: a request that is held later
   * sees the event itself. So the clock runs whenever an alarm for a drain is scheduled, and `mark` starts no
   * thread. That might take long, and a factory of the user might wait for a lock that the caller holds.
   *
   * With an executor, the first mark after an exchange submits the next drain: `started`, which changes under
   * the lock, together with the set. If a drain is still running when the next one begins, that one only
   * counts itself in `drains`, and the running one takes the set once more. So no mark is lost. With an
   * executor that runs tasks on the calling thread, marks that callbacks make are drained by the loop that
   * called them, and not nested.
   *
   * Rejected: a drain that goes on until nothing is marked. If the executor delays its tasks to merge marks, a
   * busy key would be evaluated again and again, without the delay.
   *
   * A drain that finds no memory for a key marks all its keys again, which takes none if nothing else was marked,
   * and the clock starts it again: see Retry.
   *
   * Diagnostics ask whether an event is on its way. For them, a set that was taken stays in `running` until
   * all its keys are signalled. It moves there in the step that takes it, so no key is in neither.
   */

  private static final LastResort NOT_SIGNALLED =
      LastResort.handler("Marked keys could not be evaluated");

  private final Purgatory<K> purgatory;
  private final @Nullable Dispatcher dispatcher;
  private final Mutex lock = new Mutex();

  // Guarded by the lock.
  private Set<K> marked = new LinkedHashSet<>();
  private boolean started;

  /** The drains that have begun and not ended. The first one does the work of the others. */
  private final AtomicInteger drains = new AtomicInteger();

  /** The sets that are being signalled; null without diagnostics, which are the only reader. */
  private final @Nullable Set<Set<K>> running;

  /** Makes a drain go on for which there was no memory; null without an executor. */
  private final @Nullable Retry retry;

  private final Runnable drain = this::drain;

  /** What diagnostics refer to, weakly; null without them. */
  private final Diagnostics.@Nullable Queue view;

  /** When the first of the marked keys was marked, on the clock of the purgatory. */
  private long markedSince;

  /**
   * Creates a queue that evaluates requests when the caller runs it.
   *
   * @param purgatory holds the requests
   */
  public SignalQueue(Purgatory<K> purgatory) {
    this(null, purgatory);
  }

  /**
   * Creates a queue that an executor drains, with one task at a time. If the executor delays its
   * tasks, as {@link java.util.concurrent.CompletableFuture#delayedExecutor(long,
   * java.util.concurrent.TimeUnit, Executor) CompletableFuture.delayedExecutor} does, a key with
   * many events is evaluated once for each delay, which begins with the first mark.
   *
   * @param purgatory holds the requests
   * @param executor evaluates the requests. It must not do so on the thread that marks, if that may
   *     hold locks. If it rejects the task, or has not begun it after 7 seconds in which it was
   *     asked three times, a helper thread of the timer drains the queue
   */
  public SignalQueue(Purgatory<K> purgatory, Executor executor) {
    this(requireNonNull(executor, "executor"), purgatory);
  }

  private SignalQueue(@Nullable Executor executor, Purgatory<K> purgatory) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
    this.dispatcher =
        executor == null
            ? null
            : new Dispatcher(
                TimerInternals.of(purgatory.core().timer()),
                executor,
                "purgatory-" + purgatory.core().name() + "-signals",
                e -> failed(Source.EXECUTOR, e));
    this.retry =
        dispatcher == null
            ? null
            : Retry.of(purgatory.core().wheels(), () -> dispatcher.executeFromClock(drain));
    Diagnostics diagnostics = purgatory.inspect().diagnostics();
    running = diagnostics == null ? null : Collections.newSetFromMap(new IdentityHashMap<>(1));
    view = diagnostics == null ? null : this::willSignal;
    if (view != null) {
      requireNonNull(diagnostics).observe(view);
    }
  }

  /**
   * Records an event on a key. Call it after the event has taken effect. Runs no conditions, no
   * callbacks and no listeners.
   *
   * @param key the key of the event
   * @return false if the key was marked already
   */
  public boolean mark(K key) {
    requireNonNull(key, "key");
    Headroom.ensure();
    boolean added;
    boolean start;
    lock.lock();
    try {
      if (running != null && marked.isEmpty()) {
        markedSince = purgatory.core().now();
      }
      added = marked.add(key);
      start = !started && dispatcher != null && isAnyHeld();
      started |= start;
    } finally {
      lock.unlock();
    }
    if (start && !requireNonNull(dispatcher).execute(drain)) {
      reset();
    }
    return added;
  }

  /** Returns whether requests are held. Else forgets the marks. Requires the lock. */
  private boolean isAnyHeld() {
    VarHandle.fullFence(); // the events first: a request that is not counted yet sees them
    boolean held = purgatory.core().pending() > 0;
    if (!held) {
      marked.clear();
    }
    return held;
  }

  /**
   * Evaluates the requests that wait on the marked keys, in the order of their first mark. Call it
   * without holding a lock. If a key throws, the others are evaluated first.
   *
   * @return the number of requests that this call completed
   * @throws RuntimeException the first exception that a key has thrown; an {@code Error} likewise
   */
  public int run() {
    Headroom.ensure();
    int completed = 0;
    Throwable failure = null;
    Set<K> taken = take(/* drain= */ false);
    try {
      for (K key : taken) {
        try {
          completed += purgatory.signal(key);
        } catch (RuntimeException | Error e) {
          failure = failure == null ? e : failure;
        }
      }
    } finally {
      signalled(taken);
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    return completed;
  }

  /**
   * Returns the number of marked keys.
   *
   * @return 0 or more
   */
  public int marked() {
    Headroom.ensure();
    lock.lock();
    try {
      return marked.size();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the marked keys, as a set that no later mark changes, and forgets them. */
  Set<K> take(boolean drain) {
    lock.lock();
    try {
      if (drain) {
        started = false;
      }
      if (marked.isEmpty()) {
        return Set.of();
      }
      Set<K> taken = marked;
      if (running != null) {
        running.add(taken);
      }
      marked = new LinkedHashSet<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void signalled(Set<K> taken) {
    if (running != null && !taken.isEmpty()) {
      lock.lock();
      try {
        running.remove(taken);
      } finally {
        lock.unlock();
      }
    }
  }

  // For diagnostics.

  /** Marks that only {@link #run} signals, and that nobody has run for so long, do not count. */
  private boolean willSignal(Core<?> core, Object key, long heldNanos) {
    if (purgatory.core() != core) {
      return false;
    }
    lock.lock();
    try {
      boolean forgotten = dispatcher == null && core.now() - markedSince >= heldNanos;
      return (!forgotten && marked.contains(key))
          || (running != null && running.stream().anyMatch(each -> each.contains(key)));
    } finally {
      lock.unlock();
    }
  }

  // With an executor.

  /** Leaves the keys marked. The next mark starts again. */
  private void reset() {
    lock.lock();
    try {
      started = false;
    } finally {
      lock.unlock();
    }
  }

  private void drain() {
    if (drains.getAndIncrement() > 0) {
      return; // the thread that drains does this work, too
    }
    do {
      boolean hasSignalled = false;
      try {
        hasSignalled = signalMarked();
      } catch (Throwable e) { // without memory
        NOT_SIGNALLED.accept(e);
      }
      if (!hasSignalled) {
        requireNonNull(retry).later();
      }
    } while (drains.decrementAndGet() > 0);
  }

  /** Signals the marked keys. Without memory for one, marks all again, and returns false. */
  private boolean signalMarked() {
    boolean hasSignalled = true;
    Set<K> taken = take(/* drain= */ true);
    for (K key : taken) {
      try {
        purgatory.signal(key);
      } catch (OutOfMemoryError e) {
        hasSignalled = false;
      } catch (Throwable e) {
        failed(Source.CONDITION, e);
      }
    }
    try {
      if (!hasSignalled) {
        markAgain(taken);
      }
    } finally {
      signalled(taken);
    }
    return hasSignalled;
  }

  private void markAgain(Set<K> taken) {
    lock.lock();
    try {
      if (!isAnyHeld()) {
        return;
      }
      if (marked.isEmpty()) {
        marked = taken;
      } else {
        marked.addAll(taken);
      }
    } finally {
      lock.unlock();
    }
  }

  private void failed(Source source, Throwable error) {
    purgatory.core().answers().failed(this, source, error);
  }

  @Override
  public String toString() {
    return "SignalQueue[" + marked() + " marked]";
  }
}
