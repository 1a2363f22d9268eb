package org.apache.kafka.server.purgatory;

import dev.purgatory.Handle;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.kafka.CoreTimer;
import dev.purgatory.kafka.DropIn;
import dev.purgatory.kafka.PurgatoryStats;
import dev.purgatory.kafka.Reaper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.Timer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds Kafka's operations until an event on one of their keys completes them or their timeout
 * expires.
 *
 * @param <T> the type of the operations
 */
public class DelayedOperationPurgatory<T extends DelayedOperation> {

  /*
   * The timer is usually a SystemTimer, on which the core schedules the operations that it holds.
   * Kafka's tests also pass mock timers. In that case the operation itself is added to the given timer,
   * and the core holds it without a timeout. The core then has its own timer, for purging by time, whose
   * clock the reaper advances as well. Without a reaper, lists are purged by count only, as on stock.
   */

  private static final Logger LOG = LoggerFactory.getLogger(DelayedOperationPurgatory.class);
  private static final int DEFAULT_PURGE_INTERVAL = 1000;
  private static final Duration HELPERS_TIMEOUT = Duration.ofSeconds(1);

  private final KafkaMetricsGroup metricsGroup =
      new KafkaMetricsGroup("kafka.server", "DelayedOperationPurgatory");
  private final Map<String, String> metricsTags;
  private final Timer timeoutTimer;
  private final boolean timerEnabled;
  private final @Nullable Reaper expirationReaper;
  private final Purgatory<DelayedOperationKey> core;
  private final KafkaOperations operations;
  private final boolean timedByCore;
  private final PurgatoryStats stats;
  private volatile boolean shutdown;

  /**
   * Creates a purgatory on a given timer.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param timer expires the operations; closed together with the purgatory
   * @param brokerId the ID of the broker
   * @param reaperEnabled whether the purgatory advances the timer's clock
   */
  public DelayedOperationPurgatory(
      String purgatoryName, Timer timer, int brokerId, boolean reaperEnabled) {
    this(purgatoryName, timer, brokerId, DEFAULT_PURGE_INTERVAL, reaperEnabled, true);
  }

  /**
   * Creates a purgatory on a given timer and advances the timer's clock.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param timer expires the operations; closed together with the purgatory
   * @param brokerId the ID of the broker
   * @param purgeInterval how many entries of completed operations may remain on the watch lists
   *     before the lists are purged; a negative number, which a broker's setting may be, means 0
   */
  public DelayedOperationPurgatory(
      String purgatoryName, Timer timer, int brokerId, int purgeInterval) {
    this(purgatoryName, timer, brokerId, purgeInterval, true, true);
  }

  /**
   * Creates a purgatory with its own timer.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param brokerId the ID of the broker
   */
  public DelayedOperationPurgatory(String purgatoryName, int brokerId) {
    this(purgatoryName, brokerId, DEFAULT_PURGE_INTERVAL);
  }

  /**
   * Creates a purgatory with its own timer.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param brokerId the ID of the broker
   * @param purgeInterval how many entries of completed operations may remain on the watch lists
   *     before the lists are purged; a negative number, which a broker's setting may be, means 0
   */
  public DelayedOperationPurgatory(String purgatoryName, int brokerId, int purgeInterval) {
    this(purgatoryName, new SystemTimer(purgatoryName), brokerId, purgeInterval, true, true);
  }

  /**
   * Creates a purgatory.
   *
   * @param purgatoryName for example Fetch; appears in metrics and thread names
   * @param timeoutTimer expires the operations; closed together with the purgatory
   * @param brokerId the ID of the broker
   * @param purgeInterval how many entries of completed operations may remain on the watch lists
   *     before the lists are purged; a negative number, which a broker's setting may be, means 0
   * @param reaperEnabled whether the purgatory advances the timer's clock
   * @param timerEnabled whether operations expire
   */
  public DelayedOperationPurgatory(
      String purgatoryName,
      Timer timeoutTimer,
      int brokerId,
      int purgeInterval,
      boolean reaperEnabled,
      boolean timerEnabled) {
    DropIn.announce();
    this.timeoutTimer = timeoutTimer;
    this.timerEnabled = timerEnabled;
    this.stats = new PurgatoryStats(purgatoryName, brokerId);
    PurgatoryBuilder builder =
        Purgatory.builder(purgatoryName).purgeInterval(Math.max(0, purgeInterval)).listener(stats);
    dev.purgatory.timer.Timer coreTimer = coreTimer(timeoutTimer);
    builder.timer(coreTimer);
    if (timeoutTimer instanceof CoreTimer ours) {
      builder.expirationExecutor(ours);
    }
    Purgatory<DelayedOperationKey> built = builder.build();
    core = built;
    timedByCore = timerEnabled && timeoutTimer instanceof CoreTimer;
    operations = new KafkaOperations(built, stats, timedByCore);
    metricsTags = Map.of("delayedOperation", purgatoryName);
    metricsGroup.newGauge("PurgatorySize", () -> Math.toIntExact(built.watched()), metricsTags);
    metricsGroup.newGauge("NumDelayedOperations", timeoutTimer::size, metricsTags);
    stats.register(core, coreTimer);
    expirationReaper =
        reaperEnabled
            ? reaper("ExpirationReaper-" + brokerId + "-" + purgatoryName, timeoutTimer, coreTimer)
            : null;
  }

  private static dev.purgatory.timer.Timer coreTimer(Timer timer) {
    return timer instanceof CoreTimer ours
        ? ours.coreTimer()
        : dev.purgatory.timer.Timer.builder().build();
  }

  private static Reaper reaper(String name, Timer timer, dev.purgatory.timer.Timer coreTimer) {
    Reaper reaper = new Reaper(name, timer, coreTimer);
    reaper.start();
    return reaper;
  }

  /**
   * Completes the operation if possible, and otherwise watches it on the keys.
   *
   * @param operation the operation
   * @param watchKeys at least one key
   * @param <K> the type of the keys
   * @return true if this call completed the operation
   * @throws IllegalArgumentException if there are no keys
   */
  public <K extends DelayedOperationKey> boolean tryCompleteElseWatch(
      T operation, List<K> watchKeys) {
    if (watchKeys.isEmpty()) {
      throw new IllegalArgumentException("The watch key list can't be empty");
    }
    if (shutdown) {
      return operation.safeTryComplete();
    }
    Handle handle = operations.prepare(operation);
    operation.beginAdding(handle);
    boolean completed;
    Throwable error;
    try {
      completed = core.hold(handle, watchKeys);
    } catch (IllegalStateException e) {
      if (shutdown) {
        return operation.safeTryComplete();
      }
      throw e;
    } finally {
      error = operation.finishAdding();
    }
    rethrow(error);
    if (timerEnabled) {
      operation.endFormerTimeouts();
    }
    if (timerEnabled && !timedByCore && !operation.isCompleted()) {
      timeoutTimer.add(operation);
      if (operation.isCompleted()) {
        operation.cancel();
      }
    }
    return completed;
  }

  /** Throws the error of a check that failed while the operation was added. */
  private static void rethrow(@Nullable Throwable error) {
    if (error == null) {
      return;
    }
    if (error instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (error instanceof Error unchecked) {
      throw unchecked;
    }
    throw new IllegalStateException(error);
  }

  /**
   * Completes those operations watched on a key that can be completed.
   *
   * @param key the key
   * @param <K> the type of the key
   * @return the number of operations that this call completed
   */
  public <K extends DelayedOperationKey> int checkAndComplete(K key) {
    int completed = core.signal(key);
    if (completed > 0) {
      LOG.debug("{} unblocked {} operations", key, completed);
    }
    return completed;
  }

  /**
   * Returns the size of all watch lists: one entry per operation and key, including entries of
   * completed operations that have not been removed yet.
   *
   * @return 0 or more
   */
  public int watched() {
    return Math.toIntExact(core.watched());
  }

  /**
   * Returns the number of operations that are waiting for their timeout.
   *
   * @return the size of the timer
   */
  public int numDelayed() {
    return timeoutTimer.size();
  }

  /**
   * Stops watching the operations on a key, without completing them.
   *
   * @param key the key
   * @return the operations that were watched on the key
   */
  @SuppressWarnings("unchecked") // Only operations of type T are added.
  public List<T> cancelForKey(DelayedOperationKey key) {
    List<T> cancelled = new ArrayList<>();
    for (Object operation : core.cancelForKey(key)) {
      cancelled.add((T) operation);
    }
    cancelled.forEach(DelayedOperation::cancel);
    return cancelled;
  }

  /**
   * Closes the purgatory and its timer. Held operations are released, not completed. Waits five
   * seconds at most for an expiration on the reaper, as long for tasks on the timer's own thread,
   * as Kafka does, and one second at most for checks and answers on helper threads; does not wait
   * for those on other threads. Helper threads are not interrupted: an interrupt would close the
   * files of the log that they may be reading.
   *
   * @throws Exception if closing the timer fails
   */
  public void shutdown() throws Exception {
    shutdown = true;
    if (expirationReaper != null) {
      expirationReaper.end();
    }
    core.cancelAll();
    core.close(HELPERS_TIMEOUT);
    timeoutTimer.close();
    metricsGroup.removeMetric("PurgatorySize", metricsTags);
    metricsGroup.removeMetric("NumDelayedOperations", metricsTags);
    stats.unregister();
  }
}
