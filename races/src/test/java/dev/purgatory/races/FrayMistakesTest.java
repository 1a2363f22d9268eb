package dev.purgatory.races;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.difflib.UnifiedDiffUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Makes mistakes in the core, one at a time, in the order of writes, in locks and in hand-overs.
 * Fray must find each. They are patches as in the module {@code checker}; each names the program
 * that finds it.
 */
class FrayMistakesTest {
  private static final Path MISTAKES = Path.of("src/test/mistakes");
  private static final String PROGRAM = "Caught by: ";
  private static final String CHANGED = "+++ b/";
  private static final String SCHEDULES = "20000";

  private static final List<String> FOUND = new ArrayList<>();

  @TempDir Path folder;

  static Stream<Path> mistakes() throws IOException {
    try (Stream<Path> files = Files.list(MISTAKES)) {
      return files.sorted().toList().stream();
    }
  }

  @Tag("long")
  @EnabledIfSystemProperty(named = "fray.mistakes", matches = "true") // takes a quarter of an hour
  @ParameterizedTest
  @MethodSource("mistakes")
  void mistake_isFound(Path file) throws Exception {
    FrayJvm.require();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> mistake = Files.readAllLines(file);
    assumeTrue(compiler != null, "a runtime without a compiler");
    compile(compiler, mistake);
    String program = mistake.get(1).substring(PROGRAM.length());
    Path output = folder.resolve("output");
    int exit = FrayJvm.start(folder, output, SCHEDULES, program, "1", "0", "100").waitFor();
    List<String> found = Files.readAllLines(output);
    assertThat(exit).as("%s: %s", mistake.get(0), found).isNotZero();
    String failure = found.stream().filter(line -> line.startsWith(program)).findFirst().get();
    FOUND.add("| " + mistake.get(0) + " | " + failure.replaceAll(".* ", "") + " |");
  }

  private void compile(JavaCompiler compiler, List<String> mistake) throws Exception {
    Path source =
        mistake.stream()
            .filter(line -> line.startsWith(CHANGED))
            .map(line -> Path.of("..", line.substring(CHANGED.length())))
            .findFirst()
            .get();
    Path changed = folder.resolve(source.getFileName());
    Files.write(
        changed,
        UnifiedDiffUtils.parseUnifiedDiff(mistake.subList(2, mistake.size()))
            .applyFuzzy(Files.readAllLines(source), 2));
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-nowarn", "-proc:none", "-d", folder.toString(), "-cp", FrayJvm.CLASSES);
      assertThat(
              compiler
                  .getTask(null, files, null, options, null, files.getJavaFileObjects(changed))
                  .call())
          .as("%s compiles", mistake.get(0))
          .isTrue();
    }
  }

  @AfterAll
  static void writeTable() throws IOException {
    FOUND.add(0, "| mistake | found in schedule |");
    FOUND.add(1, "| --- | --- |");
    Files.write(Path.of("target/fray-mistakes.md"), FOUND);
  }
}
