package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.NOT_LATE;
import static dev.purgatory.checker.Invariant.OWN_STEPS;
import static dev.purgatory.checker.Invariant.PROGRESS;

import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.PurgatorySettings;
import dev.purgatory.Replies;
import dev.purgatory.threads.TimerInternals;
import dev.purgatory.timer.Ticker;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Holds many operations at a time, in virtual time. After each step it checks how much the timer
 * and the purgatories retain, and counts their threads.
 */
final class BulkRun implements Run {
  private static final AtomicLong RUNS = new AtomicLong();

  private static final long QUIET_STEP_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_NANOS = Duration.ofHours(25).toNanos();

  /** So few that ends do not sweep them. */
  private static final int KEPT_OF_OTHERS = 900;

  private static final int MOST_VISITED = 100;

  private final BulkSettings settings;
  private final Violations violations = new Violations();
  private final AtomicLong clock = new AtomicLong();
  private final Ticker ticker = clock::get;
  private final Errors errors = new Errors();
  private final Executor direct = Runnable::run;
  private final Timer timer;
  private final BareTimer bareTimer;
  private final List<Crowd> operations = new ArrayList<>();
  private final Crowd replies;
  private final List<Crowd> crowds;
  private final Bounds bounds;
  private long advancedTo;

  BulkRun(BulkSettings settings) {
    this.settings = settings;
    timer =
        TimerView.stripes(Timer.builder(), settings.stripes())
            .ticker(ticker)
            .tick(Duration.ofNanos(settings.tickNanos()))
            .wheelSize(settings.wheelSize())
            .errorHandler(errors)
            .build();
    bareTimer = new BareTimer(timer, settings.tickNanos(), clock, violations);
    String prefix = "bulk" + RUNS.incrementAndGet() + "-";
    for (int i = 0; i < settings.purgatories(); i++) {
      operations.add(new Crowd(purgatory(prefix + i, i % 2 == 0), clock, violations));
    }
    replies =
        new ReplyCrowd(
            set(
                    Replies.<Integer, BulkOperation>builder(
                        prefix + "replies", Integer.class, BulkOperation.class),
                    settings.ownThreads())
                .build(),
            clock,
            violations);
    crowds = new ArrayList<>(operations);
    crowds.add(replies);
    bounds = new Bounds(timer, crowds, bareTimer, prefix, List.of(ticker, errors, direct));
  }

  private Purgatory<Integer> purgatory(String name, boolean hasListener) {
    return set(Purgatory.<Integer>builder(name, Integer.class), hasListener).build();
  }

  private <S extends PurgatorySettings<S>> S set(S builder, boolean hasListener) {
    builder.timer(timer);
    if (hasListener) {
      builder.listener(errors);
    }
    if (!settings.ownThreads()) {
      builder.expirationExecutor(direct);
    }
    return builder;
  }

  @Override
  public void verify() {
    violations.verify();
    long time = advancedTo - settings.tickNanos();
    Patience.await(
        () -> bareTimer.isSettled(time) && crowds.stream().allMatch(c -> c.isSettled(time)),
        () -> new Finding(PROGRESS, "an operation that is due or has ended is not answered"));
    crowds.forEach(Crowd::verify);
    violations.verify();
    bounds.verify();
  }

  /** Ends everything, lets one second pass, and checks that almost nothing is retained. */
  @Override
  public void end() {
    crowds.forEach(Crowd::cancelAll);
    verify();
    bounds.requirePendingTasksOnly();
    pass(LONGEST_NANOS, 1);
    quiet();
    verify();
    bounds.requireAlmostNothing();
    close();
    bounds.requireNoThreads("after close()");
  }

  @Override
  public void close() {
    crowds.forEach(crowd -> crowd.purgatory.close());
    timer.close();
  }

  // The steps.

  void burst(BulkStep.Burst burst) {
    Crowd crowd =
        burst.kind() == BulkStep.Kind.REPLY
            ? replies
            : operations.get(burst.purgatory() % operations.size());
    share(burst.count(), burst.threads(), count -> crowd.burst(burst, count));
  }

  void timerBurst(BulkStep.TimerBurst burst) {
    share(
        burst.count(),
        burst.threads(),
        count -> bareTimer.burst(count, burst.delayNanos(), burst.cancelled()));
  }

  /** Divides the work among new threads and waits for them. */
  private void share(int count, int threads, IntConsumer work) {
    if (threads == 0) {
      work.accept(count);
      return;
    }
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> work.accept(count / threads), "burst");
      thread.setUncaughtExceptionHandler(
          (t, e) -> violations.require(false, FAILURES_STAY_APART, "a thread failed: " + e));
      running.add(thread);
      thread.start();
    }
    running.forEach(BulkRun::join);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  void fixedRate(BulkStep.FixedRate task) {
    bareTimer.fixedRate(task);
    advancedTo = clock.get();
  }

  void chain(BulkStep.Chain chain) {
    ChainRun run = new ChainRun(chain, operations, timer, violations);
    run.run();
    violations.verify(); // before a chain is awaited that has broken off
    Patience.await(
        () -> {
          if (chain.link() == BulkStep.Link.THROTTLE) { // releases one each time
            pass(chain.length() * settings.tickNanos(), chain.length());
          }
          return run.isSettled();
        },
        () -> new Finding(PROGRESS, "a chain has not ended"));
    run.end();
  }

  /** Holds one operation in each purgatory and cancels it. */
  void touchAll() {
    crowds.forEach(Crowd::touch);
  }

  /**
   * Closes a purgatory and a table of replies that hold nothing, while the timer has entries of
   * others that have ended. To visit an entry that has ended means to remove it.
   */
  void closeEmpty() {
    TimerInternals.of(timer).wheels().purge();
    bareTimer.burst(KEPT_OF_OTHERS, LONGEST_NANOS, /* cancelled= */ true);
    long before = TimerInternals.of(timer).wheels().retained();
    purgatory("empty", /* hasListener= */ true).close();
    Replies.builder("empty", Integer.class, Integer.class).timer(timer).build().close();
    long visited = before - TimerInternals.of(timer).wheels().retained();
    Finding.unless(
        visited <= MOST_VISITED,
        OWN_STEPS,
        "close() of an empty purgatory visits " + visited + " entries of others");
  }

  /** Ends the operations that earlier steps have left pending. */
  void endAll(BulkStep.Ending ending) {
    crowds.forEach(crowd -> crowd.endAll(ending));
  }

  /**
   * Moves the clock ahead.
   *
   * @param nanos by how much
   * @param advances the number of times that the timer is advanced
   */
  void pass(long nanos, int advances) {
    for (int i = 0; i < advances; i++) {
      clock.addAndGet(nanos / advances);
      timer.advance();
    }
    advancedTo = clock.get();
    long time = advancedTo - settings.tickNanos();
    Finding.unless(
        crowds.stream().allMatch(crowd -> crowd.isSettled(time)),
        NOT_LATE,
        "what is due is not answered when the clock has advanced");
  }

  /** Lets one second pass and checks that no unused key is left. */
  void quiet() {
    long before = pending();
    bounds.awaitPurges();
    for (long passed = 0; passed < mostNanosOfUnusedKeys(); passed += QUIET_STEP_NANOS) {
      pass(QUIET_STEP_NANOS, 1);
      bounds.awaitPurges();
    }
    if (pending() == before) { // otherwise, an operation has just ended
      bounds.requireLiveKeysOnly();
    }
  }

  private long mostNanosOfUnusedKeys() {
    long most = crowds.stream().mapToLong(Crowd::mostNanosOfUnusedKeys).max().orElseThrow();
    return most + 2 * settings.tickNanos();
  }

  private long pending() {
    return crowds.stream().mapToLong(Crowd::pending).sum();
  }

  /** Cancels everything and waits, in real time, until the threads of the library have ended. */
  void rest() {
    endAll(BulkStep.Ending.CANCEL);
    bounds.requireNoThreads("although nothing is pending");
  }

  /** Receives errors. No callback of a bulk program fails. */
  private final class Errors implements Consumer<Throwable>, PurgatoryListener {
    @Override
    public void accept(Throwable error) {
      violations.require(false, FAILURES_STAY_APART, "the timer reports " + error);
    }

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      violations.require(false, FAILURES_STAY_APART, operation + " reports " + error);
    }
  }
}
