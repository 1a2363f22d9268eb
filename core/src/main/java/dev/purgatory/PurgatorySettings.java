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

/**
 * The settings that {@link PurgatoryBuilder} and {@link Replies.Builder} have in common.
 *
 * @param <S> the type of the builder
 */
public abstract class PurgatorySettings<S extends PurgatorySettings<S>> {
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

  /** How many entries of ended operations may stay on the lists before a purge. */
  int purgeInterval = 1000;

  private boolean managed;

  PurgatorySettings(String name) {
    this.name = requireNonNull(name, "name");
  }

  abstract S self();

  /**
   * Sets the timer. It may serve several purgatories, and is not closed with this one. By default
   * the purgatory has a timer of its own, with a tick of 1 ms.
   *
   * @param timer schedules the timeouts
   * @return this builder
   */
  public S timer(Timer timer) {
    this.timer = requireNonNull(timer, "timer");
    return self();
  }

  /**
   * Sets the executor that answers operations that an event ends. By default the thread of the
   * event answers them, within {@link Purgatory#signal}. Futures that your code completes, and
   * replies that the methods of {@link Replies} complete, are answered on your thread all the same.
   *
   * @param executor runs the answers; if it rejects one, the thread of the event answers
   * @return this builder
   */
  public S completionExecutor(Executor executor) {
    this.completionExecutor = requireNonNull(executor, "executor");
    return self();
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
  public S expirationExecutor(Executor executor) {
    this.expirationExecutor = requireNonNull(executor, "executor");
    return self();
  }

  /**
   * Adds a limit of all requests of the purgatory: those with a condition, replies, and stages.
   *
   * @param limit bounds how many requests are held; several purgatories can share it
   * @return this builder
   */
  public S limit(Limit limit) {
    limits.add(requireNonNull(limit, "limit"));
    return self();
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
  public S context(Supplier<? extends UnaryOperator<Runnable>> capture) {
    this.context = requireNonNull(capture, "capture");
    return self();
  }

  /**
   * Adds a listener. Without a listener, errors are logged.
   *
   * @param listener receives the events of the purgatory
   * @return this builder
   */
  public S listener(PurgatoryListener listener) {
    listeners.add(requireNonNull(listener, "listener"));
    return self();
  }

  /**
   * Observes the requests of the purgatory. Several purgatories can share the diagnostics.
   *
   * @param diagnostics counts and measures the requests
   * @return this builder
   */
  public S diagnostics(Diagnostics diagnostics) {
    this.diagnostics = requireNonNull(diagnostics, "diagnostics");
    return listener(diagnostics);
  }

  /**
   * Registers an MBean with the platform's MBean server when the purgatory is built, and removes it
   * when the purgatory is closed. Until then, the server refers to the purgatory. The name is
   * {@code dev.purgatory:type=Purgatory,name=} and the name of the purgatory, quoted if it has
   * characters other than letters, digits, and {@code . _ -}. {@code build} throws an {@link
   * IllegalStateException} if that is in use, and builds nothing.
   *
   * @return this builder
   * @throws IllegalStateException if the runtime has no module {@code java.management}
   */
  public S mxBean() {
    try {
      requireNonNull(PurgatoryBean.server());
    } catch (LinkageError e) {
      throw new IllegalStateException("the runtime has no module java.management", e);
    }
    managed = true;
    return self();
  }

  /**
   * Sets the exception of futures with this outcome that have no answer or exception of their own.
   *
   * @param outcome {@link Outcome#TIMED_OUT}, {@link Outcome#CANCELLED} or {@link Outcome#CLOSED}
   * @param exception creates the exception for a future
   * @return this builder
   * @throws IllegalArgumentException for other outcomes, which have a value or a cause
   */
  public S exception(
      Outcome outcome, Function<? super HeldFuture<?>, ? extends Throwable> exception) {
    if (outcome == Outcome.COMPLETED || outcome == Outcome.FAILED) {
      throw new IllegalArgumentException(
          outcome + " has a value or a cause, and needs no exception");
    }
    exceptions.put(outcome, requireNonNull(exception, "exception"));
    return self();
  }

  /**
   * Creates a purgatory.
   *
   * @param make creates it with a timer
   * @param core returns its core
   */
  <P> P create(Function<? super Timer, P> make, Function<? super P, Core<?>> core) {
    PurgatoryBean bean = managed ? PurgatoryBean.register(name, listeners.isEmpty()) : null;
    if (bean != null) {
      listeners.add(bean);
    }
    try {
      P built =
          make.apply(timer != null ? timer : Timer.builder().start("purgatory-" + name + "-clock"));
      if (bean != null) {
        bean.show(core.apply(built));
      }
      return built;
    } catch (Throwable e) {
      if (bean != null) {
        bean.unregister();
      }
      throw e;
    } finally {
      listeners.remove(bean);
    }
  }
}
