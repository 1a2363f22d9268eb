package dev.purgatory.examples.approval;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.purgatory.HeldFuture;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import dev.purgatory.answers.InMemoryAnswerStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server where agents ask and people decide.
 *
 * <pre>
 *   curl -d 'Delete all?' localhost:8080/questions/agent-7              asks; returns an id
 *   curl -d 'Buy?' 'localhost:8080/questions/agent-7?within=600'        declined after 10 minutes
 *   curl localhost:8080/questions                                       what waits for a person
 *   curl localhost:8080/decisions/ID                                    waits; 202: ask again
 *   curl -d yes localhost:8080/decisions/ID/alice                       decides; 409: somebody has
 * </pre>
 */
public final class ApprovalServer implements AutoCloseable {
  private static final int MOST_DECISIONS = 100_000;

  private static final long SWEEP = 10;

  private final ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor();
  private final Desk desk;
  private final HttpServer http;

  /**
   * Starts the server on the loopback address.
   *
   * @param port the port, or 0 for any free one
   * @param desk where questions wait; closed with the server
   * @throws IOException if the port is in use
   */
  ApprovalServer(int port, Desk desk) throws IOException {
    this.desk = desk;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.createContext("/", this::handle);
    http.start();
    var unused = sweeper.scheduleWithFixedDelay(this::sweep, SWEEP, SWEEP, TimeUnit.SECONDS);
  }

  int port() {
    return http.getAddress().getPort();
  }

  /** Returns how many agents wait here. */
  long waiting() {
    return desk.waiting();
  }

  private void sweep() {
    try {
      desk.declineOverdue();
    } catch (RuntimeException e) {
      System.err.println("Overdue questions are declined later: " + e);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    String[] path = exchange.getRequestURI().getPath().substring(1).split("/", -1);
    try {
      switch (exchange.getRequestMethod() + ' ' + path[0] + ' ' + path.length) {
        case "POST questions 2" ->
            respond(exchange, 201, desk.ask(body, path[1], within(exchange)));
        case "GET questions 1" -> respond(exchange, 200, screen());
        case "GET decisions 2" -> poll(exchange, path[1]);
        case "POST decisions 3" -> decide(exchange, path[1], body.equals("yes"), path[2]);
        default -> respond(exchange, 404, "");
      }
    } catch (IllegalArgumentException e) {
      respond(exchange, 400, e.getMessage()); // not an id
    }
  }

  private static @Nullable Duration within(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query != null && query.matches("within=\\d{1,9}")
        ? Duration.ofSeconds(Long.parseLong(query.substring("within=".length())))
        : null;
  }

  private String screen() {
    return desk.open().entrySet().stream()
        .map(
            each -> each.getKey() + ' ' + each.getValue().askedBy() + ": " + each.getValue().text())
        .sorted()
        .collect(Collectors.joining("\n"));
  }

  // sample: bounded-long-poll
  private void poll(HttpExchange exchange, String id) {
    HeldFuture<Decision> decision = desk.poll(id);
    var unused =
        decision.whenComplete(
            (decided, error) -> {
              if (decided != null) {
                respond(exchange, 200, decided.toString());
              } else if (error instanceof TimeoutException
                  || error instanceof PurgatoryClosedException) {
                respond(exchange, 202, "pending " + id); // come back, to any instance
              } else {
                respond(exchange, 503, error.getMessage());
              }
            });
  }

  private void decide(HttpExchange exchange, String id, boolean approved, String by) {
    var unused =
        desk.decide(id, approved, by)
            .whenComplete(
                (done, error) -> {
                  if (error != null) {
                    respond(exchange, 503, "Try again: " + error.getMessage());
                  } else if (done.won()) {
                    respond(exchange, 200, "Thank you");
                  } else {
                    respond(exchange, 409, "It was " + done.answer()); // by whom, and when
                  }
                });
  }

  // end

  private static void respond(HttpExchange exchange, int status, @Nullable String text) {
    try (exchange) {
      byte[] body = (text + "\n").getBytes(UTF_8);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    } catch (IOException e) {
      System.err.println("Lost a client: " + e.getMessage());
    }
  }

  /** Has all agents that wait come back, to another instance. */
  @Override
  public void close() {
    sweeper.shutdown();
    desk.close();
    http.stop(1);
  }

  /**
   * Runs one instance until the process is killed. With {@code KafkaAnswerStore} and a table of
   * questions, there can be several.
   *
   * @param args the port, 8080 by default
   * @throws IOException if the port is in use
   */
  public static void main(String... args) throws IOException {
    int port = args.length == 0 ? 8080 : Integer.parseInt(args[0]);
    Map<String, Question> open = new ConcurrentHashMap<>();
    Desk desk =
        new Desk(
            open,
            new InMemoryAnswerStore(MOST_DECISIONS),
            Purgatory.builder("approvals", String.class).build(),
            InstantSource.system());
    ApprovalServer server = new ApprovalServer(port, desk);
    System.out.println("http://localhost:" + server.port() + "/questions");
  }
}
