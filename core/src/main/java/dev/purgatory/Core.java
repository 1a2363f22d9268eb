package dev.purgatory;

import dev.purgatory.Registration.Behaviour;
import dev.purgatory.base.Headroom;
import dev.purgatory.base.LastResort;
import dev.purgatory.base.Nesting;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.base.Threads;
import dev.purgatory.threads.Helpers;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import dev.purgatory.watch.ExclusiveKeys;
import dev.purgatory.watch.Forwarder;
import dev.purgatory.watch.HiddenKey;
import dev.purgatory.watch.Keys;
import dev.purgatory.watch.Purger;
import dev.purgatory.watch.Waiter;
import dev.purgatory.watch.Waiters;
import dev.purgatory.watch.Walk;
import dev.purgatory.watch.WatchLists;
import dev.purgatory.wheel.WheelTimer;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a purgatory does: holds operations, evaluates and ends them at signals, releases them, and
 * closes. {@link Purgatory} checks the arguments. Thread-safe.
 *
 * @param <K> the type of the keys
 */
final class Core<K> {

  /*
   * An operation can be reached from three places: the timer, for its timeout; the watch lists of its
   * keys, for events; and the user, who may complete or cancel it. Each of them ends it by a claim on the
   * state of its registration, which one caller wins: see there. The registration is cleared, which releases
   * the operation from the timer and all lists in one step.
   *
   * Cleared registrations stay in the timer until it sweeps them. They stay on a list until the next
   * operation takes the place of an only one, an append fills a segment, a walk finds a quarter of the list
   * cleared, or a purge removes them: see Purger.
   *
   * An operation is held in three steps: check, watch, check again. The first check sees earlier events.
   * Once the operation is on the list of a key, events on that key find it there. The second check, after the
   * operation is on all lists, sees the events in between; a check after each key would cost as many
   * evaluations as there are keys. A signaller writes the event, then reads the lists; the adding
   * thread writes the lists, then reads the event. A full fence separates the two on each side. The event may
   * be a plain store, and without the fences each side could miss the other's write. The end of a scope,
   * and the closing of the purgatory, are such events too.
   */

  /** How many times {@link #pending} reads counters that are changing. */
  private static final int MOST_READS = 100;

  /** How long {@link #close()} waits before it says so, or gives up if the JVM is shutting down. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long what has found no memory rests. */
  static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final String name;
  private final Timer timer;
  private final WheelTimer wheels;
  private final boolean ownsTimer;
  private final Lanes lanes;

  /** The lists of all keys, or of the hidden ones. */
  final WatchLists<K> lists;

  /** The lists, unless each key has one waiter. */
  private final Keys<K> keys;

  final Purger purger;
  private final Answers answers;

  private final StripedCounter held = new StripedCounter();
  private final StripedCounter ended = new StripedCounter();

  private final boolean answersExpirations;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);

  /**
   * Scopes refer to this instead of the core, so that a closed one can be collected: it is empty
   * once the purgatory is closed and nothing is held.
   */
  private final AtomicReference<@Nullable Core<K>> link = new AtomicReference<>(this);

  /** Set before the purgatory is published. */
  private @Nullable Runnable whenClosed;

  Core(
      String name,
      Timer timer,
      boolean ownsTimer,
      int purgeInterval,
      boolean exclusive,
      List<PurgatoryListener> listeners,
      @Nullable Executor completions,
      @Nullable Executor expirations) {
    this.name = name;
    this.timer = timer;
    this.ownsTimer = ownsTimer;
    wheels = TimerInternals.of(timer).wheels();
    lanes = new Lanes(name, TimerInternals.of(timer).helpers());
    lists = new WatchLists<>(purgeInterval, lanes.purges);
    keys = exclusive ? new ExclusiveKeys<>(name, lists, lanes.purges) : lists;
    purger = new Purger(name, this::pending, lists, wheels, lanes.purges, lanes.expirations::sweep);
    Executor executor =
        expirations == null && !timer.hasThread() ? Answers.BY_THE_CLOCK : expirations;
    answersExpirations = expirations == null;
    answers =
        new Answers(
            name,
            listeners,
            wheels::now,
            completions == null ? List.of() : List.of(completions),
            executor == null ? List.of(lanes.expirations) : List.of(executor, lanes.expirations),
            executor != null && timer.hasThread(),
            lanes);
  }

  // Holding.

  /**
   * Answers the operation if its condition holds, else holds it.
   *
   * @param on the keys of the user first, then hidden ones
   * @return true if this call completed the operation
   */
  boolean hold(
      Registration registration, Behaviour<?> behaviour, Collection<? extends K> on, Term term) {
    if (isClosed()) {
      throw refused(registration, closedException());
    }
    Headroom.ensure();
    if (!registration.admit(behaviour)) {
      return false;
    }
    boolean completed;
    try {
      term.admit(registration, this);
      registration.check(null);
      if (!registration.isEnded()) {
        watch(registration, on, term);
      }
    } catch (Throwable e) {
      registration.abort(Outcome.FAILED, e);
      throw e;
    } finally {
      completed = registration.endEvaluation(Registration.MOST_RECHECKS);
    }
    if (isClosed()) { // close() had visited the lists before the operation was on them
      closeOne(registration);
    }
    return completed;
  }

  private void watch(Registration registration, Collection<? extends K> on, Term term) {
    long timeout = registration.timeoutNanos();
    if (timeout <= 0) { // only evaluated: no place under a limit, no list, no timer
      term.confirm(registration);
      registration.timeOutAtOnce(); // hold() ends the evaluation
      return;
    }
    if (term != Term.NONE) { // else nothing changes before the operation is on its keys
      keys.checkFree(on);
      begin(registration, term);
    }
    long now = wheels.now();
    if (!registration.enter(now, timeout)) {
      return;
    }
    answers.held(registration);
    schedule(registration, now, timeout);
    keys.watch(on, registration);
    VarHandle.fullFence(); // write the lists first, then read the event
    registration.check(null);
    term.confirm(registration);
  }

  private void begin(Registration registration, Term term) {
    try {
      term.begin(registration, this);
    } catch (LimitExceededException e) {
      registration.refuse(e);
      throw refused(registration, e);
    }
  }

  private void schedule(Registration registration, long now, long timeout) {
    if (!Registration.isTimed(timeout)) {
      purger.keepClock();
      return;
    }
    if (!wheels.trySchedule(registration, now) && !isClosed()) { // else hold() ends the operation
      throw closedException();
    }
  }

  /** Announces that an operation is refused; returns the exception for its caller. */
  <E extends RuntimeException> E refused(Registration registration, E reason) {
    Object operation = registration.operation();
    answers.refused(operation == null ? registration : operation, reason);
    return reason;
  }

  /**
   * Puts a forwarder on the lists of keys.
   *
   * @throws RuntimeException if a key throws; then the forwarder is on no list
   */
  void forward(Collection<? extends K> on, Forwarder forwarder) {
    Headroom.ensure();
    try {
      lists.watch(on, forwarder);
    } catch (Throwable e) {
      endForwarder(forwarder);
      throw e;
    }
  }

  /** Clears a forwarder, unless it was cleared before. A sweep removes it from its lists. */
  void endForwarder(Forwarder forwarder) {
    Headroom.ensure();
    if (forwarder.beginEnd()) {
      purger.clear(forwarder);
    }
  }

  // Signals.

  /**
   * Evaluates the operations on a key, in the order in which they came.
   *
   * @param reason conditions see it; may be null
   * @param most how many to complete
   * @return how many were completed; 0 if a helper thread does the work
   */
  int signal(K key, @Nullable Object reason, int most) {
    VarHandle.fullFence(); // write the event first, then read the lists
    Waiters waiters = keys.get(key);
    int completed = waiters == null ? 0 : signal(key, waiters, reason, most);
    if (answers.hasListeners()) {
      answers.signalled(key, waiters != null, completed);
    }
    return completed;
  }

  private int signal(K key, Waiters waiters, @Nullable Object reason, int most) {
    Headroom.ensure();
    int depth = Nesting.enter();
    try {
      if (Nesting.isTooDeep(depth) && onHelper(() -> signal(key, reason, most))) {
        return 0;
      }
      Predicate<Registration> evaluation =
          reason == null // most signals: one that captures nothing is not made anew each time
              ? each -> each.evaluate(null)
              : each -> each.evaluate(reason);
      return visit(key, waiters, evaluation, most);
    } finally {
      Nesting.leave(depth);
    }
  }

  /**
   * Runs a task that may end operations, for a caller of any depth: here, or on a helper thread if
   * calls are nested too deep or the stack is exhausted.
   */
  void nest(Runnable task) {
    try {
      Headroom.ensure();
    } catch (StackOverflowError e) {
      if (onHelper(task)) {
        return;
      }
    }
    int depth = Nesting.enter();
    try {
      if (!Nesting.isTooDeep(depth) || !onHelper(task)) {
        task.run();
      }
    } finally {
      Nesting.leave(depth);
    }
  }

  /**
   * Has a helper thread run a task.
   *
   * @return false if there is neither a thread nor a place for it: then this thread has to
   */
  boolean onHelper(Runnable task) {
    try {
      lanes.helpers.execute(task);
      return true;
    } catch (Throwable e) {
      return false; // no thread can be started: this thread does the work
    }
  }

  /** Returns whether tasks of {@link #onHelper} wait for a thread. */
  boolean hasHelperTasks() {
    return lanes.helpers.size() > 0;
  }

  /** Calls the visitor with each registration on a key; returns how often it returned true. */
  int visit(K key, Predicate<Registration> visitor) {
    VarHandle.fullFence(); // write the end of a scope first, then read the lists
    return visit(key, visitor, Integer.MAX_VALUE);
  }

  private int visit(K key, Predicate<Registration> visitor, int most) {
    Waiters waiters = keys.get(key);
    return waiters == null ? 0 : visit(key, waiters, visitor, most);
  }

  /** Removes what the walk finds cleared, and walks the lists that it is forwarded to. */
  private int visit(K key, Waiters waiters, Predicate<Registration> visitor, int most) {
    Walk walk = waiters.walk(onWaiters(visitor), most);
    lists.tidy(key, waiters, walk);
    int hits = walk.hits();
    for (Forwarder each : walk.forwarders()) {
      HiddenKey to = each.to();
      if (hits < most && to != null) { // else it was removed
        hits += visit(to.asKey(), visitor, most - hits);
      }
    }
    return hits;
  }

  /** Calls the visitor with each registration; returns how often it returned true. */
  int visitAll(Predicate<Registration> visitor) {
    int[] hits = new int[1];
    keys.forEach((key, waiters) -> hits[0] += waiters.walk(onWaiters(visitor)).hits());
    return hits[0];
  }

  /** The lists have registrations, and forwarders, which are not visited. */
  @SuppressWarnings("unchecked")
  private static Predicate<Waiter> onWaiters(Predicate<Registration> visitor) {
    return (Predicate<Waiter>) (Predicate<?>) visitor;
  }

  /**
   * Ends the operation and, if this call ended it, adds it to the list.
   *
   * @param end returns whether it has ended the operation
   * @return whether it was added
   */
  private static boolean endInto(
      List<Object> ended, Registration registration, Predicate<Registration> end) {
    Object operation = registration.operation();
    if (operation == null) {
      return false;
    }
    int place = ended.size();
    ended.add(operation); // may find no memory, so before it ends
    boolean isEnded = end.test(registration);
    if (!isEnded) {
      ended.remove(place);
    }
    return isEnded;
  }

  /** Ends the operations on a key, and returns what this call ended. */
  List<Object> endForKey(K key, Outcome outcome, @Nullable Throwable cause) {
    List<Object> found = new ArrayList<>();
    Predicate<Registration> end = each -> each.end(outcome, cause);
    visit(key, each -> endInto(found, each, end));
    return found;
  }

  /** Cancels all operations, and returns what this call cancelled. */
  List<Object> cancelAll() {
    List<Object> cancelled = new ArrayList<>();
    visitAll(each -> endInto(cancelled, each, all -> all.end(Outcome.CANCELLED, null)));
    lists.purge();
    return cancelled;
  }

  // What is held.

  /** Returns the number of held operations that have not ended. */
  long pending() {
    // Both counters only grow. If `ended` is the same before and after reading `held`, the
    // difference was exact at that moment. If `ended` keeps changing, the least difference is best.
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MOST_READS; i++) {
      long before = ended.sum();
      long pending = held.sum() - before;
      if (ended.sum() == before) {
        return pending;
      }
      least = Math.min(least, pending);
    }
    return least;
  }

  /** Returns the number of held operations on a key. */
  int pending(K key) {
    int[] found = new int[1];
    visit(
        key,
        each -> {
          found[0] += each.isOpenAndHeld() ? 1 : 0;
          return false;
        });
    return found[0];
  }

  void beginPending() {
    held.add(1);
  }

  /** Counts the end of a held operation, and releases its own key. Called by the claimer. */
  void endPending(Registration registration) {
    ended.add(1);
    keys.release(registration);
  }

  /**
   * Releases an operation that has ended.
   *
   * @param unscheduled whether the claim ended its wait in the timer, which must still be counted
   */
  void release(Registration registration, boolean unscheduled) {
    purger.clear(registration); // before the timer is empty, when its thread may end
    if (unscheduled) {
      wheels.countEnd(registration);
    } else {
      wheels.cancel(registration);
    }
    noticeDrained();
  }

  /** Keeps the clock running for an operation that is not in the timer, and waits to expire. */
  void keepClock(Registration registration) {
    purger.keepClock();
    if (registration.isEnded()) { // after the former line: its end may have found no keeper
      purger.purgeSoon();
    }
  }

  void purge() {
    lists.purge();
    wheels.purge();
  }

  // Closing.

  /** Closes, and waits until the helper threads have given all answers. */
  void close() {
    if (!closed.getAndSet(true)) {
      try {
        closeAll(Ticker.system().nanos() + Long.MAX_VALUE, this::closeOne);
        while (!awaitAnswers(Ticker.system().nanos() + PATIENCE_NANOS) && waitsOn()) {}
      } finally {
        releaseAll(PATIENCE_NANOS);
      }
    }
  }

  /**
   * Closes or cancels all operations. Without memory, rests and begins again for some seconds,
   * because nobody can close twice.
   *
   * @param end when to stop
   */
  private void closeAll(long end, Predicate<Registration> close) {
    long patience = Ticker.system().nanos() + PATIENCE_NANOS;
    while (Ticker.system().nanos() - end < 0) {
      try {
        visitAll(each -> Ticker.system().nanos() - end < 0 && close.test(each));
        return;
      } catch (OutOfMemoryError e) {
        if (Ticker.system().nanos() - patience >= 0 || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  private boolean closeOne(Registration registration) {
    return answersExpirations ? registration.close() : registration.closeHere();
  }

  /**
   * Closes within a time limit, and cancels what it could not answer by then.
   *
   * @param nanos how long to wait at most
   * @return the cancelled operations
   */
  List<Object> close(long nanos) {
    if (closed.getAndSet(true)) {
      return List.of();
    }
    long end = Ticker.system().nanos() + Math.max(0, nanos);
    try {
      closeAll(end, Registration::close);
      if (!answersExpirations && !Helpers.isHelper() && pending() > 0) {
        awaitDrained(end);
      }
      if (!awaitAnswers(end)) {
        lanes.hurry();
      }
      List<Object> cancelled = new ArrayList<>();
      closeAll(
          Ticker.system().nanos() + Long.MAX_VALUE,
          each -> endInto(cancelled, each, Registration::cancelAtClose));
      return cancelled;
    } finally {
      releaseAll(end - Ticker.system().nanos());
    }
  }

  private void awaitDrained(long end) {
    try {
      drained.await(end - Ticker.system().nanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Says what {@link #close()} waits for, and returns whether it goes on. If the JVM is shutting
   * down, it does not: an answer may have called {@link System#exit}, which waits for the hook that
   * closes.
   */
  private boolean waitsOn() {
    if (Helpers.isHelper() || Thread.currentThread().isInterrupted()) {
      return false;
    }
    boolean exits = Threads.isExiting();
    LastResort.warn(
        "%s.close() %s %d requests and the answers that run on its threads"
            .formatted(
                name, exits ? "gives up, as the JVM is shutting down:" : "waits for", pending()));
    return !exits;
  }

  /**
   * Waits until the library's threads have given all answers, unless on one of them: two
   * purgatories that close each other from answers would wait for each other.
   */
  private boolean awaitAnswers(long end) {
    lanes.closeExpirations();
    return !Helpers.isHelper() && lanes.await(end);
  }

  /**
   * Closes the lanes, the purger, and the timer if it is the purgatory's own. Others are not swept:
   * ends have paid for that.
   *
   * @param nanos how long to wait at most for a task of the timer
   */
  private void releaseAll(long nanos) {
    if (ownsTimer) {
      wheels.close(nanos);
    }
    lanes.close();
    purger.close();
    lists.purge();
    if (pending() == 0) {
      link.set(null); // else noticeDrained() does, after the last end
    }
    if (whenClosed != null) {
      whenClosed.run();
    }
  }

  /** Sets what runs when the purgatory is closed. */
  void whenClosed(Runnable task) {
    whenClosed = task;
  }

  /**
   * Once the last operation of a closed purgatory has ended: ends the wait of {@link #close(long)},
   * empties the link, and purges the lists.
   */
  void noticeDrained() {
    if (closed.get() && pending() == 0) {
      drained.countDown();
      link.set(null);
      lists.purge();
    }
  }

  boolean isClosed() {
    return closed.get();
  }

  PurgatoryClosedException closedException() {
    return new PurgatoryClosedException(name + (isClosed() ? " is closed" : "'s timer is closed"));
  }

  // Parts.

  String name() {
    return name;
  }

  Timer timer() {
    return timer;
  }

  WheelTimer wheels() {
    return wheels;
  }

  /** Returns the time on the clock of the timer. */
  long now() {
    return wheels.now();
  }

  Keys<K> keys() {
    return keys;
  }

  Answers answers() {
    return answers;
  }

  AtomicReference<? extends @Nullable Core<?>> link() {
    return link;
  }
}
