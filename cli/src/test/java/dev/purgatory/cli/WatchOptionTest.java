package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.cluster.SingleBroker;
import dev.purgatory.cluster.node.Cleanup;
import dev.purgatory.cluster.node.Ports;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
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
      HttpRequest events = HttpRequest.newBuilder(page.resolve("/events")).build();
      var response = HttpClient.newHttpClient().send(events, BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
        await(lines, "\"name\":\"Fetch\",\"pending\":");
        broker.node().kill();
        await(lines, "\"obstacle\":");
        broker.node().start();
        await(lines, "\"name\":\"Fetch\",\"pending\":");
      }
    }
  }

  /** Reads samples until one has this text. */
  private static void await(BufferedReader samples, String text) throws Exception {
    String line = samples.readLine();
    while (line != null && !line.contains(text)) {
      line = samples.readLine();
    }
    assertThat(line).as("the stream ended before " + text).isNotNull();
  }
}
