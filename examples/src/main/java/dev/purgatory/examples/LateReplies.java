package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.LateReply;
import dev.purgatory.Replies;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Await a reply, and tell late replies from unexpected ones. */
public final class LateReplies implements AutoCloseable {
  // sample: late-replies
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Replies<Integer, String> replies;

  LateReplies(Replies.Builder<Integer, String> builder) {
    replies = builder.rememberEnded(Duration.ofMinutes(1), 10_000, this::onLate).build();
  }

  private void onLate(LateReply<Integer, String> reply) {
    log.add(reply.id() + " was late: " + reply.outcome() + ' ' + reply.late() + " before");
  }

  void onReply(int id, String reply) {
    boolean delivered = replies.complete(id, reply);
    log.add(id + (delivered ? " delivered" : " dropped"));
  }

  // end

  HeldFuture<String> expect(int id) {
    return replies.expect(id, Duration.ofSeconds(5));
  }

  List<String> log() {
    return log;
  }

  @Override
  public void close() {
    replies.close();
  }

  /**
   * Runs the example: a reply comes after its call was cancelled, and another one unasked.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().ticker(() -> 0).build();
        LateReplies client =
            new LateReplies(Replies.builder("rpc", Integer.class, String.class).timer(timer))) {
      client.expect(1).cancel(false);
      client.onReply(1, "eins");
      client.onReply(2, "zwei");
      client.log().forEach(System.out::println);
    }
  }
}
