package dev.purgatory.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
  void chartsLieBesideTheirResults() throws IOException {
    assertThat(run("bench", "chart", results())).isZero();
    assertThat(folder.resolve("run-charts").toFile().list())
        .containsExactlyInAnyOrder("memory-heap.svg", "report.html", "tables.md");
    assertThat(folder.resolve("run-charts/tables.md"))
        .content()
        .startsWith("# Tables of `run.json`");
    assertThat(out.toString()).startsWith("1 charts");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void chartsAreDrawnAgainIntoTheSameFolder() throws IOException {
    Path target = folder.resolve("docs");
    assertThat(run("bench", "chart", results(), "--out", target)).isZero();
    assertThat(run("bench", "chart", results(), "--out", target)).isZero();
    assertThat(target).isDirectoryContaining("glob:**/memory-heap.svg");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{}",
        "[]",
        "nonsense",
        "{\"environment\": {}, \"rows\": []}",
        "{\"environment\": null, \"rows\": []}",
        "{\"rows\": [{\"bench\": \"memory\"}]}"
      })
  void whatHoldsNoResultsGetsOneLine(String content) throws IOException {
    Path file = Files.writeString(folder.resolve("wrong.json"), content);
    assertThat(run("bench", "chart", file)).isEqualTo(2);
    assertOneLine(file.toString());
    assertThat(folder.toFile().list()).containsExactly("wrong.json");
  }

  @Test
  void binaryFileGetsOneLine() throws IOException {
    Path file = Files.write(folder.resolve("wrong.json"), new byte[] {(byte) 0xff, 0, (byte) 0xfe});
    assertThat(run("bench", "chart", file)).isEqualTo(2);
    assertOneLine(file.toString());
  }

  @Test
  void fileWhereTheFolderShouldBeGetsOneLine() throws IOException {
    Path file = results();
    assertThat(run("bench", "chart", file, "--out", file)).isEqualTo(2);
    assertOneLine("not a folder");
  }

  @Test
  void resultsAreNotOverwrittenUnasked() throws IOException {
    Path file = results();
    String before = Files.readString(file);
    assertThat(run("bench", "--json", file)).isEqualTo(2);
    assertOneLine(file.toString(), "--overwrite");
    assertThat(Files.readString(file)).isEqualTo(before);
  }

  @Test
  void wrongNamesGetTheRightOnes() {
    assertThat(run("bench", "--only", "nonsense")).isEqualTo(2);
    assertOneLine("nonsense", "memory", "lateness");
  }

  @Test
  void wrongContendersGetTheRightOnes() {
    assertThat(run("bench", "--contender", "nonsense")).isEqualTo(2);
    assertOneLine("nonsense", "purgatory-kafka", "delay-queue");
  }
}
