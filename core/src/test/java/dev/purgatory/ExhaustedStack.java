package dev.purgatory;

import dev.purgatory.base.Headroom;
import dev.purgatory.session.Session;
import dev.purgatory.session.SessionEnd;
import dev.purgatory.session.Sessions;
import dev.purgatory.testing.ManualTicker;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A recursion calls the library at the end of a small stack, again and again, in a process of its
 * own. Prints what was lost, and ends with 1 if anything was.
 */
final class ExhaustedStack {
  private static final int STACK = 512 * 1024;
  private static final int CALLS = 300;

  private final ManualTicker ticker = new ManualTicker();
  private final Timer timer = Timer.builder().ticker(ticker).build();
  private final Limit limit = Limit.builder("all").requests(1_000_000).build();
  private final Limit evicting = Limit.builder("newest").requests(20).evictOldest().build();
  private final Purgatory<Object> purgatory = purgatory("deep", limit);
  private final List<String> damage = new ArrayList<>();
  private int overflows;
  private int calls;
  private int depth;
  private int room;
  private int callsLeft;

  private Purgatory<Object> purgatory(String name, Limit... limits) {
    PurgatoryBuilder<Object> builder =
        Purgatory.builder(name, Object.class)
            .timer(timer)
            .expirationExecutor(Runnable::run)
            .listener(
                new PurgatoryListener() {
                  @Override
                  public void onError(Object operation, Source source, Throwable error) {}
                });
    for (Limit each : limits) {
      builder.limit(each);
    }
    return builder.build();
  }

  /** Counts its answers. */
  private static final class Counted extends DelayedOperation {
    boolean ready;
    int answers;
    boolean ended;

    Counted() {
      super(Duration.ofHours(1));
    }

    @Override
    protected boolean isReady() {
      return ready;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers++;
    }
  }

  public static void main(String[] args) throws InterruptedException {
    ExhaustedStack program = new ExhaustedStack();
    int rounds = Integer.parseInt(args[0]);
    Thread thread = new Thread(null, () -> program.runAll(rounds), "recursion", STACK);
    thread.start();
    thread.join();
    program.checkLocks();
    System.out.println(program.overflows + " overflows, " + program.calls + " calls");
    program.damage.forEach(System.out::println);
    System.exit(program.damage.isEmpty() && program.overflows > 0 ? 0 : 1);
  }

  private void runAll(int rounds) {
    try {
      checkRoom();
      hold(rounds);
      evict(rounds);
      end(rounds, "complete", DelayedOperation::complete);
      end(rounds, "cancel", DelayedOperation::cancel);
      end(rounds, "fail", each -> each.fail(new IllegalStateException("expected")));
      signal(rounds);
      move(rounds);
      futures(rounds);
      taken(rounds);
      groups(rounds);
      tasks(rounds);
      expiry(rounds);
      sessions(rounds);
      throttles(rounds);
      expect("timer.size()", 0, timer.size());
      ticker.advance(Duration.ofDays(1));
      timer.advance();
      expect("timer.size() at the end", 0, timer.size());
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      damage.add("the program failed: " + e);
    }
  }

  /** A lock that the recursion has not released does not stop its own thread, but all others. */
  private void checkLocks() throws InterruptedException {
    Thread other = new Thread(TimerInternals.of(timer).wheels()::purge, "other");
    other.setDaemon(true);
    other.start();
    other.join(TimeUnit.SECONDS.toMillis(60));
    expect("locks of the timer that stay locked", 0, other.isAlive() ? 1 : 0);
  }

  private void expect(String what, long expected, long actual) {
    if (expected != actual) {
      damage.add(what + ": " + actual + " instead of " + expected);
    }
  }

  // The recursion.

  private void measureDepth() {
    for (int i = 0; i < 3; i++) {
      try {
        depth = 0;
        descend(Integer.MAX_VALUE, 0, () -> {});
      } catch (StackOverflowError e) {
        // Expected.
      }
    }
  }

  /**
   * Of a stack of 512 KB, 20 KB are left when the library has found its headroom: five pages, less
   * the frames between.
   */
  private void checkRoom() {
    boolean left = false;
    for (int i = 0; i < 10; i++) { // frames become smaller while the methods are compiled
      measureDepth();
      int all = depth;
      room = -1;
      try {
        descendAsking();
      } catch (StackOverflowError e) {
        left |= room >= all * 19 / 512;
      }
    }
    expect("the headroom is left", 1, left ? 1 : 0);
  }

  @SuppressWarnings("InfiniteRecursion")
  private void descendAsking() {
    Headroom.ensure();
    try {
      descendAsking();
    } catch (StackOverflowError e) {
      if (room < 0) {
        measureDepth();
        room = depth;
      }
      throw e;
    }
  }

  @SuppressWarnings("InfiniteRecursion")
  private void descend(int silent, int stride, Runnable call) {
    depth++;
    if (silent == 0 && callsLeft-- > 0) {
      calls++;
      try {
        call.run();
      } catch (StackOverflowError e) {
        overflows++;
      }
    }
    descend(silent == 0 ? stride : silent - 1, stride, call);
  }

  /** Calls at many levels of the end of a recursion, and goes on until the stack has overflowed. */
  private void overflow(Runnable call) {
    measureDepth();
    int end = depth / 6;
    callsLeft = 2 * CALLS;
    try {
      descend(depth - end + overflows % 7, end / CALLS, call);
    } catch (StackOverflowError e) {
      overflows++;
    }
  }

  /** A thread whose stack has overflowed signals and answers as before. */
  private void checkThread(String after) {
    Purgatory<Object> fresh = purgatory("fresh");
    Counted operation = new Counted();
    fresh.hold(operation, "k");
    operation.ready = true;
    expect(after + ": signals of the thread", 1, fresh.signal("k"));
    expect(after + ": answers on the thread", 1, operation.answers);
    fresh.close();
  }

  private void checkAnswers(String call, List<Counted> operations) {
    int never = 0;
    int twice = 0;
    int told = 0;
    for (Counted each : operations) {
      never += each.outcome() != null && each.answers == 0 ? 1 : 0;
      never += each.outcome() == null && each.answers > 0 ? 1 : 0;
      twice += each.answers > 1 ? 1 : 0;
      told += each.ended && each.outcome() == null ? 1 : 0;
    }
    expect(call + ": never answered", 0, never);
    expect(call + ": answered twice", 0, twice);
    expect(call + ": told that it ended, and it did not", 0, told);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
  }

  private void checkEmpty(String call) {
    var unused = purgatory.cancelAll();
    expect(call + ": pending()", 0, purgatory.pending());
    expect(call + ": unanswered()", 0, purgatory.inspect().unanswered());
    expect(call + ": limit.requests()", 0, limit.requests());
    purgatory.core().purge();
    await(
        () ->
            purgatory.inspect().watched()
                == 0); // a helper thread may still count what it has removed
    expect(call + ": watched()", 0, purgatory.inspect().watched());
    checkThread(call);
  }

  // What it calls.

  private void hold(int rounds) {
    List<Counted> operations = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      boolean ready = i % 3 == 0;
      overflow(
          () -> {
            Counted operation = new Counted();
            operation.ready = ready;
            operations.add(operation);
            purgatory.hold(operation, "a", "b");
          });
    }
    long open = operations.stream().filter(each -> each.registration().isOpenAndHeld()).count();
    expect("hold: pending()", open, purgatory.pending());
    expect("hold: limit.requests()", open, limit.requests());
    checkAnswers("hold", operations);
    checkEmpty("hold");
    checkAnswers("hold", operations);
  }

  private void evict(int rounds) {
    Purgatory<Object> few = purgatory("few", evicting);
    List<Counted> operations = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      overflow(
          () -> {
            Counted operation = new Counted();
            operations.add(operation);
            few.hold(operation, "a");
          });
      expect("evict: limit.requests()", few.pending(), evicting.requests());
    }
    checkAnswers("evict", operations);
    var unused = few.cancelAll();
    expect("evict: limit.requests()", 0, evicting.requests());
    few.close();
  }

  /** Ends an operation. */
  private interface End {
    boolean end(DelayedOperation operation);
  }

  private Queue<Counted> held(List<Counted> operations) {
    Queue<Counted> queue = new ArrayDeque<>();
    for (int i = 0; i < CALLS * 2; i++) {
      Counted operation = new Counted();
      purgatory.hold(operation, i);
      operations.add(operation);
      queue.add(operation);
    }
    return queue;
  }

  private void end(int rounds, String name, End end) {
    for (int i = 0; i < rounds; i++) {
      List<Counted> operations = new ArrayList<>();
      Queue<Counted> queue = held(operations);
      overflow(
          () -> {
            Counted next = queue.remove();
            next.ended = end.end(next);
          });
      checkAnswers(name, operations);
      var unused = purgatory.cancelAll();
      checkAnswers(name, operations);
    }
    checkEmpty(name);
  }

  private void signal(int rounds) {
    for (int i = 0; i < rounds; i++) {
      List<Counted> operations = new ArrayList<>();
      Queue<Counted> queue = held(operations);
      int[] key = new int[1];
      int[] signalled = new int[1];
      overflow(
          () -> {
            queue.remove().ready = true;
            signalled[0] += purgatory.signal(key[0]++);
          });
      checkAnswers("signal", operations);
      expect(
          "signal: completed",
          signalled[0],
          operations.stream().filter(each -> each.answers > 0).count());
      for (int k = 0; k < key[0]; k++) {
        signalled[0] += purgatory.signal(k);
      }
      expect("signal: completed", key[0], signalled[0]);
      var unused = purgatory.cancelAll();
    }
    checkEmpty("signal");
  }

  private void move(int rounds) {
    for (int i = 0; i < rounds; i++) {
      List<Counted> operations = new ArrayList<>();
      Queue<Counted> queue = held(operations);
      overflow(
          () -> {
            Counted next = queue.element();
            if (next.reschedule(Duration.ofMinutes(queue.size() % 50))) {
              queue.remove();
            }
          });
      checkAnswers("reschedule", operations);
      var unused = purgatory.cancelAll();
      checkAnswers("reschedule", operations);
    }
    checkEmpty("reschedule");
  }

  private void futures(int rounds) {
    for (int i = 0; i < rounds; i++) {
      List<HeldFuture<String>> futures = new ArrayList<>();
      List<int[]> answers = new ArrayList<>();
      Queue<HeldFuture<String>> queue = new ArrayDeque<>();
      for (int k = 0; k < CALLS * 2; k++) {
        HeldFuture<String> future = purgatory.<String>untilCompleted().forever().hold(k);
        int[] count = new int[1];
        var unused = future.whenComplete((value, error) -> count[0]++);
        futures.add(future);
        answers.add(count);
        queue.add(future);
      }
      overflow(
          () -> {
            HeldFuture<String> next = queue.remove();
            boolean unused =
                switch (queue.size() % 3) {
                  case 0 -> next.complete("answer");
                  case 1 -> next.cancel(false);
                  default -> next.completeExceptionally(new IllegalStateException("expected"));
                };
          });
      int never = 0;
      for (int k = 0; k < futures.size(); k++) {
        boolean ended = futures.get(k).outcome() != null;
        never += ended != futures.get(k).isDone() || (ended ? 1 : 0) != answers.get(k)[0] ? 1 : 0;
      }
      expect("futures: not answered once", 0, never);
      var unused = purgatory.cancelAll();
    }
    checkEmpty("futures");
  }

  /** Conditions that take what they return. */
  private void taken(int rounds) {
    for (int i = 0; i < rounds; i++) {
      int[] left = new int[1];
      List<CompletableFuture<Integer>> futures = new ArrayList<>();
      for (int k = 0; k < CALLS * 2; k++) {
        futures.add(
            purgatory
                .until(() -> left[0] > 0 ? left[0]-- : null)
                .orReturn(value -> left[0]++)
                .forever()
                .hold(k));
      }
      int[] key = new int[1];
      int[] given = new int[1];
      overflow(
          () -> {
            given[0]++;
            left[0]++;
            purgatory.signal(key[0]++);
          });
      long done = futures.stream().filter(CompletableFuture::isDone).count();
      expect("taken: given and neither answered nor left", given[0], done + left[0]);
      var unused = purgatory.cancelAll();
      expect("taken: given and neither answered nor left", given[0], done + left[0]);
    }
    checkEmpty("taken");
  }

  /** Requests that end together: by key, and by scope. */
  private void groups(int rounds) {
    for (int i = 0; i < rounds; i++) {
      List<Counted> operations = new ArrayList<>();
      Queue<Scope> scopes = new ArrayDeque<>();
      for (int k = 0; k < CALLS * 2; k++) {
        Scope scope = Scope.of("scope");
        for (int j = 0; j < 3; j++) {
          Counted operation = new Counted();
          purgatory.hold(operation, List.of(k), scope);
          operations.add(operation);
        }
        scopes.add(scope);
      }
      int[] key = new int[1];
      overflow(
          () -> {
            switch (key[0] % 3) {
              case 0 -> scopes.remove().close();
              case 1 -> purgatory.failForKey(key[0], new IllegalStateException("expected"));
              default -> purgatory.cancelForKey(key[0]);
            }
            scopes.poll();
            key[0]++;
          });
      checkAnswers("groups", operations);
      scopes.forEach(Scope::close);
      checkAnswers("groups", operations);
      var unused = purgatory.cancelAll();
    }
    checkEmpty("groups");
  }

  private void tasks(int rounds) {
    int before = timer.size();
    for (int i = 0; i < rounds; i++) {
      List<Timeout> timeouts = new ArrayList<>();
      boolean moves = i % 2 == 0;
      overflow(
          () -> {
            Timeout timeout = timer.schedule(() -> {}, Duration.ofHours(1));
            timeouts.add(timeout);
            if (moves) {
              boolean unused = timeout.reschedule(Duration.ofMinutes(timeouts.size() % 50));
            }
            if (timeouts.size() % 2 == 0) {
              boolean unused = timeout.cancel();
            }
          });
      long pending = timeouts.stream().filter(Timeout::isPending).count();
      expect("tasks: timer.size()", before + pending, timer.size());
      timeouts.forEach(Timeout::cancel);
      expect("tasks: timer.size()", before, timer.size());
    }
  }

  private void expiry(int rounds) {
    for (int i = 0; i < rounds; i++) {
      List<Counted> operations = new ArrayList<>();
      Queue<Counted> queue = held(operations);
      overflow(
          () -> {
            if (queue.element().reschedule(Duration.ZERO)) {
              queue.remove();
            }
            ticker.advance(Duration.ofMillis(2));
            timer.advance();
          });
      timer.advance();
      checkAnswers("expiry", operations);
      expect(
          "expiry: held, and due",
          queue.size(),
          operations.stream().filter(each -> each.outcome() == null).count());
      var unused = purgatory.cancelAll();
    }
    checkEmpty("expiry");
  }

  private void sessions(int rounds) {
    int before = timer.size();
    List<SessionEnd<Object, String>> ends = new ArrayList<>();
    Sessions<Object, String> sessions =
        new Sessions<>(timer, Duration.ofHours(1), ends::add, Runnable::run);
    int[] opened = new int[1];
    for (int i = 0; i < rounds; i++) {
      int[] key = new int[1];
      overflow(
          () -> {
            Session<Object, String> next = sessions.open(key[0]++ % 300, "owner");
            opened[0]++;
            if (key[0] % 5 == 0) {
              boolean unused = next.close();
            }
          });
      expect("sessions: ends and open", opened[0], ends.size() + sessions.size());
      expect("sessions: timer.size()", before + sessions.size(), timer.size());
    }
    sessions.close();
    expect("sessions: ends", opened[0], ends.size());
    expect("sessions: timer.size()", before, timer.size());
  }

  private void throttles(int rounds) {
    Throttles<Object> throttles =
        new Throttles<>(purgatory, timer, Rate.per(1_000_000, Duration.ofHours(1)), Runnable::run);
    for (int i = 0; i < rounds; i++) {
      long[] taken = new long[1];
      String key = "key " + i;
      boolean asks = i % 2 == 0;
      overflow(
          () -> {
            if (asks) {
              taken[0] += throttles.acquire(key, 1).join();
            } else if (throttles.tryAcquire(key, 1)) {
              taken[0]++;
            }
          });
      expect("throttles: available", 1_000_000 - taken[0], throttles.available(key));
    }
    checkEmpty("throttles");
  }
}
