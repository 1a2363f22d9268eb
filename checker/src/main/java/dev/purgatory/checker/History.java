package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.NO_LOST_WAKE_UP;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What threads did to the operations, in which order, and what they were told. Thread-safe. */
final class History {
  private static final long NEVER = -1;

  private final AtomicLong clock = new AtomicLong(1);
  private final AtomicInteger completions = new AtomicInteger();
  private final Map<Subject, Integer> ended = new ConcurrentHashMap<>();
  private final Map<Subject, Integer> added = new ConcurrentHashMap<>();
  private final Map<Subject, Long> addedSince = new ConcurrentHashMap<>();
  private final Map<Subject, Long> answerableSince = new ConcurrentHashMap<>();
  private final Map<Key, Long> checkedLast = new ConcurrentHashMap<>();

  /** A moment, later than all that were asked for before. */
  long moment() {
    return clock.incrementAndGet();
  }

  /** How many moments there were. */
  long moments() {
    return clock.get();
  }

  void answerable(Subject subject) {
    answerableSince.putIfAbsent(subject, moment());
  }

  /** The purgatory took the operation, from somebody who began at that moment. */
  void added(Subject subject, long since) {
    added.merge(subject, 1, Integer::sum);
    addedSince.put(subject, since);
  }

  /** Somebody begins to check the key. */
  void checks(Key key) {
    checkedLast.merge(key, moment(), Math::max);
  }

  /** Somebody was told that he completed so many. */
  void completed(int count) {
    completions.addAndGet(count);
  }

  /** Somebody was told that he forced or cancelled the operation. */
  void ended(Subject subject) {
    ended.merge(subject, 1, Integer::sum);
  }

  /**
   * Compares with what has become of the operations, once all is quiet.
   *
   * @param allTold whether some caller was told of every completion, except for those by timeouts
   *     and on helper threads. Callers are not told of what callbacks set off
   */
  void verify(List<Subject> subjects, boolean allTold) {
    subjects.forEach(this::verify);
    long completed = subjects.stream().filter(Subject::isCompleted).count();
    int told = completions.get();
    long unheard = subjects.stream().filter(s -> s.saidYesUnheard).count();
    boolean right = told <= completed && (!allTold || told >= completed - unheard);
    Finding.unless(right, RETURN_VALUES, told + " completions told, but " + completed + " are");
  }

  private void verify(Subject subject) {
    int told = ended.getOrDefault(subject, 0);
    Finding.unless(told <= 1, RETURN_VALUES, told + " were told that they ended " + subject);
    Finding.unless(
        !subject.isCancelled() || told == 1,
        RETURN_VALUES,
        "nobody was told that he cancelled " + subject);
    int adds = added.getOrDefault(subject, 0);
    Finding.unless(adds <= 1, RETURN_VALUES, subject + " was added " + adds + " times");
    boolean mustEnd = adds == 1 && wasCheckedWhenAnswerable(subject);
    Finding.unless(!mustEnd || subject.hasEnded(), NO_LOST_WAKE_UP, subject + " was checked");
  }

  private boolean wasCheckedWhenAnswerable(Subject subject) {
    Long since = answerableSince.get(subject);
    return since != null
        && (addedSince.getOrDefault(subject, NEVER) > since
            || subject.plan.keys().stream().anyMatch(key -> lastCheck(key) > since));
  }

  private long lastCheck(Key key) {
    return key.isUnusable() ? NEVER : checkedLast.getOrDefault(key, NEVER);
  }
}
