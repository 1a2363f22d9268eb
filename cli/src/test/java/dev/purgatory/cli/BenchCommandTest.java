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
import java.util.stream.Stream;
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

  /** Writes results with a given rate of the core and a rate of 100 for Kafka. */
  private Path rate(String name, double value) throws IOException {
    Map<String, String> params =
        Map.of("mix", "low", "timeout", "200 ms", "rate", "max", "gc", "G1");
    Row kafka = new Row("enqueue", "kafka", params, "rate", "1/s", true, List.of(100.0));
    Row core = new Row("enqueue", "purgatory", params, "rate", "1/s", true, List.of(value));
    Path file = folder.resolve(name);
    ResultsJson.write(
        new Results(ResultsJson.read(results()).environment(), List.of(kafka, core)), file);
    return file;
  }

  @Test
  void guardExitsWithCodeOneIfSomethingGotWorse() throws IOException {
    Path published = rate("published.json", 200);
    assertThat(run("bench", "guard", "--against", published, "--json", published)).isZero();
    assertThat(out.toString()).contains("2.00 ×").endsWith("Nothing got worse.\n");
    Path worse = rate("worse.json", 100);
    assertThat(run("bench", "guard", "--against", published, "--json", worse)).isEqualTo(1);
    assertThat(out.toString()).endsWith("Worse: enqueue: rate, low mix, rate max (purgatory).\n");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void compareRejectsAJarThatDoesNotExist() {
    assertThat(run("bench", "compare", folder.resolve("core.jar"))).isEqualTo(2);
    assertThat(err.toString()).contains("there is no ").contains("core.jar");
  }

  @Test
  void guardRejectsResultsThatCannotBeCompared() throws IOException {
    Path published = rate("published.json", 200);
    Path missing = folder.resolve("missing.json");
    for (List<Object> options :
        List.<List<Object>>of(
            List.of("--against", missing, "--json", published),
            List.of("--against", published, "--json", missing),
            List.of("--against", published, "--json", results()),
            List.of("--against", results(), "--json", published),
            List.of("--against", results()),
            List.of("--against", published, "--out", published),
            List.of("--against", published, "--json", published, "--out", missing))) {
      err.getBuffer().setLength(0);
      assertThat(run(Stream.concat(Stream.of("bench", "guard"), options.stream()).toArray()))
          .isEqualTo(2);
      assertOneLine("purgatory bench guard: ");
    }
  }

  @Test
  void guardReplacesResultsIfToldTo() throws IOException {
    Path file = rate("published.json", 200);
    assertThat(run("bench", "guard", "--against", results(), "--out", file)).isEqualTo(2);
    assertOneLine("already exists; use --overwrite");
    err.getBuffer().setLength(0);
    assertThat(run("bench", "guard", "--against", results(), "--out", file, "--overwrite"))
        .isEqualTo(2);
    assertOneLine("the published results contain none of the figures");
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
  void writesChartsBesideTheResults() throws IOException {
    assertThat(run("bench", "chart", results())).isZero();
    assertThat(folder.resolve("run-charts").toFile().list())
        .containsExactlyInAnyOrder("memory-heap.svg", "report.html");
    assertThat(out.toString()).startsWith("1 charts");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void replacesChartsInTheSameFolder() throws IOException {
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
  void fileWithoutResultsPrintsOneLine(String content) throws IOException {
    Path file = Files.writeString(folder.resolve("wrong.json"), content);
    assertThat(run("bench", "chart", file)).isEqualTo(2);
    assertOneLine(file.toString());
    assertThat(folder.toFile().list()).containsExactly("wrong.json");
  }

  @Test
  void binaryFilePrintsOneLine() throws IOException {
    Path file = Files.write(folder.resolve("wrong.json"), new byte[] {(byte) 0xff, 0, (byte) 0xfe});
    assertThat(run("bench", "chart", file)).isEqualTo(2);
    assertOneLine(file.toString());
  }

  @Test
  void fileInsteadOfFolderPrintsOneLine() throws IOException {
    Path file = results();
    assertThat(run("bench", "chart", file, "--out", file)).isEqualTo(2);
    assertOneLine("not a folder");
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

  @Test
  void dryRunListsJvmsAndTimes() {
    assertThat(run("bench", "--full", "--dry-run")).isZero();
    assertThat(out.toString()).contains("measurement", "JVMs", "events", "lateness", "min");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void dryRunOfFeaturesListsThem() {
    assertThat(run("bench", "features", "--quick", "--dry-run")).isZero();
    assertThat(out.toString())
        .contains("thresholds", "replies", "limits", "sessions", "scopes")
        .doesNotContain("lateness");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void folderWithoutAJdkPrintsOneLine() {
    assertThat(run("bench", "features", "--other-jdk", folder)).isEqualTo(2);
    assertOneLine("no JDK in " + folder);
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
