package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.timer.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
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
  final List<Limit> limits = new ArrayList<>();
  @Nullable Diagnostics diagnostics;
  @Nullable Supplier<? extends UnaryOperator<Runnable>> context;
  int purgeInterval = DEFAULT_PURGE_INTERVAL;
  private boolean managed;

  PurgatoryBuilder(String name) {
    this.name = requireNonNull(name, "name");
  }

  /**
   * Sets the timer. It may serve several purgatories, and is not closed with this one. By default
   * the purgatory has a timer of its own, with a tick of 1 ms.
   *
   * @param timer schedules the timeouts
   * @return this builder
   */
  public PurgatoryBuilder timer(Timer timer) {
    this.timer = requireNonNull(timer, "timer");
    return this;
  }

  /**
   * Sets the executor that answers operations that an event ends. By default the thread of the
   * event answers them, within {@link Purgatory#signal}.
   *
   * @param executor runs the answers; if it rejects one, the thread of the event answers
   * @return this builder
   */
  public PurgatoryBuilder completionExecutor(Executor executor) {
    this.completionExecutor = requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Sets the executor that answers operations that time out. By default the helper threads of the
   * timer answer them, one after another; while an answer blocks, another thread goes on after
   * about 10 ms. If the timer has a thread, {@link Timer.Builder#start}, a helper thread calls the
   * executor, which may therefore block. Otherwise the thread that advances the clock calls it, and
   * by default answers by itself, before {@link Timer#advance} returns.
   *
   * @param executor runs the answers. If it rejects one, a helper thread answers. If it silently
   *     drops a task, the operation stays held until an event ends it
   * @return this builder
   */
  public PurgatoryBuilder expirationExecutor(Executor executor) {
    this.expirationExecutor = requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Adds a limit of all requests of the purgatory: those with a condition, replies, and stages.
   *
   * @param limit bounds how many requests are held; several purgatories can share it
   * @return this builder
   */
  public PurgatoryBuilder limit(Limit limit) {
    limits.add(requireNonNull(limit, "limit"));
    return this;
  }

  /**
   * Sets how the context of a caller, such as a logging or tracing context, is carried to the code
   * that runs for its request: the condition and the dependents of the future.
   *
   * <pre>{@code
   * builder.context(() -> {
   *   Map<String, String> captured = MDC.getCopyOfContextMap();
   *   return task -> () -> {
   *     Map<String, String> former = MDC.getCopyOfContextMap();
   *     setContextMap(captured);
   *     try {
   *       task.run();
   *     } finally {
   *       setContextMap(former);
   *     }
   *   };
   * });
   *
   * void setContextMap(Map<String, String> context) {
   *   if (context == null) {
   *     MDC.clear();
   *   } else {
   *     MDC.setContextMap(context);
   *   }
   * }
   * }</pre>
   *
   * <p>Tasks also run on threads that hold, signal or cancel, within those calls. So the wrapper
   * must put back the context that it found.
   *
   * <p>It serves requests with a {@link HeldFuture}. A {@link DelayedOperation} captures a context
   * in its constructor.
   *
   * @param capture called on the thread that holds a request; its result wraps each task that runs
   *     for the request, which it must run once, on the same thread
   * @return this builder
   */
  public PurgatoryBuilder context(Supplier<? extends UnaryOperator<Runnable>> capture) {
    this.context = requireNonNull(capture, "capture");
    return this;
  }

  /**
   * Adds a listener. Without a listener, errors are logged.
   *
   * @param listener receives the events of the purgatory
   * @return this builder
   */
  public PurgatoryBuilder listener(PurgatoryListener listener) {
    listeners.add(requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Observes the requests of the purgatory. Several purgatories can share the diagnostics.
   *
   * @param diagnostics counts and measures the requests
   * @return this builder
   */
  public PurgatoryBuilder diagnostics(Diagnostics diagnostics) {
    this.diagnostics = requireNonNull(diagnostics, "diagnostics");
    return listener(diagnostics);
  }

  /**
   * Registers a {@link PurgatoryMXBean} with the platform's MBean server when the purgatory is
   * built, and removes it when the purgatory is closed. Until then, the server refers to the
   * purgatory. The name is {@code dev.purgatory:type=Purgatory,name=} and the name of the
   * purgatory, quoted if it has characters other than letters, digits, and {@code . _ -}. {@link
   * #build} throws an {@link IllegalStateException} if that is in use, and builds nothing.
   *
   * @return this builder
   * @throws IllegalStateException if the runtime has no module {@code java.management}
   */
  public PurgatoryBuilder mxBean() {
    try {
      requireNonNull(PurgatoryBean.server());
    } catch (LinkageError e) {
      throw new IllegalStateException("the runtime has no module java.management", e);
    }
    managed = true;
    return this;
  }

  /**
   * Sets the exception of futures with this outcome that have no answer or exception of their own.
   *
   * @param outcome {@link Outcome#TIMED_OUT}, {@link Outcome#CANCELLED} or {@link Outcome#CLOSED}
   * @param exception creates the exception for a future
   * @return this builder
   * @throws IllegalArgumentException for other outcomes, which have a value or a cause
   */
  public PurgatoryBuilder exception(
      Outcome outcome, Function<? super HeldFuture<?>, ? extends Throwable> exception) {
    if (outcome == Outcome.COMPLETED || outcome == Outcome.FAILED) {
      throw new IllegalArgumentException(
          outcome + " has a value or a cause, and needs no exception");
    }
    exceptions.put(outcome, requireNonNull(exception, "exception"));
    return this;
  }

  /**
   * Sets how many entries of ended operations may stay on the watch lists before these are purged.
   * An entry is a reference to a small empty object. Keys stay half a second at most.
   *
   * @param entries 0 or more; 1,000 by default
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
   * Creates the purgatory. Without a {@link #timer}, also starts a timer with a thread.
   *
   * @param <K> the type of the keys
   * @return a new purgatory
   * @throws IllegalStateException if its {@link #mxBean} cannot be registered
   */
  public <K> Purgatory<K> build() {
    return build(/* awaitsReplies= */ false);
  }

  <K> Purgatory<K> build(boolean awaitsReplies) {
    if (!managed) {
      return create(awaitsReplies);
    }
    PurgatoryBean bean = PurgatoryBean.register(name, listeners.isEmpty());
    listeners.add(bean);
    try {
      Purgatory<K> built = create(awaitsReplies);
      bean.show(built.core());
      return built;
    } catch (Throwable e) {
      bean.unregister();
      throw e;
    } finally {
      listeners.remove(bean);
    }
  }

  private <K> Purgatory<K> create(boolean awaitsReplies) {
    Timer clock = timer != null ? timer : Timer.builder().start("purgatory-" + name + "-clock");
    return new Purgatory<>(this, clock, awaitsReplies);
  }
}
