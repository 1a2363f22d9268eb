package dev.purgatory.benchmarks.feature;

import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A map of sessions, each with a timeout that a touch cancels and replaces. Of a touch and a
 * timeout that race, one wins.
 *
 * @param <T> what the timer returns for a timeout
 */
abstract class RescheduledSessions<T> implements SessionTable {
  /** The time from a touch to the end of the session. */
  final long timeoutNanos;

  private final ConcurrentMap<Long, Session<T>> open = new ConcurrentHashMap<>();

  RescheduledSessions(Duration timeout) {
    timeoutNanos = timeout.toNanos();
  }

  abstract T start(Session<T> session);

  abstract void cancel(T timeout);

  abstract boolean isPending(T timeout);

  @Override
  public void open(Long id) {
    Session<T> session = new Session<>(this, id);
    session.set(start(session));
    open.put(id, session);
  }

  @Override
  public boolean touch(Long id) {
    Session<T> session = open.get(id);
    return session != null && session.touch();
  }

  @Override
  public long size() {
    return open.size();
  }

  /** A session, which is also its task on the timer. It has its timeout while it is open. */
  static final class Session<T> extends AtomicReference<@Nullable T>
      implements Runnable, TimerTask {
    private static final long serialVersionUID = 1;

    private final transient RescheduledSessions<T> table;
    private final Long id;

    Session(RescheduledSessions<T> table, Long id) {
      this.table = table;
      this.id = id;
    }

    private boolean touch() {
      for (T old; (old = get()) != null; ) {
        T next = table.start(this);
        if (compareAndSet(old, next)) {
          table.cancel(old);
          return true;
        }
        table.cancel(next);
      }
      return false;
    }

    @Override
    public void run(io.netty.util.Timeout fired) {
      run();
    }

    @Override
    public void run() {
      T current = get();
      if (current != null && !table.isPending(current) && compareAndSet(current, null)) {
        table.open.remove(id, this);
      }
    }
  }
}
