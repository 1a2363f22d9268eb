package dev.purgatory.examples;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A connection that closes when nothing arrives for a while: one timeout, moved again and again.
 */
public final class IdleConnection {
  final CompletableFuture<Void> closed = new CompletableFuture<>();

  // sample: idle-connection
  private final Duration timeout;
  private final Timeout idle;

  IdleConnection(Timer timer, Duration timeout) {
    this.timeout = timeout;
    this.idle = timer.schedule(this::close, timeout);
  }

  /** Returns false if the connection has been closed. */
  boolean onMessage() {
    return idle.reschedule(timeout); // true: it does not close before the new deadline
  }

  // end

  private void close() {
    closed.complete(null);
  }

  /**
   * Runs the example: a connection stays open while messages arrive, and closes afterwards.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().start("idle-connections")) {
      IdleConnection connection = new IdleConnection(timer, Duration.ofMillis(50));
      for (int i = 0; i < 1_000; i++) {
        connection.onMessage();
      }
      connection.closed.join();
      System.out.println(connection.onMessage() ? "open" : "closed");
    }
  }
}
