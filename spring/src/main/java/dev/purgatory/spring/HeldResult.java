package dev.purgatory.spring;

import dev.purgatory.HeldFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * The answer of a controller of Spring MVC to a request that a purgatory holds. It ends when the
 * {@link HeldFuture} does, with its value or its exception. When the exchange ends first, for
 * instance because the server has noticed that the client is gone, the future is cancelled.
 *
 * <pre>{@code
 * DeferredResult<List<String>> poll(String topic) {
 *   return new HeldResult<>(polls.until(...).orAfter(...).hold(topic));
 * }
 * }</pre>
 *
 * <p>The time limit of the future is the only one: {@code spring.mvc.async.request-timeout} does
 * not apply. Spring itself cancels neither a {@code HeldFuture} nor any other {@code
 * CompletableFuture}.
 *
 * @param <T> the type of the answer
 */
public final class HeldResult<T extends @Nullable Object> extends DeferredResult<T> {
  private static final long NO_TIMEOUT = 0;

  private final HeldFuture<? extends T> future;

  /**
   * Creates the answer of an exchange.
   *
   * @param future ends this result. It should have a time limit: most servers do not notice that a
   *     client is gone before they write to it
   */
  public HeldResult(HeldFuture<? extends T> future) {
    super(NO_TIMEOUT);
    this.future = future;
    onCompletion(() -> {});
    var unused = future.whenComplete(this::end);
  }

  /**
   * Sets what runs when the exchange ends, for whatever reason, before the future is cancelled.
   *
   * @param callback replaces the one that was set before
   */
  @Override
  public void onCompletion(Runnable callback) {
    super.onCompletion(
        () -> {
          try {
            callback.run();
          } finally {
            future.cancel(false);
          }
        });
  }

  private void end(T value, @Nullable Throwable error) {
    if (error == null) {
      setResult(value);
    } else {
      setErrorResult(error);
    }
  }
}
