package dev.purgatory.examples.start;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does what the pages say, step by step. */
@Timeout(300)
class GettingStartedTest {
  @TempDir private Path folder;

  @Test
  void gettingStarted_holdsARequestInAServerOfOneFile() throws Exception {
    Page page = Page.read("getting-started.md");
    assertThat(Files.readAllLines(Page.ROOT.resolve("docs/use/getting-started.md")))
        .hasSizeLessThanOrEqualTo(60);
    assertThat(page.files()).containsOnlyKeys("Main.java");
    page.createFiles(folder);
    Iterator<String> commands = page.commands().iterator();
    assertThat(commands.next()).startsWith("git clone");
    assertThat(commands.next()).startsWith("./mvnw install"); // done before this test

    try (Program server = start(Page.ROOT, words(commands.next(), "java"))) {
      CompletableFuture<String> reader = server.curl(commands.next());
      assertThat(get(server.curl(commands.next()))).isEmpty();
      assertThat(get(reader)).isEqualTo("2:1\n");
    }
    assertThat(commands).isExhausted();
  }

  @Test
  void project_fromAnEmptyFolderToAHeldRequestInTheMetrics() throws Exception {
    Page page = Page.read("project-with-metrics.md");
    assertThat(page.files())
        .containsOnlyKeys(
            "pom.xml",
            "src/main/java/demo/Messages.java",
            "src/test/java/demo/MessagesTest.java",
            "src/main/java/demo/Server.java");
    page.createFiles(folder);

    Iterator<String> commands = page.commands().iterator();
    assertThat(commands.next()).startsWith("./mvnw install");
    Maven.install();
    Maven.run(folder, words(commands.next(), "mvn"));
    assertThatTheVirtualTimeTestHasRun();
    try (Program server = start(folder, words(commands.next(), "java"))) {
      holdAndWakeARequest(server, commands, page.outputs().iterator());
    }
    assertThat(commands.next()).startsWith("docker compose -f micrometer/compose.yaml");
    assertThat(commands).isExhausted();
  }

  private void assertThatTheVirtualTimeTestHasRun() throws IOException {
    Path report = folder.resolve("target/surefire-reports/demo.MessagesTest.txt");
    assertThat(Files.readString(report))
        .contains("Tests run: 2, Failures: 0, Errors: 0, Skipped: 0");
  }

  /** Starts a program of the folder with a class path from another one. */
  private Program start(Path from, List<String> options) throws IOException {
    assertThat(options).hasSize(3).startsWith("-cp");
    String program = options.get(2);
    return new Program(
        from,
        "-cp",
        options.get(1).replace(':', File.pathSeparatorChar),
        program.endsWith(".java") ? folder.resolve(program).toString() : program);
  }

  private static void holdAndWakeARequest(
      Program server, Iterator<String> commands, Iterator<String> outputs) throws Exception {
    CompletableFuture<String> reader = server.curl(commands.next());
    String metrics = commands.next();
    String held = outputs.next();
    while (!scrape(server, metrics).contains(held)) { // until the request has arrived
      assertThat(reader).as("answered before the metrics had " + held).isNotDone();
      Thread.sleep(10);
    }

    get(server.curl(commands.next()));
    assertThat(get(reader)).isEqualTo("hello\n");
    assertThat(outputs).hasNext();
    List<String> after = scrape(server, metrics);
    outputs.forEachRemaining(line -> assertThat(after).contains(line));
  }

  private static List<String> scrape(Program server, String command) throws Exception {
    return get(server.curl(command)).lines().toList();
  }

  private static String get(Future<String> answer) throws Exception {
    return answer.get(30, SECONDS);
  }

  /** Returns the words of a command after the program's name, without quotes. */
  private static List<String> words(String command, String program) {
    List<String> words = Arrays.asList(command.replace("'", "").split(" "));
    assertThat(words.get(0)).isEqualTo(program);
    return words.subList(1, words.size());
  }
}
