package dev.purgatory.examples.start;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.purgatory.DelayedOperation;
import dev.purgatory.Diagnostics;
import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.Outcome;
import dev.purgatory.Purgatory;
import dev.purgatory.Scope;
import dev.purgatory.micrometer.PurgatoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Purgatories to which everything happens that the metrics count, and the page on which Prometheus
 * reads it.
 */
@SuppressWarnings("FutureReturnValueIgnored")
final class Traffic implements AutoCloseable {
  private static final Duration LONG = Duration.ofHours(1);
  private static final int LIMIT = 100;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Queue<Runnable> hanging = new ConcurrentLinkedQueue<>();
  private final Queue<Purgatory<String>> closing = new ArrayDeque<>();
  private final Purgatory<String> busy;
  private final Purgatory<String> stuck;
  private final HttpServer http;

  Traffic() throws IOException {
    Executor late = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS);
    Limit limit = Limit.builder("busy").requests(LIMIT).build();
    busy =
        metrics("busy")
            .bind(
                Purgatory.builder("busy", String.class)
                    .limit(limit)
                    .expirationExecutor(late)
                    .diagnostics(new Diagnostics()));
    stuck =
        metrics("stuck")
            .bind(Purgatory.builder("stuck", String.class).completionExecutor(hanging::add));
    for (int i = 0; i < 20; i++) {
      closing.add(metrics("closing" + i).bind(Purgatory.builder("closing" + i, String.class)));
    }
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext("/metrics", this::scrape);
    http.start();
  }

  private PurgatoryMetrics metrics(String name) {
    return new PurgatoryMetrics(registry, name);
  }

  private void scrape(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write(registry.scrape().getBytes(UTF_8));
    }
  }

  /** Returns the host and port, as in a scrape configuration. */
  String target() {
    return "localhost:" + http.getAddress().getPort();
  }

  /** Cancels over a thousand requests whose answers an executor never runs. */
  void hang() {
    Scope client = Scope.of("client");
    for (int i = 0; i < 1_100; i++) {
      stuck.until(() -> (String) null).inScope(client).orTimeout(LONG).hold("key");
    }
    client.close();
  }

  /** Ends requests in each way, and has requests rejected. */
  void endRequests() {
    complete();
    busy.until(() -> (String) null).orTimeout(Duration.ofMillis(1)).hold("key");
    busy.until(() -> "answer").orTimeout(LONG).hold("key");
    busy.until(() -> (String) null).orTimeout(LONG).hold("key").cancel(false);
    busy.until(() -> (String) null).orTimeout(LONG).hold("fails");
    busy.failForKey("fails", new IllegalStateException("provoked"));
    busy.hold(new Throwing(), "key");
    exceedTheLimit();
    Purgatory<String> next = closing.poll();
    if (next != null) {
      close(next);
    }
  }

  private void complete() {
    AtomicInteger checks = new AtomicInteger();
    HeldFuture<String> completes =
        busy.until(() -> checks.incrementAndGet() > 4 ? "answer" : null)
            .orTimeout(LONG)
            .hold("completes");
    while (!completes.isDone()) {
      busy.signal("completes");
    }
  }

  /** Its answer throws. */
  private static final class Throwing extends DelayedOperation {

    Throwing() {
      super(LONG);
    }

    @Override
    protected boolean isReady() {
      return true;
    }

    @Override
    protected void onOutcome(Outcome outcome, @Nullable Throwable cause) {
      throw new IllegalStateException("provoked");
    }
  }

  private void exceedTheLimit() {
    Scope client = Scope.of("client");
    for (int i = 0; i <= LIMIT; i++) {
      busy.until(() -> (String) null).inScope(client).orTimeout(LONG).hold("limited");
    }
    client.close();
  }

  private static void close(Purgatory<String> purgatory) {
    purgatory.until(() -> (String) null).orTimeout(LONG).hold("key");
    purgatory.close();
    purgatory.until(() -> "answer").orTimeout(LONG).hold("key");
  }

  @Override
  public void close() {
    http.stop(0);
    hanging.forEach(Runnable::run);
    busy.close();
    stuck.close();
    closing.forEach(Purgatory::close);
    registry.close();
  }
}
