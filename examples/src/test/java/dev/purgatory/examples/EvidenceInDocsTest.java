package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the evidence that the docs refer to exists: tests, deliberate mistakes and pages. */
class EvidenceInDocsTest {
  private static final Path ROOT = Path.of("..");
  private static final String PROBLEMS = "docs/what-goes-wrong.md";

  /** A link with a text, a target and perhaps a title. */
  private static final Pattern LINK =
      Pattern.compile("\\[([^\\]\\[]+)]\\(([^)\\s]+)(?: \"([^\"]+)\")?\\)");

  private static final Pattern TEST = Pattern.compile("`?(\\w+(?:Test|Races))(?:\\.(\\w+))?`?");
  private static final Pattern MISTAKE = Pattern.compile("(?<!\\*)\\*([^*|]+)\\*(?!\\*)");
  private static final Pattern AT_A_FIXED_LINE =
      Pattern.compile(
          "https://github\\.com/[\\w.-]+/[\\w.-]+/blob/[^/]*\\d[^/]*/.+\\.java#L\\d+.*");

  /** A test is named by the text of a link, or by its title. */
  @ParameterizedTest
  @ValueSource(strings = {"README.md", PROBLEMS, "docs/comparison.md"})
  void localLinks_leadToWhatTheyName(String page) throws IOException {
    for (MatchResult link : links(page)) {
      if (link.group(2).startsWith("https://")) {
        continue;
      }
      Path target = target(page, link.group(2));
      assertThat(target).exists();
      String name = link.group(3) == null ? link.group(1) : link.group(3);
      var test = TEST.matcher(name);
      if (test.matches()) {
        assertThat(target).hasFileName(test.group(1) + ".java");
        String method = test.group(2) == null ? "class " + test.group(1) : test.group(2) + "(";
        assertThat(declarations(target)).as(name).contains(method);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {PROBLEMS, "docs/comparison.md"})
  void anchors_exist(String page) throws IOException {
    for (MatchResult link : links(page)) {
      String[] parts = link.group(2).split("#", 2);
      if (parts.length == 2 && parts[0].endsWith(".md")) {
        assertThat(headings(target(page, parts[0]))).as(link.group(2)).contains(parts[1]);
      }
    }
  }

  @Test
  void eachProblem_hasAPublicSourceAndEvidence() throws IOException {
    List<List<String>> rows = rows(PROBLEMS);
    assertThat(rows).isNotEmpty();
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row).hasSize(3);
              assertThat(row.get(0)).contains("](https://");
              assertThat(LINK.matcher(row.get(2)).find()).as(row.get(2)).isTrue();
            });
  }

  @Test
  void mistakesOfThePage_areMade() throws IOException {
    String made = mistakes();
    List<String> named =
        rows(PROBLEMS).stream()
            .flatMap(row -> MISTAKE.matcher(row.get(2)).results())
            .map(found -> '"' + found.group(1) + '"')
            .toList();
    assertThat(named).isNotEmpty().allSatisfy(mistake -> assertThat(made).contains(mistake));
  }

  /** The first column names the feature; the second is this library. */
  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/comparison.md"})
  void eachCellOfTheComparison_isALink(String page) throws IOException {
    List<List<String>> rows = rows(page).stream().filter(row -> row.size() == 7).toList();
    assertThat(rows).hasSizeGreaterThan(5);
    for (List<String> row : rows) {
      for (String cell : row.subList(1, row.size())) {
        var link = LINK.matcher(cell);
        assertThat(link.matches()).as(row.get(0) + ": " + cell).isTrue();
        assertThat(link.group(1)).isIn("yes", "partly", "no");
        if (link.group(2).startsWith("https://")) {
          assertThat(link.group(2)).matches(AT_A_FIXED_LINE);
        }
      }
    }
  }

  /** The short table must not contradict the long one. */
  @Test
  void rowsOfTheReadme_areThoseOfThePage() throws IOException {
    List<String> page = rows("docs/comparison.md").stream().map(EvidenceInDocsTest::words).toList();
    List<String> readme =
        rows("README.md").stream()
            .filter(row -> row.size() == 7)
            .map(EvidenceInDocsTest::words)
            .toList();
    assertThat(page).containsAll(readme);
  }

  private static String words(List<String> row) {
    return LINK.matcher(String.join("|", row)).replaceAll("$1");
  }

  /** Returns the cells of all rows of the page's tables, without their headers. */
  private static List<List<String>> rows(String page) throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve(page));
    return Stream.iterate(0, i -> i < lines.size() - 1, i -> i + 1)
        .filter(i -> lines.get(i).startsWith("| ") && !lines.get(i).startsWith("| ---"))
        .filter(i -> !lines.get(i + 1).startsWith("| ---"))
        .map(i -> Stream.of(lines.get(i).substring(1).split("\\|")).map(String::strip).toList())
        .toList();
  }

  private static List<MatchResult> links(String page) throws IOException {
    return LINK.matcher(Files.readString(ROOT.resolve(page))).results().toList();
  }

  private static Path target(String page, String link) {
    return ROOT.resolve(page).resolveSibling(link.split("#", 2)[0]).normalize();
  }

  /** Returns the lines of a test that declare a method, a rule or a class. */
  private static String declarations(Path source) throws IOException {
    try (Stream<String> lines = Files.lines(source)) {
      return lines
          .filter(
              line -> line.matches(" *(public |static |final )*(class|void|ArchRule|Stream<).*"))
          .map(line -> line.replace(" =", "("))
          .collect(Collectors.joining("\n"));
    }
  }

  private static List<String> headings(Path page) throws IOException {
    try (Stream<String> lines = Files.lines(page)) {
      return lines
          .filter(line -> line.startsWith("#"))
          .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
          .map(line -> line.replaceAll("[^\\w -]", "").replace(' ', '-'))
          .toList();
    }
  }

  private static String mistakes() throws IOException {
    Path folder = ROOT.resolve("checker/src/test/java/dev/purgatory/checker");
    StringBuilder sources = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith("Mutants.java")).toList()) {
        sources.append(Files.readString(file));
      }
    }
    return sources.toString();
  }
}
