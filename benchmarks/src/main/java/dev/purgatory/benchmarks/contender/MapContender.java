package dev.purgatory.benchmarks.contender;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The usual hand-written implementation: a concurrent map from keys to sets of requests, and a
 * scheduler for timeouts. A request that ends cancels its timeout and is removed from all its sets.
 */
final class MapContender implements Contender {
  private final Endings endings;
  private final Timeouts timeouts;
  private final ConcurrentMap<Key, Set<Request>> waiting = new ConcurrentHashMap<>();

  private MapContender(Endings endings, Timeouts timeouts) {
    this.endings = endings;
    this.timeouts = timeouts;
  }

  static MapContender onThreadPool(Endings endings) {
    return new MapContender(endings, new ExecutorTimeouts(Daemons.heap()));
  }

  static MapContender onForkJoinPool(Endings endings) {
    return new MapContender(endings, ExecutorTimeouts.forkJoin());
  }

  static MapContender onNetty(Endings endings) {
    return new MapContender(endings, new NettyTimeouts(Daemons.wheel()));
  }

  @Override
  public Held hold(byte[] payload, List<Key> keys, long timeoutMillis) {
    Request request = new Request(payload, keys);
    for (Key key : keys) {
      waiting.computeIfAbsent(key, k -> ConcurrentHashMap.newKeySet()).add(request);
    }
    request.timeOutAfter(timeoutMillis);
    return request;
  }

  @Override
  public int check(Key key) {
    int completed = 0;
    for (Request request : waiting.getOrDefault(key, Set.of())) {
      if (Payload.isAnswerable(request.payload) && request.complete()) {
        completed++;
      }
    }
    return completed;
  }

  @Override
  public long watched() {
    return waiting.values().stream().mapToLong(Set::size).sum();
  }

  @Override
  public void close() {
    timeouts.close();
  }

  private final class Request extends AtomicBoolean implements Held {
    private static final long serialVersionUID = 1;

    private final transient byte[] payload;
    private final transient List<Key> keys;
    private transient volatile @Nullable Runnable cancelTimeout;

    Request(byte[] payload, List<Key> keys) {
      this.payload = payload;
      this.keys = keys;
    }

    void timeOutAfter(long millis) {
      Runnable cancel = timeouts.start(this::timeOut, millis);
      cancelTimeout = cancel;
      if (get()) {
        cancel.run();
      }
    }

    @Override
    public boolean complete() {
      if (!end()) {
        return false;
      }
      Runnable cancel = cancelTimeout;
      if (cancel != null) {
        cancel.run();
      }
      return true;
    }

    private void timeOut() {
      if (end()) {
        endings.timedOut(payload);
      }
    }

    private boolean end() {
      if (!compareAndSet(false, true)) {
        return false;
      }
      for (Key key : keys) {
        waiting.getOrDefault(key, Set.of()).remove(this);
      }
      endings.ended(payload);
      return true;
    }
  }
}
