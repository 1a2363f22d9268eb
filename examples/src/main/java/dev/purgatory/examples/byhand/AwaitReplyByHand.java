package dev.purgatory.examples.byhand;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Matches replies by id, with the JDK alone. */
@SuppressWarnings("FutureReturnValueIgnored") // as it is usually written
public final class AwaitReplyByHand {

  /** Sends requests. */
  interface Connection {
    void send(int id, String request) throws IOException;
  }

  private final Connection connection;
  private final AtomicInteger lastId = new AtomicInteger();

  // sample: replies-by-hand
  private final Map<Integer, CompletableFuture<String>> pending = new ConcurrentHashMap<>();

  CompletableFuture<String> call(String request) {
    int id = lastId.incrementAndGet();
    CompletableFuture<String> reply = new CompletableFuture<>();
    if (pending.putIfAbsent(id, reply) != null) {
      throw new IllegalStateException(id + " is awaited already");
    }
    reply
        .orTimeout(5, TimeUnit.SECONDS) // the JDK completes all timeouts on one thread
        .whenComplete((value, error) -> pending.remove(id, reply));
    try {
      connection.send(id, request);
    } catch (Exception e) {
      reply.completeExceptionally(e);
    }
    return reply;
  }

  void onReply(int id, String reply) {
    CompletableFuture<String> waiting = pending.get(id);
    if (waiting != null) {
      waiting.complete(reply);
    }
  }

  void onDisconnect(IOException cause) {
    List.copyOf(pending.values()).forEach(reply -> reply.completeExceptionally(cause));
  }

  // end

  AwaitReplyByHand(Connection connection) {
    this.connection = connection;
  }

  int pending() {
    return pending.size();
  }
}
