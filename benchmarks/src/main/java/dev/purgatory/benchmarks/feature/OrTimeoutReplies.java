package dev.purgatory.benchmarks.feature;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** A map of futures, each with the JDK's timeout. */
final class OrTimeoutReplies implements ReplyTable {
  private final ConcurrentMap<Long, CompletableFuture<Object>> pending = new ConcurrentHashMap<>();

  @Override
  public CompletableFuture<Object> expect(Long id, Duration timeout) {
    CompletableFuture<Object> future = new CompletableFuture<>();
    if (pending.putIfAbsent(id, future) != null) {
      throw new IllegalStateException("a reply with the id " + id + " is awaited already");
    }
    CompletableFuture<Object> unused =
        future
            .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete(
                (reply, error) -> {
                  if (error != null) {
                    pending.remove(id, future);
                  }
                });
    return future;
  }

  @Override
  public boolean complete(Long id, Object reply) {
    CompletableFuture<Object> future = pending.remove(id);
    return future != null && future.complete(reply);
  }

  @Override
  public ReplyTable another() {
    return new OrTimeoutReplies();
  }

  @Override
  public long pending() {
    return pending.size();
  }

  @Override
  public void close() {
    pending.values().forEach(future -> future.cancel(false));
  }
}
