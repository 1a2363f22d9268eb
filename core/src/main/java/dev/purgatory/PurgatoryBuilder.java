package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.timer.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sets up a {@link Purgatory}. */
public final class PurgatoryBuilder {
  private static final int DEFAULT_PURGE_INTERVAL = 1000;

  final String name;
  @Nullable Timer timer;
  @Nullable Executor completionExecutor;
  @Nullable Executor expirationExecutor;
  final List<PurgatoryListener> listeners = new ArrayList<>();
  final Map<Outcome, Function<? super HeldFuture<?>, ? extends Throwable>> exceptions =
      new EnumMap<>(Outcome.class);
  int purgeInterval = DEFAULT_PURGE_INTERVAL;

  PurgatoryBuilder(String name) {
    this.name = requireNonNull(name, "name");
  }

  /**
   * Sets the timer, which may serve other purgatories too and is not closed with this one. By
   * default the purgatory has one of its own, with a tick of 1 ms.
   *
   * @param timer keeps the timeouts
   * @return this builder
   */
  public PurgatoryBuilder timer(Timer timer) {
    this.timer = requireNonNull(timer, "timer");
    return this;
  }

  /**
   * Sets where operations are answered that an event completes. By default that is the thread of
   * the event, within {@link Purgatory#signal}.
   *
   * @param executor gives the answers; if it rejects one, the thread of the event gives it
   * @return this builder
   */
  public PurgatoryBuilder completionExecutor(Executor executor) {
    this.completionExecutor = requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Sets where operations are answered whose time is up. By default that is a thread of the
   * purgatory's own. With a timer that has a thread, {@link Timer.Builder#start}, the purgatory's
   * own thread calls the executor, so that it may block; with others the thread that advances the
   * clock does.
   *
   * @param executor gives the answers. If it rejects one, the purgatory's own thread gives it. If
   *     it silently drops the task, the operation stays held, for an event to complete
   * @return this builder
   */
  public PurgatoryBuilder expirationExecutor(Executor executor) {
    this.expirationExecutor = requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Adds a listener. If there is none, errors are logged.
   *
   * @param listener is told what happens
   * @return this builder
   */
  public PurgatoryBuilder listener(PurgatoryListener listener) {
    listeners.add(requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Sets with which exception futures fail that end in this way and have no answer or exception of
   * their own for it.
   *
   * @param outcome {@link Outcome#TIMED_OUT}, {@link Outcome#CANCELLED} or {@link Outcome#CLOSED}
   * @param exception makes the exception for a future
   * @return this builder
   * @throws IllegalArgumentException if such an outcome has a value or a cause
   */
  public PurgatoryBuilder exception(
      Outcome outcome, Function<? super HeldFuture<?>, ? extends Throwable> exception) {
    if (outcome == Outcome.COMPLETED || outcome == Outcome.FAILED) {
      throw new IllegalArgumentException(outcome + " needs no exception");
    }
    exceptions.put(outcome, requireNonNull(exception, "exception"));
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
  public PurgatoryBuilder purgeInterval(int entries) {
    if (entries < 0) {
      throw new IllegalArgumentException("purge interval " + entries + " is negative");
    }
    this.purgeInterval = entries;
    return this;
  }

  /**
   * Makes a purgatory, and starts the thread of its timer if it has one of its own.
   *
   * @param <K> the type of the keys
   * @return a new purgatory
   */
  public <K> Purgatory<K> build() {
    Timer clock = timer != null ? timer : Timer.builder().start("purgatory-" + name + "-clock");
    return new Purgatory<>(this, clock);
  }
}
