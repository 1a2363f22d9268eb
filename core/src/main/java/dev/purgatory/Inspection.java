package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Headroom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Purgatory} holds and how it is set up. Created by {@link Purgatory#inspect}.
 * Thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class Inspection<K> {
  private final Core<K> core;
  private final List<Limit> limits;
  private final @Nullable Diagnostics diagnostics;

  Inspection(Core<K> core, List<Limit> limits, @Nullable Diagnostics diagnostics) {
    this.core = core;
    this.limits = limits;
    this.diagnostics = diagnostics;
  }

  /**
   * Lists the held requests, for a screen or a log, or to end some of them. Visits every entry,
   * without a lock; a request that is added or ends at the same time may be in the list or not.
   *
   * @return a description of each held request, the oldest first
   */
  public List<HeldRequest<K>> held() {
    return new Snapshots<>(core).list();
  }

  /**
   * Returns the number of held operations that wait on a key, in time proportional to that number.
   *
   * @param key a key
   * @return 0 or more, with the requests that are held on a {@link KeyGroup} with the key
   */
  public int pending(K key) {
    return core.pending(requireNonNull(key, "key"));
  }

  /**
   * Returns the number of ended operations that wait for an executor or a helper thread to answer
   * them.
   *
   * @return 0 or more. It grows without bound only if an executor drops tasks or a callback hangs
   */
  public long unanswered() {
    return core.answers().unanswered();
  }

  /**
   * Returns the total size of the watch lists: one entry per operation and key, including ended
   * operations that were not yet removed.
   *
   * @return 0 or more; exact while nothing is added or removed
   */
  public long watched() {
    return core.keys().watched();
  }

  /**
   * Returns the number of keys that have a watch list.
   *
   * @return 0 or more; exact while nothing is added or removed
   */
  public int keys() {
    return core.keys().keys();
  }

  /**
   * Counts the held requests, by key. Visits every entry, without a lock.
   *
   * @param mostKeys how many of the busiest keys to return, 0 or more
   * @return the counts
   */
  public PurgatorySnapshot<K> snapshot(int mostKeys) {
    return new Snapshots<>(core).take(mostKeys);
  }

  /**
   * Removes the entries of ended operations from the watch lists and the timer, as for a
   * measurement of memory. The purgatory does this by itself, when the entries of ended operations
   * outnumber the others, and for unused keys about half a second after an end.
   */
  public void purge() {
    Headroom.ensure();
    core.purge();
  }

  /**
   * Returns the limits of all requests, as added with {@link PurgatoryBuilder#limit}. The limits of
   * owners are not among them.
   *
   * @return the limits, in the order in which they were added
   */
  public List<Limit> limits() {
    return limits;
  }

  /**
   * Returns the diagnostics that {@link PurgatoryBuilder#diagnostics} set.
   *
   * @return the diagnostics; null if the requests are not observed
   */
  public @Nullable Diagnostics diagnostics() {
    return diagnostics;
  }
}
