package dev.purgatory;

import dev.purgatory.timer.Timer;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds operations to a purgatory: check, watch, check again. Thread-safe. */
final class Admission<K> {

  /*
   * The first check sees earlier events. Once the operation is on the list of a key, events on that key
   * find it there. The second check, after the operation is on all lists, sees the events in between; a
   * check after each key would cost as many evaluations as there are keys. Each side writes first and
   * reads then: a signal, the event and the lists; the adding thread, the lists and the event. A full
   * fence separates the two on each side. The event may be a plain store, and without the fences each
   * side could miss the other's write. The end of a scope, and the closing of the purgatory, are such
   * events too.
   */

  private final Purgatory<K> purgatory;
  private final Timer timer;
  private final WatchLists<K> watchLists;
  private final Callbacks callbacks;
  private final List<Limit> limits;
  private final @Nullable Diagnostics diagnostics;

  Admission(
      Purgatory<K> purgatory,
      Timer timer,
      WatchLists<K> watchLists,
      Callbacks callbacks,
      PurgatoryBuilder builder) {
    this.purgatory = purgatory;
    this.timer = timer;
    this.watchLists = watchLists;
    this.callbacks = callbacks;
    this.limits = List.copyOf(new LinkedHashSet<>(builder.limits));
    this.diagnostics = builder.diagnostics;
  }

  /**
   * Answers the operation if its condition holds, else holds it.
   *
   * @return true if this call completed the operation
   */
  boolean hold(
      Registration registration,
      OperationAdapter<?> adapter,
      Collection<? extends K> keys,
      Terms terms) {
    requireOpen(registration);
    if (!registration.admit(adapter)) {
      return false;
    }
    boolean completed;
    try {
      if (diagnostics != null) {
        registration.attach(new Trace(diagnostics, registration, keys));
      }
      registration.check();
      if (!registration.isEnded()) {
        watchAndCheck(registration, keys, terms);
      }
    } catch (Throwable e) {
      boolean unused = registration.abort(e);
      throw e;
    } finally {
      completed = registration.endEvaluation();
    }
    if (purgatory.isClosed()) {
      boolean unused =
          purgatory.closeOne(registration); // close() may have visited the lists before
    }
    return completed;
  }

  private void requireOpen(Registration registration) {
    if (purgatory.isClosed()) {
      throw refused(registration, purgatory.closedException());
    }
  }

  private <E extends RuntimeException> E refused(Registration registration, E reason) {
    Object operation = registration.operation();
    callbacks.refused(operation == null ? registration : operation, reason);
    return reason;
  }

  private void watchAndCheck(Registration registration, Collection<? extends K> keys, Terms terms) {
    long timeout = registration.timeoutNanos();
    if (timeout <= 0) { // it asks, and does not wait: no place, no list and no timer
      endIfClosed(registration, terms);
      registration.timeOutAtOnce();
      return;
    }
    begin(registration, terms);
    long now = timer.now();
    if (!registration.enter(now, timeout)) {
      return;
    }
    callbacks.held(registration);
    if (Registration.isTimed(timeout)) {
      schedule(() -> timer.schedule(registration, now));
    } else {
      purgatory.purger().keepClock();
    }
    watch(registration, keys, terms);
    VarHandle.fullFence(); // write the lists first, then read the event
    registration.check();
    endIfClosed(registration, terms);
  }

  private static void endIfClosed(Registration registration, Terms terms) {
    for (Scope scope : terms.scopes()) {
      scope.endIfClosed(registration);
    }
  }

  private void begin(Registration registration, Terms terms) {
    for (Scope scope : terms.scopes()) {
      scope.enter(purgatory);
      scope.endIfClosed(registration);
    }
    if (registration.isEnded()) {
      return; // it takes the place of no other request
    }
    takePlaces(registration, terms);
    for (Thresholds.Point<?> point : terms.points()) {
      point.mark(registration);
    }
    if (terms.recheckNanos() > 0) {
      schedule(() -> new Recheck(registration, timer, callbacks, terms.recheckNanos()).begin());
    }
  }

  /** Returns each limit once: the purgatory and the scopes may share some. */
  private Collection<Limit> limitsFor(Terms terms) {
    Collection<Limit> all = limits;
    for (Scope scope : terms.scopes()) {
      if (!scope.limits().isEmpty()) {
        all = all == limits ? new LinkedHashSet<>(limits) : all;
        all.addAll(scope.limits());
      }
    }
    return all;
  }

  private void takePlaces(Registration registration, Terms terms) {
    Collection<Limit> all = limitsFor(terms);
    if (all.isEmpty()) {
      return;
    }
    long weight = terms.weight() < 0 ? registration.weight() : terms.weight();
    try {
      Limit.take(all, registration, weight);
    } catch (LimitExceededException e) {
      registration.attach(new Attachment.Refusal());
      throw refused(registration, e);
    }
  }

  private void schedule(Runnable scheduling) {
    try {
      scheduling.run();
    } catch (IllegalStateException e) {
      if (!purgatory.isClosed()) {
        throw e;
      }
      // The purgatory was closed meanwhile, with its timer: hold() ends the operation.
    }
  }

  private void watch(Registration registration, Collection<? extends K> keys, Terms terms) {
    int lists = 0;
    int removed = 0;
    try {
      if (keys.isEmpty()) {
        removed = watchLists.watchWithoutKey(registration);
        lists = 1;
      }
      for (K key : keys) {
        if (registration.isEnded()) {
          return;
        }
        removed +=
            terms.alone() ? watchAlone(key, registration) : watchLists.watch(key, registration);
        lists++;
      }
      for (Scope scope : terms.scopes()) {
        removed += watchLists.watch(scope.key().asKey(), registration);
        lists++;
      }
    } finally {
      registration.lists = lists; // written once: other threads see the registration by now
      watchLists.count(lists, removed);
    }
  }

  private int watchAlone(K key, Registration registration) {
    int removed = watchLists.watchAlone(key, registration);
    if (removed == WatchList.IN_USE) {
      throw new IllegalStateException(purgatory.name() + ": " + key + " is awaited already");
    }
    return removed;
  }
}
