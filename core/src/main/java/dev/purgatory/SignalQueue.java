package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.PurgatoryListener.Source;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Mutex;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
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
   * sees the event itself. So the clock runs whenever a window or an alarm is scheduled, and `mark` starts no
   * thread. That might take long, and a factory of the user might wait for a lock that the caller holds.
   *
   * With an executor, the first mark after an exchange starts the next drain, immediately or after the
   * window. If a drain is still running then, the new one leaves its work to it: `again`. All three flags
   * change under the lock, together with the set, so no mark is lost. With an executor that runs tasks on
   * the calling thread, marks that callbacks make are drained by the loop that called them, and not nested.
   *
   * A window is ended by its timeout and by the closing of the timer. The queue listens to the timer only during a window, so the timer does not keep it.
   *
   * The window is one for all keys: it begins with the first mark of any key. A window for each key would
   * need a time for each, and bring no more than that a key marked late in the window waits longer.
   *
   * Diagnostics ask whether an event is on its way. For them, a set that was taken stays in `running` until
   * all its keys are signalled. It moves there in the step that takes it, so no key is in neither.
   */

  private static final LastResort NOT_SIGNALLED =
      LastResort.handler("Marked keys could not be evaluated");

  private final Purgatory<K> purgatory;
  private final @Nullable Dispatcher dispatcher;
  private final @Nullable Timer timer;
  private final long windowNanos;
  private final Mutex lock = new Mutex();

  // Guarded by the lock.
  private Set<K> marked = new LinkedHashSet<>();
  private boolean started;
  private boolean draining;
  private boolean again;

  /** The sets that are being signalled; null without diagnostics, which are the only reader. */
  private final @Nullable Set<Set<K>> running;

  /** What diagnostics refer to, weakly; null without them. */
  private final @Nullable View view;

  /** When the first of the marked keys was marked, on the clock of the purgatory. */
  private long markedSince;

  /** The end of the window that began last. */
  private volatile @Nullable Timeout window;

  private final Runnable closeListener = this::onTimerClosed;

  /**
   * Creates a queue that evaluates requests when the caller runs it.
   *
   * @param purgatory holds the requests
   */
  public SignalQueue(Purgatory<K> purgatory) {
    this(purgatory, null, null, 0);
  }

  /**
   * Creates a queue that an executor drains, with one task at a time.
   *
   * @param purgatory holds the requests
   * @param executor evaluates the requests. It must not do so on the thread that marks, if that may
   *     hold locks. If it rejects the task, or has not begun it after several seconds in which it
   *     was asked three times, a helper thread of the timer drains it
   */
  public SignalQueue(Purgatory<K> purgatory, Executor executor) {
    this(purgatory, requireNonNull(executor, "executor"), null, 0);
  }

  /**
   * Creates a queue that an executor drains at the end of a time window, so that a key with many
   * events is evaluated once for each window. The window begins with the first mark. Every mark is
   * followed by an evaluation after at most the window and a tick of the timer, while the executor
   * has a free thread and no callback blocks.
   *
   * @param purgatory holds the requests
   * @param executor evaluates the requests, as {@linkplain #SignalQueue(Purgatory, Executor) above}
   * @param timer ends the window. Closing it ends the window, too, and then a mark does not wait
   * @param window how long marks are collected. Zero or less: until the next tick
   */
  public SignalQueue(Purgatory<K> purgatory, Executor executor, Timer timer, Duration window) {
    this(
        purgatory,
        requireNonNull(executor, "executor"),
        requireNonNull(timer, "timer"),
        Registration.nanos(window));
  }

  private SignalQueue(
      Purgatory<K> purgatory,
      @Nullable Executor executor,
      @Nullable Timer timer,
      long windowNanos) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
    this.timer = timer;
    this.windowNanos = windowNanos;
    this.dispatcher =
        executor == null
            ? null
            : new Dispatcher(
                TimerInternals.of(timer == null ? purgatory.core().timer() : timer),
                executor,
                "purgatory-" + purgatory.core().name() + "-signals",
                e -> failed(Source.EXECUTOR, e));
    Diagnostics diagnostics = purgatory.diagnostics();
    running = diagnostics == null ? null : Collections.newSetFromMap(new IdentityHashMap<>(1));
    view = diagnostics == null ? null : new View();
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
    if (start) {
      start();
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
    Run run = new Run();
    signalMarked(/* drain= */ false, run::signal);
    return run.result();
  }

  /** Signals keys; keeps the first exception until the end. */
  private final class Run {
    private int completed;
    private @Nullable Throwable failure;

    void signal(K key) {
      try {
        completed += purgatory.signal(key);
      } catch (RuntimeException | Error e) {
        failure = failure == null ? e : failure;
      }
    }

    int result() {
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure instanceof RuntimeException exception) {
        throw exception;
      }
      return completed;
    }
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

  private void signalMarked(boolean drain, Consumer<K> signal) {
    Set<K> taken = take(drain);
    try {
      taken.forEach(signal);
    } finally {
      signalled(taken);
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

  private final class View implements Diagnostics.Queue {
    @Override
    public boolean signals(Core<?> core) {
      return purgatory.core() == core;
    }

    /** Marks that only {@link #run} signals, and that nobody has run for so long, do not count. */
    @Override
    public boolean willSignal(Object key, long heldNanos) {
      lock.lock();
      try {
        boolean forgotten = dispatcher == null && purgatory.core().now() - markedSince >= heldNanos;
        return (!forgotten && marked.contains(key))
            || (running != null && running.stream().anyMatch(each -> each.contains(key)));
      } finally {
        lock.unlock();
      }
    }
  }

  // With an executor.

  private void start() {
    if (timer == null) {
      submit();
      return;
    }
    try {
      TimerInternals.of(timer).wheels().addCloseListener(closeListener);
      window = timer.schedule(this::onWindowEnd, Duration.ofNanos(windowNanos));
    } catch (Throwable e) { // the timer is closed, or there is no memory for the window
      TimerInternals.of(timer).wheels().removeCloseListener(closeListener);
      submit();
      return;
    }
    if (timer.isClosed()) {
      onTimerClosed(); // it may have been called before
    }
  }

  /** Ends the window; twice, if its timeout has fired: then nothing is marked the second time. */
  private void onTimerClosed() {
    Timeout last = window; // racy: a former one, if the thread that began that was slow
    if (last != null) {
      last.cancel();
    }
    onWindowEnd();
  }

  /** Called by the timer. */
  private void onWindowEnd() {
    TimerInternals.of(requireNonNull(timer)).wheels().removeCloseListener(closeListener);
    requireNonNull(dispatcher).executeFromClock(this::drain);
  }

  private void submit() {
    if (!requireNonNull(dispatcher).execute(this::drain)) {
      reset();
    }
  }

  /** Leaves the keys marked. The next mark starts again. */
  private void reset() {
    lock.lock();
    try {
      started = false;
      draining = false;
    } finally {
      lock.unlock();
    }
  }

  private void drain() {
    if (!beginDrain()) {
      return;
    }
    try {
      do {
        signalMarked(/* drain= */ true, this::signalContained);
      } while (!endDrain());
    } catch (Throwable e) { // without memory
      NOT_SIGNALLED.accept(e);
      reset();
    }
  }

  /** Returns false if another thread drains, and will do this work, too. */
  private boolean beginDrain() {
    lock.lock();
    try {
      again = draining;
      draining = true;
      return !again;
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if there is more to do. */
  private boolean endDrain() {
    lock.lock();
    try {
      draining = again;
      again = false;
      return !draining;
    } finally {
      lock.unlock();
    }
  }

  private void signalContained(K key) {
    try {
      purgatory.signal(key);
    } catch (Throwable e) {
      failed(Source.CONDITION, e);
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
