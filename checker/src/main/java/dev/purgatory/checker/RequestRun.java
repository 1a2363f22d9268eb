package dev.purgatory.checker;

import static dev.purgatory.checker.Finding.requireReturned;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.KeySet;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.Scope;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.RequestModel.KeySetState;
import dev.purgatory.checker.RequestModel.LimitState;
import dev.purgatory.checker.RequestModel.ScopeState;
import dev.purgatory.checker.RequestModel.Space;
import dev.purgatory.checker.RequestProgram.LimitPlan;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link RequestProgram} on one thread, in virtual time, and compares the purgatories with a
 * {@link RequestModel} after each step.
 */
final class RequestRun {
  private static final long TICK_NANOS = 1_000_000;
  private static final long[] TICKS_NANOS = {300_000, TICK_NANOS, 2_500_000};

  /** After one in so many steps, all reachable objects are traversed, which takes long. */
  private static final int TRAVERSED_EVERY = 8;

  private static final long LONGEST_NANOS = Duration.ofHours(1).toNanos();

  private final RequestProgram program;
  private final Tally tally;
  private final Executor direct = Runnable::run;
  private final Timer timer = Timer.builder().ticker(() -> now()).build();
  private final Diagnostics diagnostics = new Diagnostics();
  private final List<RequestPlace> places = new ArrayList<>();
  private final List<LimitState> limits;
  private final List<ScopeState> scopes = new ArrayList<>();
  private final List<Request> requests = new ArrayList<>();
  private final Set<Scope> everyScope = new HashSet<>();
  private final boolean[] ready;
  private final RequestModel model;
  private final RequestSignals signals;
  private final RequestCheck check;
  private long reading;

  RequestRun(RequestProgram program, Tally tally) {
    this.program = program;
    this.tally = tally;
    ready = new boolean[program.plans().size()];
    limits = program.settings().limits().stream().map(RequestRun::limit).toList();
    List<Space> spaces = new ArrayList<>();
    for (List<Integer> each : program.settings().ofPurgatories()) {
      places.add(new RequestPlace(purgatory(places.isEmpty(), each)));
      spaces.add(new Space(limits(each)));
    }
    model = new RequestModel(limits, spaces, plan -> ready[plan.number()], TICK_NANOS);
    signals = new RequestSignals(model, places);
    for (int i = 0; i < program.settings().ofScopes().size(); i++) {
      scopes.add(scope(i));
    }
    check = new RequestCheck(model, places, everyScope, timer, diagnostics, List.of(this, direct));
  }

  private long now() {
    return reading;
  }

  private static LimitState limit(LimitPlan plan) {
    Limit.Builder builder = Limit.builder("checked").requests(plan.requests());
    Limit limit = (plan.evicts() ? builder.evictOldest() : builder).weight(plan.weight()).build();
    return new LimitState(limit, plan, new ArrayList<>());
  }

  private List<LimitState> limits(List<Integer> numbers) {
    return numbers.stream().map(limits::get).toList();
  }

  private Purgatory<Integer> purgatory(boolean first, List<Integer> itsLimits) {
    PurgatoryBuilder builder =
        Purgatory.builder("checked")
            .timer(timer)
            .expirationExecutor(direct)
            .purgeInterval(program.settings().purgeInterval());
    limits(itsLimits).forEach(limit -> builder.limit(limit.real()));
    return (first ? builder.diagnostics(diagnostics) : builder).build();
  }

  private ScopeState scope(int number) {
    List<LimitState> its = limits(program.settings().ofScopes().get(number));
    Limit[] reals = its.stream().map(LimitState::real).toArray(Limit[]::new);
    Scope scope = Scope.of("scope " + number, reals);
    everyScope.add(scope);
    return new ScopeState(scope, its);
  }

  /**
   * Runs the program.
   *
   * @throws Finding if an invariant does not hold
   */
  void run() {
    for (int i = 0; i < program.steps().size(); i++) {
      tally.step();
      perform(program.steps().get(i));
      verify();
      if (i % TRAVERSED_EVERY == 0) {
        check.requireNothingKept(requests);
      }
    }
    end();
  }

  // The steps.

  private void perform(RequestStep step) {
    int plan = step.which() % ready.length;
    switch (step.what()) {
      case HOLD -> hold(program.plans().get(plan));
      case SET_READY -> ready[plan] = true;
      case UNSET_READY -> ready[plan] = false;
      case COMPLETE, FAIL, CANCEL, RESCHEDULE -> change(step, plan);
      case RECONFIGURE -> reconfigure(step);
      case OPEN_SCOPE, CLOSE_SCOPE, FAIL_SCOPE -> changeScope(step, step.which() % scopes.size());
      case PASS -> pass(step.amount());
      default -> perform(step, step.which() % places.size());
    }
  }

  private void perform(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    switch (step.what()) {
      case OPEN_KEY_SET, CLOSE_KEY_SET -> changeKeySet(step, at);
      case PURGE -> place.purgatory.purge();
      case CANCEL_ALL -> cancelAll(at);
      case CLOSE -> {
        model.close(at);
        place.purgatory.close();
      }
      default -> signals.perform(step, at);
    }
  }

  private void hold(RequestPlan plan) {
    RequestPlace place = places.get(plan.purgatory());
    KeySetState set = plan.keySet() < 0 ? null : place.keySets.get(plan.keySet());
    if (plan.keySet() >= 0 && (set == null || !set.open)) {
      requireRefused(plan, set);
      return;
    }
    Request request = new Request(requests.size(), plan, scopes(plan), set);
    HeldFuture<Integer> future = hold(request, place);
    request.begin(future);
    requests.add(request);
    model.hold(request, reading);
    if (request.held && request.isTimed()) {
      request.deadline = WatchListsView.deadline(future);
      long least = reading + plan.timeoutNanos();
      boolean inTime = request.deadline >= least && request.deadline <= least + plan.jitterNanos();
      Finding.unless(inTime, NEVER_EARLY, request + " has the deadline " + request.deadline);
    }
  }

  private void requireRefused(RequestPlan plan, @Nullable KeySetState set) {
    if (set != null) {
      Hold<Integer, Integer> hold =
          places.get(plan.purgatory()).purgatory.<Integer>untilCompleted().forever();
      boolean refused = false;
      try {
        var unused = hold.hold(set.real);
      } catch (IllegalStateException e) {
        refused = true;
      }
      Finding.unless(refused, RETURN_VALUES, "held on a closed key set");
    }
  }

  private List<ScopeState> scopes(RequestPlan plan) {
    return plan.scopes().stream().map(scopes::get).toList();
  }

  private HeldFuture<Integer> hold(Request request, RequestPlace place) {
    RequestPlan plan = request.plan;
    Hold<Integer, Integer> hold =
        place
            .purgatory
            .<Integer>untilSignalled(reason -> answer(request, place, reason))
            .inScope(request.scopes.stream().map(scope -> scope.real).toArray(Scope[]::new))
            .weight(plan.weight())
            .jitter(Duration.ofNanos(plan.jitterNanos()));
    for (Map.Entry<Integer, Long> each : plan.thresholds().entrySet()) {
      hold = hold.reaching(place.thresholds, each.getKey(), each.getValue());
    }
    if (plan.recheckNanos() > 0) {
      hold = hold.recheckEvery(Duration.ofNanos(plan.recheckNanos()));
    }
    hold =
        request.isTimed() ? hold.orTimeout(Duration.ofNanos(plan.timeoutNanos())) : hold.forever();
    return request.keySet == null ? hold.hold(plan.keys()) : hold.hold(request.keySet.real);
  }

  /** The condition of a request. */
  private @Nullable Integer answer(Request request, RequestPlace place, @Nullable Object reason) {
    tally.callback();
    RequestPlan plan = request.plan;
    long reached =
        plan.thresholds().entrySet().stream()
            .filter(each -> reaches(place.thresholds.number(each.getKey()), each.getValue()))
            .count();
    boolean holds =
        ready[plan.number()]
            || (plan.reached() > 0 && reached >= plan.reached())
            || Objects.equals(reason, plan.weight());
    if (holds && plan.fails()) {
      throw new RequestModel.Provoked();
    }
    return holds ? request.number : null;
  }

  private static boolean reaches(@Nullable Long number, long threshold) {
    return number != null && number >= threshold;
  }

  /** Ends or changes the latest request of a plan. */
  private void change(RequestStep step, int plan) {
    List<Request> all = requests.stream().filter(each -> each.plan.number() == plan).toList();
    if (!all.isEmpty()) {
      change(step, all.get(all.size() - 1));
    }
  }

  private void change(RequestStep step, Request request) {
    HeldFuture<Integer> future = Objects.requireNonNull(request.future);
    Throwable cause = new IllegalStateException("provoked");
    switch (step.what()) {
      case COMPLETE ->
          requireReturned(
              future.complete(-1), model.endIfHeld(request, Outcome.COMPLETED, -1), step);
      case FAIL ->
          requireReturned(
              future.completeExceptionally(cause),
              model.endIfHeld(request, Outcome.FAILED, cause),
              step);
      case RESCHEDULE -> {
        long nanos = (step.amount() - 1) * 900_000;
        boolean expected = model.reschedule(request, reading + Math.max(0, nanos));
        requireReturned(future.reschedule(Duration.ofNanos(nanos)), expected, step);
      }
      default -> {
        boolean unused = model.endIfHeld(request, Outcome.CANCELLED, CancellationException.class);
        requireReturned(future.cancel(false), request.outcome == Outcome.CANCELLED, step);
      }
    }
  }

  private void changeScope(RequestStep step, int number) {
    ScopeState scope = scopes.get(number);
    if (step.what() == RequestStep.What.FAIL_SCOPE) {
      Throwable cause = new IllegalStateException("provoked");
      requireReturned(scope.real.fail(cause), model.close(scope, cause), step);
    } else {
      int unused = model.close(scope, null);
      scope.real.close();
    }
    if (step.what() == RequestStep.What.OPEN_SCOPE) {
      scopes.set(number, scope(number));
    }
  }

  private void reconfigure(RequestStep step) {
    long tickNanos = TICKS_NANOS[(int) step.amount() % TICKS_NANOS.length];
    timer.reconfigure(Duration.ofNanos(tickNanos), 2 + step.which());
    model.reconfigure(tickNanos);
  }

  private void pass(long nanos) {
    reading += nanos;
    model.passTo(reading);
    timer.advance();
  }

  private void changeKeySet(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    KeySetState former = place.keySets.get(step.key());
    if (former != null) {
      former.open = false;
      former.real.close();
    }
    if (step.what() == RequestStep.What.OPEN_KEY_SET) {
      Set<Integer> keys = Set.of((int) step.amount() % 2, 2);
      KeySet<Integer> set = place.purgatory.keySet(keys);
      KeySetState opened = new KeySetState(set);
      place.keySets.put(step.key(), opened);
      model.spaces.get(at).keySets.add(opened);
    }
  }

  private void cancelAll(int at) {
    List<Request> held = List.copyOf(model.spaces.get(at).held);
    int expected = model.endAll(held, Outcome.CANCELLED, CancellationException.class);
    requireReturned(places.get(at).purgatory.cancelAll().size(), expected, "cancelAll()");
  }

  // What has to hold.

  private void verify() {
    requests.forEach(Request::verify);
    check.verify();
  }

  /** Lets much time pass, cancels the rest, and checks that nothing is left. */
  private void end() {
    pass(LONGEST_NANOS);
    verify();
    check.requireNothingKept(requests);
    for (int i = 0; i < places.size(); i++) {
      cancelAll(i);
      for (KeySetState set : model.spaces.get(i).keySets) {
        set.open = false;
        set.real.close();
      }
    }
    verify();
    places.forEach(RequestPlace::close);
    timer.close();
  }
}
