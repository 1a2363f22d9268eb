package dev.purgatory.examples.byhand;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Requests that end with their connection, with what the JDK has. */
@SuppressWarnings({"CollectionUndefinedEquality", "FutureReturnValueIgnored"}) // by identity
final class ConnectionsByHand {
  private final Map<String, String> values = new ConcurrentHashMap<>();
  private final Map<String, Set<CompletableFuture<String>>> waiting = new ConcurrentHashMap<>();

  // sample: scope-by-hand
  final class Connection {
    private final Set<CompletableFuture<String>> own = new HashSet<>();
    private @Nullable IOException lost;

    CompletableFuture<String> poll(String key) {
      CompletableFuture<String> poll = new CompletableFuture<>();
      synchronized (own) {
        if (lost != null) {
          return CompletableFuture.failedFuture(lost);
        }
        if (own.size() >= 100) {
          return CompletableFuture.failedFuture(new RejectedExecutionException("100 requests"));
        }
        own.add(poll);
      }
      watch(key, poll);
      poll.whenComplete((value, error) -> remove(key, poll));
      String value = values.get(key); // again, now that the request is watched
      if (value != null) {
        poll.complete(value);
      }
      return poll.orTimeout(30, TimeUnit.SECONDS);
    }

    private void remove(String key, CompletableFuture<String> poll) {
      synchronized (own) {
        own.remove(poll);
      }
      unwatch(key, poll);
    }

    void onDisconnect(IOException cause) {
      List<CompletableFuture<String>> ended;
      synchronized (own) {
        lost = cause;
        ended = new ArrayList<>(own);
      }
      ended.forEach(poll -> poll.completeExceptionally(cause)); // outside the lock
    }
  }

  // end

  private void watch(String key, CompletableFuture<String> poll) {
    waiting.compute(
        key,
        (k, polls) -> {
          Set<CompletableFuture<String>> some = polls == null ? new HashSet<>() : polls;
          some.add(poll);
          return some;
        });
  }

  private void unwatch(String key, CompletableFuture<String> poll) {
    var unused =
        waiting.computeIfPresent(
            key, (k, polls) -> polls.remove(poll) && polls.isEmpty() ? null : polls);
  }

  void put(String key, String value) {
    values.put(key, value);
    List<CompletableFuture<String>> ready = new ArrayList<>();
    var unused =
        waiting.computeIfPresent(
            key,
            (k, polls) -> {
              ready.addAll(polls);
              return polls;
            });
    ready.forEach(poll -> poll.complete(value));
  }

  int keys() {
    return waiting.size();
  }
}
