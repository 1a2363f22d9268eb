package dev.purgatory.answers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The futures that follow each id. Thread-safe. Answered and cancelled futures are not kept. */
final class Followers {
  private final Map<String, Set<CompletableFuture<byte[]>>> byId = new HashMap<>();
  private boolean closed;

  CompletableFuture<byte[]> add(String id) {
    CompletableFuture<byte[]> follower = new CompletableFuture<>();
    // First: without memory, nothing may stay that nobody removes.
    var unused = follower.whenComplete((answer, error) -> remove(id, follower));
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(closedException());
      }
      byId.computeIfAbsent(id, i -> new HashSet<>(2)).add(follower);
    }
    return follower;
  }

  @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself only
  private synchronized void remove(String id, CompletableFuture<byte[]> follower) {
    byId.computeIfPresent(
        id, (i, found) -> found.remove(follower) && found.isEmpty() ? null : found);
  }

  void answer(String id, byte[] answer) {
    List<CompletableFuture<byte[]>> found;
    synchronized (this) {
      found = List.copyOf(byId.getOrDefault(id, Set.of()));
    }
    // Each is removed when it is done, so after an Error the next look finds the others.
    found.forEach(follower -> Foreign.call(() -> follower.complete(answer)));
  }

  /** Returns the ids that somebody follows. */
  synchronized List<String> ids() {
    return List.copyOf(byId.keySet());
  }

  synchronized boolean isFollowed(String id) {
    return byId.containsKey(id);
  }

  void close() {
    List<CompletableFuture<byte[]>> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      byId.values().forEach(all::addAll);
    }
    all.forEach(follower -> Foreign.call(() -> follower.completeExceptionally(closedException())));
  }

  static IllegalStateException closedException() {
    return new IllegalStateException("the store of answers is closed");
  }
}
