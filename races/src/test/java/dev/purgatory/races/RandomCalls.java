package dev.purgatory.races;

import static dev.purgatory.races.Schedules.setUp;
import static dev.purgatory.races.Schedules.together;

import dev.purgatory.HeldFuture;
import dev.purgatory.Scope;
import dev.purgatory.Thresholds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Random programs of two or three threads with up to six calls. Their results, and what is left,
 * must be those of some order of the same calls on one thread: the library, called by one thread,
 * is the model of itself.
 *
 * <p>Calls that no order explains are left out: a cancellation that meets another one may return
 * false, and a time limit that is reached can neither be moved nor hides the request at once. A
 * call that may leave its work to another thread, such as a signal that meets an evaluation, is the
 * last one of its thread. Only the first thread advances the clock: a second one that finds nothing
 * due does not wait for the first.
 */
final class RandomCalls {
  private static final int MOST_CALLS = 6;

  private RandomCalls() {}

  /** A call on a target. */
  private record Call(String name, boolean isLast, Function<Target, @Nullable Object> make) {
    Call(String name, Function<Target, @Nullable Object> make) {
      this(name, false, make);
    }

    /** A call that may leave its work to another thread: the last one of its thread. */
    static Call last(String name, Consumer<Target> make) {
      return new Call(name, true, of(name, make).make());
    }

    static Call of(String name, Consumer<Target> make) {
      return new Call(
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

  private static final List<Call> OF_THE_CLOCK =
      List.of(
          Call.of("pass time", VirtualPurgatory::reachTimeout),
          Call.of("advance the clock", on -> on.timer.advance()));

  private static final List<Call> OF_ALL =
      List.of(
          Call.last("close the purgatory", on -> on.purgatory.close()),
          Call.last("close the scope", on -> on.scope.close()),
          new Call("fail", on -> on.request.completeExceptionally(new IOException())),
          Call.of("cancel", on -> on.request.cancel(false)),
          new Call("outcome", on -> VirtualPurgatory.text(on.request.outcome())));

  /** What is held, and the calls that concern it. */
  @SuppressWarnings("ImmutableEnumChecker") // the lists are not changed
  private enum Kind {
    TAKING(
        Call.last("put and signal", Target::put),
        Call.last("signal", on -> on.purgatory.signal("b")),
        new Call("fail for the key", on -> on.purgatory.failForKey("b", new IOException()))),
    REACHING(Call.last("advance the number", on -> on.thresholds.advance("number", 5))),
    STAGE(Call.last("complete the stage", on -> on.stage.complete("stage"))),
    REPLY(
        new Call("reply", on -> on.replies().complete("id", "reply")),
        new Call("fail all", on -> on.replies().failAll(new IOException())));

    private final List<Call> calls = new ArrayList<>(OF_ALL);

    Kind(Call... own) {
      calls.addAll(List.of(own));
      calls.addAll(List.of(own)); // twice as often
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
    List<List<Call>> threads = threads(kind, random);
    Target target = new Target(kind);
    List<List<@Nullable Object>> results = new ArrayList<>();
    List<Schedules.Call> calls = new ArrayList<>();
    for (List<Call> each : threads) {
      List<@Nullable Object> of = new ArrayList<>();
      results.add(of);
      calls.add(
          () -> {
            each.forEach(call -> of.add(call.make().apply(target)));
            return null;
          });
    }
    together(calls.toArray(Schedules.Call[]::new));
    String seen = results + " " + target.end();
    Set<String> permitted = new HashSet<>();
    setUp(() -> order(kind, threads, new ArrayList<>(), permitted));
    if (!permitted.contains(seen)) {
      throw new AssertionError(
          kind + ": " + threads + " end with " + seen + ", which is none of " + permitted);
    }
  }

  private static List<List<Call>> threads(Kind kind, Random random) {
    int count = 2 + random.nextInt(2);
    List<List<Call>> threads = new ArrayList<>();
    for (int thread = 0; thread < count; thread++) {
      List<Call> calls = new ArrayList<>();
      threads.add(calls);
      if (thread == 0 && random.nextBoolean()) {
        calls.addAll(OF_THE_CLOCK);
      }
      boolean isLast = false;
      for (int i = random.nextInt(MOST_CALLS / count); i >= 0 && !isLast; i--) {
        Call next = kind.calls.get(random.nextInt(kind.calls.size()));
        calls.add(next);
        isLast = next.isLast();
      }
    }
    return threads;
  }

  /** Adds what all orders of the calls lead to that begin in this way. */
  private static void order(
      Kind kind, List<List<Call>> threads, List<Integer> begin, Set<String> ends) {
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
        Call call = threads.get(thread).get(results.get(thread).size());
        results.get(thread).add(call.make().apply(target));
      }
      ends.add(results + " " + target.end());
    }
  }
}
