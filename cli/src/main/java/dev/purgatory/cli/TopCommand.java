package dev.purgatory.cli;

import dev.purgatory.cli.top.TopTable;
import dev.purgatory.cli.top.WatchedProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the purgatories of running programs. */
@Command(
    name = "top",
    description = {
      "Shows what the purgatories of running programs hold, each second, until Ctrl-C.",
      "By default, of the brokers with the drop-in that you run on this machine."
    })
final class TopCommand implements Callable<Integer> {
  private static final long PERIOD_MILLIS = 1_000;

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** To attach to a process, or if nobody watches. */
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(10);

  private static final Size USUAL_SIZE = new Size(80, 24);

  @Option(
      names = "--connect",
      paramLabel = "ADDRESS",
      description =
          "The program: the id of a process of yours on this machine, or HOST:PORT where it listens"
              + " for JMX. Can be repeated.")
  private List<String> addresses = new ArrayList<>();

  @Option(
      names = "--once",
      description = "Prints the table once, with the rates of one second, and exits.")
  private boolean once;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException, IOException {
    List<WatchedProcess> processes = processes();
    try {
      WatchedProcess.read(processes, LONG_PATIENCE);
      failIf(processes, each -> each.obstacle().isPresent());
      if (once) {
        Thread.sleep(PERIOD_MILLIS);
        WatchedProcess.read(processes, LONG_PATIENCE);
        failIf(processes, each -> each.obstacle().isPresent());
        print(processes);
      } else if (Boolean.getBoolean("purgatory.terminal.output")) { // the launcher finds out
        draw(processes);
      } else {
        printRepeatedly(processes);
      }
    } finally {
      WatchedProcess.close(processes);
    }
    return 0;
  }

  private List<WatchedProcess> processes() {
    if (!addresses.isEmpty()) {
      return addresses.stream()
          .distinct()
          .map(address -> Arguments.checked(spec, () -> WatchedProcess.at(address)))
          .toList();
    }
    List<WatchedProcess> brokers = WatchedProcess.brokers();
    if (brokers.isEmpty()) {
      throw Arguments.wrong(
          spec, "no Kafka broker of yours runs on this machine: name a program with --connect");
    }
    return brokers;
  }

  /** Fails if there is nothing to show, since this holds for all processes. */
  private static void failIf(List<WatchedProcess> processes, Predicate<WatchedProcess> failed)
      throws IOException {
    if (processes.stream().allMatch(failed)) {
      WatchedProcess first = processes.get(0);
      throw new IOException(first.title() + " " + first.obstacle().orElse("has ended"));
    }
  }

  private void print(List<WatchedProcess> processes) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(TopTable.of(processes));
    out.flush();
  }

  private void printRepeatedly(List<WatchedProcess> processes)
      throws IOException, InterruptedException {
    while (!spec.commandLine().getOut().checkError()) { // until the reader of the pipe is gone
      Thread.sleep(PERIOD_MILLIS);
      WatchedProcess.read(processes, PATIENCE);
      failIf(processes, WatchedProcess::hasEnded);
      print(processes);
    }
  }

  /** Draws the table on the whole terminal. */
  private static void draw(List<WatchedProcess> processes)
      throws IOException, InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    try (org.jline.terminal.Terminal terminal =
        TerminalBuilder.builder().nativeSignals(true).build()) {
      terminal.handle(Signal.INT, signal -> interrupted.countDown());
      Display display = new Display(terminal, /* fullscreen= */ true);
      terminal.puts(Capability.enter_ca_mode);
      try {
        while (true) {
          Size size = shown(terminal.getSize());
          display.resize(size.getRows(), size.getColumns());
          display.update(lines(TopTable.of(processes), size), 0);
          if (interrupted.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
            return;
          }
          WatchedProcess.read(processes, PATIENCE);
          failIf(processes, WatchedProcess::hasEnded);
        }
      } finally {
        terminal.puts(Capability.exit_ca_mode);
        terminal.flush();
      }
    }
  }

  /** Returns the size to draw, since some terminals do not tell theirs. */
  static Size shown(Size told) {
    return told.getRows() > 0 && told.getColumns() > 0 ? told : USUAL_SIZE;
  }

  /** Cuts the table to the size of the terminal. */
  private static List<AttributedString> lines(String table, Size size) {
    List<AttributedString> lines =
        table
            .lines()
            .map(AttributedString::new)
            .map(line -> line.columnSubSequence(0, size.getColumns()))
            .toList();
    if (lines.size() < size.getRows()) {
      return lines;
    }
    List<AttributedString> cut = new ArrayList<>(lines.subList(0, Math.max(0, size.getRows() - 1)));
    cut.add(new AttributedString("… " + (lines.size() - cut.size()) + " more lines"));
    return cut;
  }
}
