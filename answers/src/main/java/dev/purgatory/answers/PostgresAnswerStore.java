package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.Threads;
import java.lang.System.Logger.Level;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Keeps answers in a table of PostgreSQL. The primary key decides which answer is the first.
 *
 * <pre>{@code
 * CREATE TABLE answers (
 *   id text PRIMARY KEY,
 *   answer bytea NOT NULL,
 *   token uuid NOT NULL,
 *   given_at timestamptz NOT NULL DEFAULT now()
 * )
 * }</pre>
 *
 * <p>Delete old rows as you like. A deleted id can be answered again.
 *
 * <p>The driver is PGJDBC. The store occupies one connection of the data source for {@code LISTEN},
 * and up to four more for a short time each. Give the driver a {@code socketTimeout} of more than a
 * second: without one, a database that has vanished blocks a thread for as long as TCP allows.
 */
public final class PostgresAnswerStore implements AnswerStore {

  /*
   * An id is followed, then looked for. An answer is inserted, then announced. An instance listens first, then
   * looks for all ids that are followed on it. So an answer that comes before the look is found by it, and one
   * that comes later is announced. An announcement can be lost: with its connection, or with the instance that
   * has inserted the answer and not announced it yet. So all ids are looked for from time to time.
   *
   * The insert and the announcement are two transactions: PostgreSQL takes one lock of the whole cluster to
   * commit a transaction that announces.
   *
   * A random token makes an insert repeatable: if the connection fails, the second attempt finds the row of the
   * first, and the token says so.
   *
   * While the database is away, each answer occupies a worker until its attempts have failed. So answers that
   * wait for a worker have a bound and a time limit. Of looks for fresh ids, at most one waits for a worker.
   *
   * `given` has the results that are not done. A call of complete that adds to it after close() has gone through it
   * is refused by the workers.
   */

  private static final System.Logger LOG = System.getLogger("dev.purgatory");
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  private static final String NAME = "[A-Za-z_][A-Za-z0-9_]*";
  private static final int MOST_CHARACTERS = 63;
  private static final int WORKERS = 4;
  private static final int ATTEMPTS = 2;
  private static final int MOST_WAITING = 10_000;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MOST_IDS = 1_000;
  private static final int LISTEN_MILLIS = 200;
  private static final int PAUSE_MILLIS = 500;

  private final DataSource dataSource;
  private final String table;
  private final long everyNanos;
  private final Followers followers = new Followers();
  private final Duration closeTimeout;
  private final Queue<String> fresh = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean looking = new AtomicBoolean(); // a look for them waits for a worker
  private final Set<CompletableFuture<Completion<byte[]>>> given = ConcurrentHashMap.newKeySet();
  private final ExecutorService workers;
  private final Thread listener;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * Connects to PostgreSQL in the background. It looks for answers every five seconds, in case an
   * announcement is lost.
   *
   * @param dataSource has connections of PGJDBC, preferably pooled
   * @param table the name of the table, without quotes, at most 63 characters; it can have a schema
   * @throws IllegalArgumentException if the name of the table is not valid
   */
  public PostgresAnswerStore(DataSource dataSource, String table) {
    this(dataSource, table, LOOK_EVERY);
  }

  /**
   * Connects to PostgreSQL in the background.
   *
   * @param dataSource has connections of PGJDBC, preferably pooled
   * @param table the name of the table, without quotes, at most 63 characters; it can have a schema
   * @param lookEvery how often to look for all ids that are awaited here, in case an announcement
   *     is lost; positive
   * @throws IllegalArgumentException if the name of the table or the time is not valid
   */
  public PostgresAnswerStore(DataSource dataSource, String table, Duration lookEvery) {
    this(dataSource, table, lookEvery, MOST_WAITING, CLOSE);
  }

  /**
   * As above.
   *
   * @param mostWaiting how many answers and looks wait for a worker at most
   * @param closeTimeout how long {@link #close} waits for answers that are being written
   */
  PostgresAnswerStore(
      DataSource dataSource,
      String table,
      Duration lookEvery,
      int mostWaiting,
      Duration closeTimeout) {
    if (!table.matches(NAME + "(\\." + NAME + ")?") || table.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException("not a name of a table: " + table);
    }
    if (lookEvery.isZero() || lookEvery.isNegative()) {
      throw new IllegalArgumentException("look every " + lookEvery);
    }
    this.dataSource = requireNonNull(dataSource, "dataSource");
    this.table = table;
    this.everyNanos = TimeUnit.NANOSECONDS.convert(lookEvery);
    this.closeTimeout = closeTimeout;
    String name = "purgatory-answers-" + table;
    AtomicInteger number = new AtomicInteger();
    this.workers =
        new ThreadPoolExecutor(
            WORKERS,
            WORKERS,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(mostWaiting),
            task -> Threads.daemon(task, name + '-' + number.incrementAndGet()));
    this.listener = Threads.daemon(this::listen, name);
    listener.start();
  }

  @Override
  public String newId() {
    return UUID.randomUUID().toString();
  }

  /**
   * {@inheritDoc}
   *
   * <p>At most 10,000 answers wait for a connection, and for 30 seconds at most. Others fail, and
   * were not stored.
   */
  @Override
  @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself only
  public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
    CompletableFuture<Completion<byte[]>> result = new CompletableFuture<>();
    given.add(result);
    var unused = result.whenComplete((completion, error) -> given.remove(result));
    long begun = System.nanoTime();
    try {
      workers.execute(() -> give(id, answer, begun, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          workers.isShutdown()
              ? Followers.closedException()
              : new AnswerStoreException("too many answers wait; not written: " + id, e));
    }
    return result;
  }

  private void give(
      String id, byte[] answer, long begun, CompletableFuture<Completion<byte[]>> result) {
    if (result.isDone()) {
      return; // the store is closed
    }
    try {
      if (System.nanoTime() - begun > PATIENCE_NANOS) {
        throw new AnswerStoreException("no connection in time; not written: " + id, null);
      }
      result.complete(insert(id, answer));
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  private Completion<byte[]> insert(String id, byte[] answer) {
    UUID token = UUID.randomUUID();
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = connect()) {
        return insert(connection, id, answer, token);
      } catch (SQLException e) {
        if (attempt == ATTEMPTS) {
          throw new AnswerStoreException("cannot write the answer to " + id, e);
        }
      }
    }
  }

  private Connection connect() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      connection.setAutoCommit(true);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private Completion<byte[]> insert(Connection connection, String id, byte[] answer, UUID token)
      throws SQLException {
    Completion<byte[]> completion = null;
    while (completion == null) { // again if the row was deleted in between
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO "
                  + table
                  + " (id, answer, token) VALUES (?, ?, ?)"
                  + " ON CONFLICT (id) DO NOTHING")) {
        insert.setString(1, id);
        insert.setBytes(2, answer);
        insert.setObject(3, token);
        completion =
            insert.executeUpdate() == 1
                ? new Completion<>(true, answer)
                : select(connection, id, token);
      }
    }
    followers.answer(id, completion.answer());
    if (completion.won()) {
      announce(connection, id);
    }
    return completion;
  }

  private @Nullable Completion<byte[]> select(Connection connection, String id, UUID token)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT answer, token FROM " + table + " WHERE id = ?")) {
      select.setString(1, id);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? new Completion<>(token.equals(row.getObject(2, UUID.class)), row.getBytes(1))
            : null;
      }
    }
  }

  private void announce(Connection connection, String id) {
    try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      notify.setString(1, table);
      notify.setString(2, id);
      notify.execute();
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "An answer was not announced; others find it when they look", e);
    }
  }

  @Override
  public CompletableFuture<byte[]> follow(String id) {
    CompletableFuture<byte[]> follower = followers.add(id);
    fresh.add(id);
    if (looking.compareAndSet(false, true)) {
      try {
        workers.execute(this::lookForFresh);
      } catch (RejectedExecutionException e) {
        looking.set(false);
        fresh.clear(); // the store is closed, or the next look for all ids finds them
      }
    }
    return follower;
  }

  /** Looks for all ids at once that have come since the last look. */
  private void lookForFresh() {
    looking.set(false); // in this order: an id that is added later begins another look
    List<String> ids = new ArrayList<>();
    for (String id = fresh.poll(); id != null; id = fresh.poll()) {
      ids.add(id);
    }
    if (ids.isEmpty()) {
      return;
    }
    try (Connection connection = connect()) {
      look(connection, ids);
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "A look for answers failed; there will be others", e);
    }
  }

  private void look(Connection connection, Collection<String> ids) throws SQLException {
    List<String> wanted = ids.stream().filter(followers::isFollowed).toList();
    for (int from = 0; from < wanted.size(); from += MOST_IDS) {
      List<String> some = wanted.subList(from, Math.min(from + MOST_IDS, wanted.size()));
      try (PreparedStatement select =
          connection.prepareStatement("SELECT id, answer FROM " + table + " WHERE id = ANY (?)")) {
        Array array = connection.createArrayOf("text", some.toArray());
        select.setArray(1, array);
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            followers.answer(rows.getString(1), rows.getBytes(2));
          }
        }
      }
    }
  }

  private void listen() {
    long warned = System.nanoTime() - WARN_NANOS;
    while (!isClosed(0)) {
      try (Connection connection = connect()) {
        listen(connection);
      } catch (Throwable e) { // errors, too: nobody else listens
        long now = System.nanoTime();
        if (now - warned >= WARN_NANOS) {
          warned = now;
          LOG.log(Level.WARNING, "PostgreSQL is unavailable; waits for answers go on", e);
        }
        boolean unused = isClosed(PAUSE_MILLIS);
      }
    }
  }

  private boolean isClosed(int waitMillis) {
    try {
      return closed.await(waitMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return false; // nobody but a debugger interrupts this thread
    }
  }

  private void listen(Connection connection) throws SQLException {
    PGConnection announcements = connection.unwrap(PGConnection.class);
    execute(connection, "LISTEN \"" + table + '"');
    try {
      look(connection, followers.ids());
      long looked = System.nanoTime();
      while (!isClosed(0)) {
        PGNotification[] heard = announcements.getNotifications(LISTEN_MILLIS);
        List<String> ids = new ArrayList<>();
        for (PGNotification each : heard) {
          ids.add(each.getParameter());
        }
        look(connection, ids);
        if (System.nanoTime() - looked >= everyNanos) {
          look(connection, followers.ids());
          looked = System.nanoTime();
        }
      }
    } finally {
      unlisten(connection);
    }
  }

  /** Makes a connection ready for its pool, unless it is lost. */
  private static void unlisten(Connection connection) {
    try {
      execute(connection, "UNLISTEN *");
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "A connection that has listened is lost", e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** {@inheritDoc} It waits up to five seconds for answers that are being written. */
  @Override
  public void close() {
    closed.countDown();
    workers.shutdown();
    try {
      boolean unused = workers.awaitTermination(closeTimeout.toMillis(), TimeUnit.MILLISECONDS);
      workers.shutdownNow();
      listener.join(closeTimeout.toMillis());
    } catch (InterruptedException e) {
      workers.shutdownNow();
      Thread.currentThread().interrupt();
    }
    followers.close();
    given.forEach(each -> each.completeExceptionally(Followers.closedException()));
  }
}
