package dev.purgatory.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the tests: makes mistakes in the core, one at a time, each of which must be caught. */
@Tag("mistakes")
@Execution(ExecutionMode.CONCURRENT)
class MutantsTest {
  private static final Path CORE = Path.of("../core");
  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  private static final int PATIENCE_SECONDS = 120;

  /** Accepts the names of the mistakes to make, by default every sixth one. */
  private static final Predicate<String> CHOSEN =
      Pattern.compile(System.getProperty("mistake", "")).asPredicate();

  /** A build makes every sixth mistake. */
  static final int USUALLY_EVERY = 6;

  private static final int EVERY =
      Integer.getInteger(
          "mistakes.every", System.getProperty("mistake") == null ? USUALLY_EVERY : 1);

  /** How long a test waits for another thread. */
  private static final int MUTANT_PATIENCE_SECONDS = 5;

  private static final List<String> CAUGHT = Collections.synchronizedList(new ArrayList<>());

  @TempDir Path folder;

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void mutant_isCaught(String name, Mutant mutant) throws Exception {
    compile(mutant);
    Path output = folder.resolve("output");
    Process process = start(mutant.stage(), MUTANT_PATIENCE_SECONDS, output);
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    String caught = ended ? Files.readString(output).strip() : "timeout\tdoes not end";
    assertThat(process.exitValue()).as(name + " survives: " + caught).isNotZero();
    assertThat(caught).as("what caught " + name).contains("\t");
    CAUGHT.add("| " + name + " | " + caught.replace("\t", " | ") + " |");
  }

  @Test
  void everyMistake_hasOnePlace() throws IOException {
    for (Mutant mutant : Mutants.ALL) {
      assertThat(places(mutant)).as("places for " + mutant.name()).isOne();
    }
  }

  /** Otherwise every mistake would be caught. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("stages")
  void core_asItIs_isNotCaught(String stage) throws Exception {
    Process process = start(stage, PATIENCE_SECONDS, folder.resolve("output"));
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  @AfterAll
  static void writeTable() throws IOException {
    List<String> table =
        new ArrayList<>(List.of("| mistake | caught by | |", "| --- | --- | --- |"));
    table.addAll(CAUGHT);
    Files.write(Path.of("target/mutants.md"), table);
  }

  static Stream<Object[]> mutants() {
    return chosen().map(mutant -> new Object[] {mutant.name(), mutant});
  }

  static Stream<String> stages() {
    return chosen().map(Mutant::stage).distinct();
  }

  private static Stream<Mutant> chosen() {
    return IntStream.iterate(0, i -> i < Mutants.ALL.size(), i -> i + EVERY)
        .mapToObj(Mutants.ALL::get)
        .filter(mutant -> CHOSEN.test(mutant.name()));
  }

  private static Path file(Mutant mutant) {
    return CORE.resolve("src/main/java/dev/purgatory/" + mutant.file() + ".java");
  }

  private static String source(Mutant mutant) throws IOException {
    return Files.readString(file(mutant));
  }

  private static int places(Mutant mutant) throws IOException {
    return source(mutant).split(Pattern.quote(mutant.right()), -1).length - 1;
  }

  private void compile(Mutant mutant) throws IOException {
    Path mutated = folder.resolve(file(mutant).getFileName());
    Files.writeString(mutated, source(mutant).replace(mutant.right(), mutant.wrong()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-nowarn", "-proc:none", "-d", folder.toString(), "-cp", CLASS_PATH);
      boolean compiled =
          compiler
              .getTask(null, files, null, options, null, files.getJavaFileObjects(mutated))
              .call();
      assertThat(compiled).as(mutant.name() + " compiles").isTrue();
    }
  }

  private Process start(String stage, int patience, Path output) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath =
        String.join(
            File.pathSeparator,
            folder.toString(),
            CORE.resolve("target/test-classes").toString(),
            CLASS_PATH);
    return new ProcessBuilder(
            java,
            "-XX:+UseSerialGC",
            "-Dpatience.seconds=" + patience,
            "-cp",
            classPath,
            MutantMain.class.getName(),
            stage)
        .redirectOutput(output.toFile())
        .redirectError(folder.resolve("errors").toFile())
        .start();
  }
}
