package dev.purgatory.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.base.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An instance of a service that anybody can reach. It bounds what a client can take: the time to
 * send a request, the threads, the bytes of an answer, the time of a wait.
 *
 * <pre>
 *   GET /ID      200 and the answer; 202: ask again
 *   POST /ID     200; 409: there is an answer; 400: this service has not made the id
 * </pre>
 */
final class HttpFront implements AutoCloseable {
  static final int THREADS = 16;
  static final int MOST_BYTES = 1_000;
  private static final Duration WAIT = Duration.ofSeconds(2);

  static {
    // Seconds to send a request. The first server of the JVM reads it.
    System.setProperty("sun.net.httpserver.maxReqTime", "1");
  }

  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Threads.daemons("front"));
  private final SharedReplies<String> replies;
  private final HttpServer http;

  HttpFront(SharedReplies<String> replies) throws IOException {
    this.replies = replies;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads); // without one, a slow client stops the server
    http.createContext("/", this::handle);
    http.start();
  }

  int port() {
    return http.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String id = exchange.getRequestURI().getPath().substring(1);
    byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
    try {
      if (body.length > MOST_BYTES) {
        respond(exchange, 413, "");
      } else if (exchange.getRequestMethod().equals("POST")) {
        answer(exchange, id, new String(body, UTF_8));
      } else {
        poll(exchange, id);
      }
    } catch (IllegalArgumentException e) {
      respond(exchange, 400, e.getMessage());
    }
  }

  private void poll(HttpExchange exchange, String id) {
    var unused =
        replies
            .await(id, WAIT)
            .whenComplete(
                (answer, error) -> {
                  boolean pending =
                      error instanceof TimeoutException
                          || error instanceof PurgatoryClosedException;
                  respond(exchange, error == null ? 200 : pending ? 202 : 503, answer);
                });
  }

  private void answer(HttpExchange exchange, String id, String answer) {
    var unused =
        replies
            .complete(id, answer)
            .whenComplete(
                (done, error) ->
                    respond(
                        exchange,
                        error != null ? 503 : done.won() ? 200 : 409,
                        error != null ? error.toString() : done.answer()));
  }

  private static void respond(HttpExchange exchange, int status, @Nullable String text) {
    try (exchange) {
      byte[] body = text == null ? new byte[0] : text.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (IOException e) {
      // The client is gone.
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
