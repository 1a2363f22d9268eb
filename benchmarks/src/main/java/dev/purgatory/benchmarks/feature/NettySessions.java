package dev.purgatory.benchmarks.feature;

import dev.purgatory.benchmarks.contender.Daemons;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A map of sessions, each with a timeout on Netty's wheel that a touch cancels and replaces. Of a
 * touch and a timeout that race, one wins.
 */
final class NettySessions implements SessionTable {
  private final HashedWheelTimer wheel = Daemons.wheel();
  private final ConcurrentMap<Long, Session> open = new ConcurrentHashMap<>();
  private final long timeoutNanos;

  NettySessions(Duration timeout) {
    timeoutNanos = timeout.toNanos();
  }

  @Override
  public void open(Long id) {
    Session session = new Session(id);
    session.set(start(session));
    open.put(id, session);
  }

  private Timeout start(Session session) {
    return wheel.newTimeout(session, timeoutNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean touch(Long id) {
    Session session = open.get(id);
    return session != null && session.touch();
  }

  @Override
  public long size() {
    return open.size();
  }

  @Override
  public void close() {
    wheel.stop();
  }

  /** A session, which is also its task on the timer. It has its timeout while it is open. */
  private final class Session extends AtomicReference<@Nullable Timeout> implements TimerTask {
    private static final long serialVersionUID = 1;

    private final Long id;

    Session(Long id) {
      this.id = id;
    }

    private boolean touch() {
      for (Timeout old; (old = get()) != null; ) {
        Timeout next = start(this);
        if (compareAndSet(old, next)) {
          old.cancel();
          return true;
        }
        next.cancel();
      }
      return false;
    }

    @Override
    public void run(Timeout fired) {
      Timeout current = get();
      boolean isOver = current != null && (current.isExpired() || current.isCancelled());
      if (isOver && compareAndSet(current, null)) {
        open.remove(id, this);
      }
    }
  }
}
