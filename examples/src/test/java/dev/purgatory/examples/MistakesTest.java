package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes of a first day, each of which the compiler refuses. */
class MistakesTest {
  private static final String BEFORE =
      """
      import dev.purgatory.*;
      import java.time.Duration;
      import java.util.List;

      class Program {
        static final Duration LIMIT = Duration.ofSeconds(1);

        static void run(
            Purgatory<String> polls, Purgatory<Long> numbers, Replies<Integer, String> replies) {
          var made = Purgatory.builder("made", String.class).build();
          var table = Replies.builder("table", Integer.class, String.class).build();
      """;
  private static final String AFTER = "\n  }\n}\n";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "made.until(() -> null).orTimeout(LIMIT).hold(\"a\");",
        "made.until(() -> \"x\").tag(7).orAfter(LIMIT, () -> \"none\").hold(List.of(\"a\", \"b\"));",
        "numbers.signal(7L);",
        "table.expecting().forever().hold(1);",
        "Purgatory<List<String>> lists ="
            + " Purgatory.<List<String>>builder(\"lists\", List.class).build();",
      })
  void program_compiles(String statement) throws IOException {
    assertThat(errors(statement)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no time limit            | polls.until(() -> "x").hold("a");                       | hold
          no time limit, any end   | polls.untilCompleted().hold("a");                       | hold
          a reply without a limit  | replies.expecting().hold(1);                            | hold
          two time limits          | polls.until(() -> "x").forever().orTimeout(LIMIT);      | orTimeout
          no type of the keys      | Purgatory.builder("polls").build();                     | builder
          a key of another type    | made.signal(7);                                         | String
          an int in place of long  | numbers.signal(7);                                      | Long
          keys of another type     | made.until(() -> "x").forever().hold(List.of(1, 2));    | hold
          a reply of another type  | table.complete(1, 42);                                  | String
          two tables, one purgatory| new Replies<Integer, String>(numbers);                  | Replies
          a setting on a live table| replies.keepEarly(LIMIT, 1);                            | keepEarly
          an answer of another type| polls.until(() -> "x").orAfter(LIMIT, () -> 7);         | String
          """)
  void mistake_doesNotCompile(String name, String statement, String method) throws IOException {
    assertThat(errors(statement)).as(name).isNotEmpty().contains(method);
  }

  /** Compiles a program with a statement, and returns the errors. */
  private String errors(String statement) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    JavaFileObject program =
        new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return BEFORE + statement + AFTER;
          }
        };
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options = List.of("-proc:none", "-d", folder.toString(), "-cp", classPath);
      compiler.getTask(null, files, diagnostics, options, null, List.of(program)).call();
    }
    return diagnostics.getDiagnostics().stream()
        .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
        .map(each -> each.getMessage(Locale.ROOT))
        .collect(Collectors.joining("\n"));
  }
}
