package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.RETAINED;
import static dev.purgatory.checker.Invariant.THREADS;

import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.WheelsView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The bounds on what a timer and its purgatories retain, and on their threads. */
final class Bounds {

  /** What a timer, or the lists of a purgatory, may retain besides twice what is pending. */
  private static final long CONSTANT = 2_048;

  private static final int THREADS_EACH = 8;

  /** What may be reachable from a timer besides its wheels, and from each purgatory. */
  private static final long SLOTS_OF_TIMER = 3_000;

  private static final long SLOTS_OF_PURGATORY = 500;

  private final Timer timer;
  private final WheelsView timerView;
  private final List<Crowd> crowds;
  private final BareTimer bareTimer;
  private final String names;
  private final List<Object> settings;

  /**
   * Creates the bounds.
   *
   * @param names a text that only the names of these purgatories contain
   * @param settings the objects that the user passed to the timer and the purgatories
   */
  Bounds(
      Timer timer, List<Crowd> crowds, BareTimer bareTimer, String names, List<Object> settings) {
    this.timer = timer;
    this.timerView = new WheelsView(timer);
    this.crowds = crowds;
    this.bareTimer = bareTimer;
    this.names = names;
    this.settings = settings;
  }

  /**
   * Checks the bounds that hold at any time.
   *
   * @throws Finding if one does not
   */
  void verify() {
    long pending = bareTimer.pending() + crowds.stream().mapToLong(Crowd::pending).sum();
    Finding.unless(timer.size() == pending, EXACT_COUNT, "timer.size() is not " + pending);
    awaitAtMost(
        2 * pending + CONSTANT, TimerInternals.of(timer).wheels()::retained, "the timer retains");
    for (Crowd crowd : crowds) {
      awaitAtMost(
          2 * crowd.registrations() + CONSTANT,
          crowd.purgatory.inspect()::watched,
          "the lists retain");
    }
    long threads = LibraryThreads.count(names);
    Finding.unless(
        threads <= (long) THREADS_EACH * crowds.size(),
        THREADS,
        threads + " threads for " + crowds.size() + " purgatories");
  }

  /** Waits until no purge is running or due. In virtual time, a purge takes no time. */
  void awaitPurges() {
    crowds.forEach(Crowd::awaitPurge);
  }

  /** Checks that no unused key is left. To be called one second after the last end. */
  void requireLiveKeysOnly() {
    for (Crowd crowd : crowds) {
      awaitAtMost(crowd.lists(), crowd.purgatory.inspect()::keys, "the number of keys is");
    }
  }

  /** Checks that no task that has run or was cancelled is reachable from the timer. */
  void requirePendingTasksOnly() {
    awaitAtMost(
        bareTimer.pending(),
        () -> Reachable.from(List.of(timer), settings).instances(BareTimer.Task.class).count(),
        "the number of reachable tasks is");
  }

  /** Checks that no more than a constant is reachable. To be called when nothing is pending. */
  void requireAlmostNothing() {
    requireLiveKeysOnly();
    List<Object> roots = new ArrayList<>(List.of(timer));
    crowds.forEach(crowd -> roots.addAll(crowd.library()));
    awaitAtMost(0, () -> operations(roots), "the number of reachable operations is");
    awaitAtMost(
        SLOTS_OF_TIMER + SLOTS_OF_PURGATORY * crowds.size(),
        () -> Reachable.from(roots, settings).size() - timerView.slotsOfWheels(),
        "the number of reachable objects and references is");
  }

  private long operations(List<Object> roots) {
    return Reachable.from(roots, settings).instances(BulkOperation.class).count();
  }

  /** Checks that the threads of the purgatories end. */
  void requireNoThreads(String when) {
    Patience.await(
        () -> LibraryThreads.count(names) == 0,
        () -> new Finding(THREADS, LibraryThreads.count(names) + " threads are left " + when));
  }

  /** Waits for work on other threads, such as a purge. */
  private void awaitAtMost(long most, LongSupplier actual, String what) {
    Patience.await(
        () -> actual.getAsLong() <= most,
        () -> new Finding(RETAINED, what + " " + actual.getAsLong() + ", more than " + most));
  }
}
