package dev.purgatory.micrometer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Outcome;
import dev.purgatory.PurgatoryListener;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Observes each request that a purgatory holds: an {@link Observation} named {@code
 * purgatory.request}, from when it begins to be held until it ends, with any outcome, before it is
 * answered. Its parent is the observation that is current on the thread that holds the request: so
 * a trace shows how long the request waited here. Requests that are answered at once have none.
 * Thread-safe.
 *
 * <p>An executor of the purgatory that drops tasks, or a callback that hangs, leaves observations
 * open, and their requests reachable: see {@link dev.purgatory.Inspection#unanswered}.
 *
 * <pre>{@code
 * Purgatory<String> polls =
 *     Purgatory.builder("polls", String.class).listener(new PurgatoryObservations(registry, "polls")).build();
 * }</pre>
 *
 * <p>The observation has the low-cardinality key values {@code purgatory.name} and {@code
 * purgatory.outcome}: {@code completed}, {@code timed_out}, {@code cancelled}, {@code failed}, or
 * {@code closed}. One of a failed request has its error. Its name differs from the timer of {@link
 * PurgatoryMetrics}, with which a meter of an observation handler would collide.
 */
public final class PurgatoryObservations implements PurgatoryListener {

  /*
   * Listeners get the end of each operation once, after its begin. So
   * each observation that is added here is removed and stopped, unless an executor of the purgatory drops the
   * task that would end or answer the operation. The key is the identity of the operation: types of users may
   * define equals.
   *
   * The alternative is a place in the core for what a listener attaches to an operation. It would cost all
   * operations a field, or this one an attachment, which is no smaller than the entry here.
   */

  private static final String NAME = "purgatory.request";

  private final ObservationRegistry registry;
  private final String name;
  private final Map<Held, Observation> started = new ConcurrentHashMap<>();

  private record Held(Object operation) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Held held && held.operation == operation;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(operation);
    }
  }

  /**
   * Creates a listener.
   *
   * @param registry where requests are observed; without a handler, it observes nothing
   * @param name the value of {@code purgatory.name}
   */
  public PurgatoryObservations(ObservationRegistry registry, String name) {
    this.registry = requireNonNull(registry, "registry");
    this.name = requireNonNull(name, "name");
  }

  @Override
  public void onHeld(Object operation) {
    Observation observation = Observation.createNotStarted(NAME, registry);
    if (observation.isNoop()) {
      return;
    }
    observation.contextualName("hold in " + name).lowCardinalityKeyValue("purgatory.name", name);
    // First: if a handler throws, others have started and must be stopped.
    started.put(new Held(operation), observation);
    observation.start();
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    Observation observation = started.remove(new Held(operation));
    if (observation == null) {
      return;
    }
    try {
      observation.lowCardinalityKeyValue(
          "purgatory.outcome", outcome.name().toLowerCase(Locale.ROOT));
      if (cause != null) {
        observation.error(cause);
      }
    } finally {
      observation.stop();
    }
  }

  /** Returns how many observations are started and not stopped. */
  int open() {
    return started.size();
  }
}
