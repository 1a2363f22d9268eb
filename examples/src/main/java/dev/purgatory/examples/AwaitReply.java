package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Await a reply: a client sends requests over one connection and matches replies by id. */
public final class AwaitReply implements AutoCloseable {

  /** Sends requests. The other side answers later, in any order, or never. */
  interface Connection {
    void send(int id, String request) throws IOException;
  }

  private final Connection connection;
  private final AtomicInteger lastId = new AtomicInteger();

  // sample: replies
  private final Replies<Integer, String> replies;
  private final Scope scope = Scope.of("connection"); // one for each connection

  HeldFuture<String> call(String request) {
    int id = lastId.incrementAndGet();
    HeldFuture<String> reply = replies.expect(id, Duration.ofSeconds(5), scope);
    try {
      connection.send(id, request);
    } catch (Exception e) {
      replies.fail(id, e);
    }
    return reply;
  }

  void onReply(int id, String reply) {
    replies.complete(id, reply); // false if it comes too late
  }

  void onDisconnect(IOException cause) {
    scope.fail(cause); // also what is expected from now on
  }

  // end

  AwaitReply(Connection connection) {
    this(connection, Replies.builder("rpc", Integer.class, String.class).build());
  }

  AwaitReply(Connection connection, Replies<Integer, String> replies) {
    this.connection = connection;
    this.replies = replies;
  }

  long pending() {
    return replies.pending();
  }

  @Override
  public void close() {
    replies.close();
  }

  /**
   * Runs the example: one call is answered, and one is waiting when the connection is lost.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (AwaitReply client = new AwaitReply((id, request) -> {})) {
      HeldFuture<String> first = client.call("one");
      HeldFuture<String> second = client.call("two");
      client.onReply(1, "eins");
      client.onDisconnect(new IOException("connection lost"));
      System.out.println(first.join());
      System.out.println(second.handle((reply, error) -> error.getMessage()).join());
    }
  }
}
