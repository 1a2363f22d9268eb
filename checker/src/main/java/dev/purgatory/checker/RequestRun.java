package dev.purgatory.checker;

import static dev.purgatory.checker.Finding.requireReturned;
import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.ORDER;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;

import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.KeyGroup;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.Scope;
import dev.purgatory.Thresholds;
import dev.purgatory.WatchListsView;
import dev.purgatory.checker.RequestModel.KeyGroupState;
import dev.purgatory.checker.RequestModel.LimitState;
import dev.purgatory.checker.RequestModel.ScopeState;
import dev.purgatory.checker.RequestModel.Space;
import dev.purgatory.checker.RequestSetup.LimitPlan;
import dev.purgatory.checker.RequestSetup.RequestSettings;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests on one thread, in virtual time, and compares the purgatories with a {@link
 * RequestModel} after each step.
 */
final class RequestRun implements Run, PurgatoryListener {
  private static final int STRIPES = 4;
  private static final long TICK_NANOS = 1_000_000;
  private static final long[] TICKS_NANOS = {300_000, TICK_NANOS, 2_500_000};

  /** After one in so many steps, all reachable objects are traversed, which takes long. */
  private static final int TRAVERSED_EVERY = 8;

  private static final int MOST_WHICH_IN_THE_PAST = 20;

  /** More than a stripe of the timer keeps apart as new. */
  private static final int MANY_TASKS = 65;

  /** More than there are requests. */
  private static final int MANY = 1 << 20;

  private static final long LONGEST_NANOS = Duration.ofHours(1).toNanos();

  private final RequestSetup setup;
  private final Tally tally;
  private final Reports reports = new Reports();
  private final FaultyExecutor completions;
  private final FaultyExecutor expirations;
  private final Timer timer =
      TimerView.stripes(Timer.builder(), STRIPES).ticker(() -> now()).build();
  private final Diagnostics diagnostics = new Diagnostics();
  private final List<RequestPlace> places = new ArrayList<>();
  private final List<LimitState> limits;
  private final List<ScopeState> scopes = new ArrayList<>();
  private final List<Request> requests = new ArrayList<>();
  private final Set<Scope> everyScope = new HashSet<>();

  /** The requests that have timed out, and the tasks that have run, in order. */
  private final List<Object> timeouts = new ArrayList<>();

  private final boolean[] ready;
  private final RequestModel model;
  private final RequestCheck check;
  private long reading;
  private int numbers;
  private int verified;

  /** The context of a caller. */
  static final class Context {
    Runnable around(Runnable task) {
      return task;
    }
  }

  RequestRun(RequestSetup setup, Tally tally) {
    this.setup = setup;
    this.tally = tally;
    RequestSettings settings = setup.settings();
    completions = new FaultyExecutor(settings.completions(), reports::thrown, this::block);
    expirations = new FaultyExecutor(settings.expirations(), reports::thrown, this::block);
    ready = new boolean[setup.plans().size()];
    limits = setup.settings().limits().stream().map(RequestRun::limit).toList();
    List<Space> spaces = new ArrayList<>();
    for (List<Integer> each : setup.settings().ofPurgatories()) {
      places.add(new RequestPlace(purgatory(places.isEmpty(), each)));
      spaces.add(new Space(limits(each)));
    }
    RequestClock clock =
        new RequestClock(settings.completions(), settings.expirations(), TICK_NANOS);
    model = new RequestModel(limits, spaces, plan -> ready[plan.number()], clock);
    for (int i = 0; i < setup.settings().ofScopes().size(); i++) {
      scopes.add(scope(i));
    }
    check =
        new RequestCheck(
            model, places, everyScope, timer, diagnostics, List.of(this, completions, expirations));
  }

  private void block() {
    reading += RequestClock.BLOCKED_NANOS;
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
    PurgatoryBuilder<Integer> builder =
        WatchListsView.purgeInterval(
            Purgatory.<Integer>builder("checked", Integer.class)
                .timer(timer)
                .completionExecutor(completions)
                .expirationExecutor(expirations)
                .context(() -> new Context()::around)
                .listener(this),
            setup.settings().purgeInterval());
    limits(itsLimits).forEach(limit -> builder.limit(limit.real()));
    return (first ? builder.diagnostics(diagnostics) : builder).build();
  }

  private ScopeState scope(int number) {
    List<LimitState> its = limits(setup.settings().ofScopes().get(number));
    Limit[] reals = its.stream().map(LimitState::real).toArray(Limit[]::new);
    Scope scope = Scope.of("scope " + number, reals);
    everyScope.add(scope);
    return new ScopeState(scope, its);
  }

  // The steps.

  void perform(RequestStep step) {
    int plan = step.which() % ready.length;
    int scope = step.which() % scopes.size();
    int at = step.which() % places.size();
    switch (step.what()) {
      case HOLD -> hold(setup.plans().get(plan));
      case SET_READY -> ready[plan] = true;
      case UNSET_READY -> ready[plan] = false;
      case COMPLETE, FAIL, CANCEL, RESCHEDULE -> change(step, plan);
      case END_EVALUATION -> endEvaluation(step);
      case SIGNAL, SIGNAL_WITH_REASON, SIGNAL_AT_MOST -> signal(step, at);
      case PUT -> put(step, at);
      case COMPLETE_FOR_KEY, FAIL_FOR_KEY, FAIL_WHERE, CANCEL_FOR_KEY -> endForKey(step, at);
      case ADVANCE, REMOVE_NUMBER -> changeNumber(step, at);
      case OPEN_SCOPE, CLOSE_SCOPE, FAIL_SCOPE -> changeScope(step, scope);
      case OPEN_KEY_GROUP, CLOSE_KEY_GROUP -> changeKeyGroup(step, at);
      case MARK, RUN_QUEUE -> queue(step, at);
      case MARK_LATER, RUN_TASKS -> queueForLater(step, at);
      case PASS -> pass(step.amount());
      case SCHEDULE -> schedule(step);
      case RUN_EXECUTORS -> runExecutors();
      case RECONFIGURE -> reconfigure(step);
      case PURGE -> places.get(at).purgatory.inspect().purge();
      case CANCEL_ALL -> cancelAll(at);
      case CLOSE -> close(at);
    }
  }

  private void hold(RequestPlan plan) {
    RequestPlace place = places.get(plan.purgatory());
    KeyGroupState group = plan.keyGroup() < 0 ? null : place.keyGroups.get(plan.keyGroup());
    if (plan.keyGroup() >= 0 && (group == null || !group.open)) {
      requireRefused(plan, group);
      return;
    }
    Request request = new Request(requests.size(), plan, scopes(plan), group);
    long begin = reading;
    HeldFuture<Integer> future = RequestThreads.call(plan.thread(), () -> hold(request, place));
    request.begin(future, timeouts);
    requests.add(request);
    request.deadline = WatchListsView.deadline(future);
    model.hold(request);
    if (request.held && request.isTimed()) {
      long least = begin + plan.timeoutNanos();
      long most = reading + plan.timeoutNanos() + plan.jitterNanos();
      boolean inTime = request.deadline >= least && request.deadline <= most;
      Finding.unless(inTime, NEVER_EARLY, request + " has the deadline " + request.deadline);
    }
  }

  private void requireRefused(RequestPlan plan, @Nullable KeyGroupState group) {
    if (group != null) {
      Hold<Integer, Integer> hold =
          places.get(plan.purgatory()).purgatory.<Integer>untilCompleted().forever();
      boolean refused = false;
      try {
        var unused = hold.hold(group.real);
      } catch (IllegalStateException e) {
        refused = true;
      }
      Finding.unless(refused, RETURN_VALUES, "held on a closed key group");
    }
  }

  private List<ScopeState> scopes(RequestPlan plan) {
    return plan.scopes().stream().map(scopes::get).toList();
  }

  private HeldFuture<Integer> hold(Request request, RequestPlace place) {
    RequestPlan plan = request.plan;
    Purgatory<Integer> purgatory = place.purgatory;
    Hold.Untimed<Integer, Integer> hold =
        (plan.isAsync()
                ? purgatory.<Integer>untilAsync(
                    () -> request.evaluate(() -> answer(request, place, null)))
                : purgatory.<Integer>untilSignalled(reason -> answer(request, place, reason)))
            .inScope(request.scopes.stream().map(scope -> scope.real).toArray(Scope[]::new))
            .weight(plan.weight())
            .jitter(Duration.ofNanos(plan.jitterNanos()));
    for (Map.Entry<Integer, Long> each : plan.thresholds().entrySet()) {
      hold = hold.reaching(place.thresholds, each.getKey(), each.getValue());
    }
    if (plan.recheckNanos() > 0) {
      hold = hold.recheckEvery(Duration.ofNanos(plan.recheckNanos()));
    }
    if (plan.takes()) {
      hold = hold.orReturn(place.values::add);
    }
    Hold<Integer, Integer> timed =
        request.isTimed() ? hold.orTimeout(Duration.ofNanos(plan.timeoutNanos())) : hold.forever();
    return request.keyGroup == null ? timed.hold(plan.keys()) : timed.hold(request.keyGroup.real);
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
    if (!holds || !plan.takes()) {
      return holds ? request.number : null;
    }
    Integer value = place.values.poll();
    if (value != null) {
      place.interfere(request);
    }
    return value;
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
        long nanos = Math.max(0, step.amount() - 1) * 900_000L;
        boolean expected = model.reschedule(request, reading + nanos);
        requireReturned(future.reschedule(Duration.ofNanos(nanos)), expected, step);
      }
      default -> {
        model.endIfHeld(request, Outcome.CANCELLED, CancellationException.class);
        requireReturned(
            future.cancel(false), request.answered && request.outcome == Outcome.CANCELLED, step);
      }
    }
  }

  /** Ends an evaluation that takes time, perhaps of a request that has ended. */
  private void endEvaluation(RequestStep step) {
    List<Request> running = requests.stream().filter(each -> each.running != null).toList();
    if (!running.isEmpty()) {
      Request request = running.get(step.which() % running.size());
      model.endEvaluation(request);
      RequestThreads.call(
          (int) step.amount() % (RequestThreads.COUNT + 1),
          () -> {
            request.endEvaluation();
            return request;
          });
    }
  }

  private void changeScope(RequestStep step, int number) {
    ScopeState scope = scopes.get(number);
    if (step.what() == RequestStep.What.FAIL_SCOPE) {
      Throwable cause = new IllegalStateException("provoked");
      requireReturned(scope.real.fail(cause), model.close(scope, cause), step);
    } else {
      model.close(scope, null);
      scope.real.close();
    }
    if (step.what() == RequestStep.What.OPEN_SCOPE) {
      scopes.set(number, scope(number));
    }
  }

  private void reconfigure(RequestStep step) {
    long tickNanos = TICKS_NANOS[(int) step.amount() % TICKS_NANOS.length];
    timer.reconfigure(Duration.ofNanos(tickNanos), 2 + step.which());
    model.clock.reconfigure(tickNanos);
  }

  private void pass(long nanos) {
    reading += nanos;
    model.clock.pass(nanos);
    timer.advance();
  }

  /** Schedules a task, or several for times in the past. */
  private void schedule(RequestStep step) {
    int thread = step.which() % (RequestThreads.COUNT + 1);
    long nanos = step.amount() * 300_000;
    if (step.which() < MOST_WHICH_IN_THE_PAST) {
      scheduleInThePast(nanos, thread);
    } else {
      scheduleAt(reading + nanos, thread);
    }
  }

  /**
   * A thread schedules many tasks for much later and one for a time in the past, and then each
   * other thread one for a later time in the past.
   */
  private void scheduleInThePast(long nanos, int thread) {
    for (int i = 0; i < MANY_TASKS; i++) {
      scheduleAt(reading + LONGEST_NANOS / 2, thread);
    }
    scheduleAt(Math.max(0, reading - 2 * nanos), thread);
    for (int i = 1; i <= RequestThreads.COUNT; i++) {
      int other = (thread + i) % (RequestThreads.COUNT + 1);
      scheduleAt(Math.max(0, reading - nanos), other);
    }
  }

  /** Schedules a task, which leaves its number when it runs. */
  private void scheduleAt(long deadline, int thread) {
    Integer number = ++numbers;
    model.clock.schedule(deadline, () -> model.timeouts.add(number));
    RequestThreads.call(thread, () -> timer.scheduleAt(() -> timeouts.add(number), deadline));
  }

  private void runExecutors() {
    model.clock.runTasks();
    expirations.runAll();
    completions.runAll();
  }

  private void changeKeyGroup(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    KeyGroupState former = place.keyGroups.get(step.key());
    if (former != null) {
      former.open = false;
      former.real.close();
    }
    if (step.what() == RequestStep.What.OPEN_KEY_GROUP) {
      Set<Integer> keys = Set.of((int) step.amount() % 2, 2);
      KeyGroup<Integer> group = place.purgatory.group(keys);
      KeyGroupState opened = new KeyGroupState(group);
      place.keyGroups.put(step.key(), opened);
      model.spaces.get(at).keyGroups.add(opened);
    }
  }

  private void changeNumber(RequestStep step, int at) {
    Thresholds<Integer> thresholds = places.get(at).thresholds;
    if (step.what() == RequestStep.What.ADVANCE) {
      int expected = model.advance(at, step.key(), step.amount());
      requireReturned(thresholds.advance(step.key(), step.amount()), expected, step);
    } else {
      model.spaces.get(at).numbers.remove(step.key());
      thresholds.remove(step.key());
    }
  }

  private void queue(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    Space space = model.spaces.get(at);
    if (step.what() == RequestStep.What.MARK) {
      if (space.marked.isEmpty()) {
        space.markedSince = reading;
      }
      requireReturned(place.queue.mark(step.key()), space.marked.add(step.key()), step);
    } else {
      int expected = signalAll(space.marked, at);
      requireReturned(place.queue.run(), expected, step);
    }
    requireReturned(place.queue.marked(), space.marked.size(), step);
  }

  private void queueForLater(RequestStep step, int at) {
    RequestPlace place = places.get(at);
    Space space = model.spaces.get(at);
    if (step.what() == RequestStep.What.MARK_LATER) {
      requireReturned(place.later.mark(step.key()), space.markedForLater.add(step.key()), step);
      if (space.held.isEmpty() && place.tasks.isEmpty()) {
        space.markedForLater.clear(); // a mark has no effect while nothing is held
      }
    } else {
      signalAll(space.markedForLater, at);
      List.copyOf(place.tasks).forEach(Runnable::run);
      place.tasks.clear();
    }
    requireReturned(place.later.marked(), space.markedForLater.size(), step);
    requireReturned(place.tasks.size(), space.markedForLater.isEmpty() ? 0 : 1, step);
  }

  private int signalAll(Set<Integer> keys, int at) {
    int completed = keys.stream().mapToInt(key -> model.signal(at, key, -1, MANY)).sum();
    keys.clear();
    return completed;
  }

  private void signal(RequestStep step, int at) {
    int key = step.key();
    long amount = step.amount();
    int most = 1 + (int) amount % 2;
    Purgatory<Integer> purgatory = places.get(at).purgatory;
    int expected =
        switch (step.what()) {
          case SIGNAL_WITH_REASON -> model.signal(at, key, (int) amount, MANY);
          case SIGNAL_AT_MOST -> model.signal(at, key, -1, most);
          default -> model.signal(at, key, -1, MANY);
        };
    int completed =
        switch (step.what()) {
          case SIGNAL_WITH_REASON -> purgatory.signal(key, amount);
          case SIGNAL_AT_MOST -> purgatory.signalAtMost(key, most);
          default -> purgatory.signal(key);
        };
    requireReturned(completed, expected, step);
  }

  /** Adds a value that a condition can take, and signals a key. */
  private void put(RequestStep step, int at) {
    Integer value = 1_000 * ++numbers;
    places.get(at).values.add(value);
    model.spaces.get(at).values.add(value);
    signal(step, at);
  }

  private void endForKey(RequestStep step, int at) {
    int key = step.key();
    Purgatory<Integer> purgatory = places.get(at).purgatory;
    List<Request> reached = model.spaces.get(at).on(key);
    Throwable cause = new IllegalStateException("provoked");
    int ended =
        switch (step.what()) {
          case COMPLETE_FOR_KEY -> WatchListsView.completeForKey(purgatory, key, -2);
          case FAIL_FOR_KEY -> purgatory.failForKey(key, cause).size();
          case FAIL_WHERE -> failHeld(purgatory, key, cause);
          default -> purgatory.cancelForKey(key).size();
        };
    int expected =
        switch (step.what()) {
          case COMPLETE_FOR_KEY -> model.endAll(reached, Outcome.COMPLETED, -2);
          case FAIL_FOR_KEY, FAIL_WHERE -> model.endAll(reached, Outcome.FAILED, cause);
          default -> model.endAll(reached, Outcome.CANCELLED, CancellationException.class);
        };
    requireReturned(ended, expected, step);
  }

  /** Fails the requests on a key one by one, as a user does who looks at what is held. */
  private static int failHeld(Purgatory<Integer> purgatory, int key, Throwable cause) {
    return (int)
        purgatory.inspect().held().stream()
            .filter(each -> each.keys().contains(key) && each.fail(cause))
            .count();
  }

  private void cancelAll(int at) {
    int expected = model.cancelAll(at);
    requireReturned(places.get(at).purgatory.cancelAll().size(), expected, "cancelAll()");
  }

  private void close(int at) {
    RequestPlace place = places.get(at);
    model.close(at);
    place.values.clear();
    place.purgatory.close();
  }

  // What has to hold.

  @Override
  public void verify() {
    compare();
    if (verified++ % TRAVERSED_EVERY == 0) {
      check.requireNothingKept(requests);
    }
  }

  private void compare() {
    reports.verify();
    Finding.unless(
        timeouts.equals(model.timeouts),
        ORDER,
        "timed out in the order " + timeouts + ", not " + model.timeouts);
    Finding.unless(
        reading == model.clock.now(),
        ONCE,
        "executors got tasks for " + (reading - model.clock.now()) + " ns too many");
    requests.forEach(Request::verify);
    check.verify();
  }

  /** Lets much time pass, cancels the rest, and checks that nothing is left. */
  @Override
  public void end() {
    pass(LONGEST_NANOS);
    compare();
    check.requireNothingKept(requests);
    for (int i = 0; i < places.size(); i++) {
      cancelAll(i);
      for (KeyGroupState group : model.spaces.get(i).keyGroups) {
        group.open = false;
        group.real.close();
      }
    }
    compare();
    places.forEach(RequestPlace::close);
    runExecutors();
    reports.verify();
    check.requireNothingKept(requests);
    timer.close();
  }

  @Override
  public void onError(Object operation, Source source, Throwable error) {
    if (source == Source.EXECUTOR) {
      reports.reported(error);
    } else {
      boolean provoked = source == Source.CONDITION && error instanceof RequestModel.Provoked;
      Finding.unless(provoked, FAILURES_STAY_APART, source + " reports " + error);
    }
  }
}
