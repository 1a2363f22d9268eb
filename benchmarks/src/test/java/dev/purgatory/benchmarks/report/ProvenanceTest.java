package dev.purgatory.benchmarks.report;

import static dev.purgatory.benchmarks.report.SampleResults.row;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.purgatory.benchmarks.results.Environment;
import dev.purgatory.benchmarks.results.ResultsJson;
import dev.purgatory.benchmarks.results.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProvenanceTest {
  private static final Path HOME = Path.of("..");

  private static Environment of(String commit) {
    return new Environment(
        "2026-01-02T03:04:05Z", commit, "", "", "Vendor 25.0.3+9-LTS", "", "", 2, 0);
  }

  private static Row on(String jdk) {
    return row("limits", "purgatory", Map.of("jdk", jdk), "time", "ns", 1, 2);
  }

  @Test
  void captionNamesRunDateCommitAndJdk() {
    assertThat(Provenance.of(of("0123456789")).caption("full", List.of(on("25"))))
        .isEqualTo(
            "\n"
                + "*[The full run](#the-runs), 2026-01-02, commit `0123456`, JDK 25.0.3. 2 JVMs"
                + " each.*\n");
    assertThat(Provenance.of(of("0123456789")).caption("full", List.of(on("17"))))
        .contains(", JDK 17. ");
  }

  @Test
  void uncommittedChangesAreSaid() {
    assertThat(Provenance.of(of("0123456789-dirty")).line())
        .endsWith("commit 0123456 with uncommitted changes");
  }

  @Test
  void jvmsAreCountedForEachContender() {
    List<Row> rows =
        List.of(
            row("a", "purgatory", Map.of(), "m", "ns", 1, 2, 3, 4, 5, 6, 7),
            row("b", "purgatory", Map.of(), "m", "ns", 1, 2, 3),
            row("a", "kafka", Map.of(), "m", "ns", 1, 2, 3, 4, 5, 6, 7),
            row("b", "kafka", Map.of(), "m", "ns", 1, 2, 3),
            row("a", "map+stpe", Map.of(), "m", "ns", 1, 2),
            row("b", "map+stpe", Map.of(), "m", "ns", 1, 2, 3),
            row("a", "map+netty", Map.of(), "m", "ns", 1, 2));
    assertThat(Provenance.jvms(rows))
        .isEqualTo("3 to 7 JVMs each, of `map+stpe` 2 or 3, of `map+netty` 2");
    assertThat(Provenance.jvms(rows.subList(0, 1))).isEqualTo("7 JVMs each");
  }

  /** Anyone can check out the commit of a published run. */
  @Test
  void commitsOfPublishedRuns_areInTheRepository() throws Exception {
    assumeTrue(
        Files.exists(HOME.resolve(".git")) && git("rev-parse", "--is-shallow-repository") == 0,
        "NOT TESTED: no Git");
    assumeTrue(!isShallow(), "NOT TESTED: a shallow clone");
    TreeSet<String> lost = new TreeSet<>();
    try (Stream<Path> files = Files.list(HOME.resolve("benchmarks/results"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).toList()) {
        String commit = ResultsJson.read(file).environment().commit();
        if (git("cat-file", "-e", commit + "^{commit}") != 0) {
          lost.add(commit);
        }
      }
    }
    assertThat(lost).isEmpty();
  }

  private static boolean isShallow() throws IOException, InterruptedException {
    Process process = start("rev-parse", "--is-shallow-repository");
    String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return answer.strip().equals("true");
  }

  private static int git(String... words) throws IOException, InterruptedException {
    Process process = start(words);
    process.getInputStream().readAllBytes();
    return process.waitFor();
  }

  private static Process start(String... words) throws IOException {
    List<String> command =
        Stream.concat(Stream.of("git", "-C", HOME.toString()), Stream.of(words)).toList();
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
