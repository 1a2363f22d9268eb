package dev.purgatory.benchmarks.olddesign;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The request purgatory of Kafka 0.8.
 *
 * @param <K> the type of the keys
 */
public final class OldPurgatory<K> implements AutoCloseable {
  /** The default of Kafka 0.8. */
  private static final int DEFAULT_PURGE_THRESHOLD = 1000;

  private final ConcurrentMap<K, Watchers> watchersForKey = new ConcurrentHashMap<>();
  private final Reaper reaper;
  private final Thread thread;

  /** Creates a purgatory and starts its thread. */
  public OldPurgatory() {
    this(DEFAULT_PURGE_THRESHOLD);
  }

  /**
   * Creates a purgatory and starts its thread.
   *
   * @param purgeThreshold the number of entries, pending or satisfied, from which all are scanned
   */
  public OldPurgatory(int purgeThreshold) {
    reaper = new Reaper(this, purgeThreshold);
    thread = new Thread(reaper, "old-purgatory-reaper");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Answers the request if possible, and otherwise holds it.
   *
   * @return true if the request is answered
   */
  public boolean checkAndMaybeWatch(OldRequest request, Collection<? extends K> keys) {
    for (K key : keys) {
      if (!watchersFor(key).checkAndMaybeAdd(request)) {
        return request.isSatisfied();
      }
    }
    reaper.enqueue(request);
    return false;
  }

  private Watchers watchersFor(K key) {
    return watchersForKey.computeIfAbsent(key, k -> new Watchers());
  }

  /**
   * Answers the requests on a key that can be answered now.
   *
   * @return the number of requests that this call answered
   */
  public int update(K key) {
    Watchers watchers = watchersForKey.get(key);
    if (watchers == null) {
      return 0;
    }
    List<OldRequest> collected = watchers.collectSatisfied();
    collected.forEach(OldRequest::onSatisfied);
    return collected.size();
  }

  /** Returns the number of entries on all watch lists, including satisfied requests. */
  public long watched() {
    return watchersForKey.values().stream().mapToLong(Watchers::size).sum();
  }

  /** Returns the number of entries of the timer, including satisfied requests. */
  public int delayed() {
    return reaper.delayed();
  }

  void purgeWatchers() {
    watchersForKey.values().forEach(Watchers::purgeSatisfied);
  }

  /** Ends the thread. Held requests remain unanswered. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
