package dev.purgatory.examples.byhand;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Sessions with what the JDK has: a map that a thread sweeps. */
final class SessionRegistryByHand implements AutoCloseable {

  /** A connection to a client. */
  @FunctionalInterface
  interface Connection {
    void disconnect(String why);
  }

  // sample: sessions-by-hand
  private static final class Session {
    static final long ENDED = Long.MAX_VALUE;

    final Connection connection;
    final AtomicLong touched = new AtomicLong(System.nanoTime());

    Session(Connection connection) {
      this.connection = connection;
    }

    boolean touch() {
      long now = System.nanoTime();
      return touched.updateAndGet(before -> before == ENDED ? ENDED : now) != ENDED;
    }

    boolean end(long seen) {
      return seen != ENDED && touched.compareAndSet(seen, ENDED); // loses against a touch
    }
  }

  private final ConcurrentHashMap<String, Session> sessions = new ConcurrentHashMap<>();
  private final ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor();
  private final Duration timeout;

  SessionRegistryByHand(Duration timeout) {
    this.timeout = timeout;
    Future<?> unused = sweeper.scheduleWithFixedDelay(this::sweep, 1, 1, TimeUnit.SECONDS);
  }

  void onConnect(String client, Connection connection) {
    Session former = sessions.put(client, new Session(connection)); // for a moment, both are open
    if (former != null) {
      end(client, former, "TAKEN_OVER");
    }
  }

  boolean onHeartbeat(String client) {
    Session session = sessions.get(client);
    return session != null && session.touch();
  }

  void onGoodbye(String client) {
    Session session = sessions.get(client);
    if (session != null) {
      end(client, session, "CLOSED");
    }
  }

  private void end(String client, Session session, String reason) {
    long seen = session.touched.get();
    while (seen != Session.ENDED && !session.end(seen)) {
      seen = session.touched.get();
    }
    if (seen != Session.ENDED) {
      tell(client, session, reason, seen);
    }
  }

  /** Visits all sessions: an expiry is noticed up to a second late. */
  void sweep() {
    sessions.forEach(
        (client, session) -> {
          long seen = session.touched.get();
          if (System.nanoTime() - seen >= timeout.toNanos() && session.end(seen)) {
            tell(client, session, "EXPIRED", seen);
          }
        });
  }

  private void tell(String client, Session session, String reason, long seen) {
    sessions.remove(client, session);
    Duration idle = Duration.ofNanos(System.nanoTime() - seen);
    try {
      session.connection.disconnect(client + ' ' + reason + ", silent for " + idle);
    } catch (RuntimeException e) {
      System.err.println(e); // otherwise, the sweeps would end
    }
  }

  // end

  SessionRegistryByHand() {
    this(Duration.ofSeconds(10));
  }

  int size() {
    return sessions.size();
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }
}
