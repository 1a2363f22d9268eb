package dev.purgatory.benchmarks.feature;

import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This library's replies. */
final class OwnReplies implements ReplyTable {
  private final Replies<Long, Object> replies = new Replies<>(Purgatory.builder("bench").build());

  @Override
  public CompletableFuture<Object> expect(Long id, Duration timeout) {
    return replies.expect(id, timeout);
  }

  @Override
  public boolean complete(Long id, Object reply) {
    return replies.complete(id, reply);
  }

  @Override
  public long pending() {
    return replies.pending();
  }

  @Override
  public void close() {
    replies.close();
  }
}
