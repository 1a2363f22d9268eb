package dev.purgatory.examples;

import dev.purgatory.Replies;
import dev.purgatory.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Asks all replicas, and answers with the newest value of two. */
final class QuorumRead {

  /** What a replica has. */
  record Version(long number, String value) {}

  /** The id of a request to one replica. */
  record Call(long number, String replica) {}

  private final Set<String> replicas;
  private final BiConsumer<Call, String> connection;
  private final AtomicLong lastCall = new AtomicLong();

  QuorumRead(
      Replies<Call, Version> replies, Set<String> replicas, BiConsumer<Call, String> connection) {
    this.replies = replies;
    this.replicas = replicas;
    this.connection = connection;
  }

  // sample: quorum
  private final Replies<Call, Version> replies;

  CompletableFuture<String> read(String key) {
    long number = lastCall.incrementAndGet();
    Scope read = Scope.of("read " + number); // ends the calls that are no longer needed
    Queue<Version> found = new ConcurrentLinkedQueue<>();
    CompletableFuture<String> newest = new CompletableFuture<>();
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (String replica : replicas) {
      Call call = new Call(number, replica);
      calls.add(
          replies
              .expect(call, Duration.ofSeconds(1), read)
              .thenAccept(
                  version -> {
                    found.add(version);
                    if (found.size() >= 2) {
                      newest.complete(
                          Collections.max(found, Comparator.comparing(Version::number)).value());
                      read.close();
                    }
                  }));
      connection.accept(call, key);
    }
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
    CompletableFuture<Void> unused =
        ended.whenComplete((none, error) -> newest.completeExceptionally(tooFew(error)));
    return newest;
  }

  private static IllegalStateException tooFew(@Nullable Throwable cause) {
    return new IllegalStateException("too few replicas", cause);
  }

  void onReply(long number, String replica, Version version) {
    replies.complete(new Call(number, replica), version);
  }
  // end
}
