package dev.purgatory.benchmarks.feature;

import dev.purgatory.Replies;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** This library's replies. */
final class OwnReplies implements ReplyTable {
  private final Timer timer;
  private final Replies<Long, Object> replies;

  OwnReplies() {
    this(Timer.builder().start("bench-timeouts"));
  }

  private OwnReplies(Timer timer) {
    this.timer = timer;
    replies = Replies.builder("bench", Long.class, Object.class).timer(timer).build();
  }

  @Override
  public CompletableFuture<Object> expect(Long id, Duration timeout) {
    return replies.expect(id, timeout);
  }

  @Override
  public boolean complete(Long id, Object reply) {
    return replies.complete(id, reply);
  }

  @Override
  public ReplyTable another() {
    return new OwnReplies(timer);
  }

  @Override
  public long pending() {
    return replies.pending();
  }

  @Override
  public void close() {
    replies.close();
    timer.close();
  }
}
