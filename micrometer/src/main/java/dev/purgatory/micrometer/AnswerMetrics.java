package dev.purgatory.micrometer;

import static java.util.Objects.requireNonNull;

import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.AnswerStoreMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of a store of answers, with the tag {@code name}: see {@link AnswerStoreMetrics}.
 *
 * <pre>{@code
 * new AnswerMetrics("approvals", store).bindTo(registry);
 * }</pre>
 *
 * <table>
 *   <caption>The metrics</caption>
 *   <tr><td>{@code purgatory.answers.written}<td>counter, answers that this instance has written
 *   <tr><td>{@code purgatory.answers.read}<td>counter, records or rows that this instance has read
 *   <tr><td>{@code purgatory.answers.looks}<td>gauge, looks for an answer that have not ended
 *   <tr><td>{@code purgatory.answers.window}<td>gauge, bytes of records that are kept
 *   <tr><td>{@code purgatory.answers.windows.restarted}<td>counter, partitions that were read again
 *   <tr><td>{@code purgatory.answers.listeners.lost}<td>counter, connections that no longer listen
 * </table>
 *
 * <p>The registry does not keep the store alive. This class needs {@code purgatory-answers}.
 */
public final class AnswerMetrics implements MeterBinder {
  private final Tags tags;
  private final AnswerStore store;

  /**
   * Describes the metrics of a store.
   *
   * @param name the value of the tag {@code name}, which no other store in the registry has
   * @param store which the metrics follow
   */
  public AnswerMetrics(String name, AnswerStore store) {
    this.tags = Tags.of("name", requireNonNull(name, "name"));
    this.store = requireNonNull(store, "store");
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    count(registry, "written", "Answers written here", AnswerStoreMetrics::written);
    count(registry, "read", "Records or rows read here", AnswerStoreMetrics::read);
    gauge(registry, "looks", "looks", "Looks in progress", AnswerStoreMetrics::looks);
    gauge(registry, "window", "bytes", "Records that are kept", AnswerStoreMetrics::windowBytes);
    count(
        registry,
        "windows.restarted",
        "Partitions that were read again",
        AnswerStoreMetrics::windowsRestarted);
    count(
        registry,
        "listeners.lost",
        "Connections that no longer listen",
        AnswerStoreMetrics::listenersLost);
  }

  private void count(
      MeterRegistry registry,
      String metric,
      String description,
      ToDoubleFunction<AnswerStoreMetrics> value) {
    FunctionCounter.builder(
            "purgatory.answers." + metric, store, each -> value.applyAsDouble(each.metrics()))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry,
      String metric,
      String unit,
      String description,
      ToDoubleFunction<AnswerStoreMetrics> value) {
    Gauge.builder("purgatory.answers." + metric, store, each -> value.applyAsDouble(each.metrics()))
        .description(description)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }
}
