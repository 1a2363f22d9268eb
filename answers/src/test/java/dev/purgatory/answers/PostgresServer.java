package dev.purgatory.answers;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.purgatory.cluster.node.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PostgreSQL in a temporary folder, one for all tests of this JVM. */
final class PostgresServer {
  private static final String MISSING =
      "*** NOT TESTED: PostgresAnswerStore. There is no /usr/lib/postgresql/*/bin/initdb and no initdb"
          + " on the path; Debian's package is postgresql. ***";
  static final boolean ROOT = System.getProperty("user.name").equals("root");

  private final Path programs;
  private final Path folder;
  private final int port = Ports.free(1).get(0);

  private PostgresServer(Path programs) throws IOException, InterruptedException {
    this.programs = programs;
    this.folder = Files.createTempDirectory("purgatory-postgres");
    if (ROOT) {
      run(List.of("chown", "postgres", folder.toString()));
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
    server(
        "initdb", "--pgdata", data(), "--auth=trust", "--username=test", "--no-sync", "-E", "UTF8");
    String options = "-p " + port + " -k " + folder + " -c fsync=off -c listen_addresses=127.0.0.1";
    String log = folder.resolve("log").toString();
    server("pg_ctl", "start", "--wait", "--pgdata", data(), "--log", log, "--options", options);
  }

  private static final class Shared {
    static final @Nullable PostgresServer SERVER = start();

    private static @Nullable PostgresServer start() {
      try {
        Path programs = programs();
        return programs == null ? null : new PostgresServer(programs);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Returns the server; aborts the test if PostgreSQL is not installed. */
  static PostgresServer shared() {
    PostgresServer server = Shared.SERVER;
    if (server == null) {
      System.err.println(MISSING);
      return abort(MISSING);
    }
    return server;
  }

  private static @Nullable Path programs() throws IOException {
    List<Path> folders = new ArrayList<>();
    Path debian = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions.map(version -> version.resolve("bin")).forEach(folders::add);
      }
    }
    Stream.of(System.getenv("PATH").split(":")).map(Path::of).forEach(folders::add);
    return folders.stream()
        .filter(each -> Files.isExecutable(each.resolve("initdb")))
        .findFirst()
        .orElse(null);
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  /** Runs a program of PostgreSQL, which refuses to run as root. */
  private void server(String program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (ROOT) {
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.add(programs.resolve(program).toString());
    command.addAll(List.of(arguments));
    run(command);
  }

  private void run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("purgatory-postgres", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(Path.of("/").toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(command + ": " + Files.readString(output));
      }
    } finally {
      Files.delete(output);
    }
  }

  int port() {
    return port;
  }

  PGSimpleDataSource dataSource() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setServerNames(new String[] {"127.0.0.1"});
    dataSource.setPortNumbers(new int[] {port});
    dataSource.setDatabaseName("postgres");
    dataSource.setUser("test");
    return dataSource;
  }

  private void stop() {
    try {
      server("pg_ctl", "stop", "--pgdata", data(), "--mode", "immediate");
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
