package dev.purgatory.checker;

import dev.purgatory.KeyGroup;
import dev.purgatory.Limit;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.Scope;
import dev.purgatory.checker.Request.Expected;
import dev.purgatory.checker.RequestClock.By;
import dev.purgatory.checker.RequestSetup.LimitPlan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model of purgatories with thresholds, scopes, limits, key groups, and values that conditions
 * take. It predicts how each step ends which request, in which order requests time out, when each
 * is answered, and what the step returns.
 */
final class RequestModel {

  /** How long the missed signals of a key are remembered. */
  private static final long MISSED_NANOS = TimeUnit.HOURS.toNanos(1);

  /** A limit and its places, the oldest first. */
  record LimitState(Limit real, LimitPlan plan, List<Request> places) {
    long weight() {
      return places.stream().mapToLong(each -> each.plan.weight()).sum();
    }

    /** Returns whether there is room for the request, or can be made. */
    boolean admits(Request request) {
      return plan.evicts()
          ? request.plan.weight() <= plan.weight()
          : places.size() < plan.requests() && !lacksWeightFor(request);
    }

    private boolean lacksWeightFor(Request request) {
      return request.plan.weight() > plan.weight() - weight();
    }

    /** Returns the request that must go next to make room; null if there is room. */
    @Nullable Request victimFor(Request request) {
      if (lacksWeightFor(request)) {
        return places.stream().filter(each -> each.plan.weight() > 0).findFirst().orElseThrow();
      }
      return places.size() < plan.requests() ? null : places.get(0);
    }
  }

  /** A scope and how it ends its requests. */
  static final class ScopeState {
    final Scope real;
    final List<LimitState> limits;
    boolean closed;
    @Nullable Throwable cause;

    ScopeState(Scope real, List<LimitState> limits) {
      this.real = real;
      this.limits = limits;
    }
  }

  /** A key group. */
  static final class KeyGroupState {
    final KeyGroup<Integer> real;
    boolean open = true;

    KeyGroupState(KeyGroup<Integer> real) {
      this.real = real;
    }
  }

  /** What is expected of a purgatory. */
  static final class Space {
    final List<LimitState> limits;
    final Set<Request> held = new LinkedHashSet<>();
    final List<KeyGroupState> keyGroups = new ArrayList<>();
    final Map<Integer, Long> numbers = new HashMap<>();
    final List<Mark> marks = new ArrayList<>();
    final Map<Object, Missed> missed = new HashMap<>();

    /** The keys that are marked in a queue until it is run, in order, and since when. */
    final Set<Integer> marked = new LinkedHashSet<>();

    long markedSince;

    /** The keys that are marked in a queue until the tasks are run. */
    final Set<Integer> markedForLater = new LinkedHashSet<>();

    /** The values that conditions can take. */
    final Queue<Integer> values = new ArrayDeque<>();

    boolean closed;

    Space(List<LimitState> limits) {
      this.limits = limits;
    }

    /** Returns the requests that a signal on a key reaches, in this order. */
    List<Request> on(int key) {
      Stream<Request> direct = held.stream().filter(each -> each.plan.keys().contains(key));
      Stream<Request> onGroups =
          keyGroups.stream()
              .filter(group -> group.open && group.real.keys().contains(key))
              .flatMap(group -> held.stream().filter(each -> each.keyGroup == group));
      return Stream.concat(direct, onGroups).toList();
    }

    /** Returns the keys with a number or with a request that waits for one. */
    Set<Integer> levels() {
      Set<Integer> levels = new LinkedHashSet<>(numbers.keySet());
      marks.forEach(mark -> levels.add(mark.key));
      return levels;
    }
  }

  /** The missed signals of a key. */
  static final class Missed {
    long count;
    long last;
    private long threshold;
  }

  /** The key by which the thresholds of a key are counted. */
  private record ThresholdsOf(int key) {}

  /** A request that waits for a threshold. */
  private record Mark(Request request, int key, long threshold) {}

  /** Thrown by conditions. */
  static final class Provoked extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** When a periodic evaluation is handed over again if the executor has not begun it. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  final List<LimitState> limits;
  final List<Space> spaces;
  final RequestClock clock;

  /** The requests that have timed out, and the tasks that have fired, in order. */
  final List<Object> timeouts = new ArrayList<>();

  private final Predicate<RequestPlan> ready;

  /**
   * Creates a model.
   *
   * @param ready returns whether the requests of a plan are ready
   */
  RequestModel(
      List<LimitState> limits,
      List<Space> spaces,
      Predicate<RequestPlan> ready,
      RequestClock clock) {
    this.limits = limits;
    this.spaces = spaces;
    this.ready = ready;
    this.clock = clock;
  }

  private Space space(Request request) {
    return spaces.get(request.plan.purgatory());
  }

  // Ends.

  private void end(Request request, Outcome outcome, Object with, By by) {
    request.expect(outcome, with);
    space(request).held.remove(request);
    space(request).marks.removeIf(mark -> mark.request == request);
    limits.forEach(limit -> limit.places.removeIf(each -> each == request));
    cancel(request.expiry);
    cancel(request.recheck);
    clock.run(by, () -> answer(request));
  }

  private void cancel(RequestClock.@Nullable Entry entry) {
    if (entry != null) {
      clock.cancel(entry);
    }
  }

  private void answer(Request request) {
    request.answered = true;
    if (request.outcome == Outcome.TIMED_OUT) {
      timeouts.add(request);
    }
  }

  /** Ends a request that is held, for a caller that answers it. Returns whether it was. */
  boolean endIfHeld(Request request, Outcome outcome, Object with) {
    boolean held = request.held;
    if (held) {
      end(request, outcome, with, By.CALLER);
    }
    return held;
  }

  /** Ends requests; returns how many. */
  int endAll(List<Request> requests, Outcome outcome, Object with) {
    By by = outcome == Outcome.COMPLETED ? By.CALLER : By.COMPLETIONS;
    requests.forEach(each -> end(each, outcome, with, by));
    return requests.size();
  }

  /** Evaluates a request. Returns whether that completes it. */
  private boolean evaluate(Request request, int reason) {
    RequestPlan plan = request.plan;
    if (request.outcome != null || request.evaluating) {
      return false;
    }
    if (request.running != null) {
      request.again = true;
      return false;
    }
    request.expectedEvaluations += plan.isAsync() ? 1 : 0;
    Expected found = find(request, plan.isAsync() ? -1 : reason);
    if (plan.looks() == RequestPlan.Looks.LATER) {
      request.running = found;
    } else {
      endWith(request, found);
    }
    return request.outcome == Outcome.COMPLETED;
  }

  /** Does what a condition does; returns what it finds. */
  private Expected find(Request request, int reason) {
    RequestPlan plan = request.plan;
    boolean holds = isTrue(request, reason);
    if (!holds || plan.fails()) {
      return new Expected(null, holds);
    }
    Integer value = plan.takes() ? space(request).values.remove() : request.number;
    request.evaluating = true;
    interfere(request);
    request.evaluating = false;
    return new Expected(value, false);
  }

  /** Ends a request with what its condition has found, if that is something. */
  private void endWith(Request request, Expected found) {
    Integer value = found.value();
    if (request.outcome != null) {
      if (value != null && request.plan.takes()) {
        space(request).values.add(value);
      }
    } else if (found.fails()) {
      end(request, Outcome.FAILED, Provoked.class, By.COMPLETIONS);
    } else if (value != null) {
      end(request, Outcome.COMPLETED, value, By.COMPLETIONS);
    }
  }

  /** Ends the evaluation of a request that runs. */
  void endEvaluation(Request request) {
    Expected found = Objects.requireNonNull(request.running);
    request.running = null;
    endWith(request, found);
    if (request.again && request.outcome == null) {
      request.again = false;
      evaluate(request, -1);
    }
  }

  private boolean isTrue(Request request, int reason) {
    RequestPlan plan = request.plan;
    if (request.outcome != null || request.evaluating) {
      return false;
    }
    if (plan.takes() && !plan.fails() && space(request).values.isEmpty()) {
      return false;
    }
    Map<Integer, Long> numbers = space(request).numbers;
    long reached =
        plan.thresholds().entrySet().stream()
            .filter(each -> numbers.getOrDefault(each.getKey(), -1L) >= each.getValue())
            .count();
    return ready.test(plan)
        || (plan.reached() > 0 && reached >= plan.reached())
        || reason == plan.weight();
  }

  /** Does what the condition of a request does after it has taken a value. */
  private void interfere(Request request) {
    RequestPlan plan = request.plan;
    if (plan.interferes() == null) {
      return;
    }
    int at = plan.purgatory();
    switch (plan.interferes()) {
      case CANCEL -> endByOwner(request, Outcome.CANCELLED, CancellationException.class);
      case COMPLETE -> endByOwner(request, Outcome.COMPLETED, -1);
      case FAIL -> endByOwner(request, Outcome.FAILED, request.provoked);
      case CLOSE_SCOPE -> request.scopes.stream().limit(1).forEach(each -> close(each, null));
      case FAIL_SCOPE ->
          request.scopes.stream().limit(1).forEach(each -> close(each, request.provoked));
      case COMPLETE_FOR_KEY -> endAllOnFirstKey(plan, Outcome.COMPLETED, -2);
      case FAIL_FOR_KEY -> endAllOnFirstKey(plan, Outcome.FAILED, request.provoked);
      case CANCEL_FOR_KEY -> endAllOnFirstKey(plan, Outcome.CANCELLED, CancellationException.class);
      case CANCEL_ALL -> cancelAll(at);
      case CLOSE -> close(at);
      default -> throw new IllegalArgumentException(plan.toString());
    }
  }

  private void endByOwner(Request request, Outcome outcome, Object with) {
    boolean unused = !request.beginning && endIfHeld(request, outcome, with);
  }

  private void endAllOnFirstKey(RequestPlan plan, Outcome outcome, Object with) {
    Space space = spaces.get(plan.purgatory());
    plan.keys().stream().limit(1).forEach(key -> endAll(space.on(key), outcome, with));
  }

  // The steps.

  /** Holds a request. Its deadline is set if it was held. */
  void hold(Request request) {
    Space space = space(request);
    boolean waits = request.plan.timeoutNanos() > 0 || request.plan.jitterNanos() > 0;
    if (space.closed) {
      end(request, Outcome.CLOSED, PurgatoryClosedException.class, By.CALLER);
    } else if (request.plan.isAsync() && waits) {
      if (isOpen(request) && takePlaces(request)) {
        enter(request);
        request.beginning = true;
        evaluate(request, -1);
        request.beginning = false;
      }
    } else if (!evaluate(request, -1) && request.outcome == null && isOpen(request)) {
      if (!waits) { // it does not wait: it takes no place
        end(request, Outcome.TIMED_OUT, TimeoutException.class, By.CALLER);
      } else if (takePlaces(request)) {
        enter(request);
      }
    }
  }

  /** Ends the request if one of its scopes is closed; returns whether all are open. */
  private boolean isOpen(Request request) {
    for (ScopeState scope : request.scopes) {
      if (scope.closed) {
        endFor(scope, request);
        return false;
      }
    }
    return true;
  }

  private boolean takePlaces(Request request) {
    Set<LimitState> all = new LinkedHashSet<>(space(request).limits);
    request.scopes.forEach(scope -> all.addAll(scope.limits));
    if (!all.stream().allMatch(limit -> limit.admits(request))) {
      end(request, Outcome.FAILED, LimitExceededException.class, By.COMPLETIONS);
      return false;
    }
    for (LimitState limit : all) {
      Request victim;
      while ((victim = limit.victimFor(request)) != null) {
        end(victim, Outcome.FAILED, LimitExceededException.class, By.COMPLETIONS);
      }
      limit.places.add(request);
    }
    return true;
  }

  private void enter(Request request) {
    RequestPlan plan = request.plan;
    Space space = space(request);
    plan.thresholds().forEach((key, least) -> space.marks.add(new Mark(request, key, least)));
    request.held = true;
    request.heldSince = clock.now();
    if (plan.recheckNanos() > 0) {
      scheduleRecheck(request, plan.recheckNanos());
    }
    if (request.isTimed()) {
      request.expiry = clock.schedule(request.deadline, () -> reached(request));
    }
    space.held.add(request);
  }

  private void endFor(ScopeState scope, Request request) {
    Throwable cause = scope.cause;
    end(
        request,
        cause == null ? Outcome.CANCELLED : Outcome.FAILED,
        cause == null ? CancellationException.class : cause,
        By.COMPLETIONS);
  }

  /** Evaluates some of the requests on a key; returns how many that completes. */
  int signal(int purgatory, int key, int reason, int most) {
    int completed = 0;
    for (Request each : spaces.get(purgatory).on(key)) {
      if (completed < most && evaluate(each, reason)) {
        completed++;
      }
    }
    return completed;
  }

  /**
   * Advances the number of a key, and evaluates the requests whose threshold it reaches by that;
   * returns how many that completes.
   */
  int advance(int purgatory, int key, long number) {
    Space space = spaces.get(purgatory);
    Long before = space.numbers.get(key);
    space.numbers.merge(key, number, Math::max);
    List<Mark> reached =
        space.marks.stream()
            .filter(mark -> mark.key == key && mark.threshold <= number)
            .filter(mark -> before == null || mark.threshold > before)
            .sorted(Comparator.comparingLong(Mark::threshold))
            .toList();
    return (int)
        reached.stream().filter(mark -> mark.request.held && evaluate(mark.request, -1)).count();
  }

  /** Ends the requests in a scope; returns how many. */
  int close(ScopeState scope, @Nullable Throwable cause) {
    if (scope.closed) {
      return 0;
    }
    scope.closed = true;
    scope.cause = cause;
    List<Request> ended = held().filter(request -> request.scopes.contains(scope)).toList();
    ended.forEach(request -> endFor(scope, request));
    return ended.size();
  }

  /** Cancels the requests of a purgatory; returns how many. */
  int cancelAll(int purgatory) {
    List<Request> held = List.copyOf(spaces.get(purgatory).held);
    return endAll(held, Outcome.CANCELLED, CancellationException.class);
  }

  /** Moves the deadline of a request; returns whether it can be moved. */
  boolean reschedule(Request request, long deadline) {
    RequestClock.Entry expiry = request.expiry;
    if (!request.held || (expiry == null && (request.isTimed() || request.moved))) {
      return false;
    }
    request.deadline = deadline;
    if (expiry == null || expiry.due > deadline) { // else it waits on when it fires
      cancel(expiry);
      request.expiry = clock.schedule(deadline, () -> reached(request));
    }
    request.moved = true;
    return true;
  }

  private void reached(Request request) {
    long now = Objects.requireNonNull(request.expiry).due;
    if (request.deadline > now) {
      request.expiry = clock.schedule(request.deadline, () -> reached(request));
      return;
    }
    request.expiry = null;
    clock.run(
        By.EXPIRATIONS,
        () -> {
          miss(request, clock.now());
          expire(request, Outcome.TIMED_OUT, TimeoutException.class, By.CALLER);
        });
  }

  private void scheduleRecheck(Request request, long nanos) {
    request.recheck = clock.schedule(clock.now() + nanos, () -> recheckIsDue(request));
  }

  private void recheckIsDue(Request request) {
    request.recheckIsDue = true;
    scheduleRecheck(request, Math.max(LOST_NANOS, request.plan.recheckNanos()));
    clock.run(By.EXPIRATIONS, () -> recheck(request));
  }

  private void recheck(Request request) {
    if (request.recheckIsDue && request.held) {
      request.recheckIsDue = false;
      evaluate(request, -1);
      if (request.held) {
        cancel(request.recheck);
        scheduleRecheck(request, request.plan.recheckNanos());
      }
    }
  }

  private void expire(Request request, Outcome outcome, Object with, By by) {
    if ((request.plan.isAsync() || !evaluate(request, -1)) && request.held) {
      end(request, outcome, with, by);
    }
  }

  /** Counts the signals that a request has missed that times out. */
  private void miss(Request request, long now) {
    RequestPlan plan = request.plan;
    Space space = space(request);
    if (plan.isAsync() || !isTrue(request, -1) || plan.recheckNanos() > 0) {
      return;
    }
    List<Object> missed = new ArrayList<>(plan.keys());
    if (request.keyGroup != null) {
      KeyGroup<Integer> group = request.keyGroup.real;
      missed.addAll(request.keyGroup.open ? group.keys() : List.of(group));
    }
    boolean runSoon = space.markedSince > request.heldSince;
    if (missed.stream()
        .anyMatch(
            key -> space.markedForLater.contains(key) || (runSoon && space.marked.contains(key)))) {
      return;
    }
    missed.forEach(key -> miss(space, key, now));
    plan.thresholds()
        .forEach(
            (key, least) -> {
              if (space.numbers.getOrDefault(key, -1L) < least) {
                Missed of = miss(space, new ThresholdsOf(key), now);
                of.threshold = Math.max(of.threshold, least);
              }
            });
  }

  private static Missed miss(Space space, Object key, long now) {
    forgetMissed(space, now);
    Missed missed = space.missed.computeIfAbsent(key, k -> new Missed());
    missed.count++;
    missed.last = now;
    return missed;
  }

  private static void forgetMissed(Space space, long now) {
    space.missed.values().removeIf(each -> now - each.last >= MISSED_NANOS);
  }

  /** Returns how many signals each key of a purgatory has missed, by its text. */
  Map<String, Long> missed(int purgatory, long now) {
    Space space = spaces.get(purgatory);
    forgetMissed(space, now);
    Map<String, Long> texts = new HashMap<>();
    space.missed.forEach(
        (key, each) ->
            texts.merge(
                key instanceof ThresholdsOf of
                    ? "threshold " + each.threshold + " of " + of.key
                    : key.toString(),
                each.count,
                Long::sum));
    return texts;
  }

  /** Returns what a request is held on. */
  static List<?> keys(Request request) {
    return request.keyGroup == null ? request.plan.keys() : List.of(request.keyGroup.real);
  }

  /**
   * Closes a purgatory. Takes its values away, as the order of its last evaluations is unspecified.
   */
  void close(int purgatory) {
    Space space = spaces.get(purgatory);
    space.values.clear();
    if (!space.closed) {
      space.closed = true;
      List.copyOf(space.held)
          .forEach(
              each -> expire(each, Outcome.CLOSED, PurgatoryClosedException.class, By.EXPIRATIONS));
    }
  }

  /** Returns the requests that are held. */
  Stream<Request> held() {
    return spaces.stream().flatMap(space -> space.held.stream());
  }
}
