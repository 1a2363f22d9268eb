package dev.purgatory.examples.javalin;

import dev.purgatory.HeldFuture;
import dev.purgatory.Limit;
import dev.purgatory.LimitExceededException;
import dev.purgatory.Purgatory;
import dev.purgatory.PurgatoryClosedException;
import io.javalin.Javalin;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;

/**
 * Topics whose readers wait for messages without occupying a thread.
 *
 * <pre>
 *   curl -d hello localhost:8080/topics/greetings/messages
 *   curl 'localhost:8080/topics/greetings/messages?after=1&amp;maxWait=10'
 * </pre>
 */
public final class Topics implements AutoCloseable {
  private final Map<String, List<String>> logs = new ConcurrentHashMap<>();
  private final Javalin server;

  // sample: javalin
  private final Purgatory<String> polls =
      Purgatory.builder("polls", String.class)
          .limit(Limit.builder("polls").requests(20_000).build())
          .build();

  private void messages(Context exchange) {
    int after = parameter(exchange, "after", 0, Integer.MAX_VALUE);
    int maxWait = parameter(exchange, "maxWait", 30, 60); // seconds
    String topic = exchange.pathParam("topic");
    exchange.future(() -> poll(topic, after, maxWait).thenAccept(exchange::json));
  }

  private HeldFuture<List<String>> poll(String topic, int after, int maxWait) {
    List<String> log = log(topic);
    return polls
        .until(() -> log.size() > after ? log.stream().skip(after).toList() : null)
        .orAfter(Duration.ofSeconds(maxWait), List::of)
        .hold(topic);
  }

  private void append(Context exchange) {
    String topic = exchange.pathParam("topic");
    log(topic).add(exchange.body());
    polls.signal(topic);
  }

  // end

  private static int parameter(Context exchange, String name, int byDefault, int most) {
    int value = exchange.queryParamAsClass(name, Integer.class).getOrDefault(byDefault);
    if (value < 0 || value > most) {
      throw new BadRequestResponse(name + " is not from 0 to " + most);
    }
    return value;
  }

  private List<String> log(String topic) {
    return logs.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>());
  }

  /**
   * Starts the server on the loopback address.
   *
   * @param port the port, or 0 for any free one
   */
  public Topics(int port) {
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.http.asyncTimeout = 0; // the limits of the polls are enough
                  config.jetty.modifyServer(Topics::writeAnswersBeforeTheStop);
                  config.routes.get("/topics/{topic}/messages", this::messages);
                  config.routes.post("/topics/{topic}/messages", this::append);
                  config.routes.exception(LimitExceededException.class, Topics::unavailable);
                  config.routes.exception(PurgatoryClosedException.class, Topics::unavailable);
                })
            .start("localhost", port);
  }

  private static void writeAnswersBeforeTheStop(Server jetty) {
    jetty.setStopTimeout(TimeUnit.SECONDS.toMillis(5));
    jetty.insertHandler(new GracefulHandler());
  }

  private static void unavailable(Exception unused, Context exchange) {
    exchange.status(HttpStatus.SERVICE_UNAVAILABLE);
  }

  /**
   * Returns the port that the server listens on.
   *
   * @return the port
   */
  public int port() {
    return server.port();
  }

  Purgatory<String> polls() {
    return polls;
  }

  /** Answers all readers and stops the server. */
  @Override
  public void close() {
    polls.close();
    server.stop();
  }

  /**
   * Runs the server until the process is killed.
   *
   * @param args the port, 8080 by default
   */
  @SuppressWarnings("resource") // runs until the process ends
  public static void main(String... args) {
    Topics topics = new Topics(args.length == 0 ? 8080 : Integer.parseInt(args[0]));
    System.out.println("http://localhost:" + topics.port() + "/topics/");
  }
}
