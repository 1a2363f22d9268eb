package dev.purgatory.checker;

import static dev.purgatory.checker.Invariant.CLOSE_IN_TIME;
import static dev.purgatory.checker.Invariant.KEPT;
import static dev.purgatory.checker.Invariant.NEVER_EARLY;
import static dev.purgatory.checker.Invariant.NO_LOCK_HELD;
import static dev.purgatory.checker.Invariant.ONCE;
import static dev.purgatory.checker.Invariant.PROGRESS;
import static dev.purgatory.checker.Invariant.RETURN_VALUES;
import static dev.purgatory.checker.Invariant.SHORT_TEXT;

import dev.purgatory.HeldFuture;
import dev.purgatory.Hold;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.SignalQueue;
import dev.purgatory.base.Threads;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import dev.purgatory.timer.TimerView;
import java.lang.ref.WeakReference;
import java.security.AccessControlContext;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Uses a timer with a thread of its own, in real time: what the library's threads bring along from
 * one callback to the next, what happens when they die, and what {@code close} waits for. No check
 * depends on how long anything takes on a busy machine.
 */
final class LiveRun implements Run {
  private static final int MOST_STEPS = 6;
  private static final int MOST_REQUESTS = 40;

  /** A timer has at most 64 helper threads. */
  private static final int ALL_HELPERS = 65;

  /** A helper that is alive after this time goes on. */
  private static final int GOES_ON_MILLIS = 200;

  private static final Duration SOON = Duration.ofMillis(2);
  private static final Duration LATER = Duration.ofHours(1);

  /** Longer than a machine is busy. */
  private static final Duration PATIENT = Duration.ofMinutes(1);

  private static final Duration CLOSE_TIME = Duration.ofMillis(20);

  /** So many times as long may {@code close} take on a busy machine. */
  private static final int TIMES_AS_LONG = 100;

  private static final int LONGEST_TEXT = 10_000;

  /** A key of a client: it would forge a line of a log. */
  private static final String HOSTILE_KEY = "key\n\r\u001b[2J".repeat(10_000);

  /** What a callback does to its thread. */
  private enum Manners {
    GOOD,
    INTERRUPTS,
    THROWS
  }

  /** The foreign code that blocks while the purgatory is closed. */
  private enum Blocker {
    TASK,
    ANSWER,
    ANSWER_OF_TIMEOUT,
    EXCEPTION_OF_TIMEOUT,
    CONDITION,
    GIVE_BACK,
    CONTEXT,
    LISTENER,
    EXECUTOR,
    CLOCK,
    TEXT_OF_KEY,
    /** On a thread that signals. */
    HASH_OF_KEY,
    /** On a thread that signals. */
    EQUALS_OF_KEY;

    boolean isOnACaller() {
      return this == HASH_OF_KEY || this == EQUALS_OF_KEY;
    }
  }

  /** Thrown by a callback. */
  private static final class Provoked extends Error {
    private static final long serialVersionUID = 1;
  }

  private final Tally tally;
  private final Violations violations = new Violations();
  private final Thread driver = Thread.currentThread();
  private final AtomicBoolean clockDies = new AtomicBoolean();

  /** How long the process was stopped. */
  private final AtomicLong stoppedNanos = new AtomicLong();

  private final Timer timer =
      TimerView.idleNanos(Timer.builder(), SOON.toNanos())
          .ticker(() -> System.nanoTime() + stoppedNanos.get())
          .errorHandler(error -> {})
          .start(this::clock);
  private final Purgatory<Object> purgatory =
      Purgatory.builder("live", Object.class).timer(timer).build();
  private volatile @Nullable Thread clock;
  private volatile boolean marking;

  LiveRun(Tally tally) {
    this.tally = tally;
  }

  /** Creates a thread of the clock, which may die instead of running. */
  private Thread clock(Runnable task) {
    boolean underLock = marking && Thread.currentThread() == driver;
    require(!underLock, NO_LOCK_HELD, "mark() calls the thread factory");
    return Threads.daemon(
        () -> {
          clock = Thread.currentThread();
          if (!clockDies.compareAndSet(true, false)) {
            task.run();
          }
        },
        LibraryThreads.CLOCK);
  }

  private void require(boolean condition, Invariant invariant, String details) {
    violations.require(condition, invariant, details);
  }

  /** Generates a program. */
  static Program<LiveRun> program(Draw draw) {
    int steps = 1 + draw.below(MOST_STEPS);
    return new Program<>(
        new Setup<>() {
          @Override
          public LiveRun start(Tally tally) {
            return new LiveRun(tally);
          }

          @Override
          public String toString() {
            return "LIVE";
          }
        },
        Draw.list(steps, i -> step(draw)));
  }

  private static Step<LiveRun> step(Draw draw) {
    int count = 1 + draw.below(MOST_REQUESTS);
    Manners manners = manners(draw);
    String arguments = "(" + count + ", " + manners + ")";
    if (draw.strikes(Fault.DEAD_THREAD)) {
      return draw.either()
          ? Step.of("killClock()", LiveRun::killClock)
          : Step.of("killHelpers()", LiveRun::killHelpers);
    }
    return switch (draw.below(12)) {
      case 0, 1 -> Step.of("requests" + arguments, run -> run.requests(count, manners));
      case 2 -> Step.of("tasks" + arguments, run -> run.tasks(count, manners));
      case 3 -> Step.of("sessions" + arguments, run -> run.sessions(count, manners));
      case 4 -> Step.of("mark()", LiveRun::mark);
      case 5 -> Step.of("hostileKey()", LiveRun::hostileKey);
      case 6 -> Step.of("unclearCondition()", LiveRun::unclearCondition);
      case 7 -> Step.of("stopProcess(" + count + ")", run -> run.stopProcess(count));
      case 8 -> Step.of("startByAPlugin()", LiveRun::startByAPlugin);
      default -> {
        Blocker blocker = draw.from(Blocker.values());
        boolean own = draw.either();
        yield Step.of(
            "close(" + count + ", " + blocker + ", " + (own ? "own" : "shared") + " timer)",
            run -> run.close(count, blocker, own));
      }
    };
  }

  private static Manners manners(Draw draw) {
    return draw.strikes(Fault.INTERRUPT)
        ? Manners.INTERRUPTS
        : draw.strikes(Fault.ERROR) ? Manners.THROWS : Manners.GOOD;
  }

  // The steps.

  /** Holds requests that time out together, and waits for their answers. */
  private void requests(int count, Manners manners) {
    AtomicInteger answers = new AtomicInteger();
    for (int i = 0; i < count; i++) {
      var unused =
          purgatory
              .untilCompleted()
              .orTimeout(SOON)
              .hold(i % 3)
              .whenComplete((value, error) -> call(answers, manners, "an answer"));
    }
    await(answers, count, "answers");
  }

  /** Schedules tasks that are due together, and waits for them. */
  private void tasks(int count, Manners manners) {
    AtomicInteger runs = new AtomicInteger();
    for (int i = 0; i < count; i++) {
      timer.schedule(() -> call(runs, manners, "a task"), SOON);
    }
    await(runs, count, "tasks");
  }

  /** Opens sessions that expire together, and waits until the listener has their ends. */
  private void sessions(int count, Manners manners) {
    AtomicInteger ends = new AtomicInteger();
    Sessions<Integer, String> sessions =
        new Sessions<>(timer, SOON, end -> call(ends, manners, "the end of a session"));
    for (int i = 0; i < count; i++) {
      sessions.open(i, "owner");
    }
    await(ends, count, "ends of sessions");
    sessions.close();
  }

  /** A callback. */
  private void call(AtomicInteger calls, Manners manners, String what) {
    tally.callback();
    Callback.begin(violations, what);
    calls.incrementAndGet();
    if (manners == Manners.INTERRUPTS) {
      Callback.leaveInterrupt();
    }
    if (manners == Manners.THROWS) {
      throw new Provoked();
    }
  }

  private static void await(AtomicInteger actual, int expected, String what) {
    Patience.await(
        () -> actual.get() >= expected,
        () -> new Finding(PROGRESS, actual + " " + what + ", not " + expected));
    Finding.unless(actual.get() == expected, ONCE, actual + " " + what + ", not " + expected);
  }

  /** Lets the next thread of the clock die. The next timeout that is set starts another. */
  private void killClock() {
    awaitClockEnded();
    clockDies.set(true);
    AtomicInteger runs = new AtomicInteger();
    timer.schedule(runs::incrementAndGet, SOON);
    Patience.await(
        () -> !clockDies.get(), () -> new Finding(PROGRESS, "the clock's thread is not started"));
    awaitClockEnded();
    timer.schedule(runs::incrementAndGet, SOON);
    await(runs, 2, "tasks after the clock's thread has died");
  }

  private void awaitClockEnded() {
    Patience.await(
        () -> {
          Thread last = clock;
          return last == null || !last.isAlive();
        },
        () -> new Finding(Invariant.THREADS, "the clock's thread does not end"));
  }

  /** Stops helper threads while they are idle: answers go on. */
  private void killHelpers() {
    for (int i = 0; i < ALL_HELPERS; i++) {
      CompletableFuture<Thread> answered = new CompletableFuture<>();
      var unused =
          purgatory
              .untilCompleted()
              .orTimeout(Duration.ofMillis(1))
              .hold("key")
              .whenComplete((value, error) -> answered.complete(Thread.currentThread()));
      Patience.await(
          answered::isDone, () -> new Finding(PROGRESS, "no answer after helpers have died"));
      Thread helper = answered.join();
      if (helper == driver) {
        continue; // it had timed out before the dependent was added
      }
      Patience.await(
          () -> helper.getState() == Thread.State.TIMED_WAITING || !helper.isAlive(),
          () -> new Finding(PROGRESS, "a helper does not become idle"));
      if (!dies(helper)) {
        return;
      }
    }
  }

  /** Stops a thread. Returns whether it dies: it may go on, and later JDKs cannot stop it. */
  @SuppressWarnings({"deprecation", "removal"}) // a thread dies in no other way
  private static boolean dies(Thread thread) {
    try {
      thread.setUncaughtExceptionHandler((dead, error) -> {});
      thread.stop();
      thread.join(GOES_ON_MILLIS);
    } catch (UnsupportedOperationException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return !thread.isAlive();
  }

  /** Marks a key while the clock has no thread, in a queue whose executor drops a task. */
  private void mark() {
    awaitClockEnded();
    SignalQueue<Object> queue = new SignalQueue<>(purgatory, task -> {});
    marking = true;
    queue.mark("key");
    marking = false;
    Patience.await(
        () -> queue.marked() == 0, () -> new Finding(PROGRESS, "a marked key is not signalled"));
  }

  /** Lets a request time out whose key has a long text with control characters. */
  private void hostileKey() {
    HeldFuture<Object> future = purgatory.untilCompleted().orTimeout(SOON).hold(HOSTILE_KEY);
    Patience.await(future::isDone, () -> new Finding(PROGRESS, "a request does not time out"));
    Throwable failure = future.<Throwable>handle((value, error) -> error).join();
    for (String text : List.of(String.valueOf(failure.getMessage()), future.toString())) {
      require(text.length() <= LONGEST_TEXT, SHORT_TEXT, text.length() + " characters");
      require(text.chars().noneMatch(Character::isISOControl), SHORT_TEXT, "control characters");
    }
  }

  /** A condition whose answer may be meant as none fails at once, and says so. */
  private void unclearCondition() {
    for (Object unclear : List.of(false, Optional.empty())) {
      HeldFuture<Object> future = purgatory.until(() -> unclear).orTimeout(LATER).hold("key");
      require(future.outcome() == Outcome.FAILED, RETURN_VALUES, "an answer: " + unclear);
    }
  }

  /** Stops the process for longer than the timeout of its sessions; then their owners go on. */
  private void stopProcess(int count) {
    Sessions<Integer, String> sessions = new Sessions<>(timer, PATIENT, end -> {});
    for (int i = 0; i < count; i++) {
      sessions.open(i, "owner");
    }
    AtomicInteger runs = new AtomicInteger();
    timer.schedule(runs::incrementAndGet, SOON); // wakes the clock, which sleeps in real time
    stoppedNanos.addAndGet(PATIENT.multipliedBy(2).toNanos());
    await(runs, 1, "tasks after the process was stopped");
    for (int i = 0; i < count; i++) {
      require(sessions.touch(i), NEVER_EARLY, "the process was stopped, and a session is lost");
    }
    sessions.close();
  }

  /** A plugin with a class loader of its own starts the clock's thread, and is dropped. */
  private void startByAPlugin() {
    awaitClockEnded();
    WeakReference<ClassLoader> dropped = plugin();
    Patience.await(
        () -> {
          System.gc();
          return dropped.get() == null;
        },
        () -> new Finding(KEPT, "the class loader of a plugin that has started the clock"));
    purgatory.cancelForKey("plugin");
  }

  /** Holds a request as if code of a plugin did, and returns its class loader. */
  @SuppressWarnings("removal") // JDK 24 and later ignore whose code it is
  private WeakReference<ClassLoader> plugin() {
    ClassLoader loader = new ClassLoader() {};
    ProtectionDomain domain = new ProtectionDomain(null, null, loader, null);
    var unused =
        AccessController.doPrivileged(
            (PrivilegedAction<HeldFuture<Object>>)
                () -> purgatory.untilCompleted().orTimeout(LATER).hold("plugin"),
            new AccessControlContext(new ProtectionDomain[] {domain}));
    return new WeakReference<>(loader);
  }

  /** Closes a purgatory while foreign code blocks, and lets that end afterwards. */
  private void close(int count, Blocker blocker, boolean ownTimer) {
    Blocking blocking = new Blocking(blocker);
    Purgatory<Object> closed = blocking.purgatory(ownTimer);
    blocking.begin(closed);
    List<HeldFuture<Object>> pending = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pending.add(closed.untilCompleted().orTimeout(LATER).hold(i));
    }
    int sleeps = Patience.sleepsDuring(CLOSE_TIME.toMillis(), () -> closed.close(CLOSE_TIME));
    require(
        sleeps <= TIMES_AS_LONG,
        CLOSE_IN_TIME,
        "close() takes " + sleeps + " times as long while code blocks: " + blocker);
    blocking.release();
    require(!blocking.interrupted.get(), CLOSE_IN_TIME, "close() interrupts: " + blocker);
    Patience.await(
        () -> closed.pending() == 0 && pending.stream().allMatch(HeldFuture::isDone),
        () -> new Finding(PROGRESS, "requests of a closed purgatory do not end"));
    if (closed.timer() != timer) {
      closed.timer().close();
    }
  }

  /** Foreign code that blocks the first thread that runs it: one of the library, or a caller. */
  private final class Blocking implements PurgatoryListener {
    final AtomicBoolean interrupted = new AtomicBoolean();
    private final Blocker blocker;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Thread caller;
    private volatile @Nullable HeldFuture<Object> future;

    Blocking(Blocker blocker) {
      this.blocker = blocker;
    }

    Purgatory<Object> purgatory(boolean ownTimer) {
      PurgatoryBuilder<Object> builder =
          Purgatory.builder("closed", Object.class).listener(this).context(() -> this::inContext);
      if (blocker == Blocker.CLOCK) {
        builder.timer(Timer.builder().ticker(this::now).start("blocked-clock"));
      } else if (!ownTimer) {
        builder.timer(timer);
      }
      if (blocker == Blocker.EXECUTOR) {
        builder.expirationExecutor(
            task -> {
              at(Blocker.EXECUTOR);
              task.run();
            });
      }
      if (blocker == Blocker.EXCEPTION_OF_TIMEOUT) {
        builder.exception(
            Outcome.TIMED_OUT,
            timedOut -> {
              at(blocker);
              return new IllegalStateException("provoked");
            });
      }
      return builder.build();
    }

    private Runnable inContext(Runnable task) {
      return () -> {
        at(Blocker.CONTEXT);
        task.run();
      };
    }

    private long now() {
      at(Blocker.CLOCK);
      return System.nanoTime();
    }

    @Override
    public void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {
      at(Blocker.LISTENER);
    }

    /** A key that blocks. All have the same text and hash code, and are equal. */
    private final class BlockingKey {
      @Override
      public int hashCode() {
        at(Blocker.HASH_OF_KEY);
        return 1;
      }

      @Override
      public boolean equals(Object other) {
        at(Blocker.EQUALS_OF_KEY);
        return other instanceof BlockingKey;
      }

      @Override
      public String toString() {
        at(Blocker.TEXT_OF_KEY);
        return "key";
      }
    }

    /** Begins to block a thread. */
    void begin(Purgatory<Object> closed) {
      closed.timer().schedule(() -> at(Blocker.TASK), SOON);
      Hold.Untimed<Object, Object> hold =
          closed.until(this::condition).orReturn(late -> at(Blocker.GIVE_BACK)).recheckEvery(SOON);
      boolean stays = blocker.isOnACaller() || blocker == Blocker.GIVE_BACK;
      Hold<Object, Object> timed =
          blocker == Blocker.ANSWER_OF_TIMEOUT
              ? hold.orAfter(SOON, () -> at(Blocker.ANSWER_OF_TIMEOUT))
              : hold.orTimeout(stays ? LATER : SOON);
      HeldFuture<Object> held = timed.hold(new BlockingKey());
      future = held;
      var unused = held.whenComplete((value, error) -> at(Blocker.ANSWER));
      if (blocker.isOnACaller()) {
        Thread signals = new Thread(() -> closed.signal(new BlockingKey()), "caller");
        signals.setDaemon(true);
        caller = signals;
        signals.start();
      }
      Patience.await(
          () -> begun.getCount() == 0, () -> new Finding(PROGRESS, "never called: " + blocker));
    }

    /** Gives no answer, or one that comes too late. */
    private @Nullable Object condition() {
      at(Blocker.CONDITION);
      HeldFuture<Object> held = future;
      return blocker == Blocker.GIVE_BACK && held != null && held.cancel(false) ? "late" : null;
    }

    /** Called by the code that blocks if it is this one. */
    private Object at(Blocker here) {
      Thread thread = Thread.currentThread();
      boolean concerned = blocker.isOnACaller() ? thread == caller : thread != driver;
      if (here == blocker && concerned && begun.getCount() > 0) {
        begun.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          interrupted.set(true);
        }
        ended.countDown();
      }
      return here;
    }

    void release() {
      released.countDown();
      Patience.await(
          () -> ended.getCount() == 0, () -> new Finding(PROGRESS, "foreign code does not end"));
    }
  }

  @Override
  public void verify() {
    violations.verify();
  }

  @Override
  public void end() {
    requests(1, Manners.GOOD);
    verify();
  }

  @Override
  public void close() {
    purgatory.close(Duration.ZERO); // its threads may be dead
    timer.close();
  }
}
