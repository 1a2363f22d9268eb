package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CLOSED_FOR_GOOD;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.NOT_HELD_AFTER_END;
import static dev.purgatory.checker.Invariant.NOT_LATE;
import static dev.purgatory.checker.Invariant.NO_LOST_WAKE_UP;
import static dev.purgatory.checker.Invariant.PROGRESS;
import static dev.purgatory.checker.Invariant.RELEASED;
import static dev.purgatory.checker.Invariant.RETAINED;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.Purgatory;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.Settings.Behaviour;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A model of a purgatory, without timing wheels and watch lists. It knows which operations are held
 * and until when, and which of them have to end in this step.
 */
final class Model {
  private static final long END_OF_TIME = Long.MAX_VALUE / 4;

  private final OperationRun run;
  private final Settings settings;
  private final Purgatory<Key> purgatory;
  private final Timer timer;
  private final TimerCheck timerCheck;
  private final WatchListsCheck listsCheck;
  private final List<Subject> subjects;
  private final Set<Subject> mustEnd = new HashSet<>();
  private final Set<Subject> adding = new HashSet<>();
  private final Map<Subject, List<String>> events = new HashMap<>();
  private long latest;
  private long furthest;

  /** What is due then must have fired. What is due until {@code latest} may have. */
  private long caughtUpTo;

  private boolean tasksRun;

  Model(OperationRun run) {
    this.run = run;
    settings = run.settings;
    purgatory = run.purgatory;
    timer = run.timer;
    timerCheck = new TimerCheck(timer);
    listsCheck = new WatchListsCheck(purgatory);
    subjects = run.subjects;
  }

  /** Returns the time on the timer's clock, which never runs backwards. */
  long now(long reading) {
    return Math.max(latest, reading);
  }

  Set<Subject> held() {
    return subjects.stream().filter(Subject::isHeld).collect(Collectors.toSet());
  }

  Set<Subject> waiting(Key key) {
    return subjects.stream()
        .filter(subject -> subject.isHeld() && subject.plan.keys().contains(key))
        .collect(Collectors.toSet());
  }

  /** Returns the number of operations that are completed. */
  int completed() {
    return (int) subjects.stream().filter(Subject::isCompleted).count();
  }

  boolean mayExpire(Subject subject, long reading) {
    return run.closing || subject.isDueAtOnce() || now(reading) >= subject.earliestExpiry();
  }

  /** Returns whether the operation may stay without an answer, as its executor drops tasks. */
  boolean mayBeUnanswered(Subject subject) {
    Behaviour where = subject.isExpired() ? settings.expirations() : settings.completions();
    return subject.added && where == Behaviour.DROPPING;
  }

  // What the program does.

  void adding(Subject subject) {
    adding.add(subject);
    if (subject.ready) {
      mustEnd.add(subject);
    }
  }

  void added(Subject subject, long reading) {
    adding.remove(subject);
    if (subject.isHeld()) {
      long deadline = WatchListsView.deadline(subject);
      long latestDeadline = subject.deadline(now(reading));
      Finding.unless(
          deadline >= subject.earliestExpiry() && deadline <= latestDeadline,
          NEVER_EARLY,
          subject + " has the deadline " + deadline);
    }
  }

  /** Checks that there is a reason for the exception, and that the operation has ended. */
  void refused(Subject subject, RuntimeException refusal) {
    adding.remove(subject);
    boolean unusable = refusal instanceof Key.Unusable;
    boolean expected = unusable ? subject.plan.hasUnusableKey() : run.timerClosed;
    if (!expected) {
      throw new Finding(RETURN_VALUES, subject + " is refused", refusal);
    }
    Finding.unless(
        subject.hasEnded(), NOT_HELD_AFTER_END, subject + " is refused and has not ended");
  }

  /** From the next {@link #verify} on, operations that are ready must have ended. */
  void signalled(Key key) {
    Stream.concat(waiting(key).stream(), adding.stream())
        .filter(subject -> subject.ready && subject.plan.keys().contains(key))
        .forEach(mustEnd::add);
  }

  /** Changes what the clock reads. */
  void passedTo(long reading) {
    furthest = Math.max(furthest, reading);
  }

  /** If the clock ran backwards, the timer may wait until it has caught up. */
  void advancing(long reading) {
    latest = now(reading);
    if (!run.timerClosed && latest >= furthest) {
      caughtUpTo = latest;
    }
  }

  void ranTasks() {
    tasksRun = true;
  }

  /** Records an event of the listener. Returns whether it may follow the earlier ones. */
  boolean isNextEvent(Subject subject, String event) {
    List<String> before = events.computeIfAbsent(subject, s -> new ArrayList<>());
    boolean next = before.equals(event.equals("held") ? List.of() : List.of("held"));
    before.add(event);
    return next;
  }

  // What has to hold.

  void verify() {
    listsCheck.awaitPurge();
    verifyEnds();
    verifyDue();
    Set<Subject> held = held();
    Finding.unless(
        purgatory.pending() == held.size(),
        EXACT_COUNT,
        "pending() is " + purgatory.pending() + ", held: " + held);
    verifyTimer(held);
    verifyLists(held);
  }

  private void verifyEnds() {
    for (Subject subject : mustEnd) {
      Finding.unless(subject.hasEnded(), NO_LOST_WAKE_UP, subject + " is ready and was signalled");
    }
    mustEnd.clear();
  }

  private void verifyDue() {
    boolean free =
        switch (settings.expirations()) {
          case QUEUED -> tasksRun;
          case DROPPING -> false;
          default -> true;
        };
    tasksRun = false;
    for (Subject subject : subjects) {
      Finding.unless(
          !free || !subject.isHeld() || !isDue(subject, caughtUpTo),
          NOT_LATE,
          subject + " is overdue");
    }
  }

  /** Returns whether the timer fires for the operation when it is advanced to that time. */
  private boolean isDue(Subject subject, long time) {
    long deadline = WatchListsView.deadline(subject);
    long over = deadline % settings.tickNanos();
    long wait = over == 0 ? 0 : settings.tickNanos() - over;
    boolean due = deadline <= Long.MAX_VALUE - wait && deadline + wait <= time;
    return (subject.isTimed() && due) || subject.isDueAtOnce();
  }

  private void verifyTimer(Set<Subject> held) {
    Set<Object> entries = timerCheck.operations();
    if (run.timerClosed) {
      return;
    }
    Set<Object> least = notDue(held, latest);
    Set<Object> most = notDue(held, caughtUpTo);
    Finding.unless(
        entries.containsAll(least) && most.containsAll(entries),
        RELEASED,
        "in the timer: " + entries + ", not " + most);
    Finding.unless(timer.size() == entries.size(), EXACT_COUNT, "timer.size() is " + timer.size());
  }

  private Set<Object> notDue(Set<Subject> held, long time) {
    Set<Object> expected = Collections.newSetFromMap(new IdentityHashMap<>());
    held.stream().filter(each -> each.isTimed() && !isDue(each, time)).forEach(expected::add);
    return expected;
  }

  private void verifyLists(Set<Subject> held) {
    Map<Object, Map<Object, Integer>> expected = new HashMap<>();
    for (Subject subject : held) {
      for (Key key : subject.plan.keys()) {
        expected.computeIfAbsent(key, k -> new HashMap<>()).merge(subject, 1, Integer::sum);
      }
    }
    Map<Object, Map<Object, Integer>> found = new HashMap<>();
    listsCheck.operations().forEach((key, operations) -> found.put(key, counted(operations)));
    Finding.unless(
        found.equals(expected), RELEASED, "on the lists: " + found + ", not " + expected);
  }

  private static Map<Object, Integer> counted(List<Object> operations) {
    Map<Object, Integer> counted = new HashMap<>();
    operations.forEach(operation -> counted.merge(operation, 1, Integer::sum));
    return counted;
  }

  /** Lets much time pass, and checks that everything ends that can. */
  void requireProgress(LongConsumer advanceTo, Runnable runTasks) {
    long end = Math.max(END_OF_TIME, furthest + Duration.ofDays(1).toNanos());
    advanceTo.accept(end);
    runTasks.run();
    verify();
    advanceTo.accept(end + listsCheck.mostNanosOfUnusedKeys() + 2 * settings.tickNanos());
    requireLiveKeysOnly();
    for (Subject subject : held()) {
      boolean reachable =
          subject.isTimed() && WatchListsView.deadline(subject) <= end - settings.tickNanos();
      boolean served = !run.timerClosed && settings.expirations() != Behaviour.DROPPING;
      Finding.unless(!reachable || !served, PROGRESS, subject + " does not end");
    }
  }

  /** Checks that no unused key is left. To be called one second after the last end. */
  private void requireLiveKeysOnly() {
    long live = held().stream().flatMap(each -> each.plan.keys().stream()).distinct().count();
    Patience.await(
        () -> run.timerClosed || purgatory.inspect().keys() <= live,
        () ->
            new Finding(
                RETAINED, purgatory.inspect().keys() + " keys, of which " + live + " are in use"));
  }

  void requireEmpty() {
    listsCheck.awaitPurge();
    Finding.unless(
        purgatory.pending() == 0
            && purgatory.inspect().watched() == 0
            && purgatory.inspect().keys() == 0,
        CLOSED_FOR_GOOD,
        "after close(), "
            + purgatory.pending()
            + " pending, "
            + purgatory.inspect().watched()
            + " watched");
  }
}
