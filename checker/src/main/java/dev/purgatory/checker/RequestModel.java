package dev.purgatory.checker;

import dev.purgatory.KeySet;
import dev.purgatory.Limit;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.Scope;
import dev.purgatory.checker.RequestProgram.LimitPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model of purgatories with thresholds, scopes, limits and key sets. It predicts how each step
 * ends which request, and what the step returns. No request ends during the evaluation of another.
 */
final class RequestModel {

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

  /** A key set. */
  static final class KeySetState {
    final KeySet<Integer> real;
    boolean open = true;

    KeySetState(KeySet<Integer> real) {
      this.real = real;
    }
  }

  /** What is expected of a purgatory. */
  static final class Space {
    final List<LimitState> limits;
    final Set<Request> held = new LinkedHashSet<>();
    final List<KeySetState> keySets = new ArrayList<>();
    final Map<Integer, Long> numbers = new HashMap<>();
    final List<Mark> marks = new ArrayList<>();
    final Map<Object, Long> missed = new HashMap<>();
    boolean closed;

    Space(List<LimitState> limits) {
      this.limits = limits;
    }

    /** Returns the requests that a signal on a key reaches, in this order. */
    List<Request> on(int key) {
      Stream<Request> direct = held.stream().filter(each -> each.plan.keys().contains(key));
      Stream<Request> onSets =
          keySets.stream()
              .filter(set -> set.open && set.real.keys().contains(key))
              .flatMap(set -> held.stream().filter(each -> each.keySet == set));
      return Stream.concat(direct, onSets).toList();
    }

    /** Returns the keys with a number or with a request that waits for one. */
    Set<Integer> levels() {
      Set<Integer> levels = new LinkedHashSet<>(numbers.keySet());
      marks.forEach(mark -> levels.add(mark.key));
      return levels;
    }
  }

  /** A request that waits for a threshold. */
  private record Mark(Request request, int key, long threshold) {}

  /** Thrown by conditions. */
  static final class Provoked extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  final List<LimitState> limits;
  final List<Space> spaces;
  private final Predicate<RequestPlan> ready;
  private long tickNanos;

  /**
   * Creates a model.
   *
   * @param ready returns whether the requests of a plan are ready
   */
  RequestModel(
      List<LimitState> limits, List<Space> spaces, Predicate<RequestPlan> ready, long tickNanos) {
    this.limits = limits;
    this.spaces = spaces;
    this.ready = ready;
    this.tickNanos = tickNanos;
  }

  private Space space(Request request) {
    return spaces.get(request.plan.purgatory());
  }

  // Ends.

  private void end(Request request, Outcome outcome, Object with) {
    request.expect(outcome, with);
    space(request).held.remove(request);
    space(request).marks.removeIf(mark -> mark.request == request);
    limits.forEach(limit -> limit.places.removeIf(each -> each == request));
  }

  /** Ends a request that is held. Returns whether it was. */
  boolean endIfHeld(Request request, Outcome outcome, Object with) {
    boolean held = request.held;
    if (held) {
      end(request, outcome, with);
    }
    return held;
  }

  /** Ends requests; returns how many. */
  int endAll(List<Request> requests, Outcome outcome, Object with) {
    requests.forEach(each -> end(each, outcome, with));
    return requests.size();
  }

  /** Evaluates a request. Returns whether that completes it. */
  private boolean evaluate(Request request, int reason) {
    if (!isTrue(request, reason)) {
      return false;
    }
    boolean fails = request.plan.fails();
    end(
        request,
        fails ? Outcome.FAILED : Outcome.COMPLETED,
        fails ? Provoked.class : Integer.valueOf(request.number));
    return !fails;
  }

  private boolean isTrue(Request request, int reason) {
    RequestPlan plan = request.plan;
    Map<Integer, Long> numbers = space(request).numbers;
    long reached =
        plan.thresholds().entrySet().stream()
            .filter(each -> numbers.getOrDefault(each.getKey(), -1L) >= each.getValue())
            .count();
    return ready.test(plan)
        || (plan.reached() > 0 && reached >= plan.reached())
        || reason == plan.weight();
  }

  // The steps.

  /** Holds a request. Its deadline without jitter is set. */
  void hold(Request request, long now) {
    Space space = space(request);
    if (space.closed) {
      end(request, Outcome.FAILED, PurgatoryClosedException.class);
    } else if (!evaluate(request, -1) && request.outcome == null && isOpen(request)) {
      RequestPlan plan = request.plan;
      if (plan.timeoutNanos() + plan.jitterNanos() == 0) { // it does not wait: it takes no place
        end(request, Outcome.TIMED_OUT, TimeoutException.class);
      } else if (takePlaces(request)) {
        enter(request, now);
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
      end(request, Outcome.FAILED, LimitExceededException.class);
      return false;
    }
    for (LimitState limit : all) {
      Request victim;
      while ((victim = limit.victimFor(request)) != null) {
        end(victim, Outcome.FAILED, LimitExceededException.class);
      }
      limit.places.add(request);
    }
    return true;
  }

  private void enter(Request request, long now) {
    RequestPlan plan = request.plan;
    Space space = space(request);
    plan.thresholds().forEach((key, least) -> space.marks.add(new Mark(request, key, least)));
    request.held = true;
    request.nextCheck = plan.recheckNanos() == 0 ? Long.MAX_VALUE : now + plan.recheckNanos();
    space.held.add(request);
  }

  private void endFor(ScopeState scope, Request request) {
    Throwable cause = scope.cause;
    end(
        request,
        cause == null ? Outcome.CANCELLED : Outcome.FAILED,
        cause == null ? CancellationException.class : cause);
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

  /** Moves the deadline of a request; returns whether it is held. */
  boolean reschedule(Request request, long deadline) {
    if (request.held) {
      request.deadline = deadline;
    }
    return request.held;
  }

  /** Changes the tick of the timer. */
  void reconfigure(long nanos) {
    tickNanos = nanos;
  }

  /** Lets time pass. */
  void passTo(long now) {
    for (Request request : held().toList()) {
      boolean checked = isDue(request.nextCheck, now);
      if (isDue(request.deadline, now)) {
        expire(request, Outcome.TIMED_OUT, TimeoutException.class);
      } else if (checked) {
        evaluate(request, -1);
      }
      if (checked) {
        request.nextCheck = now + request.plan.recheckNanos();
      }
    }
  }

  private boolean isDue(long deadline, long now) {
    return deadline <= now / tickNanos * tickNanos;
  }

  private void expire(Request request, Outcome outcome, Object with) {
    Space space = space(request);
    if (isTrue(request, -1) && !request.plan.fails()) {
      keys(request).forEach(key -> space.missed.merge(key, 1L, Long::sum));
    }
    if (!evaluate(request, -1) && request.held) {
      end(request, outcome, with);
    }
  }

  /** Returns what a request is held on. */
  static List<?> keys(Request request) {
    return request.keySet == null ? request.plan.keys() : List.of(request.keySet.real);
  }

  /** Closes a purgatory. */
  void close(int purgatory) {
    Space space = spaces.get(purgatory);
    if (!space.closed) {
      space.closed = true;
      List.copyOf(space.held)
          .forEach(each -> expire(each, Outcome.CLOSED, PurgatoryClosedException.class));
    }
  }

  /** Returns the requests that are held. */
  Stream<Request> held() {
    return spaces.stream().flatMap(space -> space.held.stream());
  }
}
