package dev.purgatory.checker;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Threads that take turns with the thread of a {@link RequestRun}: one runs at a time. */
final class RequestThreads {
  static final int COUNT = 3;

  private static final List<Executor> ALL =
      IntStream.range(0, COUNT)
          .<Executor>mapToObj(
              i ->
                  Executors.newSingleThreadExecutor(
                      task -> {
                        Thread thread = new Thread(task, "checker-" + i);
                        thread.setDaemon(true);
                        return thread;
                      }))
          .toList();

  private RequestThreads() {}

  /**
   * Calls code and waits for its result.
   *
   * @param number the number of the thread; 0 for the current one
   */
  static <T> T call(int number, Supplier<T> code) {
    if (number == 0) {
      return code.get();
    }
    try {
      return CompletableFuture.supplyAsync(code, ALL.get(number - 1)).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Finding finding) {
        throw finding;
      }
      throw e;
    }
  }
}
