package dev.purgatory.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.purgatory.kafka.SuiteReports.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Compares two runs of the same Kafka test classes, one on the drop-in and one on Kafka's own
 * classes, and writes a table of the results. No test may do worse on the drop-in.
 */
class DropInAgainstStockTest {
  private final List<String> classes;
  private final SuiteReports stock;
  private final SuiteReports dropIn;

  DropInAgainstStockTest() throws Exception {
    classes = SuiteReports.classesOf(fileOf("purgatory.kafka-tests"));
    stock = SuiteReports.read(fileOf("purgatory.stock-reports"), classes);
    dropIn = SuiteReports.read(fileOf("purgatory.reports"), classes);
  }

  private static Path fileOf(String property) {
    return Path.of(System.getProperty(property));
  }

  @Test
  void dropInIsNoWorse() throws IOException {
    List<String> worse = new ArrayList<>();
    List<String> lines =
        new ArrayList<>(List.of("| test | stock | drop-in |", "| --- | --- | --- |"));
    for (String testClass : classes) {
      for (String test : namesOf(testClass)) {
        Verdict before = stock.of(testClass, test);
        Verdict now = dropIn.of(testClass, test);
        String line = "| `%s` %s | %s | %s |".formatted(testClass, test, before, now);
        lines.add(line);
        if (now.compareTo(before) < 0) {
          worse.add(line);
        }
      }
    }
    Files.write(fileOf("purgatory.comparison"), withSummary(lines));
    assertThat(worse).as("worse on the drop-in").isEmpty();
  }

  @Test
  void everyClassRan() {
    assertThat(classes).allSatisfy(name -> assertThat(stock.testsOf(name)).isNotEmpty());
    assertThat(classes).allSatisfy(name -> assertThat(dropIn.testsOf(name)).isNotEmpty());
  }

  private Set<String> namesOf(String testClass) {
    Set<String> names = new TreeSet<>(stock.testsOf(testClass).keySet());
    names.addAll(dropIn.testsOf(testClass).keySet());
    return names;
  }

  private List<String> withSummary(List<String> tests) {
    List<String> lines = new ArrayList<>();
    lines.add("| Kafka test class | tests | stock | drop-in | seconds |");
    lines.add("| --- | --- | --- | --- | --- |");
    classes.forEach(name -> lines.add(summary(name)));
    lines.add("");
    lines.addAll(tests);
    return lines;
  }

  private String summary(String name) {
    return String.format(
        Locale.ROOT,
        "| `%s` | %d | %d | %d | %.0f, %.0f |",
        name,
        namesOf(name).size(),
        stock.passed(name),
        dropIn.passed(name),
        stock.seconds().get(name),
        dropIn.seconds().get(name));
  }
}
