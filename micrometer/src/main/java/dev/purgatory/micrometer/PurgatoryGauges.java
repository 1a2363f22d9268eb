package dev.purgatory.micrometer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Diagnostics;
import dev.purgatory.Purgatory;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of a purgatory that is built already: those of {@link PurgatoryMetrics}, without its
 * timers and counters, which only a listener can feed. {@link #close} removes them. Thread-safe.
 *
 * <pre>{@code
 * PurgatoryGauges gauges = new PurgatoryGauges(registry, "polls", polls);
 * }</pre>
 */
public final class PurgatoryGauges implements AutoCloseable {
  private final NamedMeters meters;

  /**
   * Registers the gauges of a purgatory. Does nothing if the registry has its gauges already.
   *
   * @param registry where the gauges are published. It does not keep the purgatory alive
   * @param name the value of the tag {@code name}. If another purgatory in the registry has it, a
   *     number is added: see {@link #name}
   * @param purgatory which the gauges follow
   */
  public PurgatoryGauges(MeterRegistry registry, String name, Purgatory<?> purgatory) {
    requireNonNull(registry, "registry");
    requireNonNull(name, "name");
    requireNonNull(purgatory, "purgatory");
    meters = new NamedMeters(registry, name, purgatory);
    if (!meters.isKnown()) {
      register(meters, purgatory);
    }
  }

  static void register(NamedMeters meters, Purgatory<?> of) {
    meters.setPurgatory(of);
    gauge(meters, "pending", "requests", "Requests that are held", of, Purgatory::pending);
    gauge(
        meters,
        "unanswered",
        "requests",
        "Ended requests to be answered",
        of,
        each -> each.inspect().unanswered());
    gauge(
        meters,
        "watched",
        "entries",
        "Entries on the watch lists",
        of,
        each -> each.inspect().watched());
    gauge(meters, "keys", "keys", "Keys with a watch list", of, each -> each.inspect().keys());
    RestingSnapshot snapshot = new RestingSnapshot(meters.registry().config().clock());
    gauge(
        meters,
        "retained",
        "entries",
        "Entries of ended requests",
        of,
        each -> snapshot.of(each).retained());
    meters.add(
        TimeGauge.builder(
                "purgatory.oldest",
                of,
                TimeUnit.NANOSECONDS,
                each -> nanos(snapshot.of(each).oldest()))
            .description("How long the oldest request has been held")
            .tags(meters.tags())
            .register(meters.registry()));
    Diagnostics diagnostics = of.inspect().diagnostics();
    if (diagnostics != null) {
      register(meters, diagnostics);
    }
  }

  private static void register(NamedMeters meters, Diagnostics of) {
    for (String quantile : new String[] {"0.5", "0.99", "1"}) {
      double percent = 100 * Double.parseDouble(quantile);
      meters.add(
          Gauge.builder(
                  "purgatory.checks", of, each -> each.checksPerCompletion().percentile(percent))
              .description(
                  "Checks of a condition until it was completed, since the start or a reset")
              .tags(meters.tags())
              .tag("quantile", quantile)
              .register(meters.registry()));
    }
  }

  private static double nanos(@Nullable Duration duration) {
    return duration == null ? 0 : duration.toNanos();
  }

  private static <T> void gauge(
      NamedMeters meters,
      String metric,
      String unit,
      String description,
      T of,
      ToDoubleFunction<T> value) {
    meters.add(
        Gauge.builder("purgatory." + metric, of, value)
            .description(description)
            .baseUnit(unit)
            .tags(meters.tags())
            .register(meters.registry()));
  }

  /**
   * Returns the value of the tag {@code name}.
   *
   * @return the name that was asked for, or that with a number if another purgatory has it
   */
  public String name() {
    return meters.name();
  }

  /** Removes the gauges from the registry. The purgatory stays open. */
  @Override
  public void close() {
    meters.close();
  }
}
