package dev.purgatory;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Observes a purgatory: how long requests are held, how late they time out, how often their
 * conditions are checked, and where a signal is missing. Set by {@link
 * PurgatoryBuilder#diagnostics}; without it, a purgatory records nothing of this. Thread-safe.
 *
 * <pre>{@code
 * Diagnostics diagnostics = new Diagnostics();
 * Purgatory<String> polls = Purgatory.builder("polls").diagnostics(diagnostics).build();
 *
 * log.info("held for {}", diagnostics.heldNanos(Outcome.COMPLETED));
 * log.warn("nobody signalled {}", diagnostics.missedSignals());
 * log.info("why is it still waiting? {}", diagnostics.explain(future));
 * }</pre>
 *
 * <p>An observed request takes some 80 bytes more, and each of its evaluations reads the clock.
 */
public final class Diagnostics implements PurgatoryListener {

  /** The most keys for which missed signals are counted. */
  private static final int MOST_KEYS = 1000;

  private final Map<Outcome, Histogram> held = new EnumMap<>(Outcome.class);
  private final Histogram late = new Histogram();
  private final Histogram checks = new Histogram();
  private final ConcurrentHashMap<Object, Long> missed = new ConcurrentHashMap<>();

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
   * Returns how late requests timed out.
   *
   * @return nanoseconds after the deadline
   */
  public Histogram lateNanos() {
    return late;
  }

  /**
   * Returns how often the condition of a request was checked until the request was completed.
   *
   * @return the number of checks, including the first
   */
  public Histogram checksPerCompletion() {
    return checks;
  }

  /**
   * Returns the keys of requests whose condition was found true at the timeout only: probably,
   * somebody changes the condition and does not signal these keys.
   *
   * @return the number of such requests by key, for up to 1,000 keys; a copy
   */
  public Map<Object, Long> missedSignals() {
    return Map.copyOf(missed);
  }

  /**
   * Explains why a request still waits: its state and age, its keys, how often its condition was
   * checked, and when and for which reason last.
   *
   * @param operation a {@link HeldFuture} or a {@link DelayedOperation}
   * @return a text for people
   */
  public String explain(Object operation) {
    Registration registration = null;
    if (operation instanceof HeldFuture<?> future) {
      registration = future.registration();
    } else if (operation instanceof DelayedOperation delayed) {
      registration = delayed.registration();
    }
    String trace = registration == null ? null : registration.explain();
    return trace == null ? operation.toString() : operation + " " + trace;
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    heldNanos(outcome).record(heldNanos);
    if (outcome == Outcome.TIMED_OUT) {
      late.record(lateNanos);
    }
  }

  void ended(@Nullable Outcome outcome, int itsChecks) {
    if (outcome == Outcome.COMPLETED) {
      checks.record(itsChecks);
    }
  }

  void missed(Collection<?> keys) {
    for (Object each : keys) {
      Object key = each instanceof HiddenKey hidden ? hidden.owner : each; // the key set
      if (missed.size() < MOST_KEYS || missed.containsKey(key)) {
        Long unused = missed.merge(key, 1L, Long::sum);
      }
    }
  }

  @Override
  public String toString() {
    return "Diagnostics[held ns: " + held + ", late ns: " + late + ", checks: " + checks + ']';
  }
}
