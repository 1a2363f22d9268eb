package dev.purgatory.benchmarks.feature;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A map of futures with timeouts on a timer, written for speed: the future is its own timer task,
 * and the map publishes its timeout.
 *
 * @param <T> what the timer returns for a timeout
 */
abstract class MapReplies<T> implements ReplyTable {
  private final ConcurrentMap<Long, Pending<T>> pending = new ConcurrentHashMap<>();

  abstract T start(Pending<T> reply, long nanos);

  abstract void cancel(T timeout);

  @Override
  public CompletableFuture<Object> expect(Long id, Duration timeout) {
    Pending<T> reply = new Pending<>(this, id);
    reply.timeout = start(reply, timeout.toNanos());
    if (pending.putIfAbsent(id, reply) != null) {
      reply.cancelTimeout();
      throw new IllegalStateException("a reply with the id " + id + " is awaited already");
    }
    if (reply.isDone()) {
      pending.remove(id, reply); // it timed out before it was in the map
    }
    return reply;
  }

  @Override
  public boolean complete(Long id, Object reply) {
    Pending<T> future = pending.remove(id);
    return future != null && future.answer(reply);
  }

  @Override
  public long pending() {
    return pending.size();
  }

  /** Cancels all futures; the timer is closed by the subclass. */
  @Override
  public void close() {
    List.copyOf(pending.values()).forEach(reply -> reply.cancel(false));
  }

  /** A future, which is also its task on the timer. */
  static final class Pending<T> extends CompletableFuture<Object> implements Runnable, TimerTask {
    private final MapReplies<T> table;
    private final Long id;
    private @Nullable T timeout;

    Pending(MapReplies<T> table, Long id) {
      this.table = table;
      this.id = id;
    }

    /** Completes the future, which the caller has removed from the map. */
    private boolean answer(Object reply) {
      boolean won = super.complete(reply);
      if (won) {
        cancelTimeout();
      }
      return won;
    }

    private void cancelTimeout() {
      T started = timeout;
      if (started != null) {
        table.cancel(started);
      }
    }

    private boolean release() {
      table.pending.remove(id, this);
      cancelTimeout();
      return true;
    }

    @Override
    public boolean complete(Object reply) {
      return super.complete(reply) && release();
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
      return super.completeExceptionally(error) && release();
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      return release() && cancelled;
    }

    @Override
    public void run(Timeout fired) {
      run();
    }

    @Override
    public void run() {
      if (super.completeExceptionally(new TimeoutException("no reply to " + id))) {
        table.pending.remove(id, this);
      }
    }
  }
}
