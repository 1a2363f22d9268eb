package dev.purgatory.console;

import dev.purgatory.Diagnostics;
import dev.purgatory.console.SignalLog.Seen;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Keeps the signals of the last minute, for all that look at the same diagnostics. Thread-safe. */
final class SignalRecorder implements Diagnostics.Observer {

  /*
   * Consoles and `Findings` of the same diagnostics share a recorder. It observes the diagnostics from the first call
   * of `take` on, until a console closes.
   *
   * Whether more signals are wanted is all that a signal reads after the first ones that follow a call of `take`.
   * To count each signal by key would take an update of a map, and methods of the key. So the first ones are
   * copied, and the caller of `take` counts them: the cost is bounded, however many signals there are.
   */

  private static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MOST_OF_SAMPLE = 1_000;
  private static final int MOST_KEPT = 5_000;

  /** Guarded by itself. */
  private static final Map<Diagnostics, WeakReference<SignalRecorder>> RECORDERS =
      new WeakHashMap<>();

  /** A signal that has returned. */
  record Signal(Object key, boolean foundKey, int completed) {}

  private final @Nullable Diagnostics diagnostics;
  private final AtomicInteger wanted = new AtomicInteger();
  private final Queue<Signal> copied = new ConcurrentLinkedQueue<>();

  /** A recent signal, perhaps not the last one: read and written without a lock. */
  private volatile @Nullable Signal previous;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Deque<Seen> recent = new ArrayDeque<>();
  private boolean asked;
  private long firstAskedAt;
  private long askedAt;

  private SignalRecorder(@Nullable Diagnostics diagnostics) {
    this.diagnostics = diagnostics;
  }

  /** Returns the recorder of these diagnostics; without any, one that stays empty. */
  static SignalRecorder of(@Nullable Diagnostics diagnostics) {
    if (diagnostics == null) {
      return new SignalRecorder(null);
    }
    synchronized (RECORDERS) {
      WeakReference<SignalRecorder> known = RECORDERS.get(diagnostics);
      SignalRecorder recorder = known == null ? null : known.get();
      if (recorder == null) {
        recorder = new SignalRecorder(diagnostics);
        RECORDERS.put(diagnostics, new WeakReference<>(recorder));
      }
      return recorder;
    }
  }

  @Override
  public void onSignalled(Object key, boolean foundKey, int completed) {
    if (wanted.get() > 0 && !isRepeated(key, foundKey, completed) && wanted.getAndDecrement() > 0) {
      Signal signal = new Signal(key, foundKey, completed);
      copied.add(signal);
      previous = signal;
    }
  }

  /** A loop that signals one key in vain must not use up the places of the others. */
  private boolean isRepeated(Object key, boolean foundKey, int completed) {
    Signal before = previous;
    return before != null
        && foundKey
        && completed == 0
        && before.key == key
        && before.foundKey
        && before.completed == 0;
  }

  /** Returns the recent signals with those since the last call, and asks for the next ones. */
  SignalLog take(long nanos) {
    if (diagnostics == null) {
      return new SignalLog(List.of(), 0);
    }
    lock.lock();
    try {
      if (!asked) {
        firstAskedAt = nanos;
        diagnostics.addObserver(this);
      }
      wanted.set(0);
      for (Signal next = copied.poll(); next != null; next = copied.poll()) {
        recent.addLast(new Seen(askedAt, nanos, next));
      }
      previous = null;
      wanted.set(MOST_OF_SAMPLE);
      asked = true;
      askedAt = nanos;
      while (recent.size() > MOST_KEPT || (!recent.isEmpty() && isOld(recent.getFirst(), nanos))) {
        recent.removeFirst();
      }
      return new SignalLog(List.copyOf(recent), nanosSince(nanos));
    } finally {
      lock.unlock();
    }
  }

  /** The last ones stay, since the next call may come later than in a minute. */
  private static boolean isOld(Seen seen, long nanos) {
    return nanos - seen.from() > RECENT_NANOS && seen.until() != nanos;
  }

  private long nanosSince(long nanos) {
    long ofRecent = recent.isEmpty() ? 0 : nanos - recent.getFirst().from();
    return recent.size() < MOST_KEPT
        ? Math.max(ofRecent, Math.min(nanos - firstAskedAt, RECENT_NANOS))
        : ofRecent;
  }

  /** Forgets all signals, and asks for none. */
  void forget() {
    if (diagnostics == null) {
      return;
    }
    lock.lock();
    try {
      diagnostics.removeObserver(this);
      wanted.set(0);
      copied.clear();
      recent.clear();
      previous = null;
      asked = false;
    } finally {
      lock.unlock();
    }
  }
}
