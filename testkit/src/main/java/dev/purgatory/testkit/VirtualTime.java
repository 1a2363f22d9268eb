package dev.purgatory.testkit;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatorySettings;
import dev.purgatory.Replies;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that a test moves, and purgatories that live in it.
 *
 * <pre>{@code
 * VirtualTime time = VirtualTime.create();
 * Purgatory<String> polls = time.purgatory("polls", String.class);
 * ...
 * time.advance(Duration.ofSeconds(30));
 * time.assertNothingPending();
 * }</pre>
 *
 * <p>The timing wheels are the real ones. Timeouts, timer tasks and tasks of the {@link #executor}
 * run on the thread that moves the time, one after another in the order of their deadlines. The
 * time stops at each deadline, rounded up to a tick of the timer, and never jumps over one. Answers
 * run at once, on the thread that ends the operation.
 *
 * <p>What happens is recorded as {@link Event}s, and {@code toString} shows them. Errors are
 * recorded instead of logged.
 *
 * <p>One thread at a time moves the time; the code under test may use any threads. Before a move,
 * wait until a request of another thread is in {@link Purgatory#inspect() inspect()}{@code
 * .held()}: earlier, it may not be in the timer. A move throws an {@link AssertionError} if tasks
 * keep running without the time moving, such as one that schedules itself again without a delay.
 */
public final class VirtualTime implements AutoCloseable {

  /*
   * `nanos` is the ticker. All threads read it; only the driver writes it. It moves to the next time at
   * which the timer has work, `Timer.nextDue`, not further, so each task sees its own deadline as the
   * time. A timer that has nothing left may report the time of an entry that was cancelled, or of its
   * housekeeping: `step` does not stop there.
   *
   * `driver` is the thread that moves the time. It is not a lock: it moves the time while
   * callbacks run, so a second driver fails instead of waiting.
   *
   * A task that schedules itself again without a delay keeps `Timer.advance` running. It reads the clock each
   * time: so when a driver has read it very often at the same time, its readings fail, which ends the task, and
   * then its move fails.
   *
   * Expirations run inline in the timer, rather than on the queue of the executor. If they were queued,
   * `close(Duration)` would wait for answers that only its caller can run.
   */

  /** How many steps {@link #advanceUntilIdle} makes before it gives up. */
  private static final int MOST_STEPS = 100_000;

  /** How often a driver may read the clock at the same time: each of very many tasks does. */
  private static final int MOST_READINGS = 3_000_000;

  private static final int MOST_LISTED = 10;
  private static final int MOST_EVENTS_SHOWN = 100;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
  private static final Duration COLLECTION_LIMIT = Duration.ofSeconds(3);

  private final AtomicLong nanos = new AtomicLong();
  private final Ledger ledger = new Ledger(this::now);
  private final TaskQueue queue = new TaskQueue(e -> ledger.failed("executor", e));
  private final Tracked tracked = new Tracked(COLLECTION_LIMIT);
  private final List<Purgatory<?>> purgatories = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();
  private final Timer timer;
  private volatile boolean closed;

  // Only for the driver.
  private int readings;
  private @Nullable AssertionError endless;

  private VirtualTime(Timer.Builder builder) {
    timer = builder.ticker(this::readClock).errorHandler(e -> ledger.failed("timer", e)).build();
  }

  private long readClock() {
    if (Thread.currentThread() == driver.get() && ++readings > MOST_READINGS) {
      endless =
          new AssertionError(
              "the clock was read "
                  + MOST_READINGS
                  + " times without the time moving: does a task schedule itself without a delay?");
      throw endless;
    }
    return nanos.get();
  }

  /**
   * Creates virtual time whose timer has a tick of 1 ms.
   *
   * @return at time zero
   */
  public static VirtualTime create() {
    return create(Timer.builder());
  }

  /**
   * Creates virtual time with a timer of the given tick and wheels.
   *
   * @param timer its ticker and its error handler are replaced
   * @return at time zero
   */
  public static VirtualTime create(Timer.Builder timer) {
    return new VirtualTime(timer);
  }

  /**
   * Creates a purgatory in this time. {@link #close} closes it.
   *
   * @param name appears in messages
   * @param keys the class of the keys
   * @param <K> the type of the keys
   * @return a new purgatory
   */
  public <K> Purgatory<K> purgatory(String name, Class<? super K> keys) {
    Purgatory<K> purgatory = this.<K>builder(name, keys).build();
    purgatories.add(purgatory);
    return purgatory;
  }

  /**
   * Returns a builder of purgatories in this time, for other settings. The caller closes what it
   * builds.
   *
   * @param name appears in messages
   * @param keys the class of the keys
   * @param <K> the type of the keys
   * @return a builder whose timer, expiration executor and listener are set
   */
  public <K> PurgatoryBuilder<K> builder(String name, Class<? super K> keys) {
    return in(Purgatory.<K>builder(name, keys), name);
  }

  /**
   * Returns a builder of tables of replies in this time. The caller closes what it builds.
   *
   * @param name appears in messages
   * @param ids the class of the ids
   * @param replies the class of the replies
   * @param <I> the type of the ids
   * @param <R> the type of the replies
   * @return a builder whose timer, expiration executor and listener are set
   */
  public <I, R> Replies.Builder<I, R> replies(
      String name, Class<? super I> ids, Class<? super R> replies) {
    return in(Replies.<I, R>builder(name, ids, replies), name);
  }

  private <S extends PurgatorySettings<S>> S in(S builder, String name) {
    return builder.timer(timer).expirationExecutor(Runnable::run).listener(ledger.listener(name));
  }

  /**
   * Returns the timer of this time.
   *
   * @return a timer without a thread
   */
  public Timer timer() {
    return timer;
  }

  /**
   * Returns an executor whose tasks run in the order of submission when the time is moved, before
   * anything that is due later.
   *
   * @return the same executor each time. It accepts every task
   */
  public Executor executor() {
    return queue;
  }

  /**
   * Returns an executor that runs each task after a delay.
   *
   * @param delay in virtual time
   * @return a new executor
   */
  public Executor executor(Duration delay) {
    requireNonNull(delay, "delay");
    return task -> {
      timer.schedule(task, delay);
    };
  }

  /**
   * Returns the time.
   *
   * @return the time since this object was created, which only a backward {@link #jump} makes
   *     negative
   */
  public Duration now() {
    return Duration.ofNanos(nanos.get());
  }

  /**
   * Moves the time forward, and runs everything that is due up to then, each at its own time.
   *
   * @param by zero or more. With zero, runs what is due now
   * @return what happened
   * @throws IllegalArgumentException if it is negative
   * @throws IllegalStateException if the time is being moved already, or this is closed
   */
  public List<Event> advance(Duration by) {
    return advanceTo(now().plus(by));
  }

  /**
   * Moves the time forward to a point in time, like {@link #advance}.
   *
   * @param time since this object was created
   * @return what happened
   * @throws IllegalArgumentException if it is in the past
   * @throws IllegalStateException if the time is being moved already, or this is closed
   */
  public List<Event> advanceTo(Duration time) {
    if (time.compareTo(now()) < 0) {
      throw new IllegalArgumentException(
          "%s is before %s: to move the clock backwards, use jump"
              .formatted(Event.text(time), Event.text(now())));
    }
    return drive(() -> runUntil(TimeUnit.NANOSECONDS.convert(time)));
  }

  /**
   * Moves the time forward to the next deadline, and runs what is due then. If tasks of the
   * executor are waiting, runs these instead, without moving the time.
   *
   * @return false if there is nothing to run; the time has not moved
   * @throws IllegalStateException if the time is being moved already, or this is closed
   */
  public boolean step() {
    boolean[] ran = new boolean[1];
    drive(() -> ran[0] = runNext());
    return ran[0];
  }

  /**
   * Moves the time forward until nothing is left to run.
   *
   * @return what happened
   * @throws AssertionError if something is left after a hundred thousand steps, such as a task that
   *     schedules itself again
   */
  public List<Event> advanceUntilIdle() {
    long before = ledger.recorded();
    for (int steps = 0; step(); steps++) {
      if (steps == MOST_STEPS) {
        throw new AssertionError("not idle after " + steps + " steps\n" + this);
      }
    }
    return ledger.since(before);
  }

  /**
   * Moves the time forward, step by step, until a condition is true.
   *
   * @param condition evaluated first, and after each step
   * @return what happened
   * @throws AssertionError if nothing is left to run, or after a hundred thousand steps, and the
   *     condition is false
   */
  public List<Event> advanceUntil(BooleanSupplier condition) {
    long before = ledger.recorded();
    for (int steps = 0; !condition.getAsBoolean(); steps++) {
      if (steps == MOST_STEPS || !step()) {
        throw new AssertionError("the condition is false after " + steps + " steps\n" + this);
      }
    }
    return ledger.since(before);
  }

  /**
   * Moves the clock without stopping at deadlines, as on a machine that was suspended, and then
   * runs everything that is due, late.
   *
   * @param by if negative, the clock runs backwards: to the timer, the time stands still until the
   *     clock catches up
   * @return what happened
   * @throws IllegalStateException if the time is being moved already, or this is closed
   */
  public List<Event> jump(Duration by) {
    long to = TimeUnit.NANOSECONDS.convert(now().plus(by));
    return drive(
        () -> {
          nanos.set(to);
          runUntil(to);
        });
  }

  private List<Event> drive(Runnable work) {
    Thread before = driver.compareAndExchange(null, Thread.currentThread());
    if (before != null) {
      throw new IllegalStateException("the time is being moved by " + before);
    }
    if (closed) {
      driver.set(null);
      throw new IllegalStateException("the virtual time is closed");
    }
    long mark = ledger.recorded();
    readings = 0;
    endless = null;
    try {
      work.run();
    } finally {
      driver.set(null);
    }
    return ledger.since(mark);
  }

  private void runUntil(long target) {
    queue.runAll();
    for (long due; (due = timer.nextDue()) <= target && due < Long.MAX_VALUE; ) {
      moveTo(due);
      runDue();
    }
    moveTo(target);
    runDue();
  }

  private boolean runNext() {
    if (queue.runAll() > 0) {
      return true;
    }
    for (long due; timer.size() > 0 && (due = timer.nextDue()) < Long.MAX_VALUE; ) {
      moveTo(due);
      if (runDue() > 0) {
        return true;
      }
    }
    return false;
  }

  /** Never moves it back: an entry may be overdue. */
  private void moveTo(long time) {
    if (time > nanos.get()) {
      nanos.set(time);
      readings = 0;
    }
  }

  /** Returns how many timer entries and tasks ran. */
  private int runDue() {
    int ran = timer.advance() + queue.runAll();
    if (endless != null) {
      throw endless;
    }
    return ran;
  }

  /**
   * Returns what has happened. Of very many events, the last 10,000 are kept.
   *
   * @return in order of time
   */
  public List<Event> events() {
    return ledger.since(0);
  }

  /**
   * Returns the errors that callbacks, executors, listeners and tasks have thrown, and forgets
   * them: the test expected them.
   *
   * @return the errors since the last call
   */
  public List<Event> takeErrors() {
    return ledger.takeErrors();
  }

  /**
   * Keeps track of an object that should become unreachable.
   *
   * @param object for instance an operation, an answer, or an object that a condition refers to
   * @param <T> the type of the object
   * @return the object
   */
  public <T> T track(T object) {
    tracked.add(requireNonNull(object, "object"), Event.describe(object));
    return object;
  }

  /**
   * Asserts that no operation waits for an answer, no task is scheduled on the timer, and no task
   * waits in the executor.
   *
   * @throws AssertionError if one does; the message lists them, and what has happened
   */
  public void assertNothingPending() {
    List<String> left = new ArrayList<>();
    List<String> operations = ledger.unanswered();
    if (!operations.isEmpty()) {
      left.add("operations that are not answered:" + list(operations, "\n    "));
    }
    if (timer.size() > 0) {
      String due = Event.text(Duration.ofNanos(timer.nextDue()));
      left.add("entries of the timer: " + timer.size() + ", due at " + due + " or later");
    }
    if (queue.size() > 0) {
      left.add("tasks of the executor that have not run: " + queue.size());
    }
    failIfAny("something is pending at " + Event.text(now()), left);
  }

  /**
   * Asserts that nothing has thrown an error that the test did not {@linkplain #takeErrors() take}.
   *
   * @throws AssertionError if something has, with the first error as its cause
   */
  public void assertNoErrors() {
    List<Event> errors = ledger.errors();
    try {
      failIfAny("errors were thrown", errors.stream().map(Event::toString).toList());
    } catch (AssertionError e) {
      throw (AssertionError) e.initCause(errors.get(0).error());
    }
  }

  /**
   * Asserts that the {@linkplain #track tracked} objects are unreachable, after garbage
   * collections. Local variables of the test, too, keep an object reachable.
   *
   * @throws AssertionError if one stays reachable for 3 s of real time
   */
  public void assertNothingReachable() {
    failIfAny("still reachable", tracked.reachable());
  }

  private void failIfAny(String message, List<String> left) {
    if (!left.isEmpty()) {
      throw new AssertionError(message + ":" + list(left, "\n  ") + "\n" + this);
    }
  }

  private static String list(List<String> items, String separator) {
    StringBuilder list = new StringBuilder();
    items.stream().limit(MOST_LISTED).forEach(item -> list.append(separator).append(item));
    if (items.size() > MOST_LISTED) {
      list.append(separator).append("and ").append(items.size() - MOST_LISTED).append(" more");
    }
    return list.toString();
  }

  /** Closes the purgatories that {@link #purgatory} made, and the timer. */
  @Override
  public void close() {
    closed = true;
    for (Purgatory<?> purgatory : purgatories) {
      purgatory.close(CLOSE_LIMIT);
    }
    timer.close();
  }

  /** Describes the time, what is left, and the last hundred events, in several lines. */
  @Override
  public String toString() {
    List<Event> events = events();
    int skipped = Math.max(0, events.size() - MOST_EVENTS_SHOWN);
    StringBuilder text = new StringBuilder("VirtualTime at ").append(Event.text(now()));
    text.append(", ").append(timer.size()).append(" scheduled, ");
    text.append(queue.size()).append(" queued");
    if (ledger.recorded() > MOST_EVENTS_SHOWN) {
      text.append("\n  ... the last ").append(events.size() - skipped);
      text.append(" of ").append(ledger.recorded()).append(" events:");
    }
    events.stream().skip(skipped).forEach(event -> text.append("\n  ").append(event));
    return text.toString();
  }
}
