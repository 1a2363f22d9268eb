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
   * A set is a key of its own in the purgatory, which no user can name. One registration, on the lists of
   * all the keys, refers to the set. It is not an operation: nothing evaluates or ends it. Who walks the
   * list of a key then walks the list of the set.
   */

  private final Purgatory<K> purgatory;
  private final Set<K> keys;
  private final Registration registration;

  KeySet(Purgatory<K> purgatory, OperationAdapter<?> adapter, Collection<? extends K> keys) {
    this.purgatory = purgatory;
    this.keys = Set.copyOf(keys);
    registration = new Registration(adapter, this);
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

  /** Returns this set as what an operation is held on. */
  @SuppressWarnings("unchecked") // keys are only hashed and compared
  List<K> asKey() {
    if (registration.operation() == null) {
      throw new IllegalStateException("closed: " + this);
    }
    return (List<K>) List.of(this);
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
