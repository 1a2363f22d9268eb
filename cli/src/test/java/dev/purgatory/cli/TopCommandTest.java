package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.node.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jline.terminal.Size;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Watches a program that is started here. */
@Timeout(60)
class TopCommandTest {
  private static final String LOOPBACK = "127.0.0.1";
  private static final String NUMBER = "\\d[\\d,.]*";
  private static final String POSITIVE = "(?!0 )" + NUMBER;

  /** Three requests are held; about as many are completed as time out. */
  private static final String POLLS =
      "  polls +[34] +%1$s m?s +%2$s +%2$s +%2$s +0 +0 +0 +%1$s ms +%1$s ms"
          .formatted(NUMBER, POSITIVE);

  /** What would colour the terminal, or break the table, is escaped. */
  private static final String IDLE =
      "  idle \\\\u001b\\[31mones\\\\u000a +0 +- +0 +0 +0 +0 +0 +0 +- +-";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<Process> programs = new ArrayList<>();

  private Process start(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(TopProgram.class.getName());
    Process program =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    programs.add(program);
    BufferedReader output = program.inputReader();
    assertThat(output.readLine()).startsWith("ready");
    return program;
  }

  @AfterEach
  void stop() {
    programs.forEach(Process::destroyForcibly);
  }

  private int top(String... addresses) {
    List<String> line = new ArrayList<>(List.of("top", "--once"));
    for (String address : addresses) {
      line.addAll(List.of("--connect", address));
    }
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(line.toArray(new String[0]));
  }

  @Test
  void top_showsThePurgatoriesOfAProcess() throws IOException {
    String pid = Long.toString(start().pid());
    assertThat(top(pid)).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(0)).startsWith("purgatory ").endsWith("wakes in");
    assertThat(lines.get(1)).startsWith(pid).contains(TopProgram.class.getName());
    assertThat(lines.get(2)).matches(IDLE);
    assertThat(lines.get(3)).matches(POLLS);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void top_connectsToAPort_andGoesOnWithoutAProgramThatIsNotThere() throws IOException {
    List<Integer> ports = Ports.free(2);
    start(
        "-Dcom.sun.management.jmxremote.port=" + ports.get(0),
        "-Dcom.sun.management.jmxremote.host=" + LOOPBACK,
        "-Djava.rmi.server.hostname=" + LOOPBACK,
        "-Dcom.sun.management.jmxremote.authenticate=false",
        "-Dcom.sun.management.jmxremote.ssl=false");
    String there = LOOPBACK + ":" + ports.get(0);
    String missing = LOOPBACK + ":" + ports.get(1);
    assertThat(top(there, missing)).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(1)).isEqualTo(there);
    assertThat(lines.get(3)).matches(POLLS);
    assertThat(lines.get(4)).startsWith(missing + ", cannot be reached: ");
  }

  @Test
  @Tag("long")
  void top_goesOnWithoutAProgramThatHangs() throws IOException {
    String pid = Long.toString(start().pid());
    try (ServerSocket hung = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String there = LOOPBACK + ":" + hung.getLocalPort();
      assertThat(top(pid, there)).isZero();
      List<String> lines = out.toString().lines().toList();
      assertThat(lines.get(3)).matches(POLLS);
      assertThat(lines.get(4)).isEqualTo(there + ", does not answer");
    }
  }

  @Test
  void top_leavesAProcessAlone_thatIsNoJvm() throws IOException {
    Process other = new ProcessBuilder("sleep", "60").start();
    programs.add(other);
    assertThat(top(Long.toString(other.pid()))).isEqualTo(2);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .contains("process " + other.pid() + " is no JVM");
    assertThat(other.isAlive()).isTrue();
  }

  @Test
  void terminalWithoutASize_hasTheUsualOne() {
    assertThat(TopCommand.shown(new Size(0, 0))).isEqualTo(new Size(80, 24));
    assertThat(TopCommand.shown(new Size(200, 50))).isEqualTo(new Size(200, 50));
  }

  @Test
  void top_fails_ifNoProgramIsThere() throws IOException {
    Process program = start();
    program.getOutputStream().close(); // closes the purgatories
    assertThat(program.onExit()).succeedsWithin(Duration.ofSeconds(30));
    assertThat(top(Long.toString(program.pid()))).isEqualTo(1);
    assertThat(err.toString().lines()).singleElement().asString().contains("cannot be reached");
    assertThat(out.toString()).isEmpty();
  }
}
