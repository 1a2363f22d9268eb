package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;

import dev.purgatory.base.ForeignText;
import dev.purgatory.base.Threads;
import java.lang.System.Logger.Level;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
 *
 * <p>{@code LISTEN} needs a session of its own. If announcements do not arrive, because a pooler
 * gives the session to others or the pool has no second connection, the store logs a warning,
 * returns the connection, and looks for all answers every five seconds. It tries to listen again
 * every five minutes.
 */
public final class PostgresAnswerStore implements AnswerStore {

  /*
   * An id is followed, then looked for. An answer is inserted, then announced. An instance listens first, then
   * looks for all ids that are followed on it. So an answer that comes before the look is found by it, and one
   * that comes later is announced. An announcement can be lost. With the connection of the listener: the next
   * one looks for all ids. With the connection of the instance that has inserted the answer: its listener announces it
   * again. With that instance itself: an answer that is given again is announced, even though the first one stands.
   * Failing that, each id is looked for once in a while. All these looks are spread: every five seconds there is one, for
   * a part of the ids. It also shows that the connection of the listener is alive.
   *
   * The insert and the announcement are two transactions: PostgreSQL takes one lock of the whole cluster to
   * commit a transaction that announces.
   *
   * A random token makes an insert repeatable: if the connection fails, the next attempt finds the row of the
   * first, and the token says so.
   *
   * An attempt that fails goes to the end of the queue, until the time limit of its answer: after a failover, all
   * connections of a pool can be dead. An insert waits for locks for a short time only, so an id that somebody has
   * locked does not keep a worker from others. Answers that wait for a worker have a bound, and the listener fails
   * those whose time is over: no worker may have a connection for long.
   *
   * Of looks for fresh ids, at most one waits for a worker. The listener looks for them, too: the worker may come
   * late. If a look fails, or is refused, the listener looks for its ids. If it has no connection, its next one looks
   * for all ids anyway, so it forgets those.
   *
   * The listener announces something to itself, over another connection: a pooler would deliver it over the same
   * one. It is not heard if the session is not ours, or there is no other connection.
   *
   * `given` has the answers that are not done. A call of complete that adds to it after close() has gone through it
   * is refused by the workers.
   */

  private static final Duration LOOK_EVERY = Duration.ofMinutes(15);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final String NAME = "[A-Za-z_][A-Za-z0-9_]*";
  private static final int MOST_CHARACTERS = 63;
  private static final int WORKERS = 4;
  private static final int LOCK_MILLIS = 100;
  private static final int MOST_WAITING = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final int MOST_IDS = 1_000;
  private static final int LISTEN_MILLIS = 200;
  private static final int PAUSE_MILLIS = 500;
  private static final int RETRY_MILLIS = 20;
  private static final long HEARD_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long LISTEN_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Classes of SQLSTATE after which another attempt would fail, too. */
  private static final Set<String> FINAL = Set.of("0A", "22", "23", "28", "3D", "3F", "42", "54");

  private static final String LOCKED = "55P03";

  private static final String UNHEARD =
      "Announcements of answers do not arrive: all answers are looked for again and again. LISTEN needs a"
          + " session of its own, so no pooler in transaction mode, and a pool of two connections";

  /** An answer that is being given. */
  private static final class Given {
    final String id;
    final byte[] answer;
    final UUID token = UUID.randomUUID();
    final long begun = System.nanoTime();
    final CompletableFuture<Completion<byte[]>> result = new CompletableFuture<>();

    /** Whether it waits for a worker. */
    volatile boolean waits;

    /** With what it fails. The listener tries again: there may be no memory for it now. */
    volatile @Nullable Throwable failure;

    Given(String id, byte[] answer) {
      this.id = id;
      this.answer = answer;
    }

    void fail(Throwable error) {
      failure = error;
      failAgain();
    }

    void failAgain() {
      Throwable error = failure;
      if (error != null) {
        Foreign.call(() -> result.completeExceptionally(error));
      }
    }

    void failToWrite(Throwable cause) {
      fail(AnswerStoreException.cannotWrite(id, cause));
    }
  }

  private final DataSource dataSource;
  private final String table;
  private final long everyNanos;
  private final Followers followers = new Followers();
  private final Duration closeTimeout;
  private final Queue<String> fresh = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean looking = new AtomicBoolean(); // a look for them waits for a worker
  private final Set<Given> given = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor workers;
  private final long patienceNanos;
  private final String unavailable;

  /** What the listener announces to itself; no id has a space. */
  private final String probe = "probe " + UUID.randomUUID();

  private final Thread listener;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Fresh ids for which no worker could look. */
  private final Queue<String> missed = new ConcurrentLinkedQueue<>();

  /** What was stored, but not announced. */
  private final Queue<String> unannounced = new ConcurrentLinkedQueue<>();

  private final AtomicLong rowsRead = new AtomicLong();
  private final AtomicLong rowsWritten = new AtomicLong();
  private final AtomicLong listenersLost = new AtomicLong();

  /** The listener's, as are the next two: ids to look for in this round. */
  private final Deque<String> round = new ArrayDeque<>();

  private int idsPerLook;
  private long listenAt = System.nanoTime();

  /**
   * Connects to PostgreSQL in the background. It looks for each answer every 15 minutes, in case an
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
   * @param lookEvery how often to look for each id that is awaited here, in case an announcement is
   *     lost; positive
   * @throws IllegalArgumentException if the name of the table or the time is not valid
   */
  public PostgresAnswerStore(DataSource dataSource, String table, Duration lookEvery) {
    this(dataSource, table, lookEvery, MOST_WAITING, PATIENCE, CLOSE);
  }

  /**
   * As above.
   *
   * @param mostWaiting how many answers and looks wait for a worker at most
   * @param patience how long an answer is tried
   * @param closeTimeout how long {@link #close} waits for answers that are being written
   */
  PostgresAnswerStore(
      DataSource dataSource,
      String table,
      Duration lookEvery,
      int mostWaiting,
      Duration patience,
      Duration closeTimeout) {
    if (!table.matches(NAME + "(\\." + NAME + ")?") || table.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException("not a name of a table: " + ForeignText.of(table));
    }
    if (lookEvery.isZero() || lookEvery.isNegative()) {
      throw new IllegalArgumentException("look every " + lookEvery);
    }
    this.dataSource = requireNonNull(dataSource, "dataSource");
    this.table = table;
    this.everyNanos = TimeUnit.NANOSECONDS.convert(lookEvery);
    this.patienceNanos = patience.toNanos();
    this.closeTimeout = closeTimeout;
    this.unavailable =
        "PostgreSQL is unavailable; waits for answers in the table " + table + " go on";
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
    this.listener = Loop.start(name, this::listen, this::react);
  }

  @Override
  public String newId() {
    return UUID.randomUUID().toString();
  }

  /**
   * {@inheritDoc}
   *
   * <p>At most 10,000 answers wait for a connection; others fail, and were not stored. An answer is
   * tried for 30 seconds, unless the database refuses it for good.
   */
  @Override
  public CompletableFuture<Completion<byte[]>> complete(String id, byte[] answer) {
    Given each = new Given(id, answer);
    var unused = each.result.whenComplete((completion, error) -> given.remove(each));
    given.add(each); // in this order: nothing stays if there is no memory
    enqueue(each, null);
    return each.result;
  }

  private void enqueue(Given each, @Nullable SQLException before) {
    each.waits = true;
    try {
      workers.execute(() -> give(each));
    } catch (RejectedExecutionException full) {
      if (workers.isShutdown()) {
        each.fail(Followers.closedException());
      } else if (before != null) {
        each.failToWrite(before);
      } else {
        each.fail(
            new AnswerStoreException(
                "too many answers wait; not written: " + ForeignText.of(each.id), full));
      }
    } catch (Throwable e) { // no thread can be started
      each.fail(e);
    }
  }

  private void give(Given each) {
    try {
      each.waits = false;
      if (!each.result.isDone()) { // else the store is closed, or its time is over
        tryToGive(each);
      }
    } catch (Throwable e) {
      each.fail(e);
    }
  }

  private void tryToGive(Given each) {
    try (Connection connection = connect()) {
      Completion<byte[]> completion = insert(connection, each);
      Foreign.call(() -> each.result.complete(completion));
    } catch (SQLException e) {
      giveAgain(each, e);
    } catch (RuntimeException e) { // of the data source
      giveAgain(each, new SQLException(e));
    }
  }

  private void giveAgain(Given each, SQLException failure) {
    if (isLate(each) || FINAL.contains(stateClass(failure))) {
      each.failToWrite(failure);
      return;
    }
    if (!LOCKED.equals(failure.getSQLState())) { // it has not waited yet
      isClosed(RETRY_MILLIS);
    }
    enqueue(each, failure);
  }

  private boolean isLate(Given each) {
    return System.nanoTime() - each.begun >= patienceNanos;
  }

  /** Fails answers whose time is over, and answers that could not be failed before. */
  private void failLate() {
    for (Given each : given) {
      each.failAgain();
      if (each.waits && isLate(each)) { // racy: a worker may store it now
        each.failToWrite(new SQLTimeoutException("No connection was free in time"));
      }
    }
  }

  private static String stateClass(SQLException e) {
    String state = e.getSQLState();
    return state == null || state.length() < 2 ? "" : state.substring(0, 2);
  }

  private Connection connect() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      connection.setAutoCommit(true);
      return connection;
    } catch (Throwable e) {
      connection.close();
      throw e;
    }
  }

  private Completion<byte[]> insert(Connection connection, Given each) throws SQLException {
    Completion<byte[]> completion;
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO "
                + table
                + " (id, answer, token) SELECT ?, ?, ? FROM set_config('lock_timeout', '"
                + LOCK_MILLIS
                + "', true) ON CONFLICT (id) DO NOTHING")) {
      insert.setString(1, each.id);
      insert.setBytes(2, each.answer);
      insert.setObject(3, each.token);
      completion =
          insert.executeUpdate() == 1
              ? new Completion<>(true, each.answer)
              : select(connection, each);
    }
    rowsWritten.addAndGet(completion.won() ? 1 : 0);
    followers.answer(each.id, completion.answer());
    announce(connection, each.id);
    return completion;
  }

  private Completion<byte[]> select(Connection connection, Given each) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT answer, token FROM " + table + " WHERE id = ?")) {
      select.setString(1, each.id);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) { // deleted in between, or hidden by a trigger or a policy
          throw new SQLException("The table does not take the row, and does not show another one");
        }
        return new Completion<>(each.token.equals(row.getObject(2, UUID.class)), row.getBytes(1));
      }
    }
  }

  private void announce(Connection connection, String id) {
    try {
      notify(connection, id);
    } catch (SQLException e) {
      Foreign.log(Level.DEBUG, "An answer was not announced; the listener tries again", e);
      unannounced.add(id);
    }
  }

  private void notify(Connection connection, String text) throws SQLException {
    try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      notify.setString(1, table);
      notify.setString(2, text);
      notify.execute();
    }
  }

  @Override
  public CompletableFuture<byte[]> follow(String id) {
    CompletableFuture<byte[]> follower = followers.add(id);
    try {
      fresh.add(id);
    } catch (Throwable e) {
      follower.cancel(false); // nobody else would
      throw e;
    }
    if (looking.compareAndSet(false, true)) {
      try {
        workers.execute(this::lookForFresh);
      } catch (Throwable e) {
        looking.set(false);
        miss(take(fresh));
      }
    }
    return follower;
  }

  /** Looks for all ids at once that have come since the last look. */
  private void lookForFresh() {
    looking.set(false); // in this order: an id that is added later begins another look
    List<String> ids = take(fresh);
    if (ids.isEmpty()) {
      return;
    }
    try (Connection connection = connect()) {
      look(connection, ids);
    } catch (Throwable e) {
      miss(ids);
      Foreign.log(Level.DEBUG, "A look for answers failed; the listener tries again", e);
    }
  }

  private void miss(List<String> ids) {
    if (!workers.isShutdown()) { // else nobody takes them
      missed.addAll(ids);
    }
  }

  private static List<String> take(Queue<String> queue) {
    List<String> ids = new ArrayList<>();
    for (String id = queue.poll(); id != null; id = queue.poll()) {
      ids.add(id);
    }
    return ids;
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
            rowsRead.incrementAndGet();
            followers.answer(rows.getString(1), rows.getBytes(2));
          }
        }
      }
    }
  }

  // The listener.

  private boolean listen() throws SQLException {
    if (isClosed(0)) {
      return false;
    }
    failLate();
    boolean listens = System.nanoTime() - listenAt >= 0;
    missed.clear(); // all ids are looked for
    try (Connection connection = connect()) {
      if (listens) {
        listen(connection);
      } else {
        look(connection, followers.ids());
        announceAgain(connection);
      }
    }
    return listens || !isClosed(TimeUnit.NANOSECONDS.toMillis(tickNanos()));
  }

  /** Returns how often to look for some ids. */
  private long tickNanos() {
    return Math.min(everyNanos, LOOK_NANOS);
  }

  /** Returns some of the ids, such that each has its turn in time. */
  private List<String> nextIds() {
    if (round.isEmpty()) {
      round.addAll(followers.ids());
      idsPerLook = (int) Math.ceil((double) round.size() * tickNanos() / everyNanos);
    }
    List<String> next = new ArrayList<>();
    while (next.size() < idsPerLook && !round.isEmpty()) {
      next.add(round.remove());
    }
    return next;
  }

  private void react(Throwable failure) {
    Foreign.warn(unavailable, failure);
    isClosed(PAUSE_MILLIS);
  }

  private boolean isClosed(long waitMillis) {
    try {
      return closed.await(waitMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return false; // foreign code has left it, or close() ends the workers
    }
  }

  private void listen(Connection connection) throws SQLException {
    PGConnection announcements;
    try {
      announcements = connection.unwrap(PGConnection.class);
      execute(connection, "LISTEN \"" + table + '"');
    } catch (SQLException e) {
      if (!connection.isValid(1)) {
        throw e;
      }
      listenLater(e); // it is refused
      return;
    }
    try {
      look(connection, followers.ids());
      long begun = System.nanoTime();
      long looked = begun;
      boolean isHeard = false;
      round.clear();
      startProbe();
      while (!isClosed(0)) {
        failLate();
        PGNotification[] heard = announcements.getNotifications(LISTEN_MILLIS);
        List<String> ids = take(missed);
        ids.addAll(take(fresh));
        for (PGNotification each : heard) {
          ids.add(each.getParameter());
        }
        isHeard |= ids.contains(probe);
        look(connection, ids);
        if (!isHeard && System.nanoTime() - begun >= HEARD_NANOS) {
          listenLater(null);
          return;
        }
        if (System.nanoTime() - looked >= tickNanos()) {
          look(connection, nextIds());
          looked = System.nanoTime();
        }
        announceAgain(connection);
      }
    } finally {
      listenersLost.addAndGet(isClosed(0) ? 0 : 1);
      unlisten(connection);
    }
  }

  private void listenLater(@Nullable Throwable cause) {
    listenAt = System.nanoTime() + LISTEN_AGAIN_NANOS;
    Foreign.log(Level.WARNING, UNHEARD, cause);
  }

  private void announceAgain(Connection connection) throws SQLException {
    for (String id; (id = unannounced.peek()) != null; unannounced.remove()) {
      try {
        notify(connection, id);
      } catch (SQLException e) {
        if (!FINAL.contains(stateClass(e))) {
          throw e; // another connection tries again
        }
        Foreign.warn(UNHEARD, e); // other instances look for it in their turn
      }
    }
  }

  /** Announces something over another connection, for which it may have to wait. */
  private void startProbe() {
    Threads.daemon(
            () -> {
              try (Connection another = connect()) {
                notify(another, probe);
              } catch (Throwable e) {
                Foreign.log(Level.DEBUG, "There is no second connection", e);
              }
            },
            listener.getName() + "-probe")
        .start();
  }

  /** Makes a connection ready for its pool, unless it is lost. */
  private static void unlisten(Connection connection) {
    try {
      execute(connection, "UNLISTEN *");
    } catch (SQLException e) {
      Foreign.log(Level.DEBUG, "A connection that has listened is lost", e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public AnswerStoreMetrics metrics() {
    return new AnswerStoreMetrics(
        rowsWritten.get(), rowsRead.get(), workers.getQueue().size(), 0, 0, listenersLost.get());
  }

  /** {@inheritDoc} It waits up to five seconds for answers that are being written. */
  @Override
  public void close() {
    closed.countDown();
    workers.shutdown();
    try {
      workers.awaitTermination(closeTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    workers.shutdownNow();
    Loop.join(listener, closeTimeout.toMillis());
    followers.close();
    given.forEach(each -> each.fail(Followers.closedException()));
  }
}
