package dev.purgatory.micrometer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.PurgatoryListener;
import dev.purgatory.PurgatorySettings;
import dev.purgatory.Replies;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one purgatory, in a {@link MeterRegistry}, with the tag {@code name}. {@link
 * #close} removes them. Thread-safe.
 *
 * <pre>{@code
 * PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
 * Purgatory<String> polls = metrics.bind(Purgatory.builder("polls", String.class));
 * }</pre>
 *
 * <table>
 *   <caption>The metrics</caption>
 *   <tr><td>{@code purgatory.pending}<td>gauge, requests that are held
 *   <tr><td>{@code purgatory.unanswered}<td>gauge, ended requests that are not answered yet
 *   <tr><td>{@code purgatory.watched}<td>gauge, entries on the watch lists
 *   <tr><td>{@code purgatory.retained}<td>gauge, entries of ended requests among them
 *   <tr><td>{@code purgatory.keys}<td>gauge, keys with a watch list
 *   <tr><td>{@code purgatory.oldest}<td>gauge, how long the oldest request has been held; 0 if none
 *   <tr><td>{@code purgatory.held}<td>timer, how long requests were held, by {@code outcome}: {@code
 *       completed}, {@code timed_out}, {@code cancelled}, {@code failed}, {@code closed}
 *   <tr><td>{@code purgatory.lateness}<td>timer, how long after their deadline requests timed out
 *   <tr><td>{@code purgatory.immediate}<td>counter, requests that ended at once, without being held, by
 *       {@code outcome}
 *   <tr><td>{@code purgatory.rejected}<td>counter, requests that were refused, by {@code reason}:
 *       {@code limit}, {@code closed}, {@code other}
 *   <tr><td>{@code purgatory.errors}<td>counter, exceptions of the user's code, by {@code source}
 *   <tr><td>{@code purgatory.checks}<td>gauge, with diagnostics: checks of a condition until it was
 *       completed, by {@code quantile}: {@code 0.5}, {@code 0.99}, {@code 1}
 * </table>
 *
 * <p>{@code retained} and {@code oldest} visit every entry of the purgatory, at most once per
 * second, and for at most a hundredth of the time. In between they have their last value.
 *
 * <p>For a purgatory that is built already, there are {@link PurgatoryGauges}.
 */
public final class PurgatoryMetrics implements PurgatoryListener, AutoCloseable {

  /*
   * The registry refers to the purgatory weakly, and the purgatory refers to this object as a listener. So a
   * purgatory that is dropped without a close() of its metrics is collected. Its gauges then read NaN, until another
   * purgatory gets metrics in the registry.
   *
   * All meters are made in the constructor and in bind(), none when an event occurs: recording takes no
   * look-up, and a metric is visible, as zero, before its first event.
   */

  /** Upper ends of the buckets of the lateness. The tick is 1 ms by default. */
  private static final Duration[] LATENESS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  /** Whether there is a purgatory. */
  private enum State {
    NEW,
    BOUND,
    CLOSED
  }

  private final NamedMeters meters;
  private final Map<Outcome, Timer> held = new EnumMap<>(Outcome.class);
  private final Map<Source, Counter> errors = new EnumMap<>(Source.class);
  private final Timer lateness;
  private final Map<Outcome, Counter> immediate = new EnumMap<>(Outcome.class);
  private final Counter overLimit;
  private final Counter afterClose;
  private final Counter otherwiseRejected;

  private final AtomicReference<State> state = new AtomicReference<>(State.NEW);

  /**
   * The builders that have this listener, also if their {@code build()} threw. Only for the thread
   * that has changed the state from {@code NEW} to {@code BOUND}.
   */
  private final Set<PurgatorySettings<?>> attached = new HashSet<>();

  /**
   * Registers the metrics of a purgatory that is not made yet.
   *
   * @param registry where the metrics are published
   * @param name the value of the tag {@code name}, usually the name of the purgatory. If another
   *     purgatory in the registry has it, a number is added: see {@link #name}
   */
  public PurgatoryMetrics(MeterRegistry registry, String name) {
    requireNonNull(registry, "registry");
    meters = new NamedMeters(registry, requireNonNull(name, "name"), this);
    for (Outcome outcome : Outcome.values()) {
      held.put(outcome, meters.add(heldTimer(outcome)));
      immediate.put(outcome, meters.add(immediateCounter(outcome)));
    }
    for (Source source : Source.values()) {
      errors.put(source, meters.add(errorCounter(source)));
    }
    lateness = meters.add(latenessTimer());
    overLimit = meters.add(rejections("limit"));
    afterClose = meters.add(rejections("closed"));
    otherwiseRejected = meters.add(rejections("other"));
  }

  private Counter immediateCounter(Outcome outcome) {
    return Counter.builder("purgatory.immediate")
        .description("Requests that ended at once, without being held")
        .baseUnit("requests")
        .tags(meters.tags())
        .tag("outcome", lowerCase(outcome))
        .register(meters.registry());
  }

  private Timer heldTimer(Outcome outcome) {
    return Timer.builder("purgatory.held")
        .description("How long requests were held, by how they ended")
        .tags(meters.tags())
        .tag("outcome", lowerCase(outcome))
        .register(meters.registry());
  }

  private Timer latenessTimer() {
    return Timer.builder("purgatory.lateness")
        .description("How long after their deadline requests timed out")
        .tags(meters.tags())
        .serviceLevelObjectives(LATENESS)
        .register(meters.registry());
  }

  private Counter rejections(String reason) {
    return Counter.builder("purgatory.rejected")
        .description("Requests that the purgatory refused")
        .baseUnit("requests")
        .tags(meters.tags())
        .tag("reason", reason)
        .register(meters.registry());
  }

  private Counter errorCounter(Source source) {
    return Counter.builder("purgatory.errors")
        .description("Exceptions of conditions, answers, executors and listeners")
        .tags(meters.tags())
        .tag("source", lowerCase(source))
        .register(meters.registry());
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the value of the tag {@code name}.
   *
   * @return the name that was asked for, or that with a number if another purgatory has it, such as
   *     {@code polls-2}. A name is free again when the metrics are closed, or the purgatory was
   *     collected. What was not closed leaves the registry when the next metrics are made
   */
  public String name() {
    return meters.name();
  }

  /**
   * Builds the purgatory, with these metrics as a listener. If that throws, it can be repeated.
   *
   * @param builder set up as needed. It keeps the listener, so it is for these metrics only
   * @param <K> the type of the keys
   * @return a new purgatory. Closing it does not remove the metrics
   * @throws IllegalStateException if this has a purgatory already, or is closed
   */
  public <K> Purgatory<K> bind(PurgatoryBuilder<K> builder) {
    requireNonNull(builder, "builder");
    return build(builder, builder::build, Function.identity());
  }

  /**
   * Builds the table of replies, with these metrics as a listener. If that throws, it can be
   * repeated.
   *
   * @param builder as {@linkplain #bind(PurgatoryBuilder) above}
   * @param <I> the type of the ids
   * @param <R> the type of the replies
   * @return a new table. Closing it does not remove the metrics
   * @throws IllegalStateException if this has a purgatory already, or is closed
   */
  public <I, R> Replies<I, R> bind(Replies.Builder<I, R> builder) {
    requireNonNull(builder, "builder");
    return build(builder, builder::build, Replies::purgatory);
  }

  private <B> B build(
      PurgatorySettings<?> builder,
      Supplier<B> build,
      Function<? super B, Purgatory<?>> purgatory) {
    if (!state.compareAndSet(State.NEW, State.BOUND)) {
      boolean isClosed = state.get() == State.CLOSED;
      throw new IllegalStateException(isClosed ? "closed" : "these metrics have a purgatory");
    }
    B built;
    try {
      if (attached.add(builder)) {
        builder.listener(this);
      }
      built = build.get();
    } catch (Throwable e) {
      state.compareAndSet(State.BOUND, State.NEW);
      throw e;
    }
    attached.clear();
    PurgatoryGauges.register(meters, purgatory.apply(built));
    return built;
  }

  @Override
  public void onAnsweredAtOnce(Object operation, Outcome outcome, @Nullable Throwable cause) {
    requireNonNull(immediate.get(outcome)).increment();
  }

  @Override
  public void onEnded(
      Object operation,
      Outcome outcome,
      @Nullable Throwable cause,
      long heldNanos,
      long lateNanos) {
    requireNonNull(held.get(outcome)).record(heldNanos, TimeUnit.NANOSECONDS);
    if (outcome == Outcome.TIMED_OUT) {
      lateness.record(lateNanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void onRefused(Object operation, RuntimeException reason) {
    if (reason instanceof LimitExceededException) {
      overLimit.increment();
    } else if (reason instanceof PurgatoryClosedException) {
      afterClose.increment();
    } else {
      otherwiseRejected.increment();
    }
  }

  /** Counts the error, and logs it as a purgatory without a listener does. */
  @Override
  public void onError(Object operation, Source source, Throwable error) {
    requireNonNull(errors.get(source)).increment();
    PurgatoryListener.super.onError(operation, source, error);
  }

  /** Removes the metrics from the registry. The purgatory stays open. */
  @Override
  public void close() {
    state.set(State.CLOSED);
    meters.close();
  }
}
