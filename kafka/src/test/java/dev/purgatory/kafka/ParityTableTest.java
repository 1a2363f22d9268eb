package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/**
 * Checks the parity table against the reports of this build: each listed class ran, with the stated
 * number of tests, and no test failed or was skipped. A class that was not found fails as well.
 */
class ParityTableTest {

  static List<String> testClasses() throws IOException {
    return SuiteReports.classesOf(fileOf("purgatory.kafka-tests"));
  }

  @ParameterizedTest
  @MethodSource("testClasses")
  void matchesTheReports(String testClass) throws Exception {
    Path report = fileOf("purgatory.reports").resolve("TEST-" + testClass + ".xml");
    assertThat(report).as("%s must have run", testClass).exists();

    Outcome outcome = Outcome.read(report);

    assertThat(outcome).isEqualTo(new Outcome(outcome.tests(), 0, 0, 0));
    assertThat(Files.readAllLines(fileOf("purgatory.parity-table")))
        .anyMatch(line -> line.startsWith("| `" + testClass + "` | " + outcome.tests() + " |"));
  }

  private static Path fileOf(String property) {
    return Path.of(System.getProperty(property));
  }

  /** The totals in the report of a test class. */
  private record Outcome(int tests, int failures, int errors, int skipped) {

    static Outcome read(Path report) throws Exception {
      Element suite =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(report.toFile())
              .getDocumentElement();
      return new Outcome(
          count(suite, "tests"),
          count(suite, "failures"),
          count(suite, "errors"),
          count(suite, "skipped"));
    }

    private static int count(Element suite, String attribute) {
      return Integer.parseInt(suite.getAttribute(attribute));
    }
  }
}
