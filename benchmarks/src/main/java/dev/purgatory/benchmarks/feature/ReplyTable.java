package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Replies that are awaited by the ids of their requests. Thread-safe. */
public interface ReplyTable extends AutoCloseable {

  /**
   * Awaits a reply.
   *
   * @return completes with the reply, or with a {@link java.util.concurrent.TimeoutException};
   *     nothing of it is kept once it is done
   * @throws IllegalStateException if a reply with this id is awaited already
   */
  CompletableFuture<Object> expect(Long id, Duration timeout);

  /** Completes a future with its reply; returns whether this call did. */
  boolean complete(Long id, Object reply);

  /** Returns a table for other requests, on the same timer. Both are closed at the end. */
  ReplyTable another();

  /** Returns the number of awaited replies. */
  long pending();

  @Override
  void close();
}
