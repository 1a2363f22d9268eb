package dev.purgatory.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
  private static final String COMPARISON = "docs/evidence/comparison.md";

  /** The number of cells in a row about a feature, and in one about a reported problem. */
  private static final int FEATURE = 7;

  private static final int PROBLEM = 3;

  /** A link with a text, a target and perhaps a title. */
  private static final Pattern LINK =
      Pattern.compile("\\[([^\\]\\[]+)]\\(([^)\\s]+)(?: \"([^\"]+)\")?\\)");

  /** A measured number: with a unit of memory or of short times, or a ratio. */
  private static final Pattern FIGURE =
      Pattern.compile(
          "\\d ?(ns|µs|us|bytes|[kKMG]i?B)(?!\\w)|\\d ?×|\\d\\.\\d+ m?s(?!\\w)"
              + "|\\d times (as|that|the|more|less|faster|slower)|\\d ?% (more|less|faster|slower)");

  private static final Pattern TEST = Pattern.compile("`?(\\w+(?:Test|Races))(?:\\.(\\w+))?`?");
  private static final Pattern MISTAKE = Pattern.compile("(?<!\\*)\\*([^*|]+)\\*(?!\\*)");
  private static final Pattern AT_A_FIXED_LINE =
      Pattern.compile(
          "https://github\\.com/[\\w.-]+/[\\w.-]+/blob/[^/]*\\d[^/]*/.+\\.java#L\\d+.*");

  /** A test is named by the text of a link, or by its title. */
  @ParameterizedTest
  @ValueSource(strings = {"README.md", COMPARISON})
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

  /** All pages, those of folders included: files and headings that they link to. */
  @Test
  void linksOfAllPages_leadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (String page : pages()) {
      for (MatchResult link : links(page)) {
        String[] parts = link.group(2).split("#", 2);
        if (parts[0].contains(":")) {
          continue;
        }
        Path file = parts[0].isEmpty() ? ROOT.resolve(page) : target(page, parts[0]);
        boolean leads =
            Files.exists(file)
                && (parts.length == 1
                    || !file.toString().endsWith(".md")
                    || headings(file).contains(parts[1]));
        if (!leads) {
          broken.add(page + ": " + link.group());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  /** Pages that have their own tests of figures, or record what was measured when and where. */
  private static final Pattern EVIDENCE =
      Pattern.compile(
          "docs/(evidence|decisions|operators)/.*|docs/benchmarks.md|.*/answers-across-instances.md");

  /** What a command or a test has not written into a page grows old there. */
  @Test
  void figuresOfProse_areGenerated() throws IOException {
    List<String> found = new ArrayList<>();
    for (String page : pages()) {
      if (EVIDENCE.matcher(page).matches() || !page.matches("README.md|docs/.*")) {
        continue;
      }
      String prose =
          Files.readString(ROOT.resolve(page))
              .replaceAll("(?s)<!-- [a-z-]+ -->\\n.*?<!-- end -->|```.*?```", "")
              .replaceAll("`[^`\\n]*`", "");
      FIGURE.matcher(prose).results().forEach(each -> found.add(page + ": " + each.group()));
    }
    assertThat(found).isEmpty();
  }

  /** The site adds the decisions by itself. */
  @Test
  void navigationOfTheSite_hasAllPages() throws IOException {
    List<String> listed =
        Pattern.compile("(?m)^ +- (?:[\\w ]+: )?([\\w/-]+\\.md)$")
            .matcher(Files.readString(ROOT.resolve("mkdocs.yml")))
            .results()
            .map(found -> "docs/" + found.group(1))
            .toList();
    assertThat(listed)
        .containsExactlyInAnyOrderElementsOf(
            pages().stream()
                .filter(page -> page.startsWith("docs/"))
                .filter(page -> !page.startsWith("docs/decisions/"))
                .toList());
  }

  /** A page about a feature says what to import, where a complete class is, and the price. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "await-a-reply",
        "owners-and-limits",
        "executor",
        "hold-until-a-condition",
        "kotlin",
        "timeout-on-a-stage",
        "metrics",
        "netty",
        "sessions",
        "signals",
        "spring",
        "timer",
        "wait-for-a-threshold"
      })
  void pageOfAFeature_hasItsPackageACompleteClassAndItsCost(String name) throws IOException {
    String page = Files.readString(ROOT.resolve(page(name)));
    assertThat(page).containsPattern("(?m)^The package is `dev\\.purgatory[.a-z]*`");
    assertThat(page)
        .containsPattern(
            "(?s)(A|a)\\s(complete\\s(class|application)\\sis).{1,40}?]\\(((\\.\\./)+examples/|(\\.\\./use/)?project-)"
                + "|Complete classes are.{1,40}?]\\((\\.\\./)+examples/");
    assertThat(page).containsPattern("(?s)\\*\\*Cost:\\*\\* .+?]\\(\\.\\./benchmarks\\.md");
  }

  private static String page(String name) throws IOException {
    return pages().stream().filter(page -> page.endsWith("/" + name + ".md")).findFirst().get();
  }

  private static List<String> pages() throws IOException {
    try (Stream<Path> files =
        Files.find(ROOT, 4, (file, attributes) -> file.toString().endsWith(".md"))) {
      return files
          .map(file -> ROOT.relativize(file).toString())
          .filter(file -> !file.contains("target"))
          .sorted()
          .toList();
    }
  }

  /** The evidence is a test, or else a page of measurements. */
  @Test
  void eachProblem_hasAPublicSourceAndEvidence() throws IOException {
    List<List<String>> rows = rows(PROBLEM);
    assertThat(rows).hasSizeGreaterThan(40);
    for (List<String> row : rows) {
      assertThat(row.get(0)).contains("](https://");
      var test = TEST.matcher(row.get(2));
      if (test.lookingAt()) {
        assertThat(sources(test.group(1) + ".java"))
            .as(test.group())
            .anySatisfy(source -> assertThat(declarations(source)).contains(test.group(2) + "("));
      } else {
        assertThat(LINK.matcher(row.get(2)).matches()).as(row.get(2)).isTrue();
      }
    }
  }

  /** Returns the files of this name: more than one module may have such a test. */
  private static List<Path> sources(String name) throws IOException {
    try (Stream<Path> files = Files.find(ROOT, 12, (file, attributes) -> file.endsWith(name))) {
      return files.filter(file -> !file.toString().contains("target")).toList();
    }
  }

  @Test
  void mistakesOfThePage_areMade() throws IOException {
    List<String> made = mistakes();
    List<String> named =
        rows(PROBLEM).stream()
            .flatMap(row -> MISTAKE.matcher(row.get(2)).results())
            .map(found -> found.group(1))
            .toList();
    assertThat(named).isNotEmpty().isSubsetOf(made);
  }

  /** The first column names the feature; the second is this library. */
  @Test
  void eachCellOfTheComparison_isNoOrALink() throws IOException {
    List<List<String>> rows = rows(FEATURE);
    assertThat(rows).hasSizeGreaterThan(15);
    for (List<String> row : rows) {
      for (String cell : row.subList(1, row.size())) {
        if (cell.equals("no")) {
          continue;
        }
        var link = LINK.matcher(cell);
        assertThat(link.matches()).as(row.get(0) + ": " + cell).isTrue();
        assertThat(link.group(1)).isIn("yes", "partly");
        if (link.group(2).startsWith("https://")) {
          assertThat(link.group(2)).matches(AT_A_FIXED_LINE);
        }
      }
    }
  }

  @Test
  void eachRowOfTheComparison_isAboutAFeatureOrAProblem() throws IOException {
    assertThat(rows())
        .extracting(List::size)
        .allSatisfy(size -> assertThat(size).isIn(FEATURE, PROBLEM));
  }

  private static List<List<String>> rows(int cells) throws IOException {
    return rows().stream().filter(row -> row.size() == cells).toList();
  }

  /** Returns the cells of all rows of the comparison's tables, without their headers. */
  private static List<List<String>> rows() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve(COMPARISON));
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

  /** Returns the names of the deliberate mistakes: the first lines of their files. */
  private static List<String> mistakes() throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("checker/src/test/mistakes"))) {
      for (Path file : files.toList()) {
        names.add(Files.readAllLines(file).get(0));
      }
    }
    return names;
  }
}
