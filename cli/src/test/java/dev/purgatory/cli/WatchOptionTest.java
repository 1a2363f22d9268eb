package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.SingleBroker;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.Ports;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Watches a real broker with the drop-in, and restarts it meanwhile. */
class WatchOptionTest {

  @TempDir private Path folder;

  /** A command with the option. */
  @Command
  private static final class Watching {
    @Mixin private WatchOption watch = new WatchOption();
  }

  private static Watching parsed(String... args) {
    Watching command = new Watching();
    assertThat(new CommandLine(command).parseArgs(args).errors()).isEmpty();
    return command;
  }

  @Test
  void noPage_isServed_unlessTheUserWantsIt() {
    List<String> said = new ArrayList<>();
    try (Cleanup cleanup = new Cleanup()) {
      parsed().watch.serve(List.of(), cleanup, said::add);
    }
    assertThat(said).isEmpty();
  }

  @Tag("long")
  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void page_followsABroker_throughARestart() throws Exception {
    String classPath = new Home(Path.of("..").toAbsolutePath().normalize()).dropInClassPath();
    List<String> said = new ArrayList<>();
    try (Cleanup cleanup = new Cleanup();
        SingleBroker broker = new SingleBroker(Ports.free(1).get(0), folder, classPath)) {
      assertThat(broker.start(true)).contains("drop-in");
      parsed("--watch").watch.serve(List.of(broker.node()), cleanup, said::add);
      URI page = URI.create(said.get(0).replaceFirst(".*(http://.*)", "$1"));
      try (PageSamples samples = new PageSamples(page)) {
        assertThat(samples.await("\"name\":\"Fetch\",\"pending\":"))
            .contains("\"title\":\"node 1: Fetch\",\"keys\":null,\"waiting\":0");
        broker.node().kill();
        assertThat(samples.await("\"obstacle\":")).isNotEmpty();
        broker.node().start();
        assertThat(samples.await("\"name\":\"Fetch\",\"pending\":")).isNotEmpty();
      }
    }
  }
}
