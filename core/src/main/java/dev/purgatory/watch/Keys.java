package dev.purgatory.watch;

import java.util.Collection;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits on the keys of a purgatory: {@link WatchLists} with many waiters on a key, or {@link
 * ExclusiveKeys} with one. Both have lists for hidden keys. Thread-safe.
 *
 * @param <K> the type of the keys
 */
public interface Keys<K> {

  /**
   * Checks the number of keys for one waiter.
   *
   * @param keys how many keys of the user it is to wait on
   * @throws IllegalArgumentException if there are too many or too few
   */
  default void checkNumber(int keys) {}

  /**
   * Checks that a waiter may be put on keys, as {@link #watch} does.
   *
   * @param keys those of the user first, then hidden ones
   * @throws IllegalStateException if a key is in use
   */
  default void checkFree(Collection<? extends K> keys) {}

  /**
   * Puts a waiter on all keys, as long as it has not ended.
   *
   * @param keys those of the user first, then hidden ones
   * @param waiter is on no key yet
   * @throws IllegalStateException if a key is in use; the caller then ends the waiter
   */
  void watch(Collection<? extends K> keys, Waiter waiter);

  /**
   * Releases the key that a waiter has for itself. The thread that ends the waiter calls this once,
   * before the answer. It does not fail.
   *
   * @param waiter has ended, and is not cleared
   */
  default void release(Waiter waiter) {}

  /**
   * Returns the waiters on a key.
   *
   * @param key a key of the user, or a hidden one
   * @return null if nothing waits there
   */
  @Nullable Waiters get(K key);

  /**
   * Calls the visitor with the waiters on each key.
   *
   * @param visitor may see a key twice, while the table shrinks. The key is null for waiters that
   *     no key leads to: those without a key, and those of a key that throws
   */
  void forEach(BiConsumer<? super @Nullable K, ? super Waiters> visitor);

  /**
   * Returns the number of keys on which something waits, or has waited until a moment ago.
   *
   * @return 0 or more; exact while nothing is added or removed
   */
  int keys();

  /**
   * Returns the number of waiters on all keys.
   *
   * @return 0 or more, including cleared ones; exact while nothing is added or removed
   */
  long watched();
}
