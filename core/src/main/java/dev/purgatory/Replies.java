package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;

/**
 * Replies awaited by their correlation id: {@link #expect} a reply before the request is sent, and
 * {@link #complete} it when it arrives. Each future completes once, at the latest on its timeout,
 * and then nothing of it is kept. Thread-safe.
 *
 * <pre>{@code
 * Replies<Integer, Reply> replies = new Replies<>(Purgatory.builder("rpc").build());
 *
 * CompletableFuture<Reply> call(Request request) {
 *   CompletableFuture<Reply> reply = replies.expect(request.id(), Duration.ofSeconds(5));
 *   connection.send(request);
 *   return reply;
 * }
 *
 * void onReply(Reply reply) {
 *   replies.complete(reply.id(), reply); // false: too late, or never expected
 * }
 *
 * void onDisconnect(IOException cause) {
 *   replies.failAll(cause);
 * }
 * }</pre>
 *
 * @param <I> the type of the ids, with {@code equals} and {@code hashCode} that stay the same
 * @param <R> the type of the replies
 */
public final class Replies<I, R> implements AutoCloseable {
  private final Purgatory<I> purgatory;

  /**
   * Creates a table of replies.
   *
   * @param purgatory holds the futures; it must not be used for anything else, and is closed with
   *     this table
   */
  public Replies(Purgatory<I> purgatory) {
    this.purgatory = requireNonNull(purgatory, "purgatory");
  }

  /**
   * Awaits a reply. Call it before the request is sent, because the reply may be fast.
   *
   * @param id the id of the request. It can be used again once the future has completed
   * @param timeout how long to wait. Zero: it times out at once. 146 years or more: no limit
   * @param scopes end the wait with them, for instance that of the connection
   * @return the reply. Cancel it to give up; fail it if the request cannot be sent
   * @throws IllegalArgumentException if the limit is negative
   * @throws IllegalStateException if a reply with this id is awaited already
   */
  public HeldFuture<R> expect(I id, Duration timeout, Scope... scopes) {
    return purgatory.futures().holdAlone(requireNonNull(id, "id"), timeout, List.of(scopes));
  }

  /**
   * Completes the future that awaits a reply.
   *
   * @param id the id of its request
   * @param reply the reply
   * @return true if this call completed the future; false if the reply is too late, a duplicate, or
   *     was never expected
   */
  public boolean complete(I id, R reply) {
    return end(id, future -> future.complete(reply));
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
    return end(id, future -> future.completeExceptionally(cause));
  }

  /** Ends a wait; returns whether it did. */
  private interface End<R> {
    boolean end(HeldFuture<R> future);
  }

  private boolean end(I id, End<R> end) {
    return purgatory.visit(requireNonNull(id, "id"), each -> end(each, end)) > 0;
  }

  @SuppressWarnings("unchecked") // the purgatory holds only these futures
  private boolean end(Registration registration, End<R> end) {
    Object future = registration.operation();
    return future != null && end.end((HeldFuture<R>) future);
  }

  /**
   * Fails all futures, for instance because the connection is lost.
   *
   * @param cause the exception for the futures
   * @return the number of futures that this call failed
   */
  public int failAll(Throwable cause) {
    requireNonNull(cause, "cause");
    return purgatory.visitAll(each -> end(each, future -> future.completeExceptionally(cause)));
  }

  /**
   * Returns the number of awaited replies.
   *
   * @return 0 or more, exact
   */
  public long pending() {
    return purgatory.pending();
  }

  /** Closes the purgatory, which fails all futures. See {@link Purgatory#close()}. */
  @Override
  public void close() {
    purgatory.close();
  }

  @Override
  public String toString() {
    return "Replies[" + purgatory + ']';
  }
}
