package dev.purgatory.races;

import static dev.purgatory.races.Schedules.PATIENCE_MINUTES;
import static dev.purgatory.races.Schedules.doing;
import static dev.purgatory.races.Schedules.inFraysTime;
import static dev.purgatory.races.Schedules.random;
import static dev.purgatory.races.Schedules.require;
import static dev.purgatory.races.Schedules.setUp;
import static dev.purgatory.races.Schedules.together;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.purgatory.DelayedOperation;
import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import dev.purgatory.SignalQueue;
import dev.purgatory.Thresholds;
import dev.purgatory.base.Nesting;
import dev.purgatory.base.ShrinkingMap;
import dev.purgatory.base.StripedCounter;
import dev.purgatory.session.Session;
import dev.purgatory.session.Sessions;
import dev.purgatory.threads.Dispatcher;
import dev.purgatory.threads.Lane;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.throttle.Rate;
import dev.purgatory.throttle.Throttles;
import dev.purgatory.timer.Timeout;
import dev.purgatory.timer.Timer;
import dev.purgatory.wheel.Retry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One program for each race that the essay of a class in the core names, and that is not one of the
 * races of jcstress. The name of a program begins with that of the class.
 */
final class EssayPrograms {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private EssayPrograms() {}

  /** What one of the threads has made, for the check afterwards. */
  private static final class Made<T> {
    private volatile @Nullable T value;

    void set(T made) {
      value = made;
    }

    T get() {
      return requireNonNull(value);
    }
  }

  /** An operation that notices if its callbacks overlap. */
  private static final class Apart extends DelayedOperation {
    private final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger answers = new AtomicInteger();
    volatile boolean event;

    Apart() {
      super(Duration.ofSeconds(1));
    }

    @Override
    protected boolean isReady() {
      require(inside.incrementAndGet(), 1);
      boolean ready = event;
      inside.decrementAndGet();
      return ready;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      answers.incrementAndGet();
      require(inside.incrementAndGet(), 1);
      inside.decrementAndGet();
    }
  }

  /** Two signals and an end meet: no callback overlaps with another, and there is one answer. */
  static void registrationHasOneEvaluator() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Apart operation = new Apart();
    held.purgatory.hold(operation, "a");
    together(
        () -> held.purgatory.signal("a"), operation::complete, () -> held.purgatory.signal("a"));
    require(operation.answers + " " + held.left(), "1 pending 0 timed 0");
  }

  /** Three signals meet, the last ones after the event: one of the evaluators sees it. */
  static void registrationLosesNoSignal() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Apart operation = new Apart();
    held.purgatory.hold(operation, "a");
    Schedules.Call signal =
        () -> {
          operation.event = true;
          return held.purgatory.signal("a");
        };
    together(() -> held.purgatory.signal("a"), signal, signal);
    require(operation.answers + " " + held.left(), "1 pending 0 timed 0");
  }

  /** Signals come while an evaluator evaluates: after some, a helper goes on in its place. */
  static void registrationHandsOverToAHelper() throws Exception {
    Timer timer = inFraysTime().start("race");
    Purgatory<String> purgatory = Purgatory.builder("race", String.class).timer(timer).build();
    AtomicInteger looks = new AtomicInteger();
    HeldFuture<String> future =
        purgatory.until(() -> looks.incrementAndGet() >= 14 ? "last" : null).forever().hold("a");
    Schedules.Call signals =
        () -> {
          for (int i = 0; i < 14; i++) {
            purgatory.signal("a");
          }
          return "";
        };
    together(signals, signals, signals);
    timer.close();
    purgatory.close();
    require(future.outcome() + " " + purgatory.pending(), "COMPLETED 0", "CLOSED 0");
  }

  /** A value that a condition finds after the end is given back; the answer is not replaced. */
  static void heldFutureGivesBackWhatItDoesNotDeliver() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger values = new AtomicInteger(1);
    HeldFuture<String> future =
        held.purgatory
            .until(() -> held.now() == 0 ? null : values.getAndDecrement() > 0 ? "value" : "none")
            .orReturn(value -> values.incrementAndGet())
            .orTimeout(VirtualPurgatory.TIMEOUT)
            .hold("a");
    held.reachTimeout();
    String ends =
        together(
            () -> held.purgatory.signal("a"),
            () -> future.complete("outside"),
            doing(held.timer::advance));
    require(
        ends + " " + held.endAndLeft(future) + " values " + values,
        "1 false completed value pending 0 timed 0 values 0",
        "0 false completed value pending 0 timed 0 values 0", // found when its time was over
        "0 true completed outside pending 0 timed 0 values 1",
        "0 false timed_out TimeoutException pending 0 timed 0 values 1");
  }

  /** An advance, a request that begins to wait and one that leaves meet. */
  static void levelAdvancesAmongRequests() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Thresholds<String> thresholds = new Thresholds<>(held.purgatory);
    HeldFuture<Long> first = thresholds.reach("a", 3).forever().hold();
    Made<HeldFuture<Long>> second = new Made<>();
    together(
        () -> thresholds.advance("a", 5),
        doing(() -> second.set(thresholds.reach("a", 4).forever().hold())),
        () -> first.cancel(false));
    require(second.get().outcome() + " " + first.isDone(), "COMPLETED true");
    require(held.purgatory.pending(), 0);
  }

  /** A number is removed while it is reached: a request that stays waits for the next one. */
  static void levelIsRemovedWhileItIsReached() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Thresholds<String> thresholds = new Thresholds<>(held.purgatory);
    Made<HeldFuture<Long>> future = new Made<>();
    together(
        () -> thresholds.advance("a", 5),
        doing(() -> future.set(thresholds.reach("a", 5).forever().hold())),
        doing(() -> thresholds.remove("a")));
    thresholds.advance("a", 5);
    require(future.get().outcome() + " " + held.purgatory.pending(), "COMPLETED 0");
  }

  /** Two requests want the only place of two limits, in both orders, while the first one ends. */
  static void limitsGiveTheirPlacesOnce() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Limit refusing = Limit.builder("refusing").requests(2).build();
    Limit evicting = Limit.builder("evicting").requests(1).evictOldest().build();
    Scope one = Scope.of("one", refusing, evicting);
    Scope other = Scope.of("other", evicting, refusing);
    HeldFuture<String> first = held.hold(one);
    List<HeldFuture<String>> next = new ArrayList<>(List.of(first, first));
    together(
        () -> next.set(0, held.hold(one)),
        () -> next.set(1, held.hold(other)),
        () -> first.cancel(false));
    long holding = next.stream().filter(each -> !each.isDone()).count();
    require(holding, 1, 0); // both may be refused, while the first one and its evictor hold places
    require(refusing.requests() + " " + evicting.requests(), holding + " " + holding);
    require(held.left(), "pending " + holding + " timed " + holding);
  }

  /** A scope ends gracefully while one of its requests ends and another one is added. */
  static void scopeEndsGracefully() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Scope scope = Scope.of("race");
    HeldFuture<String> first = held.hold(scope);
    Made<HeldFuture<String>> second = new Made<>();
    Made<CompletableFuture<Integer>> drained = new Made<>();
    together(
        doing(() -> drained.set(scope.close(VirtualPurgatory.TIMEOUT, new IOException()))),
        () -> first.complete("first"),
        doing(() -> second.set(held.hold(scope))));
    held.passTimeout();
    require(
        second.get().isDone() + " " + scope.pending() + " " + held.left(),
        "true 0 pending 0 timed 0");
    require(drained.get().getNow(-1), 0, 1); // the second one had come, and its time was over
  }

  /** A scope that gives its requests time is closed at once, while one is added. */
  static void scopeIsClosedDuringItsGrace() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Scope scope = Scope.of("race");
    HeldFuture<String> first = held.hold(scope);
    Made<HeldFuture<String>> second = new Made<>();
    Made<CompletableFuture<Integer>> drained = new Made<>();
    together(
        doing(() -> drained.set(scope.close(SECOND, new IOException()))),
        doing(scope::close),
        doing(() -> second.set(held.hold(scope))));
    require(first.isDone() + " " + second.get().isDone(), "true true");
    held.timer.advance();
    require(drained.get().getNow(-1) + " " + held.left(), "0 pending 0 timed 0");
  }

  /** A reply comes while its request is held: they meet, and nothing is kept. */
  static void earlyReplyMeetsItsRequest() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory(builder -> builder.keepEarly(SECOND, 1));
    Replies<String, String> replies = held.replies();
    Made<HeldFuture<String>> future = new Made<>();
    String kept =
        together(
            () -> replies.complete("a", "reply"),
            doing(() -> future.set(replies.expect("a", VirtualPurgatory.TIMEOUT))));
    require(kept + " " + held.endAndLeft(future.get()), "true completed reply pending 0 timed 0");
  }

  /** A kept reply is taken while its time ends, and a further one comes. */
  static void earlyReplyIsTakenOnce() throws Exception {
    VirtualPurgatory held =
        new VirtualPurgatory(builder -> builder.keepEarly(VirtualPurgatory.TIMEOUT, 1));
    Replies<String, String> replies = held.replies();
    require(replies.complete("a", "first"), true);
    held.reachTimeout();
    Made<HeldFuture<String>> future = new Made<>();
    String results =
        together(
            held.timer::advance,
            doing(() -> future.set(replies.expect("a", SECOND))),
            () -> replies.complete("a", "second"));
    String end = VirtualPurgatory.end(future.get());
    boolean kept = results.endsWith("true");
    require(end, "completed first", kept ? "completed second" : "held incomplete");
    boolean isLeft = end.equals("completed first") && kept;
    require(held.timer.size(), end.startsWith("held") || isLeft ? 1 : 0);
    require(isLeft ? replies.expect("a", SECOND).getNow("none") : "second", "second");
  }

  /** A late reply comes while its wait is forgotten, or its id is awaited again. */
  static void endedWaitTellsOnce() throws Exception {
    AtomicInteger told = new AtomicInteger();
    VirtualPurgatory held =
        new VirtualPurgatory(
            builder ->
                builder.rememberEnded(VirtualPurgatory.TIMEOUT, 1, late -> told.incrementAndGet()));
    Replies<String, String> replies = held.replies();
    HeldFuture<String> first = replies.expect("a", VirtualPurgatory.TIMEOUT);
    held.passTimeout();
    require(first.outcome(), Outcome.TIMED_OUT);
    held.pass(VirtualPurgatory.TIMEOUT.multipliedBy(2));
    Made<HeldFuture<String>> second = new Made<>();
    String results =
        together(
            () -> replies.complete("a", "reply"),
            doing(() -> second.set(replies.expect("a", SECOND))),
            held.timer::advance);
    boolean isDone = second.get().isDone();
    require(results.startsWith("true"), isDone);
    require(told, "0", isDone ? "0" : "1");
    require(held.left(), isDone ? "pending 0 timed 0" : "pending 1 timed 1");
  }

  /** Two threads schedule while a driver takes what is due: it fires in the order of numbers. */
  static void wheelTimerFiresInOrder() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Queue<Integer> fired = new ConcurrentLinkedQueue<>();
    AtomicInteger clock = new AtomicInteger();
    long due = VirtualPurgatory.TIMEOUT.toNanos();
    held.timer.scheduleAt(() -> {}, due);
    held.reachTimeout();
    Schedules.Call schedule =
        () -> {
          synchronized (clock) { // orders the two
            int number = clock.incrementAndGet();
            held.timer.scheduleAt(() -> fired.add(number), due);
          }
          return "";
        };
    together(schedule, held.timer::advance, schedule);
    held.timer.advance();
    require(fired, "[1, 2]");
  }

  /** Entries end, which pays for a sweep, while others are added and the clock advances. */
  static void wheelTimerSweepsAmongEntries() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    List<Timeout> ending = new ArrayList<>();
    setUp(
        () -> {
          for (int i = 0; i < 130; i++) {
            ending.add(held.timer.schedule(() -> {}, Duration.ofSeconds(1 + i % 3)));
          }
          ending.subList(0, 126).forEach(Timeout::cancel);
        });
    AtomicInteger fired = new AtomicInteger();
    together(
        () -> ending.get(126).cancel() && ending.get(127).cancel(),
        doing(() -> held.timer.scheduleAt(fired::incrementAndGet, 2)),
        () -> {
          held.pass(Duration.ofMillis(1100));
          return held.timer.advance();
        });
    held.pass(Duration.ofSeconds(4));
    held.timer.advance();
    require(
        fired + " " + held.timer.size() + " " + TimerInternals.of(held.timer).wheels().retained(),
        "1 0 0");
  }

  /** The wheels are exchanged while an entry is added and the clock advances. */
  static void stripeExchangesItsWheels() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger fired = new AtomicInteger();
    held.timer.scheduleAt(fired::incrementAndGet, Duration.ofMillis(70).toNanos());
    together(
        doing(() -> held.timer.reconfigure(Duration.ofMillis(5), 8)),
        () -> held.timer.scheduleAt(fired::incrementAndGet, Duration.ofMillis(60).toNanos()),
        () -> {
          held.pass(Duration.ofMillis(65));
          return held.timer.advance();
        });
    held.pass(Duration.ofMillis(75));
    held.timer.advance();
    require(fired + " " + held.timer.size(), "2 0");
  }

  /** Closing looks for a stage in the wheels while the clock moves it, and another one ends. */
  static void stripeHidesNothingFromAWalk() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Duration later = Duration.ofMillis(120);
    CompletableFuture<String> stage = new CompletableFuture<>();
    HeldFuture<String> first = held.purgatory.timeout(stage, later);
    HeldFuture<String> second = held.purgatory.timeout(new CompletableFuture<>(), later);
    together(
        () -> {
          held.pass(Duration.ofMillis(100));
          return held.timer.advance();
        },
        doing(() -> held.purgatory.close()),
        () -> stage.complete("stage"));
    require(
        first.isDone() + " " + second.outcome() + " " + held.left(),
        "true CLOSED pending 0 timed 0");
  }

  /** The clock's thread ends while an entry is added: a thread is there for it. */
  static void clockThreadEndsWhileAnEntryIsAdded() throws Exception {
    Timer timer = inFraysTime().start("race");
    Random random = random();
    for (int i = 0; i < 3; i++) {
      CountDownLatch fired = new CountDownLatch(1);
      timer.schedule(fired::countDown, Duration.ofMillis(1));
      require(fired.await(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
      TimeUnit.MILLISECONDS.sleep(1_000 + random.nextInt(3)); // the thread ends about now
    }
    timer.close();
  }

  /** The clock begins to doze while the last entry ends, which ends its thread. */
  static void sleepNoticesTheLastEnd() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    Timer timer =
        inFraysTime()
            .start(
                clock ->
                    new Thread(
                        () -> {
                          clock.run();
                          ended.countDown();
                        }));
    Timeout last = timer.schedule(() -> {}, Duration.ofHours(1));
    TimeUnit.MILLISECONDS.sleep(1_000 + random().nextInt(3)); // the thread dozes about now
    last.cancel();
    require(ended.await(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    timer.close();
  }

  /** A lane gets tasks while its helper ends for want of them: all run, in their order. */
  static void helpersTakeEachTask() throws Exception {
    Timer timer = inFraysTime().start("race");
    Lane lane = TimerInternals.of(timer).helpers().lane("race", 1);
    Queue<String> ran = new ConcurrentLinkedQueue<>();
    CountDownLatch all = new CountDownLatch(4);
    Schedules.Call twice =
        () -> {
          for (int i = 1; i <= 2; i++) {
            String task = Thread.currentThread().getId() + "-" + i;
            lane.execute(
                () -> {
                  ran.add(task);
                  all.countDown();
                });
          }
          return "";
        };
    together(twice, twice);
    require(all.await(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    List<String> order = new ArrayList<>(ran);
    for (String task : order) {
      String before = task.replace("-2", "-1");
      require(order.indexOf(before) <= order.indexOf(task), true);
    }
    timer.close();
  }

  /** A task blocks its lane, and another thread goes on with the next ones. */
  static void laneGoesOnBehindATaskThatBlocks() throws Exception {
    Timer timer = inFraysTime().start("race");
    Lane lane = TimerInternals.of(timer).helpers().lane("race", 2);
    CountDownLatch next = new CountDownLatch(2);
    together(
        doing(() -> lane.execute(() -> awaitQuietly(next))),
        () -> {
          lane.execute(next::countDown);
          lane.execute(next::countDown);
          return "";
        });
    require(next.await(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    timer.close();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** An executor begins late, twice, while an alarm hands the task over again: it runs once. */
  static void dispatcherRunsATaskOnce() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Queue<Runnable> queued = new ConcurrentLinkedQueue<>();
    AtomicInteger runs = new AtomicInteger();
    Dispatcher dispatcher =
        new Dispatcher(TimerInternals.of(held.timer), queued::add, "race", failure -> {});
    dispatcher.execute(runs::incrementAndGet);
    held.pass(SECOND.multipliedBy(2));
    held.timer.advance();
    held.pass(SECOND.multipliedBy(4));
    together(doing(queued.remove()::run), doing(queued.remove()::run), held.timer::advance);
    queued.forEach(Runnable::run);
    require(runs, 1);
  }

  /** A wait is moved to an earlier time, and to a later one, while it becomes due. */
  static void movableDeadlineMovesWhileItIsDue() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Made<Timeout> wait = new Made<>();
    List<Long> early = new ArrayList<>();
    Runnable fire = () -> early.add(wait.get().deadline() - held.now());
    wait.set(held.timer.schedule(fire, Duration.ofMillis(50)));
    require(wait.get().reschedule(Duration.ofMillis(50)), true);
    together(
        () -> wait.get().reschedule(Duration.ofMillis(20)),
        () -> wait.get().reschedule(Duration.ofMillis(90)),
        doing(() -> held.pass(Duration.ofMillis(60))),
        held.timer::advance);
    held.pass(Duration.ofMillis(100));
    held.timer.advance();
    require(early.size() + " " + wait.get().isPending() + " " + held.timer.size(), "1 false 0");
    require(early.get(0) > 0, false);
  }

  /** A wait is cancelled while it is moved, and while its entry is put back: no entry is left. */
  static void movableDeadlineIsCancelledWhileItMoves() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Timeout wait = held.timer.schedule(() -> {}, SECOND);
    require(wait.reschedule(SECOND.multipliedBy(3)), true);
    held.pass(SECOND);
    together(() -> wait.reschedule(SECOND), wait::cancel, held.timer::advance);
    require(wait.isPending() + " " + held.timer.size(), "false 0");
  }

  /** Two touches meet the expiry: the session expires only if both came too late. */
  static void sessionEntryIsTouchedOrEnds() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger told = new AtomicInteger();
    Sessions<String, String> sessions =
        new Sessions<>(
            held.timer, VirtualPurgatory.TIMEOUT, end -> told.incrementAndGet(), Runnable::run);
    Session<String, String> session = sessions.open("key", "owner");
    held.reachTimeout();
    String results = together(session::touch, held.timer::advance, session::touch);
    boolean open = session.isOpen();
    require(open, results.startsWith("true") || results.endsWith("true"));
    require(told + " " + sessions.size() + " " + held.timer.size(), open ? "0 1 1" : "1 0 0");
  }

  /** All sessions are closed while one is taken over and another one is opened. */
  static void sessionsCloseWhileOthersOpen() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger told = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger(1);
    Sessions<String, String> sessions =
        new Sessions<>(held.timer, SECOND, end -> told.incrementAndGet(), Runnable::run);
    sessions.open("key", "first");
    Schedules.Call open =
        () -> {
          try {
            sessions.open("key", "next");
            return opened.incrementAndGet();
          } catch (IllegalStateException e) {
            return "closed";
          }
        };
    together(doing(() -> sessions.close()), open, open);
    require(sessions.size() + " " + held.timer.size(), "0 0");
    require(told, opened.toString());
  }

  /** A key is marked while others run the queue: an evaluation begins after each mark. */
  static void signalQueueLosesNoMark() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Apart operation = new Apart();
    held.purgatory.hold(operation, "a");
    SignalQueue<String> queue = new SignalQueue<>(held.purgatory);
    together(
        () -> {
          operation.event = true;
          return queue.mark("a");
        },
        queue::run,
        queue::run);
    queue.run();
    require(operation.answers + " " + queue.marked(), "1 0");
  }

  /** Marks meet the end of a drain, on two threads of an executor. */
  static void signalQueueDrainsEachMark() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Queue<Runnable> drains = new ConcurrentLinkedQueue<>();
    SignalQueue<String> queue = new SignalQueue<>(held.purgatory, drains::add);
    Apart operation = new Apart();
    held.purgatory.hold(operation, "a");
    queue.mark("a");
    Schedules.Call drain =
        () -> {
          for (Runnable next; (next = drains.poll()) != null; ) {
            next.run();
          }
          return "";
        };
    together(
        drain,
        () -> {
          operation.event = true;
          queue.mark("a");
          return drain.make();
        });
    drain.make();
    require(operation.answers + " " + queue.marked(), "1 0");
  }

  /** A key that cannot be removed, so that the next purge exchanges the maps. */
  private static final class Unremovable {
    volatile boolean bad;

    @Override
    public int hashCode() {
      if (bad) {
        throw new IllegalStateException("expected");
      }
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }
  }

  /** The maps are exchanged while requests are held and signalled: each is found. */
  static void watchListsFindWhatMoves() throws Exception {
    Timer timer = Timer.builder().ticker(() -> 0).build();
    Purgatory<Object> purgatory = Purgatory.builder("race", Object.class).timer(timer).build();
    Unremovable key = new Unremovable();
    purgatory.<String>untilCompleted().forever().hold(key).cancel(false);
    Apart first = new Apart();
    Apart second = new Apart();
    purgatory.hold(first, "a");
    key.bad = true;
    first.event = true;
    second.event = true;
    together(
        doing(() -> purgatory.inspect().purge()),
        () -> purgatory.hold(second, "b", "a"),
        () -> purgatory.signal("a"));
    require(first.answers + " " + second.answers + " " + purgatory.pending(), "1 1 0");
  }

  /** The maps are exchanged while a reply is awaited, and comes. */
  static void exclusiveKeysFindWhatMoves() throws Exception {
    Timer timer = Timer.builder().ticker(() -> 0).build();
    Replies<Object, String> replies =
        Replies.<Object, String>builder("race", Object.class, String.class).timer(timer).build();
    Unremovable key = new Unremovable();
    HeldFuture<String> bad = replies.expect(key, SECOND);
    HeldFuture<String> first = replies.expect("a", SECOND);
    key.bad = true;
    Made<HeldFuture<String>> second = new Made<>();
    String results =
        together(
            doing(() -> bad.cancel(false)), // which has the maps exchanged
            () -> {
              second.set(replies.expect("b", SECOND));
              return replies.complete("b", "reply");
            },
            () -> replies.complete("a", "reply"));
    require(results, "true true");
    require(first.getNow("") + second.get().getNow("") + replies.pending(), "replyreply0");
    require(replies.find("a") + " " + replies.find("b"), "null null");
  }

  /** Makes the map want to exchange its tables. */
  private static <V> void makeStuck(ShrinkingMap<Object, V> map, V retired) {
    Unremovable key = new Unremovable();
    map.putIfAbsent(key, retired);
    key.bad = true;
    try {
      map.remove(key, retired);
    } catch (IllegalStateException e) {
      return;
    }
    throw new AssertionError("it was removed");
  }

  /** The table shrinks while an entry is read, changed and added. */
  static void shrinkingMapMovesItsEntries() throws Exception {
    Queue<Runnable> moves = new ConcurrentLinkedQueue<>();
    ShrinkingMap<Object, String> map = new ShrinkingMap<>(moves::add, "retired"::equals);
    map.putIfAbsent("a", "before");
    makeStuck(map, "retired");
    String results =
        together(
            doing(() -> moves.remove().run()),
            () -> map.get("a"),
            () -> map.putIfAbsent("a", "after"),
            () -> map.putIfAbsent("b", "added"));
    require(results, "before before added");
    require(map.get("a") + ", " + map.get("b") + ", " + map.size(), "before, added, 2");
  }

  /** The table shrinks while an entry is removed and another one is added. */
  static void shrinkingMapFindsWhatIsAdded() throws Exception {
    Queue<Runnable> moves = new ConcurrentLinkedQueue<>();
    ShrinkingMap<Object, AtomicBoolean> map = new ShrinkingMap<>(moves::add, AtomicBoolean::get);
    AtomicBoolean removed = new AtomicBoolean();
    AtomicBoolean added = new AtomicBoolean();
    map.putIfAbsent("removed", removed);
    makeStuck(map, new AtomicBoolean(true));
    String results =
        together(
            doing(() -> moves.remove().run()),
            () -> {
              removed.set(true);
              map.remove("removed", removed);
              return map.get("removed") == null;
            },
            () -> map.putIfAbsent("added", added) == added && map.get("added") == added);
    require(results, "true true");
    require(map.get("added") == added, true);
    require(map.size(), 1);
  }

  /** A throttle finds requests due on two threads while the first one is cancelled. */
  static void throttleReleasesInOrder() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Throttles<String> throttles = new Throttles<>(held.purgatory, held.timer, Rate.per(2, SECOND));
    require(throttles.tryAcquire("a", 2), true);
    List<HeldFuture<Long>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(throttles.acquire("a", 1));
    }
    held.pass(SECOND);
    together(
        doing(held.timer::advance), doing(held.timer::advance), () -> waiting.get(0).cancel(false));
    held.timer.advance();
    boolean cancelled = waiting.get(0).isCancelled();
    boolean third = waiting.get(2).isDone();
    require(waiting.get(1).isDone() + " " + third, cancelled ? "true true" : "true false");
    require(throttles.available("a") + " " + throttles.waiting("a"), cancelled ? "0 0" : "0 1");
  }

  /** A throttle is removed, as its quota is full, while two threads want the only amount. */
  static void throttlesReplaceWhatIsRemoved() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Throttles<String> throttles = new Throttles<>(held.purgatory, held.timer, Rate.per(1, SECOND));
    throttles.charge("a", 1);
    held.pass(SECOND.multipliedBy(2));
    String taken =
        together(
            doing(held.timer::advance),
            () -> throttles.tryAcquire("a", 1),
            () -> throttles.tryAcquire("a", 1));
    require(taken, "true false", "false true");
    require(throttles.available("a"), 0);
  }

  /** A request ends while it is evaluated periodically, on two threads: no timeout is left. */
  static void recheckEndsWithItsRequest() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    HeldFuture<String> future =
        held.purgatory
            .<String>until(() -> null)
            .recheckEvery(VirtualPurgatory.TIMEOUT)
            .forever()
            .hold("a");
    held.reachTimeout();
    together(held.timer::advance, () -> future.complete("value"), held.timer::advance);
    require(held.left(), "pending 0 timed 0");
  }

  /** Two chains of futures, each completed by the one before, are nested too deep. */
  static void futuresCompleteWhatIsNestedTooDeep() throws Exception {
    Timer timer = inFraysTime().start("race");
    Purgatory<String> purgatory = Purgatory.builder("race", String.class).timer(timer).build();
    CountDownLatch ends = new CountDownLatch(2);
    List<HeldFuture<String>> first = new ArrayList<>();
    setUp(
        () -> {
          for (int chain = 0; chain < 2; chain++) {
            HeldFuture<String> next = null;
            for (int i = 0; i < Nesting.MOST + 2; i++) {
              HeldFuture<String> dependent = next;
              next = purgatory.<String>untilCompleted().forever().hold("a");
              var unused =
                  next.thenRun(
                      dependent == null ? ends::countDown : () -> dependent.complete("value"));
            }
            first.add(next);
          }
        });
    together(() -> first.get(0).complete("value"), () -> first.get(1).complete("value"));
    require(ends.await(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    timer.close();
    require(purgatory.pending(), 0);
  }

  /** A step needs a look while one runs: another one follows. */
  static void retryLooksAfterEachRequest() throws Exception {
    Timer timer = inFraysTime().start("race");
    AtomicInteger work = new AtomicInteger();
    CountDownLatch finished = new CountDownLatch(1);
    Retry retry =
        new Retry(TimerInternals.of(timer).wheels()) {
          @Override
          protected void look() {
            if (work.get() == 2) {
              finished.countDown();
            }
          }
        };
    Schedules.Call step =
        doing(
            () -> {
              work.incrementAndGet();
              retry.later();
            });
    Schedules.Call stepAtTheFirstLook =
        () -> {
          MILLISECONDS.sleep(10);
          return step.make();
        };
    together(step, stepAtTheFirstLook);
    require(finished.await(PATIENCE_MINUTES, TimeUnit.MINUTES), true);
    timer.close();
  }

  /** Sessions end on two threads, which also call the listener: it gets each end, one by one. */
  static void endQueueTellsEachEnd() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Queue<Runnable> drains = new ConcurrentLinkedQueue<>();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger told = new AtomicInteger();
    Sessions<String, String> sessions =
        new Sessions<>(
            held.timer,
            SECOND,
            end -> {
              told.addAndGet(inside.incrementAndGet());
              inside.decrementAndGet();
            },
            drains::add);
    Session<String, String> one = sessions.open("one", "owner");
    Session<String, String> other = sessions.open("other", "owner");
    Schedules.Program drain =
        () -> {
          for (Runnable next; (next = drains.poll()) != null; ) {
            next.run();
          }
        };
    together(
        doing(
            () -> {
              one.close();
              drain.run();
            }),
        doing(
            () -> {
              other.close();
              drain.run();
            }));
    drain.run();
    require(told + " " + sessions.size(), "2 0");
  }

  /** An operation ends while a purge begins, which may be too early for it: the next one is due. */
  static void purgerForgetsEachKey() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    List<HeldFuture<String>> ending = new ArrayList<>();
    for (String key : List.of("a", "b", "c")) {
      ending.add(held.purgatory.<String>untilCompleted().forever().hold(key));
    }
    ending.get(0).cancel(false);
    held.pass(SECOND);
    together(
        held.timer::advance, () -> ending.get(1).cancel(false), () -> ending.get(2).cancel(false));
    for (int i = 0; i < 10 && held.purgatory.inspect().keys() > 0; i++) {
      held.pass(SECOND);
      held.timer.advance();
      SECONDS.sleep(1); // of Fray: a helper thread purges
    }
    require(held.purgatory.inspect().keys(), 0);
  }

  /** A list is swept and grows while it is signalled: the walk finds all that are ready. */
  static void waiterChainHidesNothingFromAWalk() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    List<Apart> operations = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      operations.add(new Apart());
      held.purgatory.hold(operations.get(i), "a");
    }
    operations.subList(0, 4).forEach(DelayedOperation::complete);
    Apart late = new Apart();
    operations.add(late);
    operations.forEach(each -> each.event = true);
    together(
        doing(() -> held.purgatory.inspect().purge()),
        () -> held.purgatory.signal("a"),
        () -> held.purgatory.hold(late, "a"));
    operations.forEach(each -> require(each.answers, 1));
    require(held.left(), "pending 0 timed 0");
  }

  /** A task is moved for the first time while it is due, and cancelled. */
  static void scheduledTaskIsMovedWhileItIsDue() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    AtomicInteger runs = new AtomicInteger();
    Timeout task = held.timer.schedule(runs::incrementAndGet, VirtualPurgatory.TIMEOUT);
    held.reachTimeout();
    String results =
        together(() -> task.reschedule(SECOND), doing(held.timer::advance), task::cancel);
    int early = runs.get();
    held.pass(SECOND.multipliedBy(2));
    held.timer.advance();
    boolean cancelled = results.endsWith("true");
    require(runs + " " + held.timer.size(), cancelled ? "0 0" : "1 0");
    require(early, results.startsWith("true") || cancelled ? 0 : 1);
  }

  /** An executor begins an answer, and then fails: only one of both threads gives it. */
  static void answersBeginOnce() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Queue<Runnable> begun = new ConcurrentLinkedQueue<>();
    Purgatory<String> purgatory =
        Purgatory.builder("race", String.class)
            .timer(held.timer)
            .completionExecutor(
                task -> {
                  begun.add(task);
                  throw new RejectedExecutionException();
                })
            .build();
    Apart operation = new Apart();
    purgatory.hold(operation, "a");
    Schedules.Program run =
        () -> {
          for (Runnable next; (next = begun.poll()) != null; ) {
            next.run();
          }
        };
    together(operation::complete, doing(run));
    run.run();
    purgatory.close(); // waits for a helper thread
    require(operation.answers, 1);
  }

  /** A number is reached while its last request leaves, and the next one comes. */
  static void thresholdsReplaceALevelThatRetires() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory();
    Thresholds<String> thresholds = new Thresholds<>(held.purgatory);
    HeldFuture<Long> first = thresholds.reach("a", 3).forever().hold();
    Made<HeldFuture<Long>> second = new Made<>();
    together(
        () -> first.cancel(false),
        doing(() -> second.set(thresholds.reach("a", 4).forever().hold())));
    thresholds.advance("a", 5);
    require(second.get().outcome() + " " + held.purgatory.pending(), "COMPLETED 0");
  }

  /** Replies are awaited under a limit of one, which ends one of them, perhaps early. */
  static void exclusiveKeysForgetWhatEndsEarly() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory(builder -> builder);
    Scope scope = Scope.of("race", Limit.builder("race").requests(1).evictOldest().build());
    together(
        doing(
            () -> {
              var unused = held.replies().expect("a", SECOND, scope);
            }),
        doing(
            () -> {
              var unused = held.replies().expect("b", SECOND, scope);
            }));
    scope.close();
    require(held.purgatory.inspect().watched() + " " + held.left(), "0 pending 0 timed 0");
  }

  /** An early reply comes while its table is closed: it is forgotten. */
  static void rememberedReplyIsForgottenAtTheEnd() throws Exception {
    VirtualPurgatory held = new VirtualPurgatory(builder -> builder.keepEarly(SECOND, 2));
    together(
        () -> held.replies().complete("a", "reply"),
        doing(() -> held.replies().close()),
        () -> held.replies().complete("b", "reply"));
    require(held.left(), "pending 0 timed 0");
  }

  /** Threads that meet while they add are given cells of their own: nothing is lost. */
  static void stripedCounterCountsAll() throws Exception {
    StripedCounter counter = new StripedCounter();
    Schedules.Call add =
        doing(
            () -> {
              counter.add(1);
              counter.add(1);
            });
    together(add, add, add);
    require(counter.sum(), 6);
  }
}
