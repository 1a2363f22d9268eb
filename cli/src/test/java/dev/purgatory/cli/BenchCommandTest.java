package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.Results;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder = Path.of("");

  private int run(Object... args) {
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] words = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      words[i] = args[i].toString();
    }
    return commandLine.execute(words);
  }

  private Path results() throws IOException {
    Environment environment =
        new Environment(
            "2026-01-02", "0123", "./purgatory bench", "quick", "25", "os", "cpu", 2, 0);
    Row row = new Row("memory", "kafka", Map.of(), "heap", "bytes", false, List.of(1.0));
    Path file = folder.resolve("run.json");
    ResultsJson.write(new Results(environment, List.of(row)), file);
    return file;
  }

  private void assertOneLine(String... parts) {
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("purgatory bench").contains(parts);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void compareRejectsAJarThatDoesNotExist() {
    assertThat(run("bench", "compare", folder.resolve("core.jar"))).isEqualTo(2);
    assertThat(err.toString()).contains("there is no ").contains("core.jar");
  }

  @Test
  void tablesArePrintedIfTheResultsCannotBeWritten() throws IOException {
    BenchOutput output = new BenchOutput();
    CommandLine commandLine = new CommandLine(output).setOut(new PrintWriter(out));
    commandLine.parseArgs("--json", folder.toString());
    Results results = ResultsJson.read(results());
    assertThatThrownBy(() -> output.write(results, commandLine.getCommandSpec()))
        .isInstanceOf(IOException.class);
    assertThat(out.toString()).contains("memory");
  }

  @Test
  void doesNotOverwriteResultsByDefault() throws IOException {
    Path file = results();
    String before = Files.readString(file);
    assertThat(run("bench", "--json", file)).isEqualTo(2);
    assertOneLine(file.toString(), "--overwrite");
    assertThat(Files.readString(file)).isEqualTo(before);
  }

  @Test
  void unknownMeasurementListsValidNames() {
    assertThat(run("bench", "--only", "nonsense")).isEqualTo(2);
    assertOneLine("nonsense", "memory", "lateness");
  }

  @Test
  void unknownContenderListsValidNames() {
    assertThat(run("bench", "--contender", "nonsense")).isEqualTo(2);
    assertOneLine("nonsense", "purgatory-kafka", "delay-queue");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--quick", "--full"})
  void dryRunListsJvmsAndTimes(String length) {
    assertThat(run("bench", length, "--dry-run")).isZero();
    assertThat(out.toString()).contains("measurement", "JVMs", "events", "replies", "min");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void runsAreEitherQuickOrFull() {
    assertThat(run("bench", "--quick", "--full", "--dry-run")).isEqualTo(2);
    assertOneLine("either --quick or --full");
  }

  @Test
  void failedPublicationPrintsOneLine() {
    String before = System.getProperty("purgatory.home", "");
    System.setProperty("purgatory.home", folder.toString());
    try {
      assertThat(run("bench", "publish")).isEqualTo(2);
      assertOneLine("cannot publish", "benchmarks.md");
    } finally {
      System.setProperty("purgatory.home", before);
    }
  }
}
