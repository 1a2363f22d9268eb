package dev.purgatory.spring;

import dev.purgatory.Diagnostics;
import dev.purgatory.Limit;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryBuilder;
import dev.purgatory.base.Threads;
import dev.purgatory.micrometer.PurgatoryMetrics;
import dev.purgatory.micrometer.PurgatoryObservations;
import dev.purgatory.spring.PurgatoryProperties.Instance;
import dev.purgatory.timer.Timer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/** Makes the purgatories of the properties, and closes them with their context. */
final class PurgatoryFactory
    implements ApplicationListener<ContextClosedEvent>, DisposableBean, Ordered {

  /*
   * The event comes before the graceful shutdown of the web server, which would wait for the held
   * requests, and before any bean is destroyed, so that answers can still use all beans. A SmartLifecycle
   * would also be stopped by ApplicationContext.stop(), after which the context may be started again; a
   * purgatory that is closed stays closed. When a start fails there is no event, and nothing is held:
   * Spring then calls Purgatory.close() for the beans that it has made.
   *
   * Spring Boot closes meter registries at the same event, after all listeners with an order: they publish the
   * outcomes of closing. The metrics are removed later.
   */

  private static final Log log = LogFactory.getLog(PurgatoryFactory.class);

  private final ApplicationContext context;
  private final Duration closeTimeout;
  private final Timer timer;
  private final @Nullable MeterRegistry registry;
  private final ObjectProvider<ObservationRegistry> observations;
  private final List<PurgatoryCustomizer> customizers;
  private final List<Purgatory<?>> purgatories = new CopyOnWriteArrayList<>();
  private final List<PurgatoryMetrics> metrics = new CopyOnWriteArrayList<>();

  PurgatoryFactory(
      ApplicationContext context,
      Duration closeTimeout,
      Timer timer,
      ObjectProvider<MeterRegistry> registry,
      ObjectProvider<ObservationRegistry> observations,
      ObjectProvider<PurgatoryCustomizer> customizers) {
    this.context = context;
    this.closeTimeout = closeTimeout;
    this.timer = timer;
    this.registry = registry.getIfUnique();
    this.observations = observations;
    this.customizers = customizers.orderedStream().toList();
  }

  Purgatory<?> create(String name, Instance properties, @Nullable Diagnostics diagnostics) {
    PurgatoryBuilder<Object> builder = Purgatory.builder(name, Object.class).timer(timer);
    if (properties.hasLimit()) {
      builder.limit(limit(name, properties));
    }
    if (properties.observations()) {
      builder.listener(new PurgatoryObservations(observations.getObject(), name));
    }
    customizers.forEach(each -> each.customize(name, builder));
    if (diagnostics != null) {
      builder.diagnostics(diagnostics);
    }
    Purgatory<?> purgatory = build(name, builder);
    purgatories.add(purgatory);
    return purgatory;
  }

  private static Limit limit(String name, Instance properties) {
    Limit.Builder limit = Limit.builder(name);
    if (properties.maxRequests() != null) {
      limit.requests(properties.maxRequests());
    }
    if (properties.maxWeight() != null) {
      limit.weight(properties.maxWeight());
    }
    if (properties.evictOldest()) {
      limit.evictOldest();
    }
    return limit.build();
  }

  private Purgatory<?> build(String name, PurgatoryBuilder<?> builder) {
    if (registry == null) {
      return builder.build();
    }
    PurgatoryMetrics of = new PurgatoryMetrics(registry, name);
    metrics.add(of);
    return of.bind(builder);
  }

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    if (event.getApplicationContext() != context) {
      return; // a child's
    }
    // The first one on this thread: within one of its answers, it does not wait for that.
    CompletableFuture<?>[] others =
        purgatories.stream()
            .skip(1)
            .map(each -> CompletableFuture.runAsync(() -> close(each), PurgatoryFactory::start))
            .toArray(CompletableFuture<?>[]::new);
    purgatories.stream().limit(1).forEach(this::close);
    CompletableFuture.allOf(others).join();
  }

  private static void start(Runnable task) {
    Threads.daemons("purgatory-close").newThread(task).start();
  }

  private void close(Purgatory<?> purgatory) {
    int cancelled = purgatory.close(closeTimeout).size();
    if (cancelled > 0) {
      log.warn(
          "Cancelled " + cancelled + " requests that " + purgatory + " did not answer in time");
    }
  }

  /** Before all listeners without an order. */
  @Override
  public int getOrder() {
    return 0;
  }

  @Override
  public void destroy() {
    metrics.forEach(PurgatoryMetrics::close);
  }
}
