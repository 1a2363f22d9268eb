package dev.purgatory.console;

import dev.purgatory.Diagnostics;
import dev.purgatory.ObservedSignal;
import dev.purgatory.console.SignalLog.Seen;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Keeps the signals of the last minute for all who look at the same diagnostics. Thread-safe. */
final class SignalRecorder {

  /*
   * Diagnostics return each signal once. So pages and `Findings` of the same diagnostics share a recorder, which
   * lives as long as one of them refers to it.
   *
   * The core copies the first signals after each call of `take`. So few signals are all here, and of many a sample.
   */

  private static final long RECENT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MOST_OF_SAMPLE = 1_000;
  private static final int MOST_KEPT = 5_000;

  /** Guarded by itself. */
  private static final Map<Diagnostics, WeakReference<SignalRecorder>> RECORDERS =
      new WeakHashMap<>();

  private final @Nullable Diagnostics diagnostics;
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

  /** Returns the recent signals with those since the last call, and asks for the next ones. */
  SignalLog take(long nanos) {
    if (diagnostics == null) {
      return new SignalLog(List.of(), 0);
    }
    lock.lock();
    try {
      List<ObservedSignal> signals = diagnostics.sampleSignals(MOST_OF_SAMPLE);
      if (!asked) {
        firstAskedAt = nanos;
      } else {
        signals.forEach(each -> recent.addLast(new Seen(askedAt, nanos, each)));
      }
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
      diagnostics.sampleSignals(0);
      recent.clear();
      asked = false;
    } finally {
      lock.unlock();
    }
  }
}
