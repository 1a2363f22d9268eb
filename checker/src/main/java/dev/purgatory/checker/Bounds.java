package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.RETAINED;
import static dev.purgatory.checker.Invariant.THREADS;

import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** What a timer and its purgatories may keep, and how many threads they may have. */
final class Bounds {

  /** What a timer, or the lists of a purgatory, may keep beside twice what is pending. */
  private static final long CONSTANT = 2_048;

  private static final int THREADS_EACH = 8;

  /** What may be reachable from a timer beside its wheels, and from each of its purgatories. */
  private static final long SLOTS_OF_TIMER = 3_000;

  private static final long SLOTS_OF_PURGATORY = 500;

  private final Timer timer;
  private final TimerView timerView;
  private final List<Crowd> crowds;
  private final BareTimer bareTimer;
  private final String names;
  private final List<Object> settings;

  /**
   * Creates the bounds.
   *
   * @param names a text that is part of the names of all purgatories and of no others
   * @param settings the objects that the timer and the purgatories were given by their user
   */
  Bounds(
      Timer timer, List<Crowd> crowds, BareTimer bareTimer, String names, List<Object> settings) {
    this.timer = timer;
    this.timerView = new TimerView(timer);
    this.crowds = crowds;
    this.bareTimer = bareTimer;
    this.names = names;
    this.settings = settings;
  }

  /**
   * Checks what holds at any time.
   *
   * @throws Finding if something does not
   */
  void verify() {
    long pending = bareTimer.pending() + crowds.stream().mapToLong(Crowd::pending).sum();
    Finding.unless(timer.size() == pending, EXACT_COUNT, "timer.size() is not " + pending);
    awaitAtMost(2 * pending + CONSTANT, timer::retained, "the timer keeps");
    for (Crowd crowd : crowds) {
      awaitAtMost(2 * crowd.registrations() + CONSTANT, crowd.purgatory::watched, "the lists keep");
    }
    long threads = LibraryThreads.count(names);
    Finding.unless(
        threads <= (long) THREADS_EACH * crowds.size(),
        THREADS,
        threads + " threads for " + crowds.size() + " purgatories");
  }

  /** Waits until no purge is running: virtual time leaves it no time. */
  void awaitPurges() {
    crowds.forEach(Crowd::awaitPurge);
  }

  /** Checks that one second after the last end no key is left for which nothing is pending. */
  void requireLiveKeysOnly() {
    for (Crowd crowd : crowds) {
      awaitAtMost(crowd.liveKeys().size(), crowd.purgatory::keys, "the keys that are kept are");
    }
  }

  /** Checks that no task is reachable from the timer that has run or was cancelled. */
  void requirePendingTasksOnly() {
    awaitAtMost(
        bareTimer.pending(),
        () -> Reachable.from(List.of(timer), settings).instances(BareTimer.Task.class).count(),
        "the tasks that are reachable are");
  }

  /** Checks that nothing but constants is reachable. To be called when nothing is pending. */
  void requireAlmostNothing() {
    requireLiveKeysOnly();
    List<Object> roots = new ArrayList<>(List.of(timer));
    crowds.forEach(crowd -> roots.add(crowd.purgatory));
    awaitAtMost(0, () -> operations(roots), "the operations that are reachable are");
    awaitAtMost(
        SLOTS_OF_TIMER + SLOTS_OF_PURGATORY * crowds.size(),
        () -> Reachable.from(roots, settings).size() - timerView.slotsOfWheels(),
        "the objects and references that are reachable are");
  }

  private long operations(List<Object> roots) {
    return Reachable.from(roots, settings).instances(BulkOperation.class).count();
  }

  /** Checks that the threads of the purgatories end. */
  void requireNoThreads(String when) {
    Patience.await(
        () -> LibraryThreads.count(names) == 0,
        () -> new Finding(THREADS, LibraryThreads.count(names) + " threads " + when));
  }

  /** What happens on another thread, for instance a purge, may take a moment. */
  private void awaitAtMost(long most, LongSupplier actual, String what) {
    Patience.await(
        () -> actual.getAsLong() <= most,
        () ->
            new Finding(RETAINED, what + " " + actual.getAsLong() + ", not " + most + " or less"));
  }
}
