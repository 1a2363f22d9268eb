package dev.purgatory.races;

import static dev.purgatory.races.Schedules.doing;
import static dev.purgatory.races.Schedules.setUp;
import static dev.purgatory.races.Schedules.together;
import static dev.purgatory.races.VirtualPurgatory.TIMEOUT;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.KeyGroup;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.SignalQueue;
import dev.purgatory.Thresholds;
import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timeout;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random programs of two or three threads with up to six calls.
 *
 * <p>In some, {@link #randomCallsHaveAnOrder}, the results of the calls, and what is left, must be
 * those of some order of the same calls on one thread: the library, called by one thread, is the
 * model of itself. Calls that no order explains are left out: a cancellation that meets another one
 * may return false, and a time limit that is reached can neither be moved nor hides the request at
 * once. A call that may leave its work to another thread, such as a signal that meets an
 * evaluation, is the last one of its thread. Only the first thread advances the clock: a second one
 * that finds nothing due does not wait for the first.
 *
 * <p>In the others, {@link #randomCallsAnswerOnce}, all features meet. Whatever happens, each
 * request is answered once, and nothing is left at the end.
 */
final class RandomCalls {
  private static final int MOST_CALLS = 6;
  private static final Duration LONG = TIMEOUT.multipliedBy(3);

  private RandomCalls() {}

  /** A call on a target. */
  private record Call<T>(String name, boolean isLast, Function<T, @Nullable Object> make) {
    Call(String name, Function<T, @Nullable Object> make) {
      this(name, false, make);
    }

    /** A call that may leave its work to another thread: the last one of its thread. */
    static <T> Call<T> last(String name, Consumer<T> make) {
      return new Call<>(name, true, Call.<T>of(name, make).make());
    }

    static <T> Call<T> of(String name, Consumer<T> make) {
      return new Call<>(
          name,
          on -> {
            make.accept(on);
            return null;
          });
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<Call<Target>> OF_THE_CLOCK =
      List.of(
          Call.of("pass time", VirtualPurgatory::reachTimeout),
          Call.of("advance the clock", on -> on.timer.advance()));

  private static final List<Call<Target>> OF_ALL =
      List.of(
          Call.last("close the purgatory", on -> on.purgatory.close()),
          Call.last("close the scope", on -> on.scope.close()),
          new Call<>("fail", on -> on.request.completeExceptionally(new IOException())),
          Call.of("cancel", on -> on.request.cancel(false)),
          new Call<>("outcome", on -> VirtualPurgatory.text(on.request.outcome())));

  /** What is held, and the calls that concern it. */
  @SuppressWarnings("ImmutableEnumChecker") // the lists are not changed
  private enum Kind {
    TAKING(
        List.of(
            Call.last("put and signal", Target::put),
            Call.last("signal", on -> on.purgatory.signal("b")),
            new Call<>("fail for the key", on -> on.purgatory.failForKey("b", new IOException())))),
    REACHING(List.of(Call.last("advance the number", on -> on.thresholds.advance("number", 5)))),
    STAGE(List.of(Call.last("complete the stage", on -> on.stage.complete("stage")))),
    REPLY(
        List.of(
            new Call<>("reply", on -> on.replies().complete("id", "reply")),
            new Call<>("fail all", on -> on.replies().failAll(new IOException()))));

    private final List<Call<Target>> calls = new ArrayList<>(OF_ALL);

    Kind(List<Call<Target>> own) {
      calls.addAll(own);
      calls.addAll(own); // twice as often
    }
  }

  /** One request of some kind. */
  private static final class Target extends VirtualPurgatory {
    private final AtomicInteger values = new AtomicInteger();
    private final Scope scope = Scope.of("race");
    private final Thresholds<String> thresholds = new Thresholds<>(purgatory);
    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final HeldFuture<?> request;

    Target(Kind kind) {
      super(kind == Kind.REPLY ? builder -> builder : null);
      request =
          switch (kind) {
            case TAKING ->
                purgatory
                    .until(this::take)
                    .orReturn(value -> values.incrementAndGet())
                    .inScope(scope)
                    .orTimeout(TIMEOUT)
                    .hold("a", "b");
            case REACHING -> thresholds.reach("number", 5).inScope(scope).orTimeout(TIMEOUT).hold();
            case STAGE -> purgatory.timeout(stage, TIMEOUT, () -> "late");
            case REPLY -> replies().expect("id", TIMEOUT, scope);
          };
    }

    private @Nullable String take() {
      return values.getAndUpdate(before -> Math.max(0, before - 1)) > 0 ? "value" : null;
    }

    void put() {
      values.incrementAndGet();
      purgatory.signal("a");
    }

    String end() {
      return text(request.outcome()) + " " + request.isDone() + " values " + values + " " + left();
    }
  }

  static void randomCallsHaveAnOrder() throws Exception {
    Random random = Schedules.random();
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    List<List<Call<Target>>> threads =
        threads(random, () -> kind.calls.get(random.nextInt(kind.calls.size())));
    if (random.nextBoolean()) {
      threads.get(0).addAll(0, OF_THE_CLOCK);
    }
    Target target = new Target(kind);
    String seen = results(threads, target) + " " + target.end();
    Set<String> permitted = new HashSet<>();
    setUp(() -> order(kind, threads, new ArrayList<>(), permitted));
    if (!permitted.contains(seen)) {
      throw new AssertionError(
          kind + ": " + threads + " end with " + seen + ", which is none of " + permitted);
    }
  }

  /** Chooses the calls of two or three threads. */
  private static <T> List<List<Call<T>>> threads(Random random, Supplier<Call<T>> choice) {
    int count = 2 + random.nextInt(2);
    List<List<Call<T>>> threads = new ArrayList<>();
    for (int thread = 0; thread < count; thread++) {
      List<Call<T>> calls = new ArrayList<>();
      threads.add(calls);
      boolean isLast = false;
      for (int i = random.nextInt(MOST_CALLS / count); i >= 0 && !isLast; i--) {
        Call<T> next = choice.get();
        calls.add(next);
        isLast = next.isLast();
      }
    }
    return threads;
  }

  /** Makes the calls of all threads at the same time, and returns what each returns. */
  private static <T> List<List<@Nullable Object>> results(List<List<Call<T>>> threads, T target)
      throws InterruptedException {
    List<List<@Nullable Object>> results = new ArrayList<>();
    List<Schedules.Call> calls = new ArrayList<>();
    for (List<Call<T>> each : threads) {
      List<@Nullable Object> of = new ArrayList<>();
      results.add(of);
      calls.add(
          () -> {
            each.forEach(call -> of.add(call.make().apply(target)));
            return null;
          });
    }
    together(calls.toArray(Schedules.Call[]::new));
    return results;
  }

  /** Adds what all orders of the calls lead to that begin in this way. */
  private static void order(
      Kind kind, List<List<Call<Target>>> threads, List<Integer> begin, Set<String> ends) {
    boolean complete = true;
    for (int thread = 0; thread < threads.size(); thread++) {
      int next = thread;
      if (begin.stream().filter(each -> each == next).count() < threads.get(next).size()) {
        complete = false;
        List<Integer> longer = new ArrayList<>(begin);
        longer.add(next);
        order(kind, threads, longer, ends);
      }
    }
    if (complete) {
      Target target = new Target(kind);
      List<List<@Nullable Object>> results = new ArrayList<>();
      threads.forEach(each -> results.add(new ArrayList<>()));
      for (int thread : begin) {
        Call<Target> call = threads.get(thread).get(results.get(thread).size());
        results.get(thread).add(call.make().apply(target));
      }
      ends.add(results + " " + target.end());
    }
  }

  // All features.

  /** Calls that hold something. */
  private static final List<Call<House>> HOLDS =
      List.of(
          Call.of("hold a condition", on -> on.held(on.untilTaken().orTimeout(TIMEOUT).hold("a"))),
          Call.of(
              "hold in a scope",
              on -> on.held(on.untilTaken().inScope(on.scope).orTimeout(TIMEOUT).hold("a", "b"))),
          Call.of(
              "hold under a limit",
              on -> on.held(on.untilTaken().inScope(on.limited).forever().hold("b"))),
          Call.of("hold for a group", on -> on.held(on.untilTaken().forever().hold(on.group))),
          Call.of(
              "hold with a period",
              on ->
                  on.held(on.untilTaken().recheckEvery(TIMEOUT).orAfter(LONG, () -> "").hold("a"))),
          Call.of("hold an operation", House::holdOperation),
          Call.of(
              "reach a number",
              on -> on.held(on.thresholds.reach("number", 5).orTimeout(TIMEOUT).hold())),
          Call.of("wait for a stage", on -> on.held(on.purgatory.timeout(on.stage, TIMEOUT))),
          Call.of(
              "evaluate for some time",
              on ->
                  on.held(
                      on.purgatory
                          .untilAsync(() -> on.stage)
                          .inScope(on.scope)
                          .forever()
                          .hold("b"))),
          Call.of("await a reply", on -> on.held(on.table.expect("id", TIMEOUT, on.scope))),
          Call.of("acquire", on -> on.held(on.throttles.acquire("key", 1, TIMEOUT))),
          Call.of("open a session", on -> on.opened(on.sessions.open("key", "owner"))),
          Call.of("open a lease", on -> on.opened(on.sessions.tryOpen("key", "owner"))),
          Call.of(
              "schedule a task",
              on -> on.tasks.add(on.timer.schedule(on.runs::incrementAndGet, TIMEOUT))));

  /** Other calls. */
  private static final List<Call<House>> CHANGES =
      List.of(
          Call.of("pass time", VirtualPurgatory::reachTimeout),
          Call.of("advance the clock", on -> on.timer.advance()),
          Call.of("pass time and advance the clock", VirtualPurgatory::passTimeout),
          Call.of("signal", on -> on.purgatory.signal("a")),
          Call.of("put and signal", on -> on.put(() -> on.purgatory.signal("a"))),
          Call.of("put and signal one", on -> on.put(() -> on.purgatory.signalAtMost("b", 1))),
          Call.of("put and mark", on -> on.put(() -> on.queue.mark("a"))),
          Call.of("run the queue", on -> on.queue.run()),
          Call.of("advance the number", on -> on.thresholds.advance("number", 5)),
          Call.of("remove the number", on -> on.thresholds.remove("number")),
          Call.of("complete the stage", on -> on.stage.complete("stage")),
          Call.of("reply", on -> on.table.complete("id", "reply")),
          Call.of("fail the reply", on -> on.table.fail("id", new IOException())),
          Call.of("complete all replies", on -> on.table.completeAll("reply")),
          Call.of("fail all replies", on -> on.table.failAll(new IOException())),
          Call.of("fail for a key", on -> on.purgatory.failForKey("b", new IOException())),
          Call.of("cancel for a key", on -> on.purgatory.cancelForKey("a")),
          Call.of("cancel all", on -> on.purgatory.cancelAll()),
          Call.of("cancel", on -> on.last.cancel(false)),
          Call.of("fail", on -> on.last.completeExceptionally(new IOException())),
          Call.of("move the time limit", on -> on.last.reschedule(LONG)),
          Call.of("give back", on -> on.throttles.giveBack("key", 1)),
          Call.of("change the rate", on -> on.throttles.rate(Rate.unlimited())),
          Call.of("touch the session", on -> on.sessions.touch("key")),
          Call.of("cancel the task", on -> on.tasks.element().cancel()),
          Call.of("close the scope", on -> on.scope.close()),
          Call.of("fail the scope", on -> on.scope.fail(new IOException())),
          Call.of(
              "close the scope gracefully",
              on -> {
                var unused = on.scope.close(TIMEOUT, new IOException());
              }),
          Call.of("close the group", on -> on.group.close()),
          Call.of("purge", on -> on.purgatory.inspect().purge()),
          Call.of("exchange the wheels", on -> on.timer.reconfigure(LONG, 8)),
          Call.of("close the sessions", on -> on.sessions.close()),
          Call.of("close the table", on -> on.table.close()),
          Call.of("close the purgatory", on -> on.purgatory.close()));

  /** All features on one timer. */
  private static final class House extends VirtualPurgatory {
    private final Scope scope = Scope.of("race");
    private final Limit limit = Limit.builder("race").requests(1).evictOldest().build();
    private final Scope limited = Scope.of("limited", limit);
    private final KeyGroup<String> group = purgatory.group(List.of("a", "b"));
    private final Thresholds<String> thresholds = new Thresholds<>(purgatory);
    private final Throttles<String> throttles =
        new Throttles<>(purgatory, timer, Rate.per(1, TIMEOUT));
    private final SignalQueue<String> queue = new SignalQueue<>(purgatory);
    private final Replies<String, String> table =
        Replies.<String, String>builder("table", String.class, String.class).timer(timer).build();
    private final AtomicInteger told = new AtomicInteger();
    private final Sessions<String, String> sessions =
        new Sessions<>(timer, TIMEOUT, end -> told.incrementAndGet());
    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final Queue<Timeout> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();

    /** How often each request was answered. */
    private final Queue<AtomicInteger> answers = new ConcurrentLinkedQueue<>();

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger put = new AtomicInteger();
    private final AtomicInteger values = new AtomicInteger();
    private final AtomicInteger delivered = new AtomicInteger();
    private volatile HeldFuture<?> last = purgatory.untilCompleted().orTimeout(TIMEOUT).hold("a");

    private Hold.Untimed<String, String> untilTaken() {
      return purgatory
          .until(() -> values.getAndUpdate(before -> Math.max(0, before - 1)) > 0 ? "value" : null)
          .orReturn(value -> values.incrementAndGet());
    }

    private void put(Runnable signal) {
      put.incrementAndGet();
      values.incrementAndGet();
      signal.run();
    }

    private void held(HeldFuture<?> future) {
      last = future;
      AtomicInteger count = new AtomicInteger();
      answers.add(count);
      var unused =
          future.whenComplete(
              (value, error) -> {
                count.incrementAndGet();
                if ("value".equals(value)) {
                  delivered.incrementAndGet();
                }
              });
    }

    private void holdOperation() {
      AtomicInteger count = new AtomicInteger();
      purgatory.hold(
          new DelayedOperation(TIMEOUT) {
            @Override
            protected boolean isReady() {
              return stage.isDone();
            }

            @Override
            protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
              count.incrementAndGet();
            }
          },
          "a",
          "b");
      answers.add(count);
    }

    private void opened(@Nullable Session<String, String> session) {
      opened.addAndGet(session == null ? 0 : 1);
    }

    /** Makes a call, which may be refused because something is closed, or an id is in use. */
    private void make(Call<House> call) {
      try {
        Object unused = call.make().apply(this);
      } catch (IllegalStateException | NoSuchElementException e) {
        // There is nothing to check.
      }
    }

    /** Lets all time pass, closes everything, and returns what is left or wrong. */
    private String end() {
      for (int i = 0; i < 4; i++) {
        passTimeout();
      }
      limited.close();
      purgatory.close();
      table.close();
      sessions.close();
      long pending = purgatory.pending() + table.pending() + scope.pending() + limited.pending();
      long left = pending + limit.requests() + throttles.waiting("key") + sessions.size();
      long unanswered = answers.stream().filter(count -> count.get() != 1).count();
      int lost = put.get() - delivered.get() - values.get();
      int sessionsLost = opened.get() - told.get();
      return "left "
          + left
          + " timed "
          + timer.size()
          + " unanswered "
          + unanswered
          + " values lost "
          + lost
          + " sessions lost "
          + sessionsLost;
    }
  }

  static void randomCallsAnswerOnce() throws Exception {
    Random random = Schedules.random();
    Supplier<Call<House>> choice =
        () -> {
          List<Call<House>> of = random.nextInt(3) == 0 ? HOLDS : CHANGES;
          return of.get(random.nextInt(of.size()));
        };
    Supplier<Call<House>> hold = () -> HOLDS.get(random.nextInt(HOLDS.size()));
    List<Call<House>> before = List.of(hold.get(), hold.get());
    List<List<Call<House>>> threads = threads(random, choice);
    House house = new House();
    before.forEach(house::make);
    together(
        threads.stream()
            .map(calls -> doing(() -> calls.forEach(house::make)))
            .toArray(Schedules.Call[]::new));
    String end = house.end();
    if (!end.equals("left 0 timed 0 unanswered 0 values lost 0 sessions lost 0")) {
      throw new AssertionError(before + ", " + threads + " end with " + end);
    }
  }
}
