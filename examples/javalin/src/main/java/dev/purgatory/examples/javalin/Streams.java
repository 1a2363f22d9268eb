package dev.purgatory.examples.javalin;

import static java.util.Objects.requireNonNull;

import dev.purgatory.Purgatory;
import dev.purgatory.Replies;
import dev.purgatory.Scope;
import io.javalin.Javalin;
import io.javalin.http.sse.SseClient;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Events for clients that stay connected, by SSE, and questions to them, by WebSocket. */
final class Streams implements AutoCloseable {
  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();
  private final Javalin server;

  // sample: sse
  private final Purgatory<String> events = Purgatory.builder("events", String.class).build();

  private void follow(SseClient client) {
    Scope scope = Scope.of("SSE client");
    client.keepAlive();
    client.onClose(scope::close); // ends the request that waits for the next event
    next(client, client.ctx().pathParam("topic"), 0, scope);
  }

  private void next(SseClient client, String topic, int after, Scope scope) {
    List<String> log = log(topic);
    CompletableFuture<Void> unused =
        events
            .until(() -> log.size() > after ? log.stream().skip(after).toList() : null)
            .inScope(scope)
            .orAfter(Duration.ofSeconds(20), List::of)
            .hold(topic)
            .thenAcceptAsync( // not on the thread that signals
                found -> {
                  client.sendComment("alive"); // a client that has gone is noticed
                  found.forEach(client::sendEvent);
                  next(client, topic, after + found.size(), scope);
                });
  }

  private void append(String topic, String event) {
    log(topic).add(event);
    events.signal(topic);
  }

  // end

  // sample: websocket
  private final Replies<Integer, String> answers =
      Replies.builder("answers", Integer.class, String.class).build();
  private final AtomicInteger lastId = new AtomicInteger();
  private final Map<String, Client> clients = new ConcurrentHashMap<>();

  private record Client(WsContext connection, Scope scope) {}

  /** Asks a client that is connected. */
  CompletableFuture<String> ask(String name, String question) {
    Client client = clients.get(name);
    if (client == null) {
      return CompletableFuture.failedFuture(new IOException(name + " is not connected"));
    }
    int id = lastId.incrementAndGet();
    CompletableFuture<String> answer =
        answers.expect(id, Duration.ofSeconds(30), client.scope()); // before it is sent
    client.connection().send(id + " " + question);
    return answer;
  }

  private void configure(WsConfig socket) {
    socket.onConnect(
        connection -> {
          Scope scope = Scope.of("WebSocket client");
          connection.attribute("scope", scope);
          clients.put(connection.pathParam("name"), new Client(connection, scope));
        });
    socket.onMessage(
        message -> {
          String[] idAndAnswer = message.message().split(" ", 2);
          answers.complete(Integer.valueOf(idAndAnswer[0]), idAndAnswer[1]);
        });
    socket.onClose(
        connection -> {
          Scope scope = requireNonNull(connection.attribute("scope"));
          clients.values().removeIf(client -> client.scope() == scope);
          scope.fail(new IOException("the client has gone"));
        });
  }

  // end

  Streams() {
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.routes.sse("/events/{topic}", this::follow);
                  config.routes.post(
                      "/events/{topic}",
                      exchange -> append(exchange.pathParam("topic"), exchange.body()));
                  config.routes.ws("/clients/{name}", this::configure);
                })
            .start("localhost", 0);
  }

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }

  int port() {
    return server.port();
  }

  long held() {
    return events.pending() + answers.pending();
  }

  boolean knows(String client) {
    return clients.containsKey(client);
  }

  @Override
  public void close() {
    events.close();
    answers.close();
    server.stop();
  }
}
