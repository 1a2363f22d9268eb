package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.timer.Timer;
import dev.purgatory.watch.ExclusiveKeys;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests that cannot be answered yet, until an event on one of their keys makes them
 * answerable or they time out. Answers each exactly once, without a thread per request.
 *
 * <pre>{@code
 * Purgatory<String> polls = Purgatory.builder("long-poll", String.class).build();
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
 * answer, {@link #timeout} puts a time limit on any stage, and {@link Replies} awaits replies by
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
 * completes, signals or cancels starts no thread and waits for none, unless the caller drives the
 * timer.
 *
 * @param <K> the type of the keys, with {@code equals} and {@code hashCode} that stay the same
 */
public final class Purgatory<K> implements AutoCloseable {

  private final Core<K> core;
  private final @Nullable Diagnostics diagnostics;
  private final DelayedOperation.Adapter operations;
  private final Futures<K> futures;

  private final List<Limit> limits;

  /** The terms of every request. */
  private final Terms terms;

  Purgatory(PurgatorySettings<?> builder, Timer timer, boolean awaitsReplies) {
    core =
        new Core<>(
            builder.name,
            timer,
            /* ownsTimer= */ builder.timer == null,
            builder.purgeInterval,
            /* exclusive= */ awaitsReplies,
            builder.listeners,
            builder.completionExecutor,
            builder.expirationExecutor);
    operations = new DelayedOperation.Adapter(core);
    futures = new Futures<>(core, builder.exceptions, builder.context);
    diagnostics = builder.diagnostics;
    limits = List.copyOf(new LinkedHashSet<>(builder.limits));
    Terms observed = Terms.of(diagnostics);
    terms = limits.isEmpty() ? observed : observed.and(Limit.places(limits));
    if (diagnostics != null) {
      diagnostics.observe(timer);
    }
  }

  /**
   * Returns a builder of purgatories.
   *
   * @param name appears in thread names, messages and {@code toString}
   * @param keys the class of the keys, for the compiler only. If they have type parameters, such as
   *     {@code List<String>}, say them too: {@code Purgatory.<List<String>>builder("polls",
   *     List.class)}
   * @param <K> the type of the keys
   * @return a new builder
   */
  public static <K> PurgatoryBuilder<K> builder(String name, Class<? super K> keys) {
    requireNonNull(keys, "keys");
    return new PurgatoryBuilder<>(name);
  }

  /**
   * Begins the description of a request that is held until a condition gives its answer.
   *
   * @param condition returns the answer, or null while the request has to wait; no {@link Boolean},
   *     for which there is {@link #untilTrue}, and no {@link java.util.Optional}. It is evaluated
   *     when the request is held, at each signal for one of its keys, and a last time at its time
   *     limit or by {@link #close()} unless another thread is evaluating it then; by one thread at
   *     a time, and never after the request has ended. If it takes its answer from somewhere, say
   *     {@link Hold.Untimed#orReturn where the answer goes} if the request has ended. If it throws,
   *     the request fails with that exception. It must not signal a key of its own request. Keep it
   *     fast: a timeout waits until it returns
   * @param <T> the type of the answer
   * @return a description without a time limit
   */
  public <T> Hold.Untimed<K, T> until(Supplier<? extends @Nullable T> condition) {
    requireNonNull(condition, "condition");
    return describe((Condition.Bound) reason -> Condition.answer(condition.get()));
  }

  /**
   * Begins the description of a request that is held until a condition is true, like {@link
   * #until}.
   *
   * <pre>{@code
   * jobs.untilTrue(() -> job.isDone()).orAfter(Duration.ofSeconds(30), () -> false).hold(id);
   * }</pre>
   *
   * @param condition returns whether the request can be answered
   * @return a description without a time limit; its answer is true
   */
  public Hold.Untimed<K, Boolean> untilTrue(BooleanSupplier condition) {
    requireNonNull(condition, "condition");
    return describe((Condition.Bound) reason -> condition.getAsBoolean() ? Boolean.TRUE : null);
  }

  /**
   * Begins the description of a request.
   *
   * @param condition null if only other callers give the answer
   * @throws IllegalStateException if the purgatory awaits replies
   */
  <T> Hold.Untimed<K, T> describe(@Nullable Condition condition) {
    requireNoReplies();
    return new Hold.Untimed<>(futures, condition, null, 0, terms);
  }

  private void requireNoReplies() {
    if (core.keys() instanceof ExclusiveKeys<?>) {
      throw new IllegalStateException(core.name() + " awaits replies: it holds nothing else");
    }
  }

  /**
   * Begins the description of a request that is held until a condition gives its answer, like
   * {@link #until}. The condition sees the reason of the {@linkplain #signal(Object, Object)
   * signal} for which it is evaluated, and can return null at once if that does not concern it.
   *
   * @param condition gets the reason; null if it must look at everything: when the request is held,
   *     at its timeout, and for a signal without a reason or several at a time
   * @param <T> the type of the answer
   * @return a description without a time limit
   */
  public <T> Hold.Untimed<K, T> untilSignalled(
      Function<@Nullable Object, ? extends @Nullable T> condition) {
    requireNonNull(condition, "condition");
    return describe(
        (Condition.Bound)
            reason ->
                Condition.answer(condition.apply(reason == Registration.TIMEOUT ? null : reason)));
  }

  /**
   * Begins the description of a request that is held until a condition gives its answer, like
   * {@link #until}, with a condition that takes time: a look into a database, a call of another
   * service. No thread waits for it.
   *
   * <pre>{@code
   * HeldFuture<Order> order =
   *     orders
   *         .untilAsync(() -> database.findPaid(id)) // a stage of the order, or of null
   *         .orTimeout(Duration.ofSeconds(30))
   *         .hold(id);
   * }</pre>
   *
   * <p>One evaluation runs at a time. It begins when the request is held, and at a signal; signals
   * that come while one runs cause one more after it. Timeout, cancellation and {@link #close} do
   * not wait for an evaluation that runs, and begin none; the stage goes on, and its late answer is
   * dropped, or goes where {@link Hold.Untimed#orReturn} says. A request with a time limit of zero
   * gets an answer only from a stage that is complete at once.
   *
   * <p>The thread that completes the stage ends the request, as a thread that signals does. The
   * methods that signal count a request only if its stage is complete at once.
   *
   * @param condition begins to look, and returns a stage that completes with the answer, or with
   *     null while the request has to wait. It must return at once. If it throws or returns null,
   *     or if the stage fails, the request fails with that exception
   * @param <T> the type of the answer
   * @return a description without a time limit
   */
  public <T> Hold.Untimed<K, T> untilAsync(
      Supplier<? extends CompletionStage<? extends @Nullable T>> condition) {
    requireNonNull(condition, "condition");
    return describe(new AsyncCondition.Of(condition));
  }

  /**
   * Begins the description of a request without a condition: it is held until somebody completes
   * its future, or {@link #inspect} shows it to a caller that ends it.
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
   * @return a description without a time limit
   */
  public <T> Hold.Untimed<K, T> untilCompleted() {
    return describe(null);
  }

  /**
   * Puts a timeout on a stage. The stage itself continues after a timeout; it then references only
   * a small object of the purgatory. A future that is done already is not held, whatever the
   * limits.
   *
   * @param stage any stage
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no time limit
   * @param <T> the type of the answer
   * @return completes as the stage does, or fails with a {@link TimeoutException}
   * @throws IllegalArgumentException if the timeout is negative
   */
  public <T> HeldFuture<T> timeout(CompletionStage<T> stage, Duration timeout) {
    requireNoReplies();
    return futures.timeout(stage, Registration.nanos(timeout), null, terms.ofRequest(List.of()));
  }

  /**
   * Puts a timeout on a stage, with an answer for it.
   *
   * @param stage any stage
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no time limit
   * @param answer called on a timeout; an exception fails the future
   * @param <T> the type of the answer
   * @return completes as the stage does, or with this answer
   * @throws IllegalArgumentException if the timeout is negative
   */
  public <T> HeldFuture<T> timeout(
      CompletionStage<T> stage, Duration timeout, Supplier<? extends T> answer) {
    requireNonNull(answer, "answer");
    requireNoReplies();
    return futures.timeout(
        stage, Registration.nanos(timeout), future -> answer.get(), terms.ofRequest(List.of()));
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
   * @throws IllegalStateException if the operation was handed to a purgatory before
   * @throws PurgatoryClosedException if the purgatory is closed; the operation can be handed to
   *     another one. Or if its timer is closed and the operation is not answered at once; it has
   *     then failed with the same exception
   * @throws LimitExceededException if a limit refuses the operation, which has then failed with the
   *     same exception
   * @throws RuntimeException if a key's {@code equals} or {@code hashCode} throws; the operation
   *     has then failed with the same exception
   */
  public boolean hold(DelayedOperation operation, Collection<? extends K> keys, Scope... scopes) {
    requireNonNull(operation, "operation");
    requireKeys(keys);
    requireNoReplies();
    Terms all = terms.in(scopes);
    return core.hold(operation.registration(), operations, all.keys(keys), all.ofRequest(keys));
  }

  /**
   * Answers the operation if its condition already holds, else holds it on a group of keys.
   *
   * @param operation an operation that was not handed to any purgatory before
   * @param group a group of this purgatory
   * @param scopes end the operation with them
   * @return as {@link #hold(DelayedOperation, Collection, Scope...)}
   * @throws IllegalArgumentException if the group is another purgatory's
   * @throws IllegalStateException if the group is closed
   */
  public boolean hold(DelayedOperation operation, KeyGroup<K> group, Scope... scopes) {
    return hold(operation, group.asKey(core), scopes);
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
    return hold(operation, Arrays.asList(requireNonNull(keys, "keys")));
  }

  static void requireKeys(Collection<?> keys) {
    if (requireNonNull(keys, "keys").isEmpty()) {
      throw new IllegalArgumentException("a request needs at least one key");
    }
    requireNoNull(keys);
  }

  static void requireNoNull(Collection<?> keys) {
    for (Object key : requireNonNull(keys, "keys")) {
      requireNonNull(key, "key");
    }
  }

  /**
   * Stores a group of keys, on which requests are then held as on a single key.
   *
   * @param keys at least one
   * @return the group; close it when it is no longer used
   * @throws IllegalArgumentException if there are no keys
   * @throws NullPointerException if a key is null
   */
  public KeyGroup<K> group(Collection<? extends K> keys) {
    requireNoReplies();
    requireKeys(keys);
    return new KeyGroup<>(core, keys);
  }

  /**
   * Signals an event on a key: evaluates the conditions of the requests that wait on it, and
   * answers the ready ones. Call it after the event has taken effect, preferably without holding a
   * lock.
   *
   * @param key the key of the event
   * @return the number of requests that this call completed; 0 if it was nested too deep in
   *     callbacks, so that a helper thread does the work
   */
  public int signal(K key) {
    return core.signal(requireNonNull(key, "key"), null, Integer.MAX_VALUE);
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
    requireNonNull(key, "key");
    requireNonNull(reason, "reason");
    return core.signal(key, reason, Integer.MAX_VALUE);
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
      throw new IllegalArgumentException("most " + most + " is not positive");
    }
    return core.signal(requireNonNull(key, "key"), null, most);
  }

  /**
   * Cancels the operations that wait on a key, even if they also wait on others.
   *
   * @param key a key
   * @return the operations that this call cancelled: {@link DelayedOperation}s and {@link
   *     HeldFuture}s
   */
  public List<Object> cancelForKey(K key) {
    return endForKey(key, Outcome.CANCELLED, null);
  }

  private List<Object> endForKey(K key, Outcome outcome, @Nullable Throwable cause) {
    requireNonNull(key, "key");
    Headroom.ensure();
    return core.endForKey(key, outcome, cause);
  }

  /**
   * Cancels all held operations, for instance to hand them to a successor.
   *
   * @return the operations that this call cancelled, of the types that {@link #cancelForKey}
   *     returns
   */
  public List<Object> cancelAll() {
    Headroom.ensure();
    return core.cancelAll();
  }

  /**
   * Fails the operations that wait on a key, even if they also wait on others: for instance because
   * the leadership of a partition has moved.
   *
   * @param key a key
   * @param cause the cause of the failures
   * @return the operations that this call failed, of the types that {@link #cancelForKey} returns
   */
  public List<Object> failForKey(K key, Throwable cause) {
    requireNonNull(cause, "cause");
    return endForKey(key, Outcome.FAILED, cause);
  }

  /**
   * Returns the number of held operations: those without an outcome.
   *
   * @return 0 or more, exact. An operation whose adding or ending call has not returned yet may or
   *     may not be counted
   */
  public long pending() {
    return core.pending();
  }

  /**
   * Returns a view of what is held, for screens, logs and tests.
   *
   * @return a view that always shows the present
   */
  public Inspection<K> inspect() {
    return new Inspection<>(core, limits, diagnostics);
  }

  /**
   * Closes the purgatory: refuses further operations, and ends the held ones with {@link
   * Outcome#CLOSED}, unless a last evaluation finds that their condition holds. Waits until the
   * helper threads have given all answers, however long that takes, and logs that it waits every
   * ten seconds. If the JVM is shutting down, gives up instead: an answer that calls {@link
   * System#exit} waits for the hook that closes. In a hook, use {@link #close(Duration)}. Does not
   * wait for answers on other executors, or when called from a callback on one of the library's
   * threads. If the caller is interrupted, the wait ends, the interrupt status stays set, and the
   * answers continue in the background. Closing again does nothing, even while another thread is
   * still closing.
   */
  @Override
  public void close() {
    Headroom.ensure();
    futures.settleStranded();
    core.close();
  }

  /**
   * Returns the name that the {@linkplain #builder builder} was given.
   *
   * @return the name, which another purgatory may have too
   */
  public String name() {
    return core.name();
  }

  /**
   * Returns the timer of the requests: that of {@link PurgatoryBuilder#timer}, or one of its own.
   *
   * @return the timer
   */
  public Timer timer() {
    return core.timer();
  }

  /**
   * Closes the purgatory within a time limit: refuses further operations, and ends the held ones
   * with {@link Outcome#CLOSED}. When the time is over, cancels the rest, in time proportional to
   * their number, and returns, whatever callbacks do: helper threads answer the cancelled
   * operations in the background. Without memory to cancel them, it tries for ten more seconds.
   * Interrupts nothing. An {@link PurgatoryBuilder#expirationExecutor} that runs tasks on the
   * calling thread can delay it by one answer.
   *
   * @param timeout how long to wait at most; zero: not at all
   * @return the operations that were cancelled, none of which had begun to be answered, of the
   *     types that {@link #cancelForKey} returns; empty if the purgatory was closed before
   * @throws IllegalArgumentException if the timeout is negative
   */
  public List<Object> close(Duration timeout) {
    long nanos = Registration.nanos(timeout);
    Headroom.ensure();
    futures.settleStranded();
    return core.close(nanos);
  }

  Core<K> core() {
    return core;
  }

  Futures<K> futures() {
    return futures;
  }

  Terms terms() {
    return terms;
  }

  @Override
  public String toString() {
    return "Purgatory["
        + core.name()
        + (core.isClosed() ? ", closed, " : ", ")
        + pending()
        + " pending, "
        + core.keys().keys()
        + " keys]";
  }
}
