package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.watch.Waiters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Replies awaited by their correlation id: {@link #expect} a reply before the request is sent, and
 * {@link #complete} it when it arrives. Each future completes once, at the latest on its timeout,
 * and then nothing of it is kept. Thread-safe.
 *
 * <pre>{@code
 * Replies<Integer, Reply> replies = Replies.builder("rpc", Integer.class, Reply.class).build();
 * Scope scope = Scope.of("connection 7"); // one for each connection
 *
 * CompletableFuture<Reply> call(Request request) {
 *   CompletableFuture<Reply> reply = replies.expect(request.id(), Duration.ofSeconds(5), scope);
 *   connection.send(request);
 *   return reply;
 * }
 *
 * void onReply(Reply reply) {
 *   replies.complete(reply.id(), reply); // false: too late, or never expected
 * }
 *
 * void onDisconnect(IOException cause) {
 *   scope.fail(cause); // also what is expected from now on
 * }
 * }</pre>
 *
 * @param <I> the type of the ids, with {@code equals} and {@code hashCode} that stay the same
 * @param <R> the type of the replies
 */
public final class Replies<I, R> implements AutoCloseable {
  private final Purgatory<I> purgatory;
  private final Hold.Untimed<I, R> expecting;

  /** Null if they are not kept. */
  private final @Nullable EarlyReplies<I, R> early;

  /** Null if they are not remembered. */
  private final @Nullable EndedWaits<I, R> ended;

  private Replies(Builder<I, R> builder) {
    purgatory =
        builder.create(
            timer -> new Purgatory<>(builder, timer, /* awaitsReplies= */ true), Purgatory::core);
    Core<I> core = purgatory.core();
    early = builder.early.apply(core);
    ended = builder.ended.apply(core);
    Terms terms = ended == null ? purgatory.terms() : purgatory.terms().and(ended);
    expecting = new Hold.Untimed<>(purgatory.futures(), early, null, 0, terms);
  }

  /**
   * Returns a builder of tables of replies.
   *
   * @param name appears in thread names, messages and {@code toString}
   * @param ids the class of the ids, for the compiler only, as in {@link Purgatory#builder}
   * @param replies the class of the replies, for the compiler only
   * @param <I> the type of the ids
   * @param <R> the type of the replies
   * @return a new builder
   */
  public static <I, R> Builder<I, R> builder(
      String name, Class<? super I> ids, Class<? super R> replies) {
    requireNonNull(ids, "ids");
    requireNonNull(replies, "replies");
    return new Builder<>(name);
  }

  /**
   * Sets up a table of {@link Replies}.
   *
   * @param <I> the type of the ids
   * @param <R> the type of the replies
   */
  public static final class Builder<I, R> extends PurgatorySettings<Builder<I, R>> {
    private Function<Core<I>, @Nullable EarlyReplies<I, R>> early = core -> null;
    private Function<Core<I>, @Nullable EndedWaits<I, R>> ended = core -> null;

    private Builder(String name) {
      super(name);
    }

    @Override
    Builder<I, R> self() {
      return this;
    }

    /**
     * Keeps replies that come before they are expected, for a limited time each: the request that
     * then expects a reply gets it at once. Without this, such a reply is dropped.
     *
     * <p>Late replies and duplicates look like early ones: they are kept as well, until their time
     * is over, except late ones that {@link #rememberEnded} reports. So do not use an id again
     * before that.
     *
     * @param time how long to keep each reply, positive
     * @param most how many replies to keep at most, 1 or more. One that comes when so many are kept
     *     is dropped
     * @return this builder
     * @throws IllegalArgumentException if {@code time} or {@code most} is not positive
     */
    public Builder<I, R> keepEarly(Duration time, int most) {
      long nanos = nanos("early replies", time, most);
      early = core -> new EarlyReplies<>(core, nanos, most);
      return this;
    }

    /**
     * Remembers the ids whose wait has ended without a reply, for a limited time each, and reports
     * replies that come within that time: too late, by how much, and why nobody awaited them.
     * Without this, a late reply looks like one that was never expected. Of a wait, only its id is
     * remembered, with all that the id refers to: so let an id have the number of its connection,
     * not the connection.
     *
     * <pre>{@code
     * builder.rememberEnded(
     *     Duration.ofMinutes(1),
     *     10_000,
     *     late -> log.warn("{} came {} too late: {}", late.id(), late.late(), late.outcome()));
     * }</pre>
     *
     * @param time how long to remember each id, positive
     * @param most how many to remember at most, 1 or more. A wait that ends when so many are
     *     remembered is not
     * @param onLate gets each late reply once, on the thread that calls {@link #complete}, which
     *     then returns false. {@link #keepEarly} does not keep such a reply
     * @return this builder
     * @throws IllegalArgumentException if {@code time} or {@code most} is not positive
     */
    public Builder<I, R> rememberEnded(
        Duration time, int most, Consumer<? super LateReply<I, R>> onLate) {
      requireNonNull(onLate, "onLate");
      long nanos = nanos("ended waits", time, most);
      ended = core -> new EndedWaits<>(core, nanos, most, onLate);
      return this;
    }

    private static long nanos(String what, Duration time, int most) {
      if (time.isZero() || time.isNegative() || most < 1) {
        throw new IllegalArgumentException("remember " + most + " " + what + " for " + time);
      }
      return Registration.nanos(time);
    }

    /**
     * Creates the table. Without a {@link #timer}, also starts a timer with a thread.
     *
     * @return a new table
     * @throws IllegalStateException if its {@link #mxBean} cannot be registered
     */
    public Replies<I, R> build() {
      return new Replies<>(this);
    }
  }

  /**
   * Awaits a reply. Call it before the request is sent, because the reply may be fast.
   *
   * @param id the id of the request. It can be used again once the future has completed
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no time limit
   * @param scopes end the wait with them, for instance the connection's scope
   * @return the reply. Cancel it to give up; fail it if the request cannot be sent
   * @throws IllegalArgumentException if the timeout is negative
   * @throws IllegalStateException if a reply with this id is awaited already
   */
  public HeldFuture<R> expect(I id, Duration timeout, Scope... scopes) {
    requireNonNull(id, "id");
    long nanos = Registration.nanos(timeout);
    return expecting.inScope(scopes).begin(nanos, null, List.of(id));
  }

  /**
   * Begins the description of an awaited reply, for what {@link #expect} cannot say: an answer for
   * a timeout, a tag, no time limit. It is held on one id.
   *
   * <pre>{@code
   * HeldFuture<Reply> reply =
   *     replies.expecting().tag(request).orAfter(timeout, () -> Reply.NONE).hold(request.id());
   * }</pre>
   *
   * @return a description whose {@code hold} refuses an id that is awaited already, with an {@link
   *     IllegalStateException}
   */
  public Hold.Untimed<I, R> expecting() {
    return expecting;
  }

  /**
   * Returns the future that awaits a reply.
   *
   * @param id the id of its request
   * @return the future, with its {@link HeldFuture#tag}; null if the reply is not awaited
   */
  public @Nullable HeldFuture<R> find(I id) {
    Waiters found = purgatory.core().keys().get(requireNonNull(id, "id"));
    return found instanceof Registration registration ? future(registration) : null;
  }

  @SuppressWarnings("unchecked") // the purgatory holds only these futures
  private @Nullable HeldFuture<R> future(Registration registration) {
    return (HeldFuture<R>) registration.operation();
  }

  /**
   * Completes the future that awaits a reply.
   *
   * @param id the id of its request
   * @param reply the reply
   * @return true if this call completed the future, or {@linkplain Builder#keepEarly keeps} the
   *     reply; false if the reply is dropped: it is too late, a duplicate, or was never expected
   */
  public boolean complete(I id, R reply) {
    if (early != null) {
      requireNonNull(reply, "reply");
    }
    HeldFuture<R> future = find(id);
    if (future != null && future.complete(reply)) {
      return true;
    }
    boolean late = ended != null && ended.report(id, reply);
    return !late && early != null && early.keep(id, reply);
  }

  /**
   * Fails the future that awaits a reply.
   *
   * @param id the id of its request
   * @param cause the exception for the future
   * @return true if this call failed the future
   */
  public boolean fail(I id, Throwable cause) {
    requireNonNull(cause, "cause");
    HeldFuture<R> future = find(id);
    return future != null && future.completeExceptionally(cause);
  }

  /**
   * Completes all futures with the same reply, for instance one that says that the receiver is
   * gone.
   *
   * @param reply the reply
   * @return the number of futures that this call completed
   */
  public int completeAll(R reply) {
    return endAll(future -> future.complete(reply));
  }

  /**
   * Fails all futures. One that is expected afterwards waits: for the end of a connection, use a
   * {@link Scope}.
   *
   * @param cause the exception for the futures
   * @return the number of futures that this call failed
   */
  public int failAll(Throwable cause) {
    requireNonNull(cause, "cause");
    return endAll(future -> future.completeExceptionally(cause));
  }

  private int endAll(Predicate<HeldFuture<R>> end) {
    Headroom.ensure();
    return purgatory
        .core()
        .visitAll(
            each -> {
              HeldFuture<R> future = future(each);
              return future != null && end.test(future);
            });
  }

  /**
   * Returns the number of awaited replies.
   *
   * @return 0 or more, exact
   */
  public long pending() {
    return purgatory.pending();
  }

  /**
   * Returns the purgatory of the awaited replies, for its {@link Purgatory#inspect view}, metrics
   * and consoles. It holds nothing else.
   *
   * @return the purgatory, which refuses other requests
   */
  public Purgatory<I> purgatory() {
    return purgatory;
  }

  /**
   * Closes the table, which fails all futures, and forgets what is kept. See {@link
   * Purgatory#close()}.
   */
  @Override
  public void close() {
    purgatory.close();
    forget();
  }

  /**
   * Closes the table gracefully: refuses further waits, blocks until the awaited replies have come,
   * and cancels the rest when the time is over. Then it returns, whatever callbacks do. If the
   * caller is interrupted, the time is over, and the interrupt status stays set.
   *
   * @param timeout how long to wait for replies at most, in real time
   * @return the number of replies that have not come; 0 if the table was closed before
   * @throws IllegalArgumentException if the timeout is negative
   */
  public int close(Duration timeout) {
    long nanos = Registration.nanos(timeout);
    purgatory.futures().refuseAll();
    List<CompletableFuture<?>> awaited = new ArrayList<>();
    endAll(future -> awaited.add(future));
    try {
      CompletableFuture.allOf(awaited.toArray(CompletableFuture[]::new))
          .get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // A wait has failed, or the time is over.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    int left = purgatory.close(Duration.ZERO).size();
    forget();
    return left;
  }

  private void forget() {
    if (early != null) {
      early.clear();
    }
    if (ended != null) {
      ended.clear();
    }
  }

  @Override
  public String toString() {
    return "Replies[" + purgatory + ']';
  }
}
