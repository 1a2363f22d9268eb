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
  /** What Kafka 0.8 was configured to by default. */
  private static final int DEFAULT_PURGE_THRESHOLD = 1000;

  private final ConcurrentMap<K, Watchers> watchersForKey = new ConcurrentHashMap<>();
  private final Reaper reaper;
  private final Thread thread;

  /** Creates a purgatory, and starts its thread. */
  public OldPurgatory() {
    this(DEFAULT_PURGE_THRESHOLD);
  }

  /**
   * Creates a purgatory, and starts its thread.
   *
   * @param purgeThreshold from how many entries on, pending or satisfied, all are scanned
   */
  public OldPurgatory(int purgeThreshold) {
    reaper = new Reaper(this, purgeThreshold);
    thread = new Thread(reaper, "old-purgatory-reaper");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Answers the request if that is possible now, else holds it.
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
   * @return how many this call answered
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

  /** How many entries all watch lists have, satisfied requests among them. */
  public long watched() {
    return watchersForKey.values().stream().mapToLong(Watchers::size).sum();
  }

  /** How many entries the timer has, satisfied requests among them. */
  public int delayed() {
    return reaper.delayed();
  }

  void purgeWatchers() {
    watchersForKey.values().forEach(Watchers::purgeSatisfied);
  }

  /** Ends the thread. What is held stays unanswered. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
