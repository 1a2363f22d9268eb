package dev.purgatory;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignCode;
import dev.purgatory.base.ForeignText;
import dev.purgatory.base.LastResort;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Observes a purgatory: how long requests are held, how late they time out, how often their
 * conditions are checked, and where a signal is missing. Set by {@link
 * PurgatoryBuilder#diagnostics}; without it, a purgatory records nothing of this. Thread-safe.
 *
 * <pre>{@code
 * Diagnostics diagnostics = new Diagnostics();
 * Purgatory<String> polls = Purgatory.builder("polls", String.class).diagnostics(diagnostics).build();
 *
 * log.info("held for {}", diagnostics.heldNanos(Outcome.COMPLETED));
 * log.warn("nobody signalled {}", diagnostics.missedSignals());
 * log.info("why is it still waiting? {}", diagnostics.explain(future));
 * }</pre>
 *
 * <p>An observed request takes some 90 bytes more, and each of its evaluations reads the clock.
 */
public final class Diagnostics implements PurgatoryListener {

  /*
   * The parts are thread-safe by themselves, and nothing depends on two of them. A purgatory gives its requests a
   * trace each, which records evaluations and reports at the end. Signal queues are asked, at a missed
   * signal, whether the event is marked. They need not be closed, so they are referred to weakly.
   */

  private static final LastResort OBSERVER_THREW = LastResort.handler("An observer threw");

  private final Map<Outcome, Histogram> held = new EnumMap<>(Outcome.class);
  private final Histogram late = new Histogram();
  private final Histogram checks = new Histogram();
  private final MissedSignals missed = new MissedSignals();
  private final Set<Queue> queues =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private final List<Observer> observers = new CopyOnWriteArrayList<>();

  /** Creates diagnostics without observations. */
  public Diagnostics() {
    for (Outcome outcome : Outcome.values()) {
      held.put(outcome, new Histogram());
    }
  }

  /**
   * Returns how long requests were held.
   *
   * @param outcome how they ended
   * @return nanoseconds; requests that were answered at once are not counted
   */
  public Histogram heldNanos(Outcome outcome) {
    return requireNonNull(held.get(requireNonNull(outcome, "outcome")));
  }

  /**
   * Returns how late requests ended that reached their time limit. Requests that their last check
   * completed are among them.
   *
   * @return nanoseconds after the deadline
   */
  public Histogram lateNanos() {
    return late;
  }

  /**
   * Returns how often the condition of a request was checked until the request was completed.
   * Requests that are checked {@linkplain Hold.Untimed#recheckEvery periodically} are not counted.
   *
   * @return the number of checks, including the first
   */
  public Histogram checksPerCompletion() {
    return checks;
  }

  /**
   * Returns the keys of requests whose condition was true, or threw, at the timeout only: probably,
   * some code changes the condition and does not signal these keys.
   *
   * <p>A request counts for each of its keys, and for each of the keys of a {@link KeyGroup}; if
   * the group is closed, so that no signal reaches the request, for the group. It also counts for
   * each of its {@linkplain Thresholds thresholds} that was not reached. These have the form {@code
   * threshold 5 of p}; those of one key are counted together, under the highest of them.
   *
   * <p>A request does not count if it is evaluated {@linkplain Hold.Untimed#recheckEvery
   * periodically}, if its purgatory is closing, or if one of its keys is marked in a {@link
   * SignalQueue} that will still signal it. Marks for which nobody has called {@link
   * SignalQueue#run} since the request was held do not excuse it. A timeout that comes between an
   * event and its signal does count.
   *
   * <p>Up to 1,000 keys are counted. If there are more, a key with more than a thousandth of all
   * misses is certainly among the result, and each number may be too small by up to a thousandth of
   * all misses; it is never too large. A key is forgotten when it had no miss for an hour.
   *
   * @return the number of such requests by key, the greatest first; a copy
   */
  public Map<Object, Long> missedSignals() {
    return missed.counts();
  }

  /**
   * Forgets everything that was counted: missed signals and histograms. Values that are recorded at
   * the same time may be kept or forgotten.
   */
  public void reset() {
    missed.reset();
    Stream.concat(held.values().stream(), Stream.of(late, checks)).forEach(Histogram::reset);
  }

  /**
   * Explains why a request still waits: its state and age, its keys, how often its condition was
   * checked, and when and for which reason last.
   *
   * @param operation a {@link HeldFuture} or a {@link DelayedOperation}
   * @return a text for people
   */
  public String explain(Object operation) {
    Trace trace = trace(operation);
    String text = ForeignText.of(operation, 1_000);
    return trace == null ? text : text + " " + trace.explain();
  }

  /**
   * Returns how often the condition of a request was checked so far, and when and for which reason
   * last.
   *
   * @param operation a {@link HeldFuture} or a {@link DelayedOperation}
   * @return null if these diagnostics do not know the request, or it was not checked yet
   */
  public @Nullable Checks checks(Object operation) {
    Trace trace = trace(operation);
    return trace == null ? null : trace.checks();
  }

  /**
   * The checks of a request.
   *
   * @param count how many, including the first, when the request came
   * @param sinceLast how long the last one is ago
   * @param lastReason the reason that was passed to {@code signal}; null if none was, and for the
   *     first check
   * @param isPeriodic whether it is also checked without a signal: {@link
   *     Hold.Untimed#recheckEvery}
   */
  public record Checks(
      int count, Duration sinceLast, @Nullable Object lastReason, boolean isPeriodic) {}

  /**
   * Gets what happens in the observed purgatories while somebody looks: for a page, or the log of
   * one request. Its methods run inline and concurrently, as those of a {@link PurgatoryListener}.
   * Their exceptions are logged and have no other effect.
   */
  public interface Observer {

    /**
     * Called when a signal has returned: see {@link PurgatoryListener#onSignalled}.
     *
     * @param key its key
     * @param foundKey whether the purgatory knew the key
     * @param completed how many requests the signal completed
     */
    default void onSignalled(Object key, boolean foundKey, int completed) {}

    /**
     * Called when the condition of a request was checked, on the thread that checked it.
     *
     * @param operation the request
     * @param reason the reason that was passed to {@code signal}, or an object that says that the
     *     time limit is over; null if there is none
     * @param ready whether the condition holds: the request is completed, unless it has just ended
     * @param error what the condition threw; null if it returned
     */
    default void onChecked(
        Object operation, @Nullable Object reason, boolean ready, @Nullable Throwable error) {}

    /**
     * Called when a held request has ended, before it is answered: see {@link
     * PurgatoryListener#onEnded}.
     *
     * @param operation the request
     * @param outcome how it ended
     * @param cause why it failed; null for other outcomes
     * @param heldNanos how long it was held, in nanoseconds
     * @param lateNanos the time since its deadline, in nanoseconds; negative before the deadline
     */
    default void onEnded(
        Object operation,
        Outcome outcome,
        @Nullable Throwable cause,
        long heldNanos,
        long lateNanos) {}
  }

  /**
   * Adds an observer, until {@link #removeObserver}. Without observers, requests and signals are
   * not slowed down.
   *
   * @param observer what happens from now on is passed to it
   */
  public void addObserver(Observer observer) {
    observers.add(requireNonNull(observer, "observer"));
  }

  /**
   * Removes an observer. It may still be called for what happens at the same time.
   *
   * @param observer an observer; nothing happens if it was not added
   */
  public void removeObserver(Observer observer) {
    observers.remove(observer);
  }

  private void tell(Consumer<Observer> event) {
    for (Observer each : observers) {
      ForeignCode.call(event, each, OBSERVER_THREW);
    }
  }

  private static @Nullable Trace trace(Object operation) {
    Registration registration = HeldRequest.registration(operation);
    return registration == null ? null : registration.find(Trace.class);
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    heldNanos(outcome).record(heldNanos);
    if (outcome == Outcome.TIMED_OUT || (outcome == Outcome.COMPLETED && lateNanos >= 0)) {
      late.record(lateNanos);
    }
    if (!observers.isEmpty()) {
      tell(each -> each.onEnded(operation, outcome, cause, heldNanos, lateNanos));
    }
  }

  @Override
  public void onSignalled(Object key, boolean foundKey, int completed) {
    if (!observers.isEmpty()) {
      tell(each -> each.onSignalled(key, foundKey, completed));
    }
  }

  /** Called by the evaluator of a request: must not throw. */
  void checked(
      Registration registration,
      @Nullable Object reason,
      boolean ready,
      @Nullable Throwable error) {
    Object operation = observers.isEmpty() ? null : registration.operation();
    if (operation != null) {
      tell(each -> each.onChecked(operation, reason, ready, error));
    }
  }

  void observe(Timer timer) {
    missed.use(timer);
  }

  /** Signals that are on their way. */
  interface Queue {

    /**
     * Returns whether an event of a key was marked and is on its way to the requests.
     *
     * @param core holds the asking request; marks for others do not count
     * @param heldNanos how long the asking request was held
     */
    boolean willSignal(Core<?> core, Object key, long heldNanos);
  }

  void observe(Queue queue) {
    queues.add(queue);
  }

  List<Queue> queues() {
    return List.of(queues.toArray(new Queue[0])); // a copy, which callers visit without a lock
  }

  /**
   * Called when a request has ended.
   *
   * @param itsChecks how often it was checked; negative if that does not count
   */
  void ended(@Nullable Outcome outcome, int itsChecks) {
    if (outcome == Outcome.COMPLETED && itsChecks >= 0) {
      checks.record(itsChecks);
    }
    missed.forget();
  }

  void missed(Object key) {
    missed.count(key);
  }

  @Override
  public String toString() {
    return "Diagnostics[held ns: " + held + ", late ns: " + late + ", checks: " + checks + ']';
  }
}
