package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(args);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "demo --help",
        "broker --help",
        "top --help",
        "watch --help",
        "bench --help",
        "bench compare --help",
        "bench publish --help",
        "check --help",
        "qualify --help",
        "soak --help"
      })
  void printsHelp(String line) {
    assertThat(run(line.split(" "))).isZero();
    assertThat(out.toString()).startsWith("Usage: purgatory");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "demo --version", "broker --version", "bench --version"})
  void printsVersion(String line) {
    assertThat(run(line.split(" "))).isZero();
    assertThat(out.toString()).startsWith("purgatory ");
  }

  @Test
  void printsHelpAndFailsWithoutACommand() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("Usage: purgatory", "demo", "broker", "bench", "check");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "--nonsense",
        "demo --nonsense",
        "demo extra",
        "demo --seconds",
        "demo --seconds x",
        "demo --seconds 0",
        "demo --seconds -1",
        "demo --seconds 3601",
        "demo --consumers 0",
        "demo --consumers 5001",
        "broker --port x",
        "broker --port 0",
        "broker --port 99999",
        "top --connect",
        "top --connect x",
        "top --connect localhost:0",
        "top --connect localhost:65536",
        "top --connect -1",
        "watch --seconds 0",
        "soak --nonsense",
        "soak --minutes 0",
        "soak --minutes 1441",
        "soak --minutes x",
        "soak --consumers 0",
        "soak --seed x",
        "soak nonsense",
        "soak library extra",
        "soak --pause 1",
        "soak --json a.json",
        "soak rolling --minutes 1",
        "soak library --seed 1",
        "soak library --rate 10",
        "soak answers --stock",
        "soak rolling --pause 0",
        "soak rolling --consumers 0",
        "soak answers --instances 0",
        "soak answers --waiters 21",
        "soak answers --rate 0",
        "soak answers --faults fire",
        "soak answers --json missing-folder/a.json",
        "bench --nonsense",
        "bench nonsense",
        "bench --only",
        "bench --only nonsense",
        "bench --only memory,nonsense",
        "bench --contender nonsense",
        "bench --quick --full",
        "bench --json missing-folder/a.json",
        "bench compare",
        "qualify",
        "qualify 4.3",
        "qualify missing-folder"
      })
  void invalidUsePrintsOneLine(String line) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertOneLine();
  }

  @Test
  void answersByHand_needNoChoiceOfFaults() {
    String line = "soak answers --by-hand --json missing-folder/a.json";
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("missing-folder");
  }

  @Test
  void portInUsePrintsOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(run("broker", "--port", port)).isEqualTo(2);
      assertOneLine();
      assertThat(err.toString()).contains(port);
    }
  }

  @Test
  void missingParentFolderPrintsOneLine(@TempDir Path folder) throws IOException {
    Path missing = folder.resolve("missing/data");
    assertThat(run("broker", "--port", freePort(), "--data", missing.toString())).isEqualTo(2);
    assertOneLine();
    assertThat(missing).doesNotExist();
  }

  @Test
  void folderWithOtherFilesPrintsOneLineAndRemainsUnchanged(@TempDir Path folder)
      throws IOException {
    Files.createFile(folder.resolve("other"));
    assertThat(run("broker", "--port", freePort(), "--data", folder.toString())).isEqualTo(2);
    assertOneLine();
    assertThat(folder).isDirectoryContaining("glob:**/other");
    assertThat(folder.toFile().list()).hasSize(1);
  }

  @Test
  void figuresOfAnEarlierSoakAreKept(@TempDir Path folder) throws IOException {
    String json = Files.createFile(folder.resolve("soak.json")).toString();
    assertThat(run("soak", "library", "--json", json)).isEqualTo(2);
    assertOneLine();
    assertThat(err.toString()).contains("--overwrite");
  }

  private static String freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return Integer.toString(socket.getLocalPort());
    }
  }

  private void assertOneLine() {
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("purgatory");
    assertThat(out.toString()).isEmpty();
  }
}
