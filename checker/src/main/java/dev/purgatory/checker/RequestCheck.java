package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CLOSED_FOR_GOOD;
import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.KEPT;
import static dev.purgatory.checker.Invariant.RELEASED;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.KeyGroup;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.RequestModel.LimitState;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Compares limits, lists, thresholds and the timer with a {@link RequestModel}. */
final class RequestCheck {

  /** What a future must not keep once it is done. */
  private static final List<Class<?>> FORBIDDEN =
      List.of(
          Purgatory.class,
          WatchListsView.CORE,
          KeyGroup.class,
          RequestRun.class,
          RequestRun.Context.class);

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
    Map<String, Long> expected = model.missed(0, timer.now());
    Map<String, Long> found = new HashMap<>();
    diagnostics
        .missedSignals()
        .forEach((key, count) -> found.merge(key.toString(), count, Long::sum));
    Finding.unless(found.equals(expected), EXACT_COUNT, "missed " + found + ", not " + expected);
  }

  private static void verify(LimitState limit) {
    boolean exact =
        limit.real().requests() == limit.places().size() && limit.real().weight() == limit.weight();
    Finding.unless(exact, EXACT_COUNT, limit.real() + ", not " + limit.places());
  }

  private void verifyTimer() {
    int scheduled = model.clock.size();
    Finding.unless(
        timer.size() == scheduled,
        RELEASED,
        "timer.size() is " + timer.size() + ", not " + scheduled);
  }

  /**
   * Checks that no scope, limit, threshold or queue refers to a request that has ended, no scope to
   * a purgatory that is closed, and no future that is done to anything but its answer.
   */
  void requireNothingKept(List<Request> requests) {
    List<Object> roots = new ArrayList<>();
    List<Object> end = new ArrayList<>(border);
    end.addAll(requests);
    end.addAll(places);
    end.addAll(List.of(timer, TimerInternals.of(timer).wheels(), diagnostics));
    List<Object> open = new ArrayList<>(end);
    for (int i = 0; i < places.size(); i++) {
      RequestPlace place = places.get(i);
      roots.addAll(List.of(place.thresholds, place.queue, place.later));
      List<Object> purgatory = List.of(place.purgatory, WatchListsView.core(place.purgatory));
      end.addAll(purgatory);
      if (!model.spaces.get(i).closed) {
        open.addAll(purgatory);
      }
    }
    model.limits.forEach(limit -> roots.add(limit.real()));
    requireNoEndedRequest(Reachable.from(roots, end));
    Reachable fromScopes = Reachable.from(scopes, open);
    requireNone(CLOSED_FOR_GOOD, "scopes", fromScopes.instances(WatchListsView.CORE));
    requireNoEndedRequest(fromScopes);
    List<HeldFuture<Integer>> done =
        requests.stream()
            .filter(each -> each.answered)
            .map(each -> Objects.requireNonNull(each.future))
            .toList();
    requireNoneForbidden("futures", done);
    requireNoneForbidden(
        "stages",
        requests.stream()
            .filter(each -> !each.plan.takes()) // else its values go back
            .map(Request::abandoned)
            .filter(Objects::nonNull)
            .toList());
  }

  private static void requireNoneForbidden(String from, List<?> roots) {
    requireNone(
        KEPT,
        from,
        Reachable.from(roots, List.of())
            .instances(Object.class)
            .filter(each -> FORBIDDEN.stream().anyMatch(type -> type.isInstance(each))));
  }

  private static void requireNoEndedRequest(Reachable reachable) {
    requireNone(
        RELEASED,
        "the library",
        reachable.instances(WatchListsView.OPERATION).filter(WatchListsView::hasEnded));
  }

  private static void requireNone(Invariant invariant, String from, Stream<?> kept) {
    List<String> names =
        kept.map(each -> each.getClass().getSimpleName()).distinct().sorted().toList();
    Finding.unless(names.isEmpty(), invariant, "reachable from " + from + ": " + names);
  }
}
