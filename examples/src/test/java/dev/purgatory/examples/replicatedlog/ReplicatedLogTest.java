package dev.purgatory.examples.replicatedlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole example, with processes and sockets. */
@Timeout(180)
class ReplicatedLogTest {
  @TempDir private Path directory;

  @Test
  void twoCopies_loseNothing() throws Exception {
    Verdict verdict = ReplicatedLog.run(directory, 2);
    assertThat(verdict.passed()).as(verdict.toString()).isTrue();
    assertThat(verdict.acknowledged()).isGreaterThanOrEqualTo(300);
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void oneCopy_losesWrites_andTheProgramSaysSo() throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ReplicatedLog.class.getName(),
                "1")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor()).isEqualTo(1);
    } finally {
      process.destroyForcibly();
    }
    assertThat(Files.readString(output, StandardCharsets.UTF_8))
        .contains("FAILED: ")
        .doesNotContain(" 0 lost");
  }

  @Test
  void verdict_findsWhatIsLost_andLogsThatDiffer() {
    List<String> leader = List.of("a", "b", "c");
    Set<String> acknowledged = Set.of("a", "b");
    assertThat(Verdict.of(acknowledged, leader, List.of(List.of("a"), List.of("a", "b"))))
        .isEqualTo(new Verdict(2, Set.of(), true));
    assertThat(Verdict.of(acknowledged, leader, List.of(List.of("a"), List.of())))
        .isEqualTo(new Verdict(2, Set.of("b"), true));
    assertThat(Verdict.of(acknowledged, leader, List.of(List.of("b"), List.of("a", "b"))).agree())
        .isFalse();
    assertThat(new Verdict(2, Set.of(), false).passed()).isFalse();
    assertThat(new Verdict(2, Set.of("b"), true).passed()).isFalse();
  }

  @Test
  void client_failsItsWrites_whenTheConnectionIsLost() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Client client = new Client(server.getLocalPort())) {
      CompletableFuture<String> waiting = client.write("a", 2);
      try (Socket connection = server.accept()) {
        connection.getInputStream().readNBytes(13); // all that was sent, so that it is no reset
      }
      assertThat(waiting)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withRootCauseInstanceOf(IOException.class)
          .withMessageContaining("connection lost");
      assertThat(client.write("b", 2)).isCompletedExceptionally();
    }
  }
}
