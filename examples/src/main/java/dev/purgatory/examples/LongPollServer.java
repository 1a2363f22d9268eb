package dev.purgatory.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.purgatory.Purgatory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server whose readers wait for messages without occupying a thread.
 *
 * <pre>
 *   curl -d hello localhost:8080/topics/greetings       appends a message
 *   curl localhost:8080/topics/greetings?after=0        returns all messages; waits for the first
 * </pre>
 */
public final class LongPollServer implements AutoCloseable {
  private final Map<String, List<String>> topics = new ConcurrentHashMap<>();
  private final Purgatory<String> polls = Purgatory.builder("long-poll", String.class).build();
  private final HttpServer http;
  private final Duration timeout;

  /**
   * Starts the server on the loopback address.
   *
   * @param port the port, or 0 for any free one
   * @param timeout how long a reader waits
   * @throws IOException if the port is in use
   */
  public LongPollServer(int port, Duration timeout) throws IOException {
    this.timeout = timeout;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.createContext("/topics/", this::handle);
    http.start();
  }

  /**
   * Returns the port that the server listens on.
   *
   * @return the port
   */
  public int port() {
    return http.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String topic = exchange.getRequestURI().getPath();
    List<String> messages = topics.computeIfAbsent(topic, t -> new CopyOnWriteArrayList<>());
    switch (exchange.getRequestMethod()) {
      case "POST" -> {
        messages.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        respond(exchange, 204, "");
        polls.signal(topic);
      }
      case "GET" -> poll(exchange, topic, messages, after(exchange));
      default -> respond(exchange, 405, "");
    }
  }

  private void poll(HttpExchange exchange, String topic, List<String> messages, int after) {
    CompletableFuture<?> unused =
        polls
            .until(() -> messages.size() > after ? text(messages, after) : null)
            .orAfter(timeout, () -> "")
            .hold(topic)
            .whenComplete(
                (text, closed) -> respond(exchange, closed == null ? status(text) : 503, text));
  }

  private static String text(List<String> messages, int after) {
    return messages.stream().skip(after).collect(Collectors.joining("\n", "", "\n"));
  }

  private static int status(String text) {
    return text.isEmpty() ? 204 : 200;
  }

  private static int after(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query != null && query.matches("after=\\d{1,9}")
        ? Integer.parseInt(query.substring("after=".length()))
        : 0;
  }

  private static void respond(HttpExchange exchange, int status, @Nullable String text) {
    try (exchange) {
      byte[] body = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    } catch (IOException e) {
      System.err.println("Lost a reader: " + e.getMessage());
    }
  }

  /** Answers all readers and stops the server. */
  @Override
  public void close() {
    polls.close();
    http.stop(0);
  }

  /**
   * Runs the server until the process is killed.
   *
   * @param args the port, 8080 by default
   * @throws IOException if the port is in use
   */
  public static void main(String... args) throws IOException {
    int port = args.length == 0 ? 8080 : Integer.parseInt(args[0]);
    LongPollServer server = new LongPollServer(port, Duration.ofSeconds(30));
    System.out.println("http://localhost:" + server.port() + "/topics/");
  }
}
