package dev.purgatory.examples;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeoutException;

/** Timeouts of calls, with the timer alone. Most are cancelled, which costs little. */
public final class RequestTimeouts {
  private RequestTimeouts() {}

  /** A call that fails if no answer arrives in time. */
  static final class Call {
    final CompletableFuture<String> answer = new CompletableFuture<>();
    private final Timeout timeout;

    Call(Timer timer, Duration delay) {
      timeout = timer.schedule(this::timeOut, delay);
    }

    private void timeOut() { // on the timer's thread, so anything slow runs elsewhere
      ForkJoinPool.commonPool()
          .execute(() -> answer.completeExceptionally(new TimeoutException("no answer")));
    }

    void onAnswer(String text) {
      if (timeout.cancel()) { // false if it timed out before
        answer.complete(text);
      }
    }
  }

  /**
   * Runs the example: one call is answered, and one times out.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().start("timeouts")) {
      Call answered = new Call(timer, Duration.ofSeconds(30));
      answered.onAnswer("42");
      System.out.println(answered.answer.join());

      Call forgotten = new Call(timer, Duration.ofMillis(50));
      System.out.println(forgotten.answer.handle((text, error) -> error.getMessage()).join());
    }
  }
}
