package dev.purgatory.examples.byhand;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Puts a timeout on any stage, with the JDK alone. */
@SuppressWarnings("FutureReturnValueIgnored") // as it is usually written
public final class StageTimeoutByHand implements AutoCloseable {
  // sample: stage-timeout-by-hand
  private final ScheduledThreadPoolExecutor timer = timer();

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, Executors.defaultThreadFactory());
    timer.setRemoveOnCancelPolicy(true); // otherwise, cancelled timeouts stay queued
    return timer;
  }

  CompletableFuture<Integer> price(CompletionStage<Integer> quote) {
    CompletableFuture<Integer> result = new CompletableFuture<>();
    Future<?> timeout =
        timer.schedule(() -> fallBack(result), 200, TimeUnit.MILLISECONDS); // all on one thread
    quote.whenComplete(
        (price, error) -> {
          timeout.cancel(false);
          if (error == null) {
            result.complete(price);
          } else {
            result.completeExceptionally(error);
          }
        });
    result.whenComplete((price, error) -> timeout.cancel(false)); // also when it is cancelled
    return result;
  }

  private void fallBack(CompletableFuture<Integer> result) {
    try {
      result.complete(listPrice());
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  // end

  private int listPrice() {
    return 100;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
