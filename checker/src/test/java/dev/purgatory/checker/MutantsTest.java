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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the tests: makes mistakes in the timer and the core, one at a time, each of which must be
 * caught.
 */
@Execution(ExecutionMode.CONCURRENT)
class MutantsTest {
  private static final List<Path> MODULES = List.of(Path.of("../timer"), Path.of("../core"));
  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  /** How long a stage may take, on a busy machine. */
  private static final int STAGE_SECONDS = 480;

  /** How often a stage may miss a mistake that only some interleavings of threads show. */
  private static final int ATTEMPTS = 3;

  /** Accepts the names of the mistakes to make. */
  private static final Predicate<String> CHOSEN =
      Pattern.compile(System.getProperty("mistake", "")).asPredicate();

  /**
   * {@code .ci/run} makes every sixteenth mistake. The sources of the core decide with which it
   * begins.
   */
  static final int USUALLY_EVERY = 16;

  private static final int EVERY =
      Integer.getInteger(
          "mistakes.every", System.getProperty("mistake") == null ? USUALLY_EVERY : 1);

  /** How long a test waits for another thread. */
  private static final int MUTANT_PATIENCE_SECONDS = 5;

  private static final int CORE_PATIENCE_SECONDS = 120;

  /** CheckerTest runs more, in the same way. All are run if all mistakes are made. */
  private static final int SEEDS_WITHOUT_MISTAKE = 100;

  private static final List<String> CAUGHT = Collections.synchronizedList(new ArrayList<>());

  @TempDir Path folder;

  @Tag("long")
  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void mutant_isCaught(String name, Mutant mutant) throws Exception {
    compile(mutant);
    Path output = folder.resolve("output");
    int exit = 0;
    int attempts = mutant.stage().equals(MutantMain.SIMULATION) ? 1 : ATTEMPTS; // the seeds decide
    for (int i = 0; i < attempts && exit == 0; i++) {
      exit = run(mutant.stage(), MUTANT_PATIENCE_SECONDS, MutantMain.SEEDS, output);
    }
    String caught = Files.readString(output).strip();
    assertThat(exit).as(name + " survives: " + caught).isNotZero();
    assertThat(caught).as("what caught " + name).contains("\t");
    CAUGHT.add("| " + name + " | " + caught.replace("\t", " | ") + " |");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("all")
  void everyMistake_canBeMade(String name, Mutant mutant) throws Exception {
    assertThat(mutant.made()).as(name).isNotEqualTo(Files.readAllLines(mutant.file()));
    compile(mutant); // the build runs few of them
    if (!MutantMain.PROGRAMS.contains(mutant.stage())) {
      String test = "dev/purgatory/" + mutant.stage().replace('.', '/') + ".class";
      assertThat(tests().map(classes -> classes.resolve(test))).as(name).anyMatch(Files::exists);
    }
  }

  /** Otherwise every mistake would be caught. */
  @Tag("long")
  @ParameterizedTest(name = "{0}")
  @MethodSource("stages")
  void core_asItIs_isNotCaught(String stage) throws Exception {
    int seeds = EVERY == 1 ? MutantMain.SEEDS : SEEDS_WITHOUT_MISTAKE;
    Path output = folder.resolve("output");
    int exit = run(stage, CORE_PATIENCE_SECONDS, seeds, output);
    assertThat(exit).as(Files.readString(output)).isZero();
  }

  @AfterAll
  static void writeTable() throws IOException {
    List<String> table =
        new ArrayList<>(List.of("| mistake | caught by | |", "| --- | --- | --- |"));
    table.addAll(CAUGHT);
    Files.write(Path.of("target/mutants.md"), table);
  }

  static Stream<Object[]> all() {
    return arguments(Mutant.ALL.stream());
  }

  static Stream<Object[]> mutants() throws IOException {
    return arguments(chosen());
  }

  private static Stream<Object[]> arguments(Stream<Mutant> mutants) {
    return mutants.map(mutant -> new Object[] {mutant.name(), mutant});
  }

  static Stream<String> stages() throws IOException {
    return chosen().map(Mutant::stage).distinct();
  }

  private static Stream<Mutant> chosen() throws IOException {
    return IntStream.iterate(first(), i -> i < Mutant.ALL.size(), i -> i + EVERY)
        .mapToObj(Mutant.ALL::get)
        .filter(mutant -> CHOSEN.test(mutant.name()));
  }

  private static Stream<Path> tests() {
    return MODULES.stream().map(module -> module.resolve("target/test-classes"));
  }

  /** Returns a number that each change of the sources changes, so that no mistake is left out. */
  private static int first() throws IOException {
    CRC32 sum = new CRC32();
    for (Path module : MODULES) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          sum.update(Files.readAllBytes(file));
        }
      }
    }
    return (int) (sum.getValue() % EVERY);
  }

  private void compile(Mutant mutant) throws Exception {
    Path mutated = folder.resolve(mutant.file().getFileName());
    Files.write(mutated, mutant.made());
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

  /** Runs {@link MutantMain}, and returns its exit code. */
  private int run(String stage, int patience, int seeds, Path output) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath =
        Stream.of(Stream.of(folder), tests(), Stream.of(CLASS_PATH))
            .flatMap(paths -> paths)
            .map(Object::toString)
            .collect(Collectors.joining(File.pathSeparator));
    Process process =
        new ProcessBuilder(
                java,
                "-XX:+UseSerialGC",
                "-Dpatience.seconds=" + patience,
                "-Drepeat.millis=15000",
                "-cp",
                classPath,
                MutantMain.class.getName(),
                stage,
                Integer.toString(seeds))
            .redirectOutput(output.toFile())
            .redirectError(folder.resolve("errors").toFile())
            .start();
    boolean ended = process.waitFor(STAGE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    if (!ended) {
      Files.writeString(output, "timeout\tdoes not end");
    }
    return process.exitValue();
  }
}
