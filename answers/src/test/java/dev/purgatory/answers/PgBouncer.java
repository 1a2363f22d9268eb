package dev.purgatory.answers;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.purgatory.cluster.node.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** PgBouncer in transaction mode, before the server of the tests. */
final class PgBouncer implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
  private static final String MISSING =
      "*** NOT TESTED: a pooler before PostgresAnswerStore. There is no "
          + PROGRAM
          + "; Debian's package is pgbouncer. ***";

  private final Path folder;
  private final Process process;
  private final DataSource dataSource;

  private PgBouncer(Path folder, Process process, DataSource dataSource) {
    this.folder = folder;
    this.process = process;
    this.dataSource = dataSource;
  }

  /** Starts it; aborts the test if it is not installed. */
  static PgBouncer start(PostgresServer server) throws Exception {
    if (!Files.isExecutable(PROGRAM)) {
      System.err.println(MISSING);
      return abort(MISSING);
    }
    int port = Ports.free(1).get(0);
    Path folder = Files.createTempDirectory("purgatory-pgbouncer");
    Path settings =
        Files.writeString(
            folder.resolve("pgbouncer.ini"),
            String.join(
                "\n",
                "[databases]",
                "postgres = host=127.0.0.1 user=test port=" + server.port(),
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = any",
                "pool_mode = transaction",
                "ignore_startup_parameters = extra_float_digits",
                ""));
    List<String> command = new ArrayList<>();
    if (PostgresServer.ROOT) { // which it refuses to run as
      new ProcessBuilder("chown", "-R", "postgres", folder.toString()).start().waitFor();
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.addAll(List.of(PROGRAM.toString(), settings.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    PGSimpleDataSource dataSource = server.dataSource();
    dataSource.setPortNumbers(new int[] {port});
    dataSource.setPrepareThreshold(0); // its sessions share no prepared statements
    PgBouncer pooler = new PgBouncer(folder, process, dataSource);
    pooler.awaitStart();
    return pooler;
  }

  private void awaitStart() throws Exception {
    long begun = System.nanoTime();
    while (true) {
      try {
        dataSource.getConnection().close();
        return;
      } catch (SQLException e) {
        boolean late = System.nanoTime() - begun > AnswerStoreContract.LONG.toNanos();
        if (late || !process.isAlive()) {
          String log = Files.readString(folder.resolve("log"));
          close();
          throw new IllegalStateException(log, e);
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  DataSource dataSource() {
    return dataSource;
  }

  @Override
  public void close() throws IOException {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    for (String each : List.of("pgbouncer.ini", "log")) {
      Files.delete(folder.resolve(each));
    }
    Files.delete(folder);
  }
}
