package dev.purgatory.benchmarks.contender;

import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The design that Kafka's redesign proposal tried first and abandoned: watch lists that refer to
 * requests weakly. Only the timer keeps a request reachable. When a request has ended and the
 * garbage collector has cleared its references, a thread removes them from the lists. The timer is
 * that of this project.
 */
final class WeakListsContender implements Contender {
  private final Endings endings;
  private final Timer timer = Timer.builder().start("bench-clock");
  private final ConcurrentMap<Key, WeakList<Request>> lists = new ConcurrentHashMap<>();
  private final ReferenceQueue<Request> collected = new ReferenceQueue<>();
  private final Thread purger = new Thread(this::purge, "bench-purger");

  WeakListsContender(Endings endings) {
    this.endings = endings;
    purger.setDaemon(true);
    purger.start();
  }

  @Override
  public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
    Request request = new Request(payload);
    for (Key key : keys) {
      lists.computeIfAbsent(key, k -> new WeakList<>(collected)).add(request);
    }
    request.timeOutAfter(timeoutMillis);
    return request;
  }

  @Override
  public int check(Key key) {
    WeakList<Request> list = lists.get(key);
    if (list == null) {
      return 0;
    }
    int completed = 0;
    for (Request request : list.alive()) {
      if (Payload.isAnswerable(request.payload) && request.complete()) {
        completed++;
      }
    }
    return completed;
  }

  @Override
  public long watched() {
    return lists.values().stream().mapToLong(WeakList::size).sum();
  }

  private void purge() {
    try {
      while (true) {
        ((WeakList.Watch<?>) collected.remove()).leave();
      }
    } catch (InterruptedException e) {
      // The contender has been closed.
    }
  }

  @Override
  public void close() {
    purger.interrupt();
    timer.close();
  }

  private final class Request implements Held {
    private static final AtomicIntegerFieldUpdater<Request> ENDED =
        AtomicIntegerFieldUpdater.newUpdater(Request.class, "ended");

    private final byte[] payload;
    private volatile @Nullable Timeout timeout;
    private volatile int ended;

    Request(byte[] payload) {
      this.payload = payload;
    }

    void timeOutAfter(long millis) {
      Timeout started = timer.schedule(this::timeOut, Duration.ofMillis(millis));
      timeout = started;
      if (ended == 1) {
        started.cancel();
      }
    }

    @Override
    public boolean complete() {
      if (!end()) {
        return false;
      }
      Timeout started = timeout;
      if (started != null) {
        started.cancel();
      }
      return true;
    }

    private void timeOut() {
      if (end()) {
        endings.timedOut(payload);
      }
    }

    private boolean end() {
      if (!ENDED.compareAndSet(this, 0, 1)) {
        return false;
      }
      endings.ended(payload);
      return true;
    }
  }
}
