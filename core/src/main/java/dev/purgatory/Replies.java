package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import dev.purgatory.timer.Timer;
import dev.purgatory.watch.Waiters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Replies awaited by their correlation id: {@link #expect} a reply before the request is sent, and
 * {@link #complete} it when it arrives. Each future completes once, at the latest on its timeout,
 * and then nothing of it is kept. Thread-safe.
 *
 * <pre>{@code
 * Replies<Integer, Reply> replies = new Replies<>("rpc");
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

  /** Set before the table is used, as the next two. */
  private Terms terms;

  /** Null if they are not kept. */
  private @Nullable EarlyReplies<I, R> early;

  /** Null if they are not remembered. */
  private @Nullable EndedWaits<I, R> ended;

  /**
   * Creates a table of replies with a timer of its own.
   *
   * @param name appears in thread names, messages and {@code toString}
   */
  public Replies(String name) {
    this(Purgatory.builder(name));
  }

  /**
   * Creates a table of replies.
   *
   * @param name appears in thread names, messages and {@code toString}
   * @param timer times the replies out. It can be shared, and is not closed with this table
   */
  public Replies(String name, Timer timer) {
    this(Purgatory.builder(name).timer(timer));
  }

  /**
   * Creates a table of replies on a purgatory of its own, for instance with a limit.
   *
   * @param builder builds the purgatory
   * @throws IllegalStateException as {@link PurgatoryBuilder#build} does
   */
  public Replies(PurgatoryBuilder builder) {
    this.purgatory = builder.build(/* awaitsReplies= */ true);
    this.terms = purgatory.terms();
  }

  /**
   * Returns the purgatory that holds the futures, for metrics or a screen.
   *
   * @return a purgatory that holds nothing else, and is closed with this table
   */
  public Purgatory<I> purgatory() {
    return purgatory;
  }

  /**
   * Keeps replies that come before they are expected, for a limited time each: the request that
   * then expects a reply gets it at once. Without this, such a reply is dropped. Call this before
   * the table is used.
   *
   * <p>Late replies and duplicates look like early ones: they are kept as well, until their time is
   * over, except late ones that {@link #rememberEnded} tells of. So do not use an id again before
   * that.
   *
   * @param time how long to keep each reply, positive
   * @param most how many replies to keep at most, 1 or more. One that comes when so many are kept
   *     is dropped
   * @return this table
   * @throws IllegalArgumentException if {@code time} or {@code most} is not positive
   * @throws IllegalStateException if this was called before
   */
  public Replies<I, R> keepEarly(Duration time, int most) {
    if (time.isZero() || time.isNegative() || most < 1) {
      throw new IllegalArgumentException("keep " + most + " early replies for " + time);
    }
    if (early != null) {
      throw new IllegalStateException("keepEarly was called before");
    }
    early = new EarlyReplies<>(purgatory.core(), Registration.nanos(time), most);
    return this;
  }

  /**
   * Remembers the ids whose wait has ended without a reply, for a limited time each, and tells of
   * replies that come within that time: too late, by how much, and why nobody awaited them. Without
   * this, a late reply looks like one that was never expected. Of a wait, only its id is
   * remembered, with all that the id refers to: so let an id have the number of its connection, not
   * the connection. Call this before the table is used.
   *
   * <pre>{@code
   * replies.rememberEnded(
   *     Duration.ofMinutes(1),
   *     10_000,
   *     late -> log.warn("{} came {} too late: {}", late.id(), late.late(), late.outcome()));
   * }</pre>
   *
   * @param time how long to remember each id, positive
   * @param most how many to remember at most, 1 or more. A wait that ends when so many are
   *     remembered is not
   * @param onLate gets each late reply once, on the thread that calls {@link #complete}, which then
   *     returns false. {@link #keepEarly} does not keep such a reply
   * @return this table
   * @throws IllegalArgumentException if {@code time} or {@code most} is not positive
   * @throws IllegalStateException if this was called before
   */
  public Replies<I, R> rememberEnded(
      Duration time, int most, Consumer<? super LateReply<I, R>> onLate) {
    requireNonNull(onLate, "onLate");
    if (time.isZero() || time.isNegative() || most < 1) {
      throw new IllegalArgumentException("remember " + most + " ended waits for " + time);
    }
    if (ended != null) {
      throw new IllegalStateException("rememberEnded was called before");
    }
    ended = new EndedWaits<>(purgatory.core(), Registration.nanos(time), most, onLate);
    terms = terms.and(ended);
    return this;
  }

  /**
   * Refuses an id while its ended wait is {@linkplain #rememberEnded remembered}, because its late
   * reply could be taken for the one to the next request. For protocols with few ids, such as 16
   * bits: choose another id if {@link #expect} refuses one. An id is free again when its late reply
   * has come, or its time is over.
   *
   * @return this table
   * @throws IllegalStateException if ended waits are not remembered
   */
  public Replies<I, R> refuseEnded() {
    if (ended == null) {
      throw new IllegalStateException("call rememberEnded first");
    }
    ended.refuse();
    return this;
  }

  /**
   * Awaits a reply. Call it before the request is sent, because the reply may be fast.
   *
   * @param id the id of the request. It can be used again once the future has completed
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no time limit
   * @param scopes end the wait with them, for instance that of the connection
   * @return the reply. Cancel it to give up; fail it if the request cannot be sent
   * @throws IllegalArgumentException if the timeout is negative
   * @throws IllegalStateException if a reply with this id is awaited already, or {@linkplain
   *     #refuseEnded may still come}
   */
  public HeldFuture<R> expect(I id, Duration timeout, Scope... scopes) {
    return expectOn(terms.in(scopes), id, timeout);
  }

  /**
   * Awaits a reply, like {@link #expect(Object, Duration, Scope...)}, in no scope.
   *
   * @param id the id of the request
   * @param timeout how long to wait
   * @return the reply
   */
  public HeldFuture<R> expect(I id, Duration timeout) {
    return expectOn(terms, id, timeout);
  }

  private HeldFuture<R> expectOn(Terms on, I id, Duration timeout) {
    requireNonNull(id, "id");
    long nanos = Registration.nanos(timeout);
    return Hold.begin(purgatory.futures(), early, null, nanos, null, on, List.of(id));
  }

  /**
   * Awaits the replies to a request that is sent to several receivers, until enough of them have
   * replied, too many have failed, or the time is over: a quorum, the fastest of several replicas,
   * or a search that shows what has come in time. Call it before the request is sent.
   *
   * <pre>{@code
   * replies
   *     .gather(Set.of("r1/42", "r2/42", "r3/42"), 2, Duration.ofSeconds(1))
   *     .thenAccept(found -> answer(found.isEnough() ? newest(found.replies()) : "unavailable"));
   * }</pre>
   *
   * <p>Each id is awaited as with {@link #expect}. The ids that are still awaited at the end are
   * cancelled, so their replies are late ones; one that comes just then can be missing in the
   * result although {@link #complete} returns true.
   *
   * @param ids an id for each receiver, at least one; none is awaited already
   * @param enough how many replies are needed, at least one and at most as many as there are ids
   * @param timeout how long to wait, as for {@link #expect}
   * @param scopes end the waits with them
   * @return what has come, enough or not. It ends with the first {@code enough} replies, with the
   *     failure that makes them impossible, or with a timeout. It does not fail, unless an id
   *     throws. Cancel it to give up, which cancels all waits
   * @throws IllegalArgumentException if there are no ids, {@code enough} is out of range, or the
   *     timeout is negative
   * @throws IllegalStateException if one of the replies is awaited already, or {@linkplain
   *     #refuseEnded may still come}; the others are then cancelled
   */
  public CompletableFuture<Gathered<I, R>> gather(
      Set<? extends I> ids, int enough, Duration timeout, Scope... scopes) {
    List<I> all = new ArrayList<>(ids);
    all.forEach(id -> requireNonNull(id, "id"));
    if (enough < 1 || enough > all.size()) {
      throw new IllegalArgumentException(enough + " of " + all.size() + " replies");
    }
    return new Gathering<I, R>(all, enough).begin(id -> expect(id, timeout, scopes));
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
  public Hold<I, R> expecting() {
    return new Hold<>(purgatory.futures(), early, terms);
  }

  /**
   * Blocks until a reply is there, once its request is sent. Throws what the future fails with, as
   * {@link Hold#await} does.
   *
   * <pre>{@code
   * HeldFuture<Reply> reply = replies.expect(request.id(), timeout);
   * connection.send(request);
   * return replies.await(reply);
   * }</pre>
   *
   * @param reply was expected before
   * @return the reply
   * @throws InterruptedException if the thread is interrupted; the wait is then cancelled
   * @throws TimeoutException on a timeout for which no answer is set
   * @throws CancellationException if the wait was cancelled
   */
  public R await(HeldFuture<R> reply) throws InterruptedException, TimeoutException {
    return Hold.awaitAnswer(reply);
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
   * @return true if this call completed the future, or {@linkplain #keepEarly keeps} the reply;
   *     false if the reply is dropped: it is too late, a duplicate, or was never expected
   */
  public boolean complete(I id, R reply) {
    EarlyReplies<I, R> kept = early;
    if (kept != null) {
      requireNonNull(reply, "reply");
    }
    HeldFuture<R> future = find(id);
    if (future != null && future.complete(reply)) {
      return true;
    }
    boolean late = ended != null && ended.report(id, reply);
    return !late && kept != null && kept.keep(id, reply);
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
   * Lists the awaited replies, for a screen or a log: see {@link Purgatory#held}.
   *
   * @return a description of each, the oldest first
   */
  public List<HeldRequest<I>> held() {
    return purgatory.held();
  }

  /**
   * Closes the purgatory, which fails all futures, and forgets what is kept. See {@link
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
