package dev.purgatory;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A set of keys on which requests are held again and again, such as the partitions of a fetch
 * session. The purgatory stores it once: holding a request on it takes as long as on a single key.
 * Created by {@link Purgatory#keySet}. Thread-safe.
 *
 * <p>A signal on one of the keys reaches first the requests that are held on the key itself, then
 * those that are held on sets with the key.
 *
 * @param <K> the type of the keys
 */
public final class KeySet<K> implements AutoCloseable {

  /*
   * A set is a hidden key in the purgatory. One registration, on the lists of all its keys, refers to the
   * hidden key. It is not an operation: nothing evaluates or ends it. Who walks the list of a key then walks
   * the list of the set.
   */

  private final Purgatory<K> purgatory;
  private final Set<K> keys;
  private final Registration registration;

  KeySet(Purgatory<K> purgatory, OperationAdapter<?> adapter, Collection<? extends K> keys) {
    this.purgatory = purgatory;
    this.keys = Set.copyOf(keys);
    registration = new Registration(adapter, new HiddenKey(this));
    registration.forward();
  }

  Registration registration() {
    return registration;
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
    return registration.operation() != null;
  }

  /** Returns this set as what an operation is held on in this purgatory. */
  List<K> asKey(Purgatory<K> holder) {
    if (holder != purgatory) {
      throw new IllegalArgumentException("a set of another purgatory: " + this);
    }
    if (registration.operation() instanceof HiddenKey key) {
      return List.of(key.<K>asKey());
    }
    throw new IllegalStateException("closed: " + this);
  }

  /**
   * Removes the set from its keys. Signals no longer reach the requests that are held on it; these
   * stay held until something else ends them.
   */
  @Override
  public void close() {
    purgatory.remove(this);
  }

  @Override
  public String toString() {
    return "KeySet" + keys;
  }
}
