package dev.purgatory.watch;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.ShrinkingMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keys on each of which one waiter waits, such as the ids of awaited replies. Thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class ExclusiveKeys<K> implements Keys<K> {

  /*
   * The waiter is the value of the map: no list, no lock, no count. The thread that ends it removes it, so nothing is
   * left to purge. A waiter counts as removed from its end on: another one may then take its place.
   *
   * The end may come before the waiter is in the map. So each side writes first and reads then: the ending thread
   * ends the waiter and removes it; the adding thread adds it, and removes it if it has ended.
   */

  private static final LastResort KEY_THREW =
      LastResort.handler("A key threw: it is not released at once");

  private final String name;
  private final WatchLists<K> hidden;
  final ShrinkingMap<K, Waiter> map;

  /**
   * Creates an empty set of keys.
   *
   * @param name appears in messages
   * @param hidden the lists of hidden keys
   * @param mover makes the map smaller after a burst of keys
   */
  public ExclusiveKeys(String name, WatchLists<K> hidden, Executor mover) {
    this.name = name;
    this.hidden = hidden;
    map = new ShrinkingMap<>(mover, Waiter::isEnded);
  }

  @Override
  public void checkNumber(int keys) {
    if (keys != 1) {
      throw new IllegalArgumentException("a reply has one id, not " + keys);
    }
  }

  @Override
  public void checkFree(Collection<? extends K> keys) {
    K key = keys.iterator().next();
    Waiter other = map.get(key);
    if (other != null && !other.isEnded()) {
      throw inUse(key);
    }
  }

  private IllegalStateException inUse(K key) {
    return new IllegalStateException(name + ": " + ForeignText.of(key) + " is awaited already");
  }

  @Override
  public void watch(Collection<? extends K> keys, Waiter waiter) {
    K key = keys.iterator().next();
    for (Waiter other; (other = map.putIfAbsent(key, waiter)) != waiter; ) {
      if (!other.isEnded()) {
        throw inUse(key);
      }
      map.remove(key, other);
    }
    if (waiter.isEnded()) {
      map.remove(key, waiter);
    } else if (keys.size() > 1) {
      hidden.watch(new ArrayList<>(keys).subList(1, keys.size()), waiter);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the key of a waiter that was put here
  public void release(Waiter waiter) {
    try {
      map.remove((K) waiter.key(), waiter);
    } catch (Throwable e) { // the map leaves it behind
      if (!(e instanceof OutOfMemoryError)) {
        KEY_THREW.accept(e);
      }
    }
  }

  @Override
  public @Nullable Waiters get(K key) {
    return key instanceof HiddenKey ? hidden.get(key) : map.get(key);
  }

  @Override
  public void forEach(BiConsumer<? super @Nullable K, ? super Waiters> visitor) {
    map.forEach(visitor);
    map.forEachStray(waiter -> visitor.accept(null, waiter));
    hidden.forEach(visitor);
  }

  @Override
  public int keys() {
    return map.size() + hidden.keys();
  }

  @Override
  public long watched() {
    return map.size() + hidden.watched();
  }
}
