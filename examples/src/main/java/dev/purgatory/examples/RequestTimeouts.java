package dev.purgatory.examples;

import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerEntry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Timeouts of calls, with the bare timer: nearly all are cancelled, and cost next to nothing. */
public final class RequestTimeouts {
  private RequestTimeouts() {}

  /** A call that fails if no answer comes in time. It is its own entry in the timer. */
  static final class Call extends TimerEntry {
    final CompletableFuture<String> answer = new CompletableFuture<>();
    private final Executor executor;

    Call(Executor executor) {
      this.executor = executor;
    }

    @Override
    protected void onTimeout() { // on the clock's thread: hand over what may take long
      executor.execute(() -> answer.completeExceptionally(new TimeoutException("no answer")));
    }
  }

  /**
   * Runs it: one call that is answered, and one that is not.
   *
   * @param args none
   */
  public static void main(String... args) {
    try (Timer timer = Timer.builder().start("timeouts")) {
      Call answered = new Call(ForkJoinPool.commonPool());
      timer.schedule(answered, 30, TimeUnit.SECONDS);
      if (timer.cancel(answered)) { // the answer has come: it will not time out any more
        answered.answer.complete("42");
      }
      System.out.println(answered.answer.join());

      Call forgotten = new Call(ForkJoinPool.commonPool());
      timer.schedule(forgotten, 50, TimeUnit.MILLISECONDS);
      System.out.println(forgotten.answer.handle((text, e) -> e.getMessage()).join());
    }
  }
}
