package dev.purgatory.examples;

import dev.purgatory.Gathered;
import dev.purgatory.Replies;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

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

  // sample: gather
  private final Replies<Call, Version> replies;

  CompletableFuture<String> read(String key) {
    long number = lastCall.incrementAndGet();
    Set<Call> calls =
        replicas.stream().map(name -> new Call(number, name)).collect(Collectors.toSet());
    CompletableFuture<Gathered<Call, Version>> quorum =
        replies.gather(calls, 2, Duration.ofSeconds(1));
    calls.forEach(call -> connection.accept(call, key));
    return quorum.thenApply(QuorumRead::newest);
  }

  private static String newest(Gathered<Call, Version> found) {
    if (!found.isEnough()) {
      throw new IllegalStateException("too few replicas: " + found.failures());
    }
    return Collections.max(found.replies().values(), Comparator.comparing(Version::number)).value();
  }

  void onReply(long number, String replica, Version version) {
    replies.complete(new Call(number, replica), version);
  }
  // end
}
