package dev.purgatory.micrometer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Diagnostics;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.PurgatoryListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one purgatory, in a {@link MeterRegistry}, with the tag {@code name}. {@link
 * #close} removes them. Thread-safe.
 *
 * <pre>{@code
 * PurgatoryMetrics metrics = new PurgatoryMetrics(registry, "polls");
 * Purgatory<String> polls = metrics.bind(Purgatory.builder("polls"));
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
 * second.
 */
public final class PurgatoryMetrics implements PurgatoryListener, AutoCloseable {

  /*
   * The registry refers to the purgatory and to this object weakly, and the purgatory refers to this object
   * as a listener. So a purgatory that is dropped without a close() of its metrics is collected. Its gauges
   * then read NaN.
   *
   * All meters are made in the constructor and in bind(), none when an event occurs: recording takes no
   * look-up, and a metric is visible, as zero, before its first event.
   */

  private static final long SNAPSHOT_NANOS = TimeUnit.SECONDS.toNanos(1);

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

  private final MeterRegistry registry;
  private final Tags tags;
  private final List<Meter> meters = new CopyOnWriteArrayList<>();
  private final Map<Outcome, Timer> held = new EnumMap<>(Outcome.class);
  private final Map<Source, Counter> errors = new EnumMap<>(Source.class);
  private final Timer lateness;
  private final Map<Outcome, Counter> immediate = new EnumMap<>(Outcome.class);
  private final Counter overLimit;
  private final Counter afterClose;
  private final Counter otherwiseRejected;

  /** Guarded by this, like the three fields after it. */
  private @Nullable Purgatory<?> purgatory;

  private boolean closed;
  private double retained;
  private double oldestNanos;
  private long takenAt;
  private boolean taken;

  /**
   * Registers the metrics of a purgatory that is not made yet.
   *
   * @param registry where the metrics are published
   * @param name the value of the tag {@code name}, usually the name of the purgatory
   * @throws IllegalArgumentException if the registry has the metrics of a purgatory with this name.
   *     Nothing was registered
   */
  public PurgatoryMetrics(MeterRegistry registry, String name) {
    this.registry = requireNonNull(registry, "registry");
    tags = Tags.of("name", requireNonNull(name, "name"));
    if (registry.find("purgatory.held").tags(tags).meter() != null) {
      throw new IllegalArgumentException("a purgatory named " + name + " has metrics already");
    }
    for (Outcome outcome : Outcome.values()) {
      held.put(outcome, add(heldTimer(outcome)));
      immediate.put(outcome, add(immediateCounter(outcome)));
    }
    for (Source source : Source.values()) {
      errors.put(source, add(errorCounter(source)));
    }
    lateness = add(latenessTimer());
    overLimit = add(rejections("limit"));
    afterClose = add(rejections("closed"));
    otherwiseRejected = add(rejections("other"));
  }

  private Counter immediateCounter(Outcome outcome) {
    return Counter.builder("purgatory.immediate")
        .description("Requests that ended at once, without being held")
        .baseUnit("requests")
        .tags(tags)
        .tag("outcome", lowerCase(outcome))
        .register(registry);
  }

  private Timer heldTimer(Outcome outcome) {
    return Timer.builder("purgatory.held")
        .description("How long requests were held, by how they ended")
        .tags(tags)
        .tag("outcome", lowerCase(outcome))
        .register(registry);
  }

  private Timer latenessTimer() {
    return Timer.builder("purgatory.lateness")
        .description("How long after their deadline requests timed out")
        .tags(tags)
        .serviceLevelObjectives(LATENESS)
        .register(registry);
  }

  private Counter rejections(String reason) {
    return Counter.builder("purgatory.rejected")
        .description("Requests that the purgatory refused")
        .baseUnit("requests")
        .tags(tags)
        .tag("reason", reason)
        .register(registry);
  }

  private Counter errorCounter(Source source) {
    return Counter.builder("purgatory.errors")
        .description("Exceptions of conditions, answers, executors and listeners")
        .tags(tags)
        .tag("source", lowerCase(source))
        .register(registry);
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private <M extends Meter> M add(M meter) {
    meters.add(meter);
    return meter;
  }

  /**
   * Builds the purgatory, with these metrics as a listener.
   *
   * @param builder set up as needed
   * @param <K> the type of the keys
   * @return a new purgatory. Closing it does not remove the metrics
   * @throws IllegalStateException if this has a purgatory already, or is closed
   */
  public <K> Purgatory<K> bind(PurgatoryBuilder builder) {
    requireNonNull(builder, "builder");
    synchronized (this) {
      if (closed || purgatory != null) {
        throw new IllegalStateException(closed ? "closed" : "these metrics have a purgatory");
      }
      Purgatory<K> built = builder.listener(this).build();
      purgatory = built;
      register(built);
      return built;
    }
  }

  /**
   * Builds the purgatory with diagnostics, whose checks per completion become metrics, too.
   *
   * @param builder set up as needed, but without diagnostics
   * @param diagnostics of this purgatory
   * @param <K> the type of the keys
   * @return a new purgatory. Closing it does not remove the metrics
   * @throws IllegalStateException if this has a purgatory already, or is closed
   */
  public <K> Purgatory<K> bind(PurgatoryBuilder builder, Diagnostics diagnostics) {
    requireNonNull(diagnostics, "diagnostics");
    Purgatory<K> built = bind(requireNonNull(builder, "builder").diagnostics(diagnostics));
    register(diagnostics);
    return built;
  }

  private void register(Purgatory<?> of) {
    gauge("pending", "requests", "Requests that are held", of, Purgatory::pending);
    gauge("unanswered", "requests", "Ended requests to be answered", of, Purgatory::unanswered);
    gauge("watched", "entries", "Entries on the watch lists", of, Purgatory::watched);
    gauge("keys", "keys", "Keys with a watch list", of, Purgatory::keys);
    gauge("retained", "entries", "Entries of ended requests", this, PurgatoryMetrics::retained);
    add(
        TimeGauge.builder("purgatory.oldest", this, TimeUnit.NANOSECONDS, PurgatoryMetrics::oldest)
            .description("How long the oldest request has been held")
            .tags(tags)
            .register(registry));
  }

  private <T> void gauge(
      String metric, String unit, String description, T of, ToDoubleFunction<T> value) {
    add(
        Gauge.builder("purgatory." + metric, of, value)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry));
  }

  private synchronized void register(Diagnostics of) {
    for (String quantile : new String[] {"0.5", "0.99", "1"}) {
      double percent = 100 * Double.parseDouble(quantile);
      add(
          Gauge.builder(
                  "purgatory.checks", of, each -> each.checksPerCompletion().percentile(percent))
              .description("Checks of a condition until it was completed, since the start")
              .tags(tags)
              .tag("quantile", quantile)
              .register(registry));
    }
  }

  private synchronized double retained() {
    takeSnapshot();
    return retained;
  }

  private synchronized double oldest() {
    takeSnapshot();
    return oldestNanos;
  }

  /** Takes a snapshot, unless the last one is recent. */
  private void takeSnapshot() {
    long now = registry.config().clock().monotonicTime();
    if (purgatory == null || (taken && now - takenAt < SNAPSHOT_NANOS)) {
      return;
    }
    var snapshot = purgatory.snapshot(0);
    retained = snapshot.retained();
    Duration oldest = snapshot.oldest();
    oldestNanos = oldest == null ? 0 : oldest.toNanos();
    takenAt = now;
    taken = true;
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
    synchronized (this) {
      closed = true;
    }
    meters.forEach(registry::remove);
    meters.clear();
  }
}
