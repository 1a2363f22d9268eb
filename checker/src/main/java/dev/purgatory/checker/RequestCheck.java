package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.RELEASED;

import dev.purgatory.Diagnostics;
import dev.purgatory.Held;
import dev.purgatory.Scope;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.RequestModel.LimitState;
import dev.purgatory.timer.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Compares limits, lists, thresholds and the timer with a {@link RequestModel}. */
final class RequestCheck {
  private final RequestModel model;
  private final List<RequestPlace> places;
  private final Collection<Scope> scopes;
  private final Timer timer;
  private final Diagnostics diagnostics;
  private final List<Object> border;

  /**
   * Creates a check.
   *
   * @param scopes all scopes; more may be added later
   * @param border objects of the program that conditions refer to
   */
  RequestCheck(
      RequestModel model,
      List<RequestPlace> places,
      Collection<Scope> scopes,
      Timer timer,
      Diagnostics diagnostics,
      List<Object> border) {
    this.model = model;
    this.places = places;
    this.scopes = scopes;
    this.timer = timer;
    this.diagnostics = diagnostics;
    this.border = border;
  }

  /**
   * Checks everything except for what is reachable.
   *
   * @throws Finding if an invariant does not hold
   */
  void verify() {
    model.limits.forEach(RequestCheck::verify);
    for (int i = 0; i < places.size(); i++) {
      places.get(i).verify(model.spaces.get(i));
    }
    verifyTimer();
    Map<Object, Long> missed = model.spaces.get(0).missed;
    Finding.unless(
        diagnostics.missedSignals().equals(missed),
        EXACT_COUNT,
        "missed " + diagnostics.missedSignals() + ", not " + missed);
  }

  private static void verify(LimitState limit) {
    boolean exact =
        limit.real().requests() == limit.places().size() && limit.real().weight() == limit.weight();
    Finding.unless(exact, EXACT_COUNT, limit.real() + ", not " + limit.places());
  }

  private void verifyTimer() {
    long timed = model.held().filter(each -> each.deadline < Long.MAX_VALUE).count();
    long checked = model.held().filter(each -> each.plan.recheckNanos() > 0).count();
    Finding.unless(
        timer.size() == timed + checked,
        RELEASED,
        "timer.size() is " + timer.size() + ", not " + timed + " and " + checked);
  }

  /** Checks that no scope, limit, threshold or queue refers to a request that has ended. */
  void requireNothingKept(List<Request> requests) {
    List<Object> roots = new ArrayList<>(scopes);
    List<Object> end = new ArrayList<>(border);
    end.addAll(requests);
    end.addAll(places);
    end.addAll(List.of(timer, diagnostics));
    for (RequestPlace place : places) {
      roots.addAll(List.of(place.thresholds, place.queue, place.later));
      end.add(place.purgatory);
    }
    model.limits.forEach(limit -> roots.add(limit.real()));
    List<Held> kept =
        Reachable.from(roots, end).instances(Held.class).filter(WatchListsView::hasEnded).toList();
    Finding.unless(kept.isEmpty(), RELEASED, "still reachable: " + kept);
  }
}
