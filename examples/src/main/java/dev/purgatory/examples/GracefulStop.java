package dev.purgatory.examples;

import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import java.time.Duration;
import java.util.List;

/** A server that stops within its grace period, and answers everybody. */
public final class GracefulStop {

  /** Told to clients that have to ask another server. */
  static final class StoppingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StoppingException() {
      super("the server stops");
    }
  }

  private final Duration grace;
  private final Purgatory<String> polls;
  private volatile String value = "";

  // sample: graceful-stop
  private final Scope requests = Scope.of("all requests");

  HeldFuture<String> poll(String key) {
    return polls
        .until(() -> value.isEmpty() ? null : value)
        .inScope(requests)
        .orTimeout(Duration.ofSeconds(30))
        .hold(key);
  }

  /** Stops within the grace period; returns what could not be answered. */
  List<Object> stop() {
    Duration most = grace.multipliedBy(7).dividedBy(10); // of 10 s, 7 for the requests
    int failed = requests.close(most, new StoppingException()).join(); // new ones fail at once
    System.out.println(failed + " requests had to be failed");
    return polls.close(grace.dividedBy(5)); // 2 s for answers that are on their way
  }

  // end

  GracefulStop(Purgatory<String> polls, Duration grace) {
    this.polls = polls;
    this.grace = grace;
  }

  void put(String key, String newValue) {
    value = newValue;
    polls.signal(key);
  }

  /**
   * Runs the example: a request waits while the server stops.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    GracefulStop server =
        new GracefulStop(Purgatory.builder("polls", String.class).build(), Duration.ofMillis(500));
    HeldFuture<String> poll = server.poll("a");
    List<Object> unanswered = server.stop();
    System.out.println(poll.handle((answer, error) -> error.getMessage()).join());
    System.out.println(unanswered);
    System.out.println(server.poll("a").handle((answer, error) -> error.getMessage()).join());
  }
}
