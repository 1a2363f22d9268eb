package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that every Java and Kotlin sample in the docs is compiled and run: each equals the text
 * between {@code // sample: name} and {@code // end} somewhere in the sources.
 */
class SamplesInDocsTest {
  private static final Path ROOT = Path.of("..");

  /** Their samples are files, which the test in examples/getting-started compiles and runs. */
  private static final List<String> FILES_TO_CREATE =
      List.of("getting-started.md", "project-with-metrics.md");

  private static final Pattern IN_DOCS =
      Pattern.compile("```(?:java|kotlin)\n(.*?)```", Pattern.DOTALL);
  private static final Pattern IN_CODE =
      Pattern.compile("^ *// sample: [\\w-]+\n(.*?)^ *// end", Pattern.DOTALL | Pattern.MULTILINE);

  @TestFactory
  Stream<DynamicTest> samples() throws IOException {
    List<String> code = codeSamples();
    assertThat(code).isNotEmpty();
    List<DynamicTest> tests = new ArrayList<>();
    for (Path doc : docs()) {
      Matcher sample = IN_DOCS.matcher(Files.readString(doc));
      for (int i = 1; sample.find(); i++) {
        String text = sample.group(1).strip();
        tests.add(
            DynamicTest.dynamicTest(
                ROOT.relativize(doc) + " #" + i, () -> assertThat(code).contains(text)));
      }
    }
    assertThat(tests).isNotEmpty();
    return tests.stream();
  }

  /** The docs claim that each program is longer by hand. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "long-poll",
        "replies",
        "stage-timeout",
        "threshold",
        "scope",
        "virtual-time",
        "throttle",
        "sessions"
      })
  void sample_isShorterThanByHand(String name) throws IOException {
    assertThat(lines(name)).isLessThan(lines(name + "-by-hand"));
  }

  private static long lines(String name) throws IOException {
    Pattern sample = Pattern.compile("// sample: " + name + "\n(.*?)// end", Pattern.DOTALL);
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        Matcher found = sample.matcher(Files.readString(file));
        if (found.find()) {
          return found.group(1).lines().filter(line -> !line.isBlank()).count();
        }
      }
    }
    throw new AssertionError("no sample " + name);
  }

  private static List<Path> docs() throws IOException {
    try (Stream<Path> files =
        Files.find(ROOT, 4, (file, attributes) -> file.toString().endsWith(".md"))) {
      return files
          .filter(file -> !file.toString().contains("target"))
          .filter(file -> !FILES_TO_CREATE.contains(file.getFileName().toString()))
          .sorted()
          .toList();
    }
  }

  private static List<String> codeSamples() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      List<String> samples = new ArrayList<>();
      for (Path file : files.filter(f -> f.toString().matches(".*\\.(java|kt)")).toList()) {
        Matcher sample = IN_CODE.matcher(Files.readString(file));
        while (sample.find()) {
          samples.add(sample.group(1).stripTrailing().stripIndent());
        }
      }
      return samples;
    }
  }
}
