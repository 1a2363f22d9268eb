package dev.purgatory.examples.javalin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamsTest {
  private final Streams streams = new Streams();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    streams.close();
  }

  @Test
  void eventsReachAClientOfSse_inOrder() throws Exception {
    HttpRequest follow =
        HttpRequest.newBuilder(uri("http", "/events/cup"))
            .header("Accept", "text/event-stream")
            .build();
    var response = client.send(follow, BodyHandlers.ofInputStream());
    try (BufferedReader events =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      post("1:0");
      assertThat(nextData(events)).isEqualTo("data: 1:0");
      post("1:1");
      post("2:1");
      assertThat(nextData(events)).isEqualTo("data: 1:1");
      assertThat(nextData(events)).isEqualTo("data: 2:1");
    }
  }

  @Test
  void clientOfAWebSocket_answersAQuestion() throws Exception {
    WebSocket socket = connect("alice", true);
    assertThat(streams.ask("alice", "Delete all?").get()).isEqualTo("yes to Delete all?");
    socket.abort();
  }

  @Test
  void clientThatGoes_failsItsQuestions() throws Exception {
    WebSocket socket = connect("bob", false);
    CompletableFuture<String> answer = streams.ask("bob", "Are you there?");
    assertThat(streams.held()).isEqualTo(1);
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get();
    assertThatThrownBy(answer::get).hasRootCauseInstanceOf(IOException.class);
    assertThat(streams.held()).isZero();
  }

  private WebSocket connect(String name, boolean answers) throws Exception {
    WebSocket socket =
        client
            .newWebSocketBuilder()
            .buildAsync(uri("ws", "/clients/" + name), new Answering(answers))
            .get();
    await(() -> streams.knows(name));
    return socket;
  }

  /** Says yes to each question, or nothing. */
  private record Answering(boolean answers) implements WebSocket.Listener {
    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      String[] idAndQuestion = text.toString().split(" ", 2);
      socket.request(1);
      return answers
          ? socket.sendText(idAndQuestion[0] + " yes to " + idAndQuestion[1], true)
          : null;
    }
  }

  private void post(String event) throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(uri("http", "/events/cup"))
            .POST(BodyPublishers.ofString(event))
            .build();
    assertThat(client.send(post, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
  }

  private static String nextData(BufferedReader events) throws IOException {
    String line = events.readLine();
    while (!line.startsWith("data:")) {
      line = events.readLine();
    }
    return line;
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  private URI uri(String scheme, String path) {
    return URI.create(scheme + "://localhost:" + streams.port() + path);
  }
}
