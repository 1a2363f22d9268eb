package dev.purgatory.examples.javalin;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TopicsTest {
  private final Topics topics = new Topics(0);
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    topics.close();
  }

  @Test
  void post_wakesTheReaders() throws Exception {
    var waiting = client.sendAsync(get("?maxWait=60"), BodyHandlers.ofString());
    awaitPending(1);
    HttpRequest post =
        HttpRequest.newBuilder(uri("")).POST(BodyPublishers.ofString("hello")).build();
    assertThat(client.send(post, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    assertThat(waiting.join().body()).isEqualTo("[\"hello\"]");
    assertThat(send("?after=1&maxWait=0").body()).isEqualTo("[]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"after=-1", "after=x", "maxWait=61", "maxWait=-1", "maxWait=soon"})
  void wrongParameter_isRefused(String query) throws Exception {
    assertThat(send("?" + query).statusCode()).isEqualTo(400);
    assertThat(topics.polls().pending()).isZero();
  }

  /** Jetty does not read from an HTTP/1.1 connection while a request waits. */
  @Test
  void readerThatDisconnects_isForgottenAtItsTimeLimit() throws Exception {
    long start = System.nanoTime();
    Socket reader = new Socket(InetAddress.getLoopbackAddress(), topics.port());
    String request = "GET /topics/news/messages?maxWait=1 HTTP/1.1\r\nHost: x\r\n\r\n";
    reader.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    while (topics.polls().pending() == 0 && System.nanoTime() - start < 1_000_000_000) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1)); // else its time limit is over
    }
    reader.close();
    awaitPending(0);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000_000);
  }

  @Test
  void closing_answersTheReaders() {
    var waiting = client.sendAsync(get("?maxWait=60"), BodyHandlers.ofString());
    awaitPending(1);
    topics.close();
    assertThat(waiting.join().statusCode()).isEqualTo(503);
  }

  private HttpResponse<String> send(String query) throws Exception {
    return client.send(get(query), BodyHandlers.ofString());
  }

  private HttpRequest get(String query) {
    return HttpRequest.newBuilder(uri(query)).build();
  }

  private URI uri(String query) {
    return URI.create("http://localhost:" + topics.port() + "/topics/news/messages" + query);
  }

  private void awaitPending(long expected) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (topics.polls().pending() != expected && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertThat(topics.polls().pending()).isEqualTo(expected);
  }
}
