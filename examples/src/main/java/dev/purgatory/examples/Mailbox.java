package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Replies;
import dev.purgatory.timer.Timer;
import java.time.Duration;

/** Replies that may come before somebody awaits them, as from a message queue. */
public final class Mailbox implements AutoCloseable {
  // sample: early-replies
  private final Replies<String, String> replies;

  Mailbox(Timer timer) {
    replies =
        Replies.builder("mailbox", String.class, String.class)
            .timer(timer)
            .keepEarly(Duration.ofSeconds(30), 10_000)
            .build();
  }

  HeldFuture<String> await(String id, String reader) {
    return replies
        .expecting()
        .tag(reader)
        .orAfter(Duration.ofSeconds(20), () -> "no message")
        .hold(id);
  }

  boolean onMessage(String id, String message) {
    return replies.complete(id, message); // false: there are too many already
  }

  // end

  @Override
  public void close() {
    replies.close();
  }

  /**
   * Runs the example: one message comes early, and one in time.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().start("mailbox");
        Mailbox mailbox = new Mailbox(timer)) {
      boolean kept = mailbox.onMessage("1", "early");
      System.out.println(kept + " " + mailbox.await("1", "reader").join());
      HeldFuture<String> waiting = mailbox.await("2", "reader");
      boolean received = mailbox.onMessage("2", "in time");
      System.out.println(received + " " + waiting.join());
    }
  }
}
