package dev.purgatory.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.purgatory.Diagnostics;
import dev.purgatory.Purgatory;
import dev.purgatory.answers.AnswerStore;
import dev.purgatory.answers.InMemoryAnswerStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The metrics as Prometheus scrapes them over HTTP, and the dashboard and alerts that read them.
 */
@SuppressWarnings("FutureReturnValueIgnored")
class PrometheusTest {
  private static final Pattern NAME = Pattern.compile("\\bpurgatory_\\w+");

  private PrometheusMeterRegistry registry;
  private PurgatoryMetrics metrics;
  private Purgatory<String> polls;

  @BeforeEach
  void create() {
    registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    metrics = new PurgatoryMetrics(registry, "polls");
    polls = metrics.bind(Purgatory.builder("polls", String.class).diagnostics(new Diagnostics()));
  }

  @AfterEach
  void close() {
    polls.close();
    metrics.close();
    registry.close();
  }

  @Test
  void scrape_hasTheEcosystemsNames() throws IOException {
    polls.until(() -> (String) null).orTimeout(Duration.ofHours(1)).hold("a");
    polls.until(() -> "now").orTimeout(Duration.ofHours(1)).hold("a");
    assertThat(scrape())
        .contains(
            "purgatory_pending_requests{name=\"polls\"} 1.0",
            "purgatory_watched_entries{name=\"polls\"} 1.0",
            "purgatory_keys{name=\"polls\"} 1.0",
            "purgatory_retained_entries{name=\"polls\"} 0.0",
            "purgatory_unanswered_requests{name=\"polls\"} 0.0",
            "purgatory_oldest_seconds{name=\"polls\"}",
            "purgatory_held_seconds_count{name=\"polls\",outcome=\"timed_out\"} 0",
            "purgatory_held_seconds_sum{name=\"polls\",outcome=\"completed\"}",
            "purgatory_held_seconds_max{name=\"polls\",outcome=\"closed\"}",
            "purgatory_lateness_seconds_bucket{name=\"polls\",le=\"0.001\"} 0",
            "purgatory_immediate_requests_total{name=\"polls\",outcome=\"completed\"} 1.0",
            "purgatory_rejected_requests_total{name=\"polls\",reason=\"limit\"} 0.0",
            "purgatory_errors_total{name=\"polls\",source=\"answer\"} 0.0",
            "purgatory_checks{name=\"polls\",quantile=\"0.99\"}");
    metrics.close();
    assertThat(scrape()).doesNotContain("purgatory_");
  }

  @Test
  void dashboard_readsMetricsThatExist() throws IOException {
    Path dashboard = Path.of("grafana", "purgatory.json");
    var json = new ObjectMapper().readTree(dashboard.toFile());
    assertThat(json.findValues("expr")).hasSizeGreaterThan(10);
    assertThat(names(scrape())).containsAll(names(Files.readString(dashboard)));
  }

  @Test
  void alerts_readMetricsThatExist() throws IOException {
    String rules = Files.readString(Path.of("prometheus", "alerts.yml"));
    assertThat(names(rules))
        .contains("purgatory_oldest_seconds", "purgatory_lateness_seconds_bucket")
        .contains("purgatory_rejected_requests_total");
    assertThat(names(scrape())).containsAll(names(rules));
  }

  @Test
  void page_namesMetricsThatExist() throws IOException {
    Set<String> documented =
        names(Files.readString(Path.of("..", "docs", "adapters", "metrics.md")));
    assertThat(documented).isNotEmpty();
    try (AnswerStore store = new InMemoryAnswerStore(1)) {
      new AnswerMetrics("approvals", store).bindTo(registry);
      assertThat(names(scrape())).containsAll(documented);
    }
  }

  private static Set<String> names(String text) {
    Set<String> names = new TreeSet<>();
    Matcher name = NAME.matcher(text);
    while (name.find()) {
      names.add(name.group());
    }
    return names;
  }

  /** Scrapes over HTTP, from a server for one request. */
  private String scrape() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering = new Thread(() -> answer(server));
      answering.start();
      URI metrics = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/metrics");
      try (InputStream in = metrics.toURL().openStream()) {
        return new String(in.readAllBytes(), UTF_8);
      }
    }
  }

  private void answer(ServerSocket server) {
    try (Socket connection = server.accept();
        var in = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8))) {
      for (String line = in.readLine(); line != null && !line.isEmpty(); ) {
        line = in.readLine();
      }
      String head =
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\n\r\n";
      connection.getOutputStream().write((head + registry.scrape()).getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
