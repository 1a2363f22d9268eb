package dev.purgatory;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** The next signals, as many as somebody has asked for. Thread-safe. */
final class SignalSample {

  /*
   * Whether more are wanted is all that a signal reads while nobody looks. Counting each signal by key would
   * take an update of a map, and methods of the key. So the first ones are copied, and the caller of
   * `exchange` counts them: the cost is bounded, however many signals there are.
   */

  private final AtomicInteger wanted = new AtomicInteger();
  private final Queue<ObservedSignal> seen = new ConcurrentLinkedQueue<>();

  /** Returns what was seen since the last call, and asks for more; 0 asks for none. */
  List<ObservedSignal> exchange(int most) {
    wanted.set(0);
    List<ObservedSignal> taken = new ArrayList<>();
    for (ObservedSignal next = seen.poll(); next != null; next = seen.poll()) {
      taken.add(next);
    }
    wanted.set(most);
    return taken;
  }

  /** Called after a signal. */
  void add(Object key, boolean foundKey, int completed) {
    if (wanted.get() > 0 && wanted.getAndDecrement() > 0) {
      seen.add(new ObservedSignal(key, foundKey, completed));
    }
  }
}
