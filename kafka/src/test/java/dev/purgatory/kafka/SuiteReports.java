package dev.purgatory.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The test reports of one run.
 *
 * @param tests the verdict of each test, by class and then by name
 * @param seconds the duration of each class
 */
record SuiteReports(Map<String, Map<String, Verdict>> tests, Map<String, Double> seconds) {

  /** Verdicts, ordered from worst to best. */
  enum Verdict {
    FAILED,
    SKIPPED,
    PASSED
  }

  /** Reads the class names from a list in {@code src/test/kafka-tests}, except for our own. */
  static List<String> classesOf(Path list) throws IOException {
    return Files.readAllLines(list).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.strip().replace(".java", "").replace('/', '.'))
        .filter(name -> !name.startsWith("dev.purgatory."))
        .toList();
  }

  /** Reads the reports of the given classes. A class without a report has no tests. */
  static SuiteReports read(Path folder, List<String> classes) throws Exception {
    SuiteReports reports = new SuiteReports(new TreeMap<>(), new TreeMap<>());
    for (String name : classes) {
      reports.add(name, folder.resolve("TEST-" + name + ".xml"));
    }
    return reports;
  }

  private void add(String name, Path report) throws Exception {
    Map<String, Verdict> verdicts = new TreeMap<>();
    tests.put(name, verdicts);
    seconds.put(name, 0.0);
    if (!Files.exists(report)) {
      return;
    }
    Element suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getDocumentElement();
    seconds.put(name, Double.parseDouble(suite.getAttribute("time").replace(",", "")));
    for (Element test : elements(suite.getElementsByTagName("testcase"))) {
      verdicts.merge(test.getAttribute("name"), verdict(test), SuiteReports::worse);
    }
  }

  private static Verdict worse(Verdict one, Verdict other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Verdict verdict(Element test) {
    if (has(test, "failure") || has(test, "error")) {
      return Verdict.FAILED;
    }
    return has(test, "skipped") ? Verdict.SKIPPED : Verdict.PASSED;
  }

  private static boolean has(Element test, String what) {
    return test.getElementsByTagName(what).getLength() > 0;
  }

  private static List<Element> elements(NodeList nodes) {
    return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i)).toList();
  }

  /** Returns the verdict of each test of a class. */
  Map<String, Verdict> testsOf(String testClass) {
    return tests.getOrDefault(testClass, Map.of());
  }

  /** Returns the verdict of a test; a missing test counts as failed. */
  Verdict of(String testClass, String test) {
    return testsOf(testClass).getOrDefault(test, Verdict.FAILED);
  }

  /** Returns the number of tests of a class that passed. */
  long passed(String testClass) {
    return testsOf(testClass).values().stream().filter(Verdict.PASSED::equals).count();
  }
}
