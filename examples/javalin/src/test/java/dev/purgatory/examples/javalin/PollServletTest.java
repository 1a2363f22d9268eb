package dev.purgatory.examples.javalin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.Purgatory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In Jetty. */
@Timeout(60)
class PollServletTest {
  private final Purgatory<String> polls = Purgatory.builder("polls", String.class).build();
  private final Server server = new Server(0);
  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeEach
  void start() throws Exception {
    ServletContextHandler context = new ServletContextHandler();
    ServletHolder holder = new ServletHolder(new PollServlet(polls));
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/news/*");
    server.setHandler(context);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    polls.close();
    server.stop();
  }

  @Test
  void post_wakesTheReader() throws Exception {
    CompletableFuture<HttpResponse<String>> reader = poll();
    HttpRequest post = HttpRequest.newBuilder(uri()).POST(BodyPublishers.ofString("2:1")).build();
    assertThat(client.send(post, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    assertThat(reader.get().body()).isEqualTo(String.format("2:1%n"));
    assertThat(polls.pending()).isZero();
  }

  @Test
  void closing_answersTheReader() throws Exception {
    CompletableFuture<HttpResponse<String>> reader = poll();
    polls.close();
    assertThat(reader.get().statusCode()).isEqualTo(503);
  }

  private CompletableFuture<HttpResponse<String>> poll() throws InterruptedException {
    HttpRequest get = HttpRequest.newBuilder(uri()).build();
    CompletableFuture<HttpResponse<String>> reader = client.sendAsync(get, BodyHandlers.ofString());
    while (polls.pending() == 0) {
      Thread.sleep(1);
    }
    return reader;
  }

  private URI uri() {
    return URI.create("http://localhost:" + server.getURI().getPort() + "/news/cup");
  }
}
