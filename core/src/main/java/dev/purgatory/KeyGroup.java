package dev.purgatory;

import dev.purgatory.base.ForeignText;
import dev.purgatory.watch.Forwarder;
import dev.purgatory.watch.HiddenKey;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A group of keys on which requests are held again and again, such as the partitions of a fetch
 * session. The purgatory stores it once: holding a request on it takes as long as on a single key.
 * Created by {@link Purgatory#group}. Thread-safe.
 *
 * <p>A signal on one of the keys reaches first the requests that are held on the key itself, then
 * the requests on groups with the key.
 *
 * @param <K> the type of the keys
 */
public final class KeyGroup<K> implements AutoCloseable {

  /*
   * A group is a hidden key in the purgatory. A forwarder to it is on the lists of all its keys. A thread that
   * walks the list of a key then walks the list of the group.
   */

  private final Core<K> core;
  private final Set<K> keys;
  private final Forwarder forwarder = new Forwarder(new HiddenKey(this));

  /** Stores a group of keys. */
  KeyGroup(Core<K> core, Collection<? extends K> keys) {
    this.core = core;
    this.keys = Set.copyOf(keys);
    core.forward(this.keys, forwarder);
  }

  /**
   * Returns the keys.
   *
   * @return an unmodifiable set
   */
  public Set<K> keys() {
    return keys;
  }

  boolean isOpen() {
    return forwarder.to() != null;
  }

  /** Returns this group as what an operation is held on in this purgatory. */
  List<K> asKey(Core<K> holder) {
    if (holder != core) {
      throw new IllegalArgumentException("a key group of another purgatory: " + this);
    }
    HiddenKey key = forwarder.to();
    if (key == null) {
      throw new IllegalStateException("closed: " + this);
    }
    return List.of(key.<K>asKey());
  }

  /**
   * Removes the group from its keys. Signals no longer reach the requests that are held on it;
   * these stay held until something else ends them.
   */
  @Override
  public void close() {
    core.endForwarder(forwarder);
  }

  @Override
  public String toString() {
    return "KeyGroup" + ForeignText.of(keys);
  }
}
