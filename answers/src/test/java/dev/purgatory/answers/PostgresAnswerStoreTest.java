package dev.purgatory.answers;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Runs on a real server, if PostgreSQL is installed. */
class PostgresAnswerStoreTest extends AnswerStoreContract {
  private static final AtomicInteger TABLES = new AtomicInteger();
  private static final byte[] ANSWER = {1};

  private final String table = "answers_" + TABLES.incrementAndGet();
  private DataSource dataSource;
  private @Nullable HikariDataSource pool;

  @BeforeEach
  @Override
  void openTwo() throws Exception {
    dataSource = PostgresServer.shared().dataSource();
    execute(statementOfThePage().replace("answers", table));
    pool = new HikariDataSource();
    pool.setDataSource(dataSource);
    super.openTwo();
  }

  @AfterEach
  @Override
  void close() throws Exception {
    super.close();
    if (pool != null) { // else the test was aborted
      pool.close();
    }
  }

  /** Returns how docs/use/answers-across-instances.md creates the table. */
  static String statementOfThePage() throws Exception {
    String page = Files.readString(Path.of("../docs/use/answers-across-instances.md"));
    Matcher sql = Pattern.compile("```sql\n(CREATE TABLE.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(sql.find()).isTrue();
    return sql.group(1);
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  PostgresAnswerStore open() {
    return new PostgresAnswerStore(requireNonNull(pool), table);
  }

  @Test
  void lostAnnouncement_isMadeUpForByLooking() throws Exception {
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(dataSource, "public." + table, Duration.ofMillis(100))) {
      CompletableFuture<byte[]> follower = store.follow("id");
      Thread.sleep(50); // the first look is over
      execute(insert("id"));
      assertThat(get(follower)).isEqualTo(ANSWER);
    }
  }

  /** 120 looks for 10 of them, each five seconds, replace 120 for all. */
  @Test
  @Tag("long")
  void ids_areLookedForInTurns() throws Exception {
    Queue<Object> looks = new ConcurrentLinkedQueue<>();
    DataSource counting =
        dataSource(
            (proxy, method, arguments) -> noting(method.invoke(dataSource, arguments), looks));
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(counting, table, Duration.ofMinutes(10))) {
      for (int i = 0; i < 1_200; i++) {
        assertThat(store.follow("id-" + i)).isNotDone();
      }
      while (ids(looks).filter(each -> each == 10).count() < 2) {
        Thread.sleep(10);
      }
      assertThat(ids(looks).filter(each -> each == 1_000).count()).isLessThanOrEqualTo(2);
    }
  }

  private static Stream<Integer> ids(Queue<Object> looks) {
    return looks.stream().map(each -> ((Object[]) each).length);
  }

  /** Notes the arrays that are made of ids. */
  private static Object noting(Object target, Queue<Object> arrays) {
    return target instanceof Connection
        ? proxy(
            Connection.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("createArrayOf")) {
                arrays.add(arguments[1]);
              }
              return method.invoke(target, arguments);
            })
        : target;
  }

  /** Somebody has stored the answer, and died before it was announced. */
  @Test
  void answerThatIsGivenAgain_isAnnouncedAgain() throws Exception {
    try (PostgresAnswerStore waiting =
            new PostgresAnswerStore(dataSource, table, Duration.ofHours(1));
        PostgresAnswerStore answering =
            new PostgresAnswerStore(dataSource, table, Duration.ofHours(1))) {
      CompletableFuture<byte[]> follower = waiting.follow("id");
      Thread.sleep(50); // the first look is over
      execute(insert("id"));
      assertThat(get(answering.complete("id", new byte[] {2})).won()).isFalse();
      assertThat(get(follower)).isEqualTo(ANSWER);
    }
  }

  /** The connection is lost between the answer and its announcement. */
  @Test
  void announcementThatFails_isRepeated() throws Exception {
    AtomicBoolean lose = new AtomicBoolean(true);
    DataSource losing =
        dataSource(
            (proxy, method, arguments) -> {
              Object made = method.invoke(dataSource, arguments);
              return made instanceof Connection && isWorker() ? unannouncing(made, lose) : made;
            });
    try (PostgresAnswerStore waiting =
            new PostgresAnswerStore(dataSource, table, Duration.ofHours(1));
        PostgresAnswerStore answering =
            new PostgresAnswerStore(losing, table, Duration.ofHours(1))) {
      CompletableFuture<byte[]> follower = waiting.follow("id");
      Thread.sleep(50); // the first look is over
      assertThat(get(answering.complete("id", ANSWER)).won()).isTrue();
      assertThat(get(follower)).isEqualTo(ANSWER);
      assertThat(lose).isFalse();
      assertThat(answering.metrics().written()).isEqualTo(1);
      assertThat(waiting.metrics().read()).isEqualTo(1);
    }
  }

  private static Object unannouncing(Object connection, AtomicBoolean lose) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("prepareStatement")
              && arguments[0].toString().contains("pg_notify")
              && lose.getAndSet(false)) {
            throw new SQLException("the connection is lost");
          }
          return method.invoke(connection, arguments);
        });
  }

  /** With looks an hour apart, only the announcement can be it. */
  @Test
  void announcement_isHeard() throws Exception {
    try (PostgresAnswerStore waiting =
            new PostgresAnswerStore(dataSource, table, Duration.ofHours(1));
        PostgresAnswerStore answering =
            new PostgresAnswerStore(dataSource, table, Duration.ofHours(1))) {
      for (int i = 0; i < 20; i++) {
        String id = waiting.newId();
        CompletableFuture<byte[]> follower = waiting.follow(id);
        Thread.sleep(5);
        get(answering.complete(id, ANSWER));
        assertThat(get(follower)).isEqualTo(ANSWER);
      }
    }
  }

  @Test
  void connectionsAreCut_andItGoesOn() throws Exception {
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(dataSource, table, Duration.ofMillis(100))) {
      CompletableFuture<byte[]> follower = store.follow("id");
      for (int i = 0; i < 3; i++) {
        Thread.sleep(50);
        endSessions();
      }
      try (PostgresAnswerStore other = new PostgresAnswerStore(dataSource, table)) {
        assertThat(get(other.complete("id", ANSWER)).won()).isTrue();
      }
      assertThat(get(follower)).isEqualTo(ANSWER);
      assertThat(store.metrics().listenersLost()).isPositive();
    }
  }

  private void endSessions() throws SQLException {
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
  }

  /** The insert takes effect, but the connection is lost before it says so. */
  @Test
  void uncertainInsert_isRepeated_andRecognizesItself() throws Exception {
    AtomicBoolean lose = new AtomicBoolean(true);
    DataSource losing =
        dataSource(
            (proxy, method, arguments) -> losing(method.invoke(dataSource, arguments), lose));
    try (PostgresAnswerStore store = new PostgresAnswerStore(losing, table)) {
      assertThat(get(store.complete("id", ANSWER)).won()).isTrue();
      assertThat(lose).isFalse();
      assertThat(get(store.complete("id", ANSWER)).won()).isFalse();
    }
  }

  private static Object losing(Object target, AtomicBoolean lose) {
    Class<?> type =
        target instanceof Connection
            ? Connection.class
            : target instanceof PreparedStatement ? PreparedStatement.class : null;
    if (type == null) {
      return target;
    }
    return proxy(
        type,
        (proxy, method, arguments) -> {
          Object result = method.invoke(target, arguments);
          if (method.getName().equals("executeUpdate") && lose.getAndSet(false)) {
            throw new SQLException("the connection is lost");
          }
          return result == null ? null : losing(result, lose);
        });
  }

  private static DataSource dataSource(InvocationHandler handler) {
    return (DataSource) proxy(DataSource.class, handler);
  }

  private static Object proxy(Class<?> type, InvocationHandler handler) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  @Test
  void databaseIsAway_waitsGoOn_andAnswersFail() throws Exception {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setPortNumbers(new int[] {1});
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(
            nowhere, table, Duration.ofHours(1), 10, Duration.ofMillis(200), LONG)) {
      CompletableFuture<byte[]> follower = store.follow("id");
      assertThatThrownBy(() -> get(store.complete("id", ANSWER)))
          .cause()
          .isInstanceOf(AnswerStoreException.class)
          .hasMessage("cannot write the answer to id");
      assertThat(follower).isNotDone();
    }
  }

  /** A data source that blocks each caller, whatever interrupts it, until it is released. */
  private DataSource blocking(CompletableFuture<?> released) {
    return dataSource(
        (proxy, method, arguments) -> {
          Object unused = released.join();
          return method.invoke(dataSource, arguments);
        });
  }

  @Test
  void databaseHangs_tooManyAnswersAreRefused_andClosingFailsTheOthers() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    PostgresAnswerStore store =
        new PostgresAnswerStore(
            blocking(released), table, Duration.ofHours(1), 2, LONG, Duration.ofMillis(50));
    List<CompletableFuture<?>> given = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      given.add(store.complete("id", ANSWER));
    }
    for (int i = 0; i < 1_000; i++) {
      given.add(store.follow("id")); // one look for all of them waits for a connection
    }
    given.add(store.complete("id", ANSWER));
    assertThatThrownBy(() -> get(store.complete("id", ANSWER)))
        .cause()
        .isInstanceOf(AnswerStoreException.class)
        .hasMessage("too many answers wait; not written: id");
    assertThat(given).noneMatch(CompletableFuture::isDone);
    store.close();
    try {
      for (CompletableFuture<?> each : given) {
        assertThatThrownBy(() -> get(each)).hasCauseInstanceOf(IllegalStateException.class);
      }
    } finally {
      released.complete(null);
    }
  }

  /** As a pool has after a failover. */
  @Test
  void deadConnections_areReplaced_untilAnAnswerIsWritten() throws Exception {
    AtomicInteger dead = new AtomicInteger(30);
    DataSource failing =
        dataSource(
            (proxy, method, arguments) -> {
              if (dead.getAndDecrement() > 0) {
                throw new SQLException("thrown by a test", "08006");
              }
              return method.invoke(dataSource, arguments);
            });
    try (PostgresAnswerStore store = new PostgresAnswerStore(failing, table)) {
      assertThat(get(store.complete("id", ANSWER)).won()).isTrue();
    }
  }

  /** Only the listener has a connection. */
  @Test
  void firstLookThatFails_isRepeated() throws Exception {
    DataSource failing =
        dataSource(
            (proxy, method, arguments) -> {
              if (isWorker()) {
                throw new SQLException("thrown by a test", "08006");
              }
              return method.invoke(dataSource, arguments);
            });
    try (PostgresAnswerStore store = new PostgresAnswerStore(failing, table, Duration.ofHours(1))) {
      findsStoredAnswer(store);
    }
  }

  @Test
  void firstLookForWhichThereIsNoWorker_isRepeated() throws Exception {
    findsStoredAnswerBehindOthers(2);
  }

  /** The workers wait for connections, and the listener has one. */
  @Test
  void answersForWhichThereIsNoConnection_failInTime() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(
            blockingWorkers(released),
            table,
            Duration.ofHours(1),
            10,
            Duration.ofMillis(100),
            LONG)) {
      List<CompletableFuture<Completion<byte[]>>> given = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        given.add(store.complete("id-" + i, ANSWER));
      }
      for (CompletableFuture<Completion<byte[]>> each : given.subList(4, 10)) {
        assertThatThrownBy(() -> get(each))
            .cause()
            .isInstanceOf(AnswerStoreException.class)
            .hasRootCauseMessage("No connection was free in time");
      }
      assertThat(given.subList(0, 4)).noneMatch(CompletableFuture::isDone);
      released.complete(null);
    }
  }

  /** The look waits behind answers. */
  @Test
  void firstLookThatWaitsForAWorker_isMadeByTheListener() throws Exception {
    findsStoredAnswerBehindOthers(100);
  }

  /** Blocks four workers; two answers wait for them. */
  private void findsStoredAnswerBehindOthers(int mostWaiting) throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(
            blockingWorkers(released), table, Duration.ofHours(1), mostWaiting, LONG, LONG)) {
      for (int i = 0; i < 6; i++) {
        assertThat(store.complete("other", ANSWER)).isNotDone();
      }
      findsStoredAnswer(store);
      released.complete(null);
    }
  }

  /** As by a proxy that knows PostgreSQL's interfaces only in part. */
  @Test
  void listenThatIsRefused_isReplacedByLooks() throws Exception {
    DataSource refusing =
        dataSource(
            (proxy, method, arguments) -> {
              Connection made = (Connection) method.invoke(dataSource, arguments);
              return proxy(
                  Connection.class,
                  (self, called, parameters) -> {
                    if (called.getName().equals("unwrap")) {
                      throw new SQLException("thrown by a test");
                    }
                    return called.invoke(made, parameters);
                  });
            });
    try (PostgresAnswerStore store =
            new PostgresAnswerStore(refusing, table, Duration.ofMillis(100));
        PostgresAnswerStore other = open()) {
      CompletableFuture<byte[]> follower = store.follow("id");
      Thread.sleep(50); // the first look is over
      get(other.complete("id", ANSWER));
      assertThat(get(follower)).isEqualTo(ANSWER);
    }
  }

  private DataSource blockingWorkers(CompletableFuture<?> released) {
    return dataSource(
        (proxy, method, arguments) -> {
          Object unused = isWorker() ? released.join() : null;
          return method.invoke(dataSource, arguments);
        });
  }

  private boolean isWorker() {
    return Thread.currentThread().getName().matches(".*" + table + "-\\d");
  }

  /** Follows an id after the first look of the listener, and so many that it has no turn soon. */
  private void findsStoredAnswer(PostgresAnswerStore store) throws Exception {
    execute(insert("before"));
    execute(insert("id"));
    assertThat(get(store.follow("before"))).isEqualTo(ANSWER);
    for (int i = 0; i < 1_000; i++) {
      assertThat(store.follow("id-" + i)).isNotDone();
    }
    assertThat(get(store.follow("id"))).isEqualTo(ANSWER);
  }

  @Test
  void answerThatTheDatabaseRefusesForGood_failsAtOnce() {
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(
            dataSource, "missing", Duration.ofHours(1), 10, Duration.ofDays(1), LONG)) {
      assertThatThrownBy(() -> get(store.complete("id", ANSWER)))
          .cause()
          .isInstanceOf(AnswerStoreException.class)
          .rootCause()
          .hasMessageContaining("\"missing\" does not exist");
    }
  }

  /** Neither inserted nor found: as if it was deleted again and again. */
  @Test
  void rowThatATriggerDrops_failsInTime_andHoldsUpNoOthers() throws Exception {
    execute(
        "CREATE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
    execute(
        "CREATE TRIGGER hides BEFORE INSERT ON "
            + table
            + " FOR EACH ROW WHEN (NEW.id LIKE 'hidden%') EXECUTE FUNCTION drop_row()");
    try (PostgresAnswerStore store =
        new PostgresAnswerStore(
            dataSource, table, Duration.ofHours(1), 10, Duration.ofMillis(200), LONG)) {
      List<CompletableFuture<Completion<byte[]>>> hidden = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        hidden.add(store.complete("hidden-" + i, ANSWER));
      }
      assertThat(get(store.complete("id", ANSWER)).won()).isTrue();
      for (CompletableFuture<Completion<byte[]>> each : hidden) {
        assertThatThrownBy(() -> get(each))
            .cause()
            .isInstanceOf(AnswerStoreException.class)
            .rootCause()
            .hasMessageContaining("does not take the row");
      }
    } finally {
      execute("DROP FUNCTION drop_row CASCADE");
    }
  }

  /** There are four workers. */
  @Test
  void idsThatATransactionHasLocked_holdUpNoOthers() throws Exception {
    List<CompletableFuture<Completion<byte[]>>> locked = new ArrayList<>();
    try (Connection other = dataSource.getConnection();
        Statement statement = other.createStatement();
        PostgresAnswerStore store = new PostgresAnswerStore(dataSource, table)) {
      other.setAutoCommit(false);
      for (int i = 0; i < 12; i++) {
        statement.execute(insert("locked-" + i));
        locked.add(store.complete("locked-" + i, ANSWER));
      }
      for (int i = 0; i < 12; i++) {
        assertThat(get(store.complete("free-" + i, ANSWER)).won()).isTrue();
      }
      assertThat(locked).noneMatch(CompletableFuture::isDone);
      other.rollback();
      for (CompletableFuture<Completion<byte[]>> each : locked) {
        assertThat(get(each).won()).isTrue();
      }
    }
  }

  private String insert(String id) {
    return "INSERT INTO "
        + table
        + " (id, answer, token) VALUES ('"
        + id
        + "', '\\x01', gen_random_uuid())";
  }

  @Test
  void poolOfOneConnection_isEnough() throws Exception {
    try (HikariDataSource one = new HikariDataSource()) {
      one.setDataSource(dataSource);
      one.setMaximumPoolSize(1);
      try (PostgresAnswerStore store = new PostgresAnswerStore(one, table, Duration.ofMillis(100));
          PostgresAnswerStore other = open()) {
        String id = store.newId();
        CompletableFuture<byte[]> follower = store.follow(store.newId());
        assertThat(get(store.complete(id, ANSWER)).won()).isTrue();
        assertThat(get(store.follow(id))).isEqualTo(ANSWER);
        String later = other.newId();
        CompletableFuture<byte[]> learns = store.follow(later);
        get(other.complete(later, ANSWER));
        assertThat(get(learns)).isEqualTo(ANSWER);
        assertThat(follower).isNotDone();
      }
    }
  }

  /** In transaction mode, it gives the session that listens to others, and says nothing. */
  @Test
  void poolerThatDropsListen_isReported() throws Exception {
    Queue<String> messages = new ConcurrentLinkedQueue<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            messages.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.purgatory");
    logger.addHandler(handler);
    try (PgBouncer pooler = PgBouncer.start(PostgresServer.shared());
        PostgresAnswerStore store =
            new PostgresAnswerStore(pooler.dataSource(), table, Duration.ofMillis(100));
        PostgresAnswerStore other = open()) {
      String id = store.newId();
      CompletableFuture<byte[]> follower = store.follow(id);
      get(other.complete(id, ANSWER));
      assertThat(get(follower)).isEqualTo(ANSWER);
      long begun = System.nanoTime();
      while (messages.stream().noneMatch(each -> each.startsWith("Announcements"))) {
        assertThat(System.nanoTime() - begun).isLessThan(LONG.toNanos());
        Thread.sleep(10);
      }
      String later = store.newId(); // looks go on
      follower = store.follow(later);
      get(other.complete(later, ANSWER));
      assertThat(get(follower)).isEqualTo(ANSWER);
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  @Tag("long")
  void pooler_whoseSessionsEnd_keepsNoAnswerFromAnyWait() throws Exception {
    List<List<CompletableFuture<byte[]>>> waits = new ArrayList<>();
    List<CompletableFuture<Completion<byte[]>>> given = new ArrayList<>();
    try (TransactionPooler pooler = new TransactionPooler(dataSource);
        PostgresAnswerStore a = new PostgresAnswerStore(pooler.dataSource(), table);
        PostgresAnswerStore b = new PostgresAnswerStore(pooler.dataSource(), table);
        PostgresAnswerStore waiting = new PostgresAnswerStore(pooler.dataSource(), table)) {
      for (int i = 0; i < 1_000; i++) {
        String id = a.newId();
        waits.add(List.of(a.follow(id), b.follow(id), waiting.follow(id)));
        given.add(a.complete(id, new byte[] {1}));
        given.add(b.complete(id, new byte[] {2}));
        if (i % 200 == 100) {
          endSessions();
        }
      }
      for (int i = 0; i < waits.size(); i++) {
        Completion<byte[]> ofA = get(given.get(2 * i));
        Completion<byte[]> ofB = get(given.get(2 * i + 1));
        assertThat(ofA.won()).isNotEqualTo(ofB.won());
        for (CompletableFuture<byte[]> each : waits.get(i)) {
          assertThat(get(each)).containsExactly(ofA.won() ? 1 : 2);
        }
      }
    }
  }

  @Test
  void errorOfTheListener_doesNotEndIt() throws Exception {
    AtomicBoolean fail = new AtomicBoolean(true);
    DataSource failing =
        dataSource(
            (proxy, method, arguments) -> {
              boolean listener =
                  Thread.currentThread().getName().equals("purgatory-answers-" + table);
              if (listener && fail.getAndSet(false)) {
                throw new LinkageError("thrown by a test");
              }
              return method.invoke(dataSource, arguments);
            });
    try (PostgresAnswerStore store = new PostgresAnswerStore(failing, table, Duration.ofHours(1));
        PostgresAnswerStore other = open()) {
      CompletableFuture<byte[]> follower = store.follow("id");
      Thread.sleep(50); // the first look is over
      get(other.complete("id", ANSWER));
      assertThat(get(follower)).isEqualTo(ANSWER);
      assertThat(fail).isFalse();
    }
  }

  @Test
  void arguments_areChecked() {
    for (String name : new String[] {"", "a;b", "a.b.c", "1a", "\"a\"", "a".repeat(64)}) {
      assertThatThrownBy(() -> new PostgresAnswerStore(dataSource, name))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new PostgresAnswerStore(dataSource, table, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
