package dev.purgatory.examples;

import dev.purgatory.session.Session;
import dev.purgatory.session.SessionEnd;
import dev.purgatory.session.Sessions;
import dev.purgatory.timer.Timer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Sessions: a server knows which clients are alive, and who has replaced whom. */
public final class SessionRegistry {

  /** A connection to a client. */
  @FunctionalInterface
  interface Connection {
    void disconnect(String why);
  }

  // sample: sessions
  private final Sessions<String, Connection> sessions;

  void onConnect(String client, Connection connection) {
    sessions.open(client, connection); // takes over from a former connection
  }

  boolean onHeartbeat(String client) {
    return sessions.touch(client); // false: connect again
  }

  void onGoodbye(String client) {
    Session<String, Connection> session = sessions.get(client);
    if (session != null) {
      session.close();
    }
  }

  private void onEnd(SessionEnd<String, Connection> end) {
    end.owner().disconnect(end.key() + ' ' + end.reason() + ", silent for " + end.idle());
  }

  // end

  // sample: sessions-lease
  @Nullable Session<String, Connection> becomeLeader(String partition, Connection candidate) {
    return sessions.tryOpen(partition, candidate); // null: another one leads
  }

  // end

  SessionRegistry(Timer timer) {
    // sample: sessions-new
    Duration timeout = Duration.ofSeconds(10);
    sessions = new Sessions<>(timer, timeout, this::onEnd);
    // end
  }

  SessionRegistry(Timer timer, Duration timeout, Executor executor) {
    sessions = new Sessions<>(timer, timeout, this::onEnd, executor);
  }

  int size() {
    return sessions.size();
  }

  /**
   * Runs the example: one client connects again and is then lost, and another one says goodbye.
   *
   * @param args ignored
   */
  public static void main(String... args) {
    BlockingQueue<String> disconnected = new LinkedBlockingQueue<>();
    Connection connection = why -> disconnected.add(why.replaceAll(", silent.*", ""));
    try (Timer timer = Timer.builder().start("sessions")) {
      SessionRegistry server = new SessionRegistry(timer, Duration.ofMillis(500), Runnable::run);
      server.onConnect("client-7", connection);
      server.onConnect("client-8", connection);
      server.onConnect("client-7", connection);
      server.onGoodbye("client-8");
      System.out.println(server.onHeartbeat("client-7"));
      for (int i = 0; i < 3; i++) {
        System.out.println(disconnected.take());
      }
      System.out.println(server.onHeartbeat("client-7"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
