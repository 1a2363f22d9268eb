package dev.purgatory.benchmarks.contender;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A linked list of weak references that can be removed individually. */
final class WeakList<T> {
  private final ReferenceQueue<T> collected;
  private @Nullable Watch<T> first;
  private int size;

  /**
   * Creates an empty list.
   *
   * @param collected receives the references whose objects were collected, each a {@link Watch}
   */
  WeakList(ReferenceQueue<T> collected) {
    this.collected = collected;
  }

  synchronized void add(T object) {
    Watch<T> watch = new Watch<>(object, this);
    watch.next = first;
    if (first != null) {
      first.previous = watch;
    }
    first = watch;
    size++;
  }

  /** Returns the objects on the list that were not collected. */
  synchronized List<T> alive() {
    List<T> alive = new ArrayList<>();
    for (Watch<T> watch = first; watch != null; watch = watch.next) {
      T object = watch.get();
      if (object != null) {
        alive.add(object);
      }
    }
    return alive;
  }

  /** Returns the number of references on the list. */
  synchronized int size() {
    return size;
  }

  private synchronized void remove(Watch<T> watch) {
    if (watch.previous == null) {
      first = watch.next;
    } else {
      watch.previous.next = watch.next;
    }
    if (watch.next != null) {
      watch.next.previous = watch.previous;
    }
    size--;
  }

  /** An entry of a list. */
  static final class Watch<T> extends WeakReference<T> {
    private final WeakList<T> list;
    private @Nullable Watch<T> previous;
    private @Nullable Watch<T> next;

    private Watch(T object, WeakList<T> list) {
      super(object, list.collected);
      this.list = list;
    }

    /** Removes this entry from its list. Must be called only once. */
    void leave() {
      list.remove(this);
    }
  }
}
