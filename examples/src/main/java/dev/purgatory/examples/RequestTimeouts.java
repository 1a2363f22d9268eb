package dev.purgatory.examples;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeoutException;

/** Timeouts of calls, with the bare timer: nearly all are cancelled, and cost next to nothing. */
public final class RequestTimeouts {
  private RequestTimeouts() {}

  /** A call that fails if no answer comes in time. */
  static final class Call {
    final CompletableFuture<String> answer = new CompletableFuture<>();
    private final Timeout timeout;

    Call(Timer timer, Duration patience) {
      timeout = timer.schedule(this::timesOut, patience);
    }

    private void timesOut() { // on the clock's thread: hand over what may take long
      ForkJoinPool.commonPool()
          .execute(() -> answer.completeExceptionally(new TimeoutException("no answer")));
    }

    void isAnswered(String text) {
      if (timeout.cancel()) { // it will not time out any more
        answer.complete(text);
      }
    }
  }

  /**
   * Runs it: one call that is answered, and one that is not.
   *
   * @param args none
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().start("timeouts")) {
      Call answered = new Call(timer, Duration.ofSeconds(30));
      answered.isAnswered("42");
      System.out.println(answered.answer.join());

      Call forgotten = new Call(timer, Duration.ofMillis(50));
      System.out.println(forgotten.answer.handle((text, error) -> error.getMessage()).join());
    }
  }
}
