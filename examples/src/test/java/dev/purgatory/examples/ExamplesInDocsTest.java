package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the commands in the docs, and that docs/use/examples.md has all examples. */
@Timeout(180)
class ExamplesInDocsTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/use/examples.md");
  private static final Pattern COMMAND =
      Pattern.compile(
          "^java -cp '([^']+)'[ \\\\\n]+(dev\\.purgatory\\.examples\\.[\\w.]+)", Pattern.MULTILINE);

  /** A row of the table: the program, what it shows, and the lines that it prints. */
  private static final Pattern ROW =
      Pattern.compile("^\\| \\[`(\\w+)`].* \\| (`.*`) \\|$", Pattern.MULTILINE);

  private static final Pattern LINE = Pattern.compile("`([^`]*)`");

  private static final Pattern PROGRAM =
      Pattern.compile(
          "^fun main\\(|^public (final )?class .*void main\\(String",
          Pattern.MULTILINE | Pattern.DOTALL);

  @TempDir private Path directory;

  /**
   * A command in the docs.
   *
   * @param page where it is
   * @param classPath its class path
   * @param mainClass the class that it runs
   */
  record Command(Path page, String classPath, String mainClass) {

    /** Returns the modules on its class path. */
    List<Path> modules() {
      return Arrays.stream(classPath.split(":"))
          .map(entry -> ROOT.resolve(entry.substring(0, entry.indexOf("/target/"))))
          .distinct()
          .toList();
    }

    /** Returns the source of the class in a module. */
    Path source(Path module) {
      String file = mainClass.replace('.', '/');
      return file.endsWith("Kt")
          ? module.resolve("src/main/kotlin/" + file.substring(0, file.length() - 2) + ".kt")
          : module.resolve("src/main/java/" + file + ".java");
    }
  }

  /**
   * What a program prints.
   *
   * @param mainClass the program
   * @param text the output in the docs
   */
  record Output(String mainClass, String text) {}

  @ParameterizedTest
  @MethodSource("commands")
  void command_namesAProgramThatExists(Command command) {
    assertThat(command.modules())
        .allSatisfy(module -> assertThat(module.resolve("pom.xml")).exists());
    assertThat(command.modules()).anySatisfy(module -> assertThat(command.source(module)).exists());
  }

  @Test
  void page_hasAllExamples() throws IOException {
    assertThat(programs()).isNotEmpty();
    Stream<String> commands = matches(PAGE, COMMAND).map(found -> found.group(2));
    Stream<String> rows = outputs().stream().map(Output::mainClass);
    assertThat(Stream.concat(commands, rows).distinct())
        .containsExactlyInAnyOrderElementsOf(programs());
  }

  /** Programs of other modules are run by the tests there. */
  @ParameterizedTest
  @MethodSource("outputs")
  void program_printsWhatThePageSays(Output output) throws Exception {
    String printed = run(output.mainClass());
    for (int i = 0;
        i < 3 && !printed.lines().toList().equals(output.text().lines().toList());
        i++) {
      printed = run(output.mainClass()); // it was stopped for longer than one of its short limits
    }
    assertThat(printed.lines()).containsExactlyElementsOf(output.text().lines().toList());
  }

  private String run(String mainClass) throws Exception {
    Path printed = directory.resolve("output");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = System.getProperty("java.class.path");
    Process process =
        new ProcessBuilder(java, "-cp", classPath, mainClass)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
      String status = process.exitValue() == 0 ? "" : "status " + process.exitValue();
      return Files.readString(printed, StandardCharsets.UTF_8) + status;
    } finally {
      process.destroyForcibly();
    }
  }

  static List<Command> commands() throws IOException {
    List<Command> commands = new ArrayList<>();
    for (Path page : pages()) {
      matches(page, COMMAND)
          .map(found -> new Command(page, found.group(1), found.group(2)))
          .forEach(commands::add);
    }
    return commands;
  }

  static List<Output> outputs() throws IOException {
    return matches(PAGE, ROW)
        .map(row -> new Output("dev.purgatory.examples." + row.group(1), lines(row.group(2))))
        .toList();
  }

  private static String lines(String cell) {
    return LINE.matcher(cell)
        .results()
        .map(line -> line.group(1))
        .collect(Collectors.joining("\n"));
  }

  private static Stream<MatchResult> matches(Path page, Pattern pattern) throws IOException {
    return pattern.matcher(Files.readString(page)).results();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      Stream<Path> docs = files.filter(file -> file.toString().endsWith(".md")).sorted();
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs).toList();
    }
  }

  /** Returns the public classes with a main method, of all modules. */
  private static List<String> programs() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("."))) {
      List<String> programs = new ArrayList<>();
      for (Path file : files.filter(ExamplesInDocsTest::isMainSource).toList()) {
        if (PROGRAM.matcher(Files.readString(file)).find()) {
          programs.add(className(file));
        }
      }
      return programs;
    }
  }

  private static boolean isMainSource(Path file) {
    return file.toString().replace('\\', '/').matches(".*src/main/.*\\.(java|kt)");
  }

  private static String className(Path file) {
    return file.toString()
        .replace('\\', '/')
        .replaceFirst(".*src/main/(java|kotlin)/", "")
        .replaceFirst("\\.java$", "")
        .replaceFirst("\\.kt$", "Kt")
        .replace('/', '.');
  }
}
