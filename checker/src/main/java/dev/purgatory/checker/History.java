package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.NO_LOST_WAKE_UP;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records, in order, what threads did to the operations and what the calls returned. Thread-safe.
 */
final class History {
  private static final long NEVER = -1;

  private final AtomicLong clock = new AtomicLong(1);
  private final AtomicInteger completions = new AtomicInteger();
  private final Map<Subject, Integer> ended = new ConcurrentHashMap<>();
  private final Map<Subject, Integer> added = new ConcurrentHashMap<>();
  private final Map<Subject, Long> addedSince = new ConcurrentHashMap<>();
  private final Map<Subject, Long> readySince = new ConcurrentHashMap<>();
  private final Map<Key, Long> signalledLast = new ConcurrentHashMap<>();

  /** Returns a moment, later than all earlier ones. */
  long moment() {
    return clock.incrementAndGet();
  }

  /** Returns the last moment. */
  long moments() {
    return clock.get();
  }

  void ready(Subject subject) {
    readySince.putIfAbsent(subject, moment());
  }

  /** Records that a call that began at the given moment added the operation. */
  void added(Subject subject, long since) {
    added.merge(subject, 1, Integer::sum);
    addedSince.put(subject, since);
  }

  /** Records that a call begins to signal the key. */
  void signals(Key key) {
    signalledLast.merge(key, moment(), Math::max);
  }

  /** Records how many operations a call says that it completed. */
  void completed(int count) {
    completions.addAndGet(count);
  }

  /** Records that a call says that it completed or cancelled the operation. */
  void ended(Subject subject) {
    ended.merge(subject, 1, Integer::sum);
  }

  /**
   * Compares the records with the outcomes, when all threads are idle.
   *
   * @param allReported whether the calls reported every completion, except for those on timeout and
   *     on helper threads. Calls do not report completions that callbacks trigger
   * @throws Finding if they do not match
   */
  void verify(List<Subject> subjects, boolean allReported) {
    subjects.forEach(this::verify);
    long completed = subjects.stream().filter(Subject::isCompleted).count();
    int reported = completions.get();
    long unreported = subjects.stream().filter(s -> s.wasReadyUnreported).count();
    boolean right = reported <= completed && (!allReported || reported >= completed - unreported);
    Finding.unless(
        right, RETURN_VALUES, reported + " completions were reported, but there are " + completed);
  }

  private void verify(Subject subject) {
    int reported = ended.getOrDefault(subject, 0);
    Finding.unless(
        reported <= 1, RETURN_VALUES, reported + " calls say that they ended " + subject);
    Finding.unless(
        !subject.isCancelled() || reported == 1,
        RETURN_VALUES,
        "no call says that it cancelled " + subject);
    int adds = added.getOrDefault(subject, 0);
    Finding.unless(adds <= 1, RETURN_VALUES, subject + " was added " + adds + " times");
    boolean mustEnd = adds == 1 && wasSignalledWhenReady(subject);
    Finding.unless(
        !mustEnd || subject.hasEnded(), NO_LOST_WAKE_UP, subject + " was ready and signalled");
  }

  private boolean wasSignalledWhenReady(Subject subject) {
    Long since = readySince.get(subject);
    return since != null
        && (addedSince.getOrDefault(subject, NEVER) > since
            || subject.plan.keys().stream().anyMatch(key -> lastSignal(key) > since));
  }

  private long lastSignal(Key key) {
    return key.isUnusable() ? NEVER : signalledLast.getOrDefault(key, NEVER);
  }
}
