package dev.purgatory.answers;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Gives each statement another session, as a pooler in transaction mode does. Announcements get
 * lost. A session that has ended fails one statement, then it is replaced.
 */
final class TransactionPooler implements AutoCloseable {
  private final DataSource server;
  private final @Nullable Connection[] sessions = new Connection[6];
  private int next;

  TransactionPooler(DataSource server) {
    this.server = server;
  }

  DataSource dataSource() {
    return proxy(DataSource.class, (proxy, method, arguments) -> connection());
  }

  private Connection connection() {
    return proxy(
        Connection.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "close", "setAutoCommit" -> null;
              case "unwrap" -> proxy(PGConnection.class, TransactionPooler::announcements);
              default -> {
                try {
                  yield method.invoke(session(), arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }
            });
  }

  private static Object announcements(Object proxy, Object method, Object[] arguments)
      throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep((int) arguments[0]);
    return new PGNotification[0];
  }

  private synchronized Connection session() throws SQLException {
    next = (next + 1) % sessions.length;
    Connection session = sessions[next];
    if (session == null || session.isClosed()) {
      session = server.getConnection();
      sessions[next] = session;
    }
    return session;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public synchronized void close() throws SQLException {
    for (Connection session : sessions) {
      if (session != null) {
        session.close();
      }
    }
  }
}
