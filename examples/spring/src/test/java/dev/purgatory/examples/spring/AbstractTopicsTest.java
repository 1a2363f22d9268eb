package dev.purgatory.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The example over HTTP, on each server. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AbstractTopicsTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final String type;
  private ConfigurableApplicationContext application;
  private Purgatory<?> polls;
  private int port;

  AbstractTopicsTest(String type) {
    this.type = type;
  }

  @BeforeAll
  void start() {
    application =
        SpringApplication.run(
            TopicsApplication.class,
            "--server.port=0",
            "--spring.main.web-application-type=" + type);
    polls = application.getBean(Purgatory.class);
    port = application.getEnvironment().getRequiredProperty("local.server.port", int.class);
  }

  @AfterAll
  void stop() {
    application.close();
  }

  @Test
  void post_wakesTheReaders() throws Exception {
    var waiting =
        client.sendAsync(get("/topics/news/messages?maxWait=60s"), BodyHandlers.ofString());
    awaitPending(1);
    HttpRequest post =
        HttpRequest.newBuilder(uri("/topics/news/messages"))
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("hello"))
            .build();
    assertThat(client.send(post, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    assertThat(waiting.join().body()).isEqualTo("[\"hello\"]");
    assertThat(send("/topics/news/messages?after=1&maxWait=10ms").body()).isEqualTo("[]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"after=-1", "after=x", "maxWait=61s", "maxWait=-1s", "maxWait=soon"})
  void wrongParameter_isRefused(String query) throws Exception {
    assertThat(send("/topics/news/messages?" + query).statusCode()).isEqualTo(400);
    assertThat(polls.pending()).isZero();
  }

  @Test
  void health_andMetrics() throws Exception {
    assertThat(send("/actuator/health").body()).contains("\"purgatory\"", "\"pending\":0");
    assertThat(send("/actuator/metrics/purgatory.pending").body()).contains("\"polls\"");
  }

  HttpResponse<String> send(String path) throws Exception {
    return client.send(get(path), BodyHandlers.ofString());
  }

  private HttpRequest get(String path) {
    return HttpRequest.newBuilder(uri(path)).build();
  }

  private URI uri(String path) {
    return URI.create("http://localhost:" + port + path);
  }

  Socket connect(String path) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  void awaitPending(long expected) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (polls.pending() != expected && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertThat(polls.pending()).isEqualTo(expected);
  }
}
