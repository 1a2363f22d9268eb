package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.EXACT_COUNT;
import static dev.purgatory.checker.Invariant.FAILURES_STAY_APART;
import static dev.purgatory.checker.Invariant.PROGRESS;

import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.checker.BulkProgram.BulkSettings;
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
 * Runs a {@link BulkProgram} in virtual time. After each step it looks at what the timer and the
 * purgatories keep, and at their threads.
 */
final class BulkRun implements BulkStep.Actor {
  private static final AtomicLong RUNS = new AtomicLong();

  private static final long QUIET_STEP_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_NANOS = Duration.ofHours(25).toNanos();

  private final BulkProgram program;
  private final Tally tally;
  private final Violations violations = new Violations();
  private final AtomicLong clock = new AtomicLong();
  private final Ticker ticker = clock::get;
  private final Errors errors = new Errors();
  private final Executor direct = Runnable::run;
  private final Timer timer;
  private final BareTimer bareTimer;
  private final List<Crowd> crowds = new ArrayList<>();
  private final Bounds bounds;
  private long advancedTo;

  BulkRun(BulkProgram program, Tally tally) {
    this.program = program;
    this.tally = tally;
    BulkSettings settings = program.settings();
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
      String name = prefix + i;
      crowds.add(new Crowd(name, purgatory(name, settings.ownThreads()), clock));
    }
    bounds = new Bounds(timer, crowds, bareTimer, prefix, List.of(ticker, errors, direct));
  }

  private Purgatory<Integer> purgatory(String name, boolean ownThreads) {
    PurgatoryBuilder builder = Purgatory.builder(name).timer(timer).listener(errors);
    if (!ownThreads) {
      builder.expirationExecutor(direct);
    }
    return builder.build();
  }

  /**
   * Runs the program.
   *
   * @throws Finding if an invariant does not hold
   */
  void run() {
    try {
      for (BulkStep step : program.steps()) {
        tally.step();
        step.by(this);
        verify();
      }
      end();
    } finally {
      crowds.forEach(crowd -> crowd.purgatory.close());
      timer.close();
    }
    bounds.requireNoThreads("after close()");
  }

  private void verify() {
    violations.verify();
    long time = advancedTo - program.settings().tickNanos();
    Patience.await(
        () -> bareTimer.isSettled(time) && crowds.stream().allMatch(c -> c.isSettled(time)),
        () -> new Finding(PROGRESS, "something that is due or has ended is not answered"));
    for (Crowd crowd : crowds) {
      Finding.unless(
          crowd.purgatory.pending() == crowd.pending(),
          EXACT_COUNT,
          "pending() is " + crowd.purgatory.pending() + ", not " + crowd.pending());
    }
    violations.verify();
    bounds.verify();
  }

  /** Everything ends, one second passes, and next to nothing may be left. */
  private void end() {
    endAll(BulkStep.Ending.CANCEL);
    bounds.requirePendingTasksOnly();
    pass(LONGEST_NANOS, 1);
    quiet();
    verify();
    bounds.requireAlmostNothing();
  }

  // The steps.

  @Override
  public void burst(BulkStep.Burst burst) {
    Crowd crowd = crowds.get(burst.purgatory() % crowds.size());
    share(burst.count(), burst.threads(), count -> crowd.burst(burst, count));
  }

  @Override
  public void timerBurst(BulkStep.TimerBurst burst) {
    share(
        burst.count(),
        burst.threads(),
        count -> bareTimer.burst(count, burst.delayNanos(), burst.cancelled()));
  }

  /** Divides work between new threads, and waits for them. */
  private void share(int count, int threads, IntConsumer work) {
    if (threads == 0) {
      work.accept(count);
      return;
    }
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> work.accept(count / threads), "burst");
      thread.setUncaughtExceptionHandler(
          (t, e) -> violations.require(false, FAILURES_STAY_APART, "a thread met " + e));
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

  @Override
  public void fixedRate(BulkStep.FixedRate task) {
    bareTimer.fixedRate(task);
    advancedTo = clock.get();
  }

  @Override
  public void chain(BulkStep.Chain chain) {
    ChainRun run = new ChainRun(chain, crowds, violations);
    run.run();
    Patience.await(run::isSettled, () -> new Finding(PROGRESS, "a chain does not end"));
  }

  @Override
  public void touchAll() {
    crowds.forEach(Crowd::touch);
  }

  @Override
  public void endAll(BulkStep.Ending ending) {
    crowds.forEach(crowd -> crowd.endAll(ending));
  }

  @Override
  public void pass(long nanos, int advances) {
    for (int i = 0; i < advances; i++) {
      clock.addAndGet(nanos / advances);
      timer.advance();
    }
    advancedTo = clock.get();
  }

  @Override
  public void quiet() {
    long before = pending();
    bounds.awaitPurges();
    for (long passed = 0; passed < mostNanosOfUnusedKeys(); passed += QUIET_STEP_NANOS) {
      pass(QUIET_STEP_NANOS, 1);
      bounds.awaitPurges();
    }
    if (pending() == before) { // else something has ended just now
      bounds.requireLiveKeysOnly();
    }
  }

  private long mostNanosOfUnusedKeys() {
    long most = crowds.stream().mapToLong(Crowd::mostNanosOfUnusedKeys).max().orElseThrow();
    return most + 2 * program.settings().tickNanos();
  }

  private long pending() {
    return crowds.stream().mapToLong(Crowd::pending).sum();
  }

  @Override
  public void rest() {
    endAll(BulkStep.Ending.CANCEL);
    bounds.requireNoThreads("while nothing is pending");
  }

  /** No callback of a bulk program fails. */
  private final class Errors implements Consumer<Throwable>, PurgatoryListener {
    @Override
    public void accept(Throwable error) {
      violations.require(false, FAILURES_STAY_APART, "the timer met " + error);
    }

    @Override
    public void onError(Object operation, Source source, Throwable error) {
      violations.require(false, FAILURES_STAY_APART, operation + " met " + error);
    }
  }
}
